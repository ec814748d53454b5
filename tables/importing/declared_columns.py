"""The columns that an exported ZIP archive describes: their types, settings and options."""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from shared import strictjson
from tables.column_types import ColumnSpec, ValueFault, get_column_type, name_key
from tables.importing.file_formats.archives import Archive
from tables.importing.file_formats.source import Unreadable

# As many bytes as the options of a table can have in practice. A larger description is ignored.
MAX_BYTES = 8 * 1024**2
# The parts of a definition that say how values are read and shown.
LEFT_OUT = ("id", "position", "required", "default")


def written_columns(columns: Sequence[ColumnSpec]) -> bytes:
    """Return the description of columns for an archive."""
    described = [
        {name: value for name, value in column.as_json().items() if name not in LEFT_OUT} for column in columns
    ]
    return strictjson.dumps({"columns": described}).encode()


def declared_columns(archive: Archive) -> dict[str, ColumnSpec]:
    """Return the described columns by the key of their name. What is not valid, or cannot be imported, is left out."""
    try:
        with archive.open_description() as content:
            text = content.read(MAX_BYTES + 1) if content is not None else b""
        described = strictjson.loads(text.decode()) if 0 < len(text) <= MAX_BYTES else {}
    except (Unreadable, strictjson.StrictJsonError, UnicodeDecodeError):
        return {}
    listed = described.get("columns") if isinstance(described, dict) else None
    return {name_key(column.name): column for column in _valid(listed if isinstance(listed, list) else [])}


def _valid(described: Sequence[Any]) -> Iterator[ColumnSpec]:
    for each in described:
        if not isinstance(each, Mapping) or not all(isinstance(each.get(part), str) for part in ("name", "type")):
            continue
        kind = get_column_type(each["type"])
        if not kind.is_writable and not kind.has_files:
            continue
        try:
            column = ColumnSpec.from_json({**each, "id": ""})
            yield replace(kind.check_definition(column), filter_display=column.filter_display)
        except (ValueFault, AttributeError, TypeError, ValueError):
            # Another program may have written anything.
            continue
