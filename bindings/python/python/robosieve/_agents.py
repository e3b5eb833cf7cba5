"""The agents that the drop-in replacements accept. The core reads the names in them."""

from __future__ import annotations


def agent_or_all(agent: str | bytes) -> str | bytes:
    """The agent as it is, or ``*`` for one that names nobody.

    >>> agent_or_all("MyBot/1.0"), agent_or_all(""), agent_or_all("/")
    ('MyBot/1.0', '*', '*')
    """
    text = agent.decode("latin-1") if isinstance(agent, bytes) else agent
    return "*" if not text.strip(" \t\r\n\f") or text.startswith(("/", "http://", "https://")) else agent
