"""The agents that callers give. The core reads the names in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Union

Agents = Union[str, bytes, Sequence[Union[str, bytes]], Iterator[Union[str, bytes]]]

#: A URL is no name.
_URL = re.compile(r"/|https?://")


def listed(agents: Any) -> Any:
    """Agents that can be read more than once. The core refuses what has no order.

    >>> listed(iter(["a", "b"])), listed("MyBot")
    (['a', 'b'], 'MyBot')
    """
    return list(agents) if isinstance(agents, Iterator) else agents


def agent_or_all(agent: str | bytes) -> str | bytes:
    """The agent as it is, or ``*`` for one that names nobody.

    >>> agent_or_all("MyBot/1.0 (+https://e.com/)"), agent_or_all(""), agent_or_all("/")
    ('MyBot/1.0 (+https://e.com/)', '*', '*')
    """
    text = agent.decode("latin-1") if isinstance(agent, bytes) else agent
    text = text.strip(" \t\r\n\f")
    return "*" if not text or _URL.match(text) else agent
