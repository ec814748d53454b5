"""What a row keeps about its cells: one text to search in, and one hash to find equal rows by."""
from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import strictjson
from tables.column_types.column_type import get_column_type
from tables.column_types.spec import ColumnSpec


class Digest:
    """Says for one row after the other of these columns what is kept of it."""

    def __init__(self, columns: Iterable[ColumnSpec]) -> None:
        columns = list(columns)
        self._ids = sorted(column.id for column in columns)
        types = [(column.id, get_column_type(column.type)) for column in columns]
        self._texts = [(column_id, kind.text) for column_id, kind in types if kind.searchable]

    def of(self, data: Mapping[str, Any]) -> tuple[str, str, str]:
        """The cells as canonical JSON without empty ones, the text to search in, and the hash ("" for no value)."""
        cells = {column_id: data[column_id] for column_id in self._ids if data.get(column_id) is not None}
        # The keys are in order already, so that this is the canonical text.
        text = strictjson.dump(cells)
        return text, self.search_text(data), hashlib.sha256(text.encode()).hexdigest() if cells else ""

    def search_text(self, data: Mapping[str, Any]) -> str:
        """The casefolded texts of all searchable cells, a line each, in the order of the columns."""
        texts = [text(data[column_id]) for column_id, text in self._texts if data.get(column_id) is not None]
        return "\n".join(texts).casefold()


def search_text(columns: Iterable[ColumnSpec], data: Mapping[str, Any]) -> str:
    """The casefolded texts of all searchable cells, a line each, in the order of the columns."""
    return Digest(columns).search_text(data)


def cells_hash(columns: Iterable[ColumnSpec], data: Mapping[str, Any]) -> str:
    """The same for two rows exactly when all their cells are equal; "" for a row without any value."""
    return Digest(columns).of(data)[2]
