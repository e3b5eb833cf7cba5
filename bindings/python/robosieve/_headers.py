"""User-Agent headers, as the drop-in replacements read them."""

from __future__ import annotations

import re
from functools import lru_cache

_BROWSERS = frozenset(
    "mozilla applewebkit khtml gecko chrome chromium safari version mobile firefox edg edge opr opera trident msie "
    "headlesschrome compatible like".split()
)
_COMPATIBLE = re.compile(r"compatible;\s*([A-Za-z0-9._-]+)", re.IGNORECASE)
_PRODUCT = re.compile(r"(?<![\w./:-])([A-Za-z0-9_-][A-Za-z0-9._-]*)/")


@lru_cache(maxsize=256)
def agents_of(header: str | bytes) -> tuple[str | bytes, ...]:
    """The names in a header, the preferred first: that behind ``compatible;``, the last products, then browsers' names.

    >>> agents_of("Mozilla/5.0 (compatible; MyBot/1.0; +https://example.com/bot)")
    ('MyBot', 'Mozilla')
    >>> agents_of("Mozilla/5.0 (X11) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120 Safari/537 MyBot/2")
    ('MyBot', 'Safari', 'Chrome', 'AppleWebKit', 'Mozilla')
    >>> agents_of("MyBot"), agents_of("")
    (('MyBot',), ('*',))
    """
    if isinstance(header, bytes):
        header = header.decode("utf-8", "surrogateescape")
    if "/" not in header:
        return (header if header.strip() else "*",)
    names = _COMPATIBLE.findall(header) + _PRODUCT.findall(header)[::-1]
    names = list(dict.fromkeys(names)) or [re.sub(r"/.*", "", header, flags=re.DOTALL).strip() or "*"]
    return tuple(sorted(names, key=lambda name: name.lower() in _BROWSERS))
