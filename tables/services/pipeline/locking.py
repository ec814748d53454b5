"""Locks of a write, always in the same order: the table first, then its rows by id."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.contrib.auth import get_user_model
from django.db import connection
from django.db.models import Model, QuerySet

from shared.db.compiled_queries import CompiledQuery
from shared.user_messages import declare
from tables.column_types import ColumnSpec, TableShape
from tables.exceptions import Forbidden, NotFound, Outdated
from tables.models import Row, Table
from tables.operations.cells import RowState
from tables.selectors.access import REFUSALS, ROLES, Right, role_of
from tables.selectors.rows.reading import cell_reader
from tables.selectors.sql.computed import computed_annotations
from tables.selectors.sql.conditions import among_ids, as_condition, plain_cell
from tables.selectors.sql.dialects import dialect
from tables.selectors.sql.expressions import Sql, row_among
from tables.selectors.tables import NO_SUCH_TABLE, TABLE_FIELDS, get_table

VERSION_MOVED = declare("version_moved", "The table has version {version} now, not {known}.")

# Limits the size of a query and of its result.
IDS_PER_QUERY = 10_000
LIVE = " AND deleted_at IS NULL"
# Building this query takes longer than running it.
LOCK_TABLE = CompiledQuery(
    lambda table_id: Table.objects.select_for_update().filter(pk=table_id).values_list(*TABLE_FIELDS), table_id=int
)


def locked_table(
    user: Any, table_id: int, *, can: Right = "edit", trashed: bool | None = False, was_read: bool = False
) -> Table:
    """Return the table, locked until the transaction ends; `trashed` None accepts both states.

    `was_read`: the caller has just read the table with the same rights, which are checked again only under the lock.
    Otherwise they are checked before it too, so that users cannot lock tables of others.
    """
    is_trashed = bool(trashed)
    if not was_read:
        is_trashed = unlocked_table(user, table_id, can=can, trashed=trashed).deleted_at is not None
    # On SQLite this does nothing: there, transactions are IMMEDIATE, one at a time.
    found = LOCK_TABLE.rows(table_id=table_id)
    locked = Table.from_db(connection.alias, TABLE_FIELDS, found[0]) if found else None
    if locked is None or (locked.deleted_at is not None) != is_trashed:
        raise NotFound(NO_SUCH_TABLE())
    # The user's role may have changed while waiting for the lock.
    role = role_of(user, locked)
    if role not in ROLES["view"]:
        raise NotFound(NO_SUCH_TABLE())
    if role not in ROLES[can]:
        raise Forbidden(REFUSALS[can])
    locked.reader_id = user.pk  # type: ignore[attr-defined]  # as `get_table` does
    return locked


def unlocked_table(user: Any, table_id: int, *, can: Right = "edit", trashed: bool | None = False) -> Table:
    """Return the current table without a lock; `trashed` as for `locked_table`."""
    try:
        return get_table(user, table_id, can=can, trashed=bool(trashed))
    except NotFound:
        if trashed is not None:
            raise
        return get_table(user, table_id, can=can, trashed=True)


def lock_user(user: Any) -> None:
    """Lock a user until the transaction ends, so that limits per user hold in all processes."""
    # Not the key, so that inserts that refer to the user need not wait.
    get_user_model().objects.select_for_update(no_key=True).filter(pk=user.pk).first()


def lock_deleted(sender: type[Model], *, instance: Model, using: str, **_: Any) -> None:
    """Lock a table or user that is being deleted, before anything that refers to it is; receiver of `pre_delete`.

    A transaction that has written rows with it either ends first, so that the deletion finds these rows, or fails.
    """
    list(sender._base_manager.using(using).select_for_update().filter(pk=instance.pk).values_list("pk"))


def refuse_outdated(version: int, *, expected: int | None) -> None:
    """Raise Outdated when the writer expected another version of the table; None is not compared.

    Call it with a locked table: without the lock another writer can change the table after the comparison.
    """
    if expected is not None and version != expected:
        raise Outdated(VERSION_MOVED(version=version, known=expected), extra={"version": version})


def locked_rows(table: Table, ids: Iterable[int], *, shape: TableShape) -> dict[int, RowState]:
    """Return the current rows with these ids, deleted ones included, locked in order of id."""
    return _rows(table, ids, among=Row.objects.select_for_update(), shape=shape)


def stored_rows(table: Table, ids: Iterable[int], *, shape: TableShape) -> dict[int, RowState]:
    """Return the current rows with these ids, deleted ones included, without locks."""
    return _rows(table, ids, among=Row.objects.all(), shape=shape)


def _rows(table: Table, ids: Iterable[int], *, among: QuerySet[Row], shape: TableShape) -> dict[int, RowState]:
    ordered = sorted(set(ids))
    found: dict[int, RowState] = {}
    for start in range(0, len(ordered), IDS_PER_QUERY):
        rows = among.filter(among_ids(ordered[start : start + IDS_PER_QUERY]), table_id=table.pk).order_by("pk")
        found |= {row.id: row for row in _states(rows, shape=shape)}
    return found


def locked_versions(table: Table, ids: Iterable[int], *, deleted: bool = False) -> dict[int, int]:
    """Return the versions of these live rows by id, locked in order of id, without reading cells.

    With `deleted`, those of deleted rows too.
    """
    lock = " FOR UPDATE" if connection.features.has_select_for_update else ""
    return _versions(table, ids, rest=f"{'' if deleted else LIVE} ORDER BY id{lock}")


def stored_versions(table: Table, ids: Iterable[int]) -> dict[int, int]:
    """Return the versions of these live rows by id, without locks."""
    return _versions(table, ids, rest=LIVE)


def _versions(table: Table, ids: Iterable[int], *, rest: str) -> dict[int, int]:
    ordered = sorted(set(ids))
    found: dict[int, int] = {}
    with connection.cursor() as cursor:
        for start in range(0, len(ordered), IDS_PER_QUERY):
            among = row_among(ordered[start : start + IDS_PER_QUERY])
            cursor.execute(
                f"SELECT id, version FROM tables_row WHERE {among.text} AND table_id = %s{rest}",
                [*among.params, table.pk],
            )
            found.update(cursor.fetchall())
    return found


def without_deleted(rows: dict[int, RowState]) -> dict[int, RowState]:
    """Return the rows that are not deleted."""
    return {key: row for key, row in rows.items() if not row.deleted}


def iterate_row_states(table: Table, *, shape: TableShape, with_value_in: Sequence[str] = ()) -> Iterator[RowState]:
    """Return all live rows in order of position, or those with a value in one of these columns (ids).

    Of computed columns, only these have values.
    """
    columns = [column for key in with_value_in if (column := shape.column(key)) is not None]
    rows = Row.objects.filter(table_id=table.pk, deleted_at__isnull=True).order_by("position", "pk")
    if with_value_in:
        read = dialect()
        stored = [read.plain(key) for key in with_value_in if shape.column(key) is None]
        has_value = [*(plain_cell(column, read=read) for column in columns), *stored]
        rows = rows.filter(as_condition(Sql.joined(has_value, between=" OR ", around="({}) IS NOT NULL")))
    return _states(rows, shape=shape, computed=[column for column in columns if column.is_computed])


def _states(
    rows: QuerySet[Row], *, shape: TableShape, computed: Sequence[ColumnSpec] = ()
) -> Iterator[RowState]:
    added, ids = computed_annotations(computed), [column.id for column in computed]
    listed = rows.annotate(**added).values_list("pk", "version", "data", "deleted_at", *added)
    read: Iterable[Any] = listed.iterator(chunk_size=2_000)
    cells = cell_reader(shape)
    for pk, version, data, deleted_at, *values in read:
        known = cells(data)
        known |= {key: value for key, value in zip(ids, values, strict=True) if value is not None}
        yield RowState(id=pk, version=version, data=known, deleted=deleted_at is not None)
