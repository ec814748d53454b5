"""Functions that SQLite lacks: case folding and normalization of the text of any language."""
from __future__ import annotations

from typing import Any
from unicodedata import normalize


def teach(*, connection: Any, **_signal: Any) -> None:
    """Add the SQL functions `casefold(text)` and `nfc(text)`; receiver of `connection_created`."""
    if connection.vendor == "sqlite" and not getattr(connection.connection, "taught", False):
        connection.connection.create_function("casefold", 1, _casefold, deterministic=True)
        connection.connection.create_function("nfc", 1, _nfc, deterministic=True)
        if hasattr(connection.connection, "taught"):
            connection.connection.taught = True


def _casefold(value: Any) -> Any:
    return value.casefold() if isinstance(value, str) else value


def _nfc(value: Any) -> Any:
    return normalize("NFC", value) if isinstance(value, str) else value
