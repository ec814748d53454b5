"""What a row keeps about its cells: one text to search in, and one hash to find equal rows by."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import strictjson
from tables.column_types.column_type import get_column_type
from tables.column_types.spec import ColumnSpec


def search_text(columns: Iterable[ColumnSpec], data: Mapping[str, Any]) -> str:
    """The casefolded texts of all searchable cells, a line each, in the order of the columns."""
    texts = []
    for column in columns:
        value, column_type = data.get(column.id), get_column_type(column.type)
        if value is not None and column_type.searchable:
            texts.append(column_type.text(value).casefold())
    return "\n".join(texts)


def cells_hash(columns: Iterable[ColumnSpec], data: Mapping[str, Any]) -> str:
    """The same for two rows exactly when all their cells are equal; "" for a row without any value."""
    cells = {column.id: data[column.id] for column in columns if data.get(column.id) is not None}
    return strictjson.content_hash(cells) if cells else ""
