"""Where values of cells come from, as apps outside of tables record it."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tables.models import Table
from tables.operations.cells import StoredRow

Json = dict[str, Any]
# Return the origins of the values that these rows hold, by row and column id, in a constant number of queries. An
# origin is an object with at least "confidence" and "sources", a list of objects with "url", "title" and "quote".
ReadOrigins = Callable[[Table, Sequence[StoredRow]], Mapping[int, Mapping[str, Json]]]
# Return the ids of the columns of which values have origins.
ColumnsWithOrigins = Callable[[Table], set[str]]


@dataclass
class _Recorder:
    """The app that records origins, if one is installed."""

    read: ReadOrigins | None = None
    columns: ColumnsWithOrigins | None = None


_recorder = _Recorder()


def register_origins(*, read: ReadOrigins, columns: ColumnsWithOrigins) -> None:
    """Have origins read with these functions. Apps call this in `ready`."""
    _recorder.read, _recorder.columns = read, columns


def origins_of(table: Table, rows: Sequence[StoredRow]) -> Mapping[int, Mapping[str, Json]]:
    """Return the origins of the values that these rows hold, by row and column id."""
    return _recorder.read(table, rows) if _recorder.read is not None and rows else {}


def columns_with_origins(table: Table) -> set[str]:
    """Return the ids of the columns of which some values have origins."""
    return _recorder.columns(table) if _recorder.columns is not None else set()
