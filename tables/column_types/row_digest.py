"""Values derived from the cells of a row: the text for searching, and a hash for finding equal rows."""
from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from shared import strictjson
from tables.column_types.column_type import get_column_type
from tables.column_types.spec import ColumnSpec


class RowDigest:
    """Computes the derived values of rows with these columns."""

    def __init__(self, columns: Iterable[ColumnSpec]) -> None:
        columns = list(columns)
        self._ids = sorted(column.id for column in columns)
        kinds = [get_column_type(column.type) for column in columns]
        self._texts = [
            (column.id, kind.text, kind.text_is_value)
            for column, kind in zip(columns, kinds, strict=True)
            if kind.searchable
        ]

    def of(self, data: Mapping[str, Any]) -> tuple[str, str, str]:
        """Return the cells as canonical JSON without empty ones, the search text, and the hash ("" for no value)."""
        cells = {column_id: value for column_id in self._ids if (value := data.get(column_id)) is not None}
        # The keys are sorted already, so this text is canonical.
        text = strictjson.dumps(cells)
        return text, self.search_text(data), hashlib.sha256(text.encode()).hexdigest() if cells else ""

    def search_text(self, data: Mapping[str, Any]) -> str:
        """Return the casefolded texts of all searchable cells, one per line, in the order of the columns."""
        texts = []
        for column_id, text, as_stored in self._texts:
            value = data.get(column_id)
            if value is not None:
                texts.append(value if as_stored and type(value) is str else text(value))
        return "\n".join(texts).casefold()


def folded_cells(text: str) -> str:
    """Return the casefolded texts that `lower` of SQLite, which changes only ASCII, does not return; as JSON by column.

    `text` is the JSON of the cells. The type of a column makes no difference, because a change of type may leave its
    cells as they are.
    """
    # Only JSON with escapes, as Django writes it, must be read to find out.
    if "\\u" not in text and (text.isascii() or text.casefold() == _lower(text)):
        return "{}"
    texts = {key: value for key, value in strictjson.loads(text).items() if isinstance(value, str)}
    folded = {key: value.casefold() for key, value in texts.items()}
    return strictjson.dumps({key: value for key, value in folded.items() if value != _lower(texts[key])})


def _lower(text: str) -> str:
    return text.encode().lower().decode()


def search_text(columns: Iterable[ColumnSpec], data: Mapping[str, Any]) -> str:
    """Return the casefolded texts of all searchable cells, one per line, in the order of the columns."""
    return RowDigest(columns).search_text(data)


def cells_hash(columns: Iterable[ColumnSpec], data: Mapping[str, Any]) -> str:
    """Return a hash that is equal for two rows exactly if all their cells are; "" for a row without values."""
    return RowDigest(columns).of(data)[2]
