"""Teaches SQLite the one function it lacks: folding the case of any language, not of ASCII alone."""
from __future__ import annotations

from typing import Any


def teach(*, connection: Any, **_signal: Any) -> None:
    """Receiver of `connection_created`: the SQL function `casefold(text)` on every new SQLite connection."""
    if connection.vendor == "sqlite" and not getattr(connection.connection, "taught", False):
        connection.connection.create_function("casefold", 1, _casefold, deterministic=True)
        if hasattr(connection.connection, "taught"):
            connection.connection.taught = True


def _casefold(value: Any) -> Any:
    return value.casefold() if isinstance(value, str) else value
