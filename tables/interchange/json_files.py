"""Write rows as a JSON list of objects, one per line."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import IO

from shared import strictjson
from tables.column_types import ColumnSpec
from tables.selectors import ListedRow


def write_json(file: IO[bytes], *, title: str, columns: Sequence[ColumnSpec], rows: Iterable[ListedRow]) -> None:
    """Write objects keyed by column name, in the order of the columns; null for empty cells."""
    names = [column.name for column in columns]
    before = b"[\n"
    for _, cells in rows:
        file.write(before + strictjson.dumps(dict(zip(names, cells, strict=True))).encode())
        before = b",\n"
    file.write(b"[]\n" if before == b"[\n" else b"\n]\n")
