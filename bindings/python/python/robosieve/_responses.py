"""The responses of other clients: their URL, header lines and body, without one of them installed."""

from __future__ import annotations

from typing import Any

#: Types that say nothing: browsers look into the body (WHATWG MIME Sniffing, 7). The rule is [signals.html].
_UNKNOWN = ("unknown/unknown", "application/unknown", "*/*")


def parts(response: Any, has_html: bool) -> tuple[str | bytes, list[tuple[Any, Any]], bytes | None]:
    """The URL, each header line, and the body, if it is HTML and the caller has not given it.

    aiohttp, httpx and urllib3 have the lines as they came; others join those with one name.

    >>> class Response: url, headers, content = "/a", {"Content-Type": "text/html"}, b"<b>"
    >>> parts(Response(), has_html=False)
    ('/a', [(b'Content-Type', b'text/html')], b'<b>')
    """
    lines = [(_bytes(name), _bytes(value)) for name, value in _lines(response)]
    url = getattr(response, "url", None)
    url = url if isinstance(url, (str, bytes)) else "" if url is None else str(url)
    return url, lines, None if has_html or not _is_html(lines) else _body(response)


def _lines(response: Any) -> list[tuple[Any, Any]]:
    """The header lines of a response, one by one if it has them."""
    headers = response.headers
    for found in (getattr(response, "raw_headers", None), getattr(headers, "raw", None)):  # aiohttp, httpx
        if isinstance(found, (list, tuple)):
            return list(found)
    original = getattr(getattr(response, "raw", None), "headers", None)  # requests, over urllib3
    found = headers if original is None else original
    if not hasattr(found, "items"):
        raise TypeError(f"the headers of a response must be a mapping, not {type(found).__name__}")
    return list(found.items())


def _bytes(text: Any) -> Any:
    """A text as the bytes that came: clients read them as Latin-1."""
    if not isinstance(text, str):
        return [_bytes(one) for one in text] if isinstance(text, (list, tuple)) else text
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text


def _is_html(lines: list[tuple[Any, Any]]) -> bool:
    """Whether the body may be HTML: it is said, or nothing is."""
    kinds = [value for name, value in lines if isinstance(name, bytes) and name.lower() == b"content-type"]
    kinds = [one for value in kinds for one in (value if isinstance(value, list) else [value])]
    parts = [part for kind in kinds if isinstance(kind, bytes) for part in kind.split(b",")]
    said = [part.split(b";")[0].strip().lower().decode("latin-1") for part in parts]
    return not said or any("html" in kind or "/" not in kind or kind in _UNKNOWN for kind in said)


def _body(response: Any) -> bytes:
    """The body, if it was read. To read it is up to the caller: it may have any length."""
    name = type(response).__module__.partition(".")[0]
    is_read = getattr(response, "_content", None) is not False  # requests
    if name == "urllib3":
        is_read = response.closed or bool(getattr(response, "_body", None))
    for where in ("content", "body", "data") if is_read else ():
        try:
            body = getattr(response, where, None)
        except RuntimeError:  # httpx: it was not read
            break
        if isinstance(body, bytes):
            return body
    how = {"aiohttp": "await response.read()", "httpx": "response.read()", "requests": "response.content"}.get(name, "response.read()")
    raise TypeError(f"the body of the response was not read: read it before, or give html={how}; html=b'' is none")
