"""Takes the locks of a write in their one order: the table first, then its rows by id."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from django.db.models import QuerySet

from tables.column_types import TableShape
from tables.exceptions import Forbidden, NotFound, Outdated
from tables.models import Row, Table
from tables.operations.cells import RowState
from tables.selectors.access import REFUSALS, Right, allowed
from tables.selectors.conditions import among_ids
from tables.selectors.rows import cell_reader
from tables.selectors.tables import get_table

# So that a statement, and what it gives, stays of a size.
IDS_AT_ONCE = 10_000
NO_CELLS: Mapping[str, Any] = MappingProxyType({})


def locked_table(user: Any, table_id: int, *, can: Right = "edit", trashed: bool | None = False) -> Table:
    """The table, locked until the transaction ends; `trashed` None takes it from the trash or from outside it."""
    try:
        table = get_table(user, table_id, can=can, trashed=bool(trashed))
    except NotFound:
        if trashed is not None:
            raise
        table = get_table(user, table_id, can=can, trashed=True)
    # On SQLite this locks nothing; there, transactions are IMMEDIATE and one at a time anyway.
    locked = Table.objects.select_for_update().filter(pk=table.pk).first()
    if locked is None or (locked.deleted_at is None) != (table.deleted_at is None):
        raise NotFound("There is no such table.")
    if not allowed(user, locked, can=can):
        # Sharing ended while this waited for the lock.
        raise Forbidden(REFUSALS[can])
    return locked


def refuse_outdated(version: int | None, *, looked_at: int | None) -> None:
    """Raises Outdated when the writer looked at another version than there is; None says nothing."""
    if version is not None and looked_at is not None and version != looked_at:
        detail = f"This has version {version} now, not {looked_at}."
        raise Outdated(detail, extra={"version": version})


def locked_rows(table: Table, ids: Sequence[int], *, shape: TableShape) -> dict[int, RowState]:
    """The rows with these ids as they are, deleted ones included, locked in order of id."""
    ordered = sorted(set(ids))
    found: dict[int, RowState] = {}
    for start in range(0, len(ordered), IDS_AT_ONCE):
        rows = Row.objects.filter(among_ids(ordered[start : start + IDS_AT_ONCE]), table_id=table.pk)
        found |= {row.id: row for row in _states(rows.select_for_update().order_by("pk"), shape=shape)}
    return found


def locked_heads(table: Table, ids: Sequence[int]) -> dict[int, RowState]:
    """The live ones of these rows, locked in order of id, without their cells: where only their version matters."""
    ordered = sorted(set(ids))
    found: dict[int, RowState] = {}
    for start in range(0, len(ordered), IDS_AT_ONCE):
        rows = Row.objects.filter(among_ids(ordered[start : start + IDS_AT_ONCE]), table_id=table.pk)
        heads = rows.filter(deleted_at__isnull=True).select_for_update().order_by("pk").values_list("pk", "version")
        found |= {pk: RowState(pk, version, NO_CELLS) for pk, version in heads.iterator(chunk_size=2_000)}
    return found


def live_rows(rows: dict[int, RowState]) -> dict[int, RowState]:
    """Those that are not deleted."""
    return {key: row for key, row in rows.items() if not row.deleted}


def every_row(table: Table, *, shape: TableShape) -> Iterator[RowState]:
    """All live rows in order of position; nobody else writes them while the table is locked."""
    rows = Row.objects.filter(table_id=table.pk, deleted_at__isnull=True).order_by("position", "pk")
    return _states(rows, shape=shape)


def _states(rows: QuerySet[Row], *, shape: TableShape) -> Iterator[RowState]:
    read: Iterable[Any] = rows.values_list("pk", "version", "data", "deleted_at").iterator(chunk_size=2_000)
    cells = cell_reader(shape)
    for pk, version, data, deleted_at in read:
        yield RowState(id=pk, version=version, data=cells(data), deleted=deleted_at is not None)
