"""Takes the locks of a write in their one order: the table first, then its rows by id."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.contrib.auth import get_user_model
from django.db import connection
from django.db.models import QuerySet

from shared.user_messages import declare
from tables.column_types import TableShape
from tables.exceptions import Forbidden, NotFound, Outdated
from tables.models import Row, Table
from tables.operations.cells import RowState
from tables.selectors.access import REFUSALS, Right, allowed
from tables.selectors.conditions import among_ids, truth
from tables.selectors.dialects import Sql, dialect, row_among
from tables.selectors.rows import cell_reader
from tables.selectors.tables import NO_SUCH_TABLE, get_table

VERSION_MOVED = declare("version_moved", "This has version {version} now, not {known}.")

# So that a statement, and what it gives, stays of a size.
IDS_AT_ONCE = 10_000
LIVE = " AND deleted_at IS NULL"


def locked_table(user: Any, table_id: int, *, can: Right = "edit", trashed: bool | None = False) -> Table:
    """The table, locked until the transaction ends; `trashed` None takes it from the trash or from outside it."""
    table = found_table(user, table_id, can=can, trashed=trashed)
    # On SQLite this locks nothing; there, transactions are IMMEDIATE and one at a time anyway.
    locked = Table.objects.select_for_update().filter(pk=table.pk).first()
    if locked is None or (locked.deleted_at is None) != (table.deleted_at is None):
        raise NotFound(NO_SUCH_TABLE())
    if not allowed(user, locked, can=can):
        # Sharing ended while this waited for the lock.
        raise Forbidden(REFUSALS[can])
    return locked


def found_table(user: Any, table_id: int, *, can: Right = "edit", trashed: bool | None = False) -> Table:
    """Return the table as it is now, without a lock; `trashed` as for `locked_table`."""
    try:
        return get_table(user, table_id, can=can, trashed=bool(trashed))
    except NotFound:
        if trashed is not None:
            raise
        return get_table(user, table_id, can=can, trashed=True)


def lock_person(user: Any) -> None:
    """Until the transaction ends, nobody else counts what this person has under way: not in any process."""
    # Not the whole row: what else refers to the person need not wait.
    get_user_model().objects.select_for_update(no_key=True).filter(pk=user.pk).first()


def refuse_outdated(version: int | None, *, looked_at: int | None) -> None:
    """Raises Outdated when the writer looked at another version than there is; None says nothing."""
    if version is not None and looked_at is not None and version != looked_at:
        raise Outdated(VERSION_MOVED(version=version, known=looked_at), extra={"version": version})


def locked_rows(table: Table, ids: Iterable[int], *, shape: TableShape) -> dict[int, RowState]:
    """The rows with these ids as they are, deleted ones included, locked in order of id."""
    ordered = sorted(set(ids))
    found: dict[int, RowState] = {}
    for start in range(0, len(ordered), IDS_AT_ONCE):
        rows = Row.objects.filter(among_ids(ordered[start : start + IDS_AT_ONCE]), table_id=table.pk)
        found |= {row.id: row for row in _states(rows.select_for_update().order_by("pk"), shape=shape)}
    return found


def stored_rows(table: Table, ids: Iterable[int], *, shape: TableShape) -> dict[int, RowState]:
    """Return the rows with these ids as they are, deleted ones included, without locks."""
    ordered = sorted(set(ids))
    found: dict[int, RowState] = {}
    for start in range(0, len(ordered), IDS_AT_ONCE):
        rows = Row.objects.filter(among_ids(ordered[start : start + IDS_AT_ONCE]), table_id=table.pk)
        found |= {row.id: row for row in _states(rows.order_by("pk"), shape=shape)}
    return found


def locked_versions(table: Table, ids: Iterable[int], *, deleted: bool = False) -> dict[int, int]:
    """The versions of the live ones of these rows by id, locked in order of id: where their cells do not matter.

    With `deleted`, those of deleted rows too.
    """
    lock = " FOR UPDATE" if connection.features.has_select_for_update else ""
    return _versions(table, ids, rest=f"{'' if deleted else LIVE} ORDER BY id{lock}")


def stored_versions(table: Table, ids: Iterable[int]) -> dict[int, int]:
    """The versions of the live ones of these rows by id, without locks."""
    return _versions(table, ids, rest=LIVE)


def _versions(table: Table, ids: Iterable[int], *, rest: str) -> dict[int, int]:
    ordered = sorted(set(ids))
    found: dict[int, int] = {}
    with connection.cursor() as cursor:
        for start in range(0, len(ordered), IDS_AT_ONCE):
            among = row_among(ordered[start : start + IDS_AT_ONCE])
            cursor.execute(
                f"SELECT id, version FROM tables_row WHERE {among.text} AND table_id = %s{rest}",
                [*among.params, table.pk],
            )
            found.update(cursor.fetchall())
    return found


def live_rows(rows: dict[int, RowState]) -> dict[int, RowState]:
    """Those that are not deleted."""
    return {key: row for key, row in rows.items() if not row.deleted}


def every_row(table: Table, *, shape: TableShape, holding: Sequence[str] = ()) -> Iterator[RowState]:
    """All live rows in order of position, or those with a value in one of the columns with these ids.

    Nobody else writes them while the table is locked.
    """
    rows = Row.objects.filter(table_id=table.pk, deleted_at__isnull=True).order_by("position", "pk")
    if holding:
        read = dialect()
        rows = rows.filter(truth(Sql.joined(map(read.plain, holding), between=" OR ", around="({}) IS NOT NULL")))
    return _states(rows, shape=shape)


def _states(rows: QuerySet[Row], *, shape: TableShape) -> Iterator[RowState]:
    read: Iterable[Any] = rows.values_list("pk", "version", "data", "deleted_at").iterator(chunk_size=2_000)
    cells = cell_reader(shape)
    for pk, version, data, deleted_at in read:
        yield RowState(id=pk, version=version, data=cells(data), deleted=deleted_at is not None)
