"""Operations that their views do not describe, by the name of their URL and their method."""
from __future__ import annotations

from chatproject.openapi.other_operations import CHAT, ROOF
from chatproject.openapi.tables_operations import TABLES
from chatproject.openapi.words import Operation

GROUPS = {"tables": TABLES, "chat": CHAT, "server": ROOF}


def described(name: str, *, method: str) -> Operation | None:
    """Return what is written down for an operation; None for one that its view describes."""
    found = (operations[name] for operations in GROUPS.values() if name in operations)
    return next(found, {}).get(method)
