"""The effect of changes on rows, columns and the table, with the names of rows and columns."""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from django.db.models import Q

from tables.column_types import ColumnSpec, TableShape
from tables.column_types.people import NO_PEOPLE, People
from tables.models import Change, Row, Table
from tables.operations.changes.delta import restore_numbers, same
from tables.operations.column_keys import ColumnNames, cells_by_name
from tables.operations.columns import public_changes, public_fields
from tables.operations.plans.row_order import PLACEMENT
from tables.operations.row_names import first_value
from tables.selectors.history.changes import ALL_CHANGES, ChangeFilter, ChangeView, changes_by_id
from tables.selectors.history.entries import (
    PREVIEW_ROWS,
    Action,
    Cursor,
    Definitions,
    Entry,
    changes_with_row,
    read_definitions,
    read_first,
    read_later_definitions,
    read_page,
    read_row,
)

Json = dict[str, Any]
# Maximum number of pieces that are searched for a row per call, and of changes that are read.
MAX_SEARCHED_PIECES = 300
MAX_ROW_CHANGES = 50


@dataclass(frozen=True)
class CellChange:
    """One cell before and after; None is an empty cell.

    If the column no longer exists, `column` is its last name and `type` the former one; "" if they are not known.
    `settings` and the `colors` of options are those of the column now, or the former ones; `people` are those of the
    table.
    """

    column_id: str
    column: str
    type: str
    was: Any
    now: Any
    settings: tuple[tuple[str, Any], ...] = ()
    colors: Mapping[str, str] = field(default_factory=dict)
    people: People = field(default=NO_PEOPLE, compare=False, repr=False)


@dataclass(frozen=True)
class RowChange:
    """One row of a change. `name` is its first value; `cells` is empty if they are too large to show.

    The action is "move" if only its position changed.
    """

    id: int
    action: Action
    name: str = ""
    cells: tuple[CellChange, ...] = ()
    too_large: bool = False

    def as_json(self, names: ColumnNames | None = None) -> Json:
        """The representation in API responses, with cells by the names of columns; by their ids without `names`."""
        cells = {cell.column_id: {"was": cell.was, "now": cell.now} for cell in self.cells}
        return {
            "id": self.id,
            "name": self.name,
            "action": self.action,
            "cells": cells_by_name(cells, names) if names else cells,
            "too_large": self.too_large,
        }


@dataclass(frozen=True)
class ColumnChange:
    """One column of a change: whole definitions of added and removed columns, else the fields that differ.

    `column` is the whole column, as it is now or as it was last known.
    """

    id: str
    name: str
    was: Json | None
    now: Json | None
    column: ColumnSpec | None = None

    @property
    def action(self) -> Literal["add", "modify", "remove"]:
        return "add" if self.was is None else "remove" if self.now is None else "modify"

    def as_json(self) -> Json:
        """The representation in API responses."""
        return {"id": self.id, "name": self.name, "action": self.action, "was": self.was, "now": self.now}


@dataclass(frozen=True)
class ChangeDetails:
    """The effect of one change, with one page of its rows.

    `table` is `{"was", "now"}` of the name, the description and `deleted`; `next` is the cursor of the following rows.
    `too_large`: the definitions of the columns are too large to show.
    """

    table: Json | None = None
    columns: tuple[ColumnChange, ...] = ()
    columns_moved: bool = False
    too_large: bool = False
    rows: tuple[RowChange, ...] = ()
    next: Cursor | None = None

    def as_json(self, *, names: ColumnNames | None = None) -> Json:
        """The representation in API responses, without `next`.

        `names` are those of the table's columns, by which cells are keyed; without them, by id.
        """
        if names:
            former = {cell.column_id: cell.column for row in self.rows for cell in row.cells if cell.column}
            names.add(former)
        return {
            "table": self.table,
            "columns": [column.as_json() for column in self.columns],
            "columns_moved": self.columns_moved,
            "too_large": self.too_large,
            "rows": [row.as_json(names) for row in self.rows],
        }


class HistoryPosition(NamedTuple):
    """The position at which the search for a row continues: a version, and a piece of the change before it."""

    before_version: int
    piece: int = 0


@dataclass(frozen=True)
class RowHistory:
    """Some of the changes of one row, newest first, with their effect on that row.

    `next` is the position of the next page, None on the last.
    """

    changes: list[ChangeView]
    details: dict[int, ChangeDetails]
    next: HistoryPosition | None


def change_details(
    table: Table, change_id: int, *, shape: TableShape, cursor: Cursor | None = None, limit: int = 50
) -> ChangeDetails:
    """Return the effect of a change of this table, with at most `limit` of its rows from the cursor on.

    Four queries, however large the change is; two more if columns were deleted since. A page may have fewer rows
    although more follow.
    """
    definitions = read_definitions(table.pk, [change_id]).get(change_id, Definitions())
    entries, following = read_page(table.pk, change_id, cursor=cursor or Cursor(), limit=limit)
    cells = _current_cells(table, entries)
    former = _former_columns(table, entries, shape=shape).get(change_id, {})
    return replace(_details(definitions, entries, shape=shape, former=former, cells=cells), next=following)


def change_previews(table: Table, change_ids: Sequence[int], *, shape: TableShape) -> dict[int, ChangeDetails]:
    """Return the definitions and the first rows of several changes of this table by id.

    Three queries, or five if columns were deleted since. `next` is set if a change has more rows than these.
    """
    definitions, first = read_definitions(table.pk, change_ids), read_first(table.pk, change_ids)
    shown = {change_id: entries[:PREVIEW_ROWS] for change_id, entries in first.items()}
    listed = [entry for entries in shown.values() for entry in entries]
    cells, former = _current_cells(table, listed), _former_columns(table, listed, shape=shape)
    previews = {}
    for change_id in change_ids:
        defined, more = definitions.get(change_id, Definitions()), first.get(change_id, [])[PREVIEW_ROWS:]
        columns = former.get(change_id, {})
        details = _details(defined, shown.get(change_id, []), shape=shape, former=columns, cells=cells)
        previews[change_id] = replace(details, next=more[0].cursor if more else None)
    return previews


def row_history(
    table: Table,
    row_id: int,
    *,
    shape: TableShape,
    only: ChangeFilter = ALL_CHANGES,
    piece: int = 0,
    limit: int = MAX_ROW_CHANGES,
) -> RowHistory:
    """Return the changes of a row among the next ones that match the filter, in five queries.

    Rows of a change are not indexed, so each call searches a limited number of stored pieces: few or no changes may be
    returned although there are more. `piece` is the piece of the newest of these changes at which to begin. Raises
    ChangesExpired.
    """
    searched, following = _next_pieces(table, only=only, first=piece)
    found = changes_with_row(table.pk, row_id, piece_ids=[each.id for each in searched]) if searched else set()
    pieces = [each for each in searched if each.change_id in found]
    versions = list(dict.fromkeys(each.version for each in pieces))
    if len(versions) > (max_changes := min(limit, MAX_ROW_CHANGES)):
        last = versions[max_changes - 1]
        pieces, following = [each for each in pieces if each.version >= last], HistoryPosition(last)
    found_in = read_row(table.pk, row_id, piece_ids=[each.id for each in pieces]) if pieces else []
    entries = {entry.change_id: entry for entry in found_in}
    cells, former = _current_cells(table, entries.values()), _former_columns(table, entries.values(), shape=shape)
    details = {
        change_id: _details(Definitions(), [entry], shape=shape, former=former.get(change_id, {}), cells=cells)
        for change_id, entry in entries.items()
    }
    changes = changes_by_id(table, entries) if entries else []
    if following and following.piece and changes and changes[-1].version == following.before_version - 1:
        # A change has only one entry of a row.
        following = HistoryPosition(changes[-1].version)
    return RowHistory(changes=changes, details=details, next=following)


def row_name(table: Table, row_id: int, *, shape: TableShape) -> str:
    """Return the first value of a row, deleted ones included; "" if there is no such row."""
    data = Row.objects.filter(table_id=table.pk, pk=row_id).values_list("data", flat=True).first()
    return first_value(restore_numbers(data or {}), shape.columns)


class _Piece(NamedTuple):
    id: int
    number: int
    change_id: int
    version: int


def _next_pieces(table: Table, *, only: ChangeFilter, first: int) -> tuple[list[_Piece], HistoryPosition | None]:
    """Return the next MAX_SEARCHED_PIECES pieces, newest change first, and the position of the next ones.

    `first` is the piece of the newest change at which to begin.
    """
    wanted = Q(stored_pieces__table_id=table.pk)
    if first and only.before_version is not None:
        wanted &= Q(version__lt=only.before_version - 1) | Q(stored_pieces__index__gte=first)
    pieces = only.of(table).filter(wanted).order_by("-version", "stored_pieces__index")
    read = pieces.values_list("stored_pieces__pk", "stored_pieces__index", "pk", "version")[: MAX_SEARCHED_PIECES + 1]
    found = [_Piece(*each) for each in read]
    if len(found) <= MAX_SEARCHED_PIECES:
        return found, None
    following = found.pop()
    if following.version != found[-1].version:
        return found, HistoryPosition(found[-1].version)
    return found, HistoryPosition(following.version + 1, following.number)


def _details(
    definitions: Definitions,
    entries: Sequence[Entry],
    *,
    shape: TableShape,
    former: Mapping[str, ColumnSpec],
    cells: Mapping[int, Json],
) -> ChangeDetails:
    known = {column.id: column for column in shape.columns} | dict(former)
    columns = []
    for column_id, was, now in definitions.columns:
        whole = now or was
        if column_id not in known and "id" in whole:
            known[column_id] = ColumnSpec.from_json(whole, people=shape.people)
        column = known.get(column_id)
        name, type_name = (column.name, column.type) if column else (str(whole.get("name", "")), "")
        if was and now:
            was, now = public_changes(was, now, type_name=type_name)
        else:
            was, now = (each and public_fields(each, type_name=type_name) for each in (was, now))
        columns.append(ColumnChange(id=column_id, name=name, was=was, now=now, column=column))
    return ChangeDetails(
        table=definitions.table,
        columns=tuple(columns),
        # Added and removed columns change the order too.
        columns_moved=definitions.moved and all(column.action == "modify" for column in columns),
        too_large=definitions.too_large,
        rows=tuple(_row_change(entry, columns=known, current=cells.get(entry.row_id, {})) for entry in entries),
    )


def _former_columns(table: Table, entries: Iterable[Entry], *, shape: TableShape) -> dict[int, dict[str, ColumnSpec]]:
    """Return the columns of cells that no longer exist by change id and column id: last name, type as it was then.

    The first later change of a column has its former definition, the last one its last name.
    """
    current = {column.id for column in shape.columns}
    unknown: dict[int, set[str]] = {}
    for entry in entries:
        _, was, now = entry.steps or (None, None, None)
        if ids := {*(was or ()), *(now or ())} - current - {PLACEMENT}:
            unknown.setdefault(entry.change_id, set()).update(ids)
    if not unknown:
        return {}
    versions = dict(Change.objects.filter(table_id=table.pk, pk__in=unknown).values_list("pk", "version"))
    later = read_later_definitions(table.pk, after=min(versions.values(), default=0))
    former: dict[int, dict[str, ColumnSpec]] = {}
    last_names = {column_id: was["name"] for _, (column_id, was, _now) in later if was and "name" in was}
    for change_id, ids in unknown.items():
        found: dict[str, Json] = {}
        for version, (column_id, was, _now) in later:
            if version > versions[change_id] and column_id in ids:
                # The earliest later change has the former value of a field.
                found[column_id] = {**(was or {}), **found.get(column_id, {})}
        former[change_id] = {
            column_id: ColumnSpec.from_json(
                {**was, "id": column_id, "name": last_names[column_id]}, people=shape.people
            )
            for column_id, was in found.items()
            if "name" in was and "type" in was
        }
    return former


def _row_change(entry: Entry, *, columns: Mapping[str, ColumnSpec], current: Json) -> RowChange:
    if entry.steps is None:
        name = first_value(current, columns.values())
        return RowChange(id=entry.row_id, action=entry.action, name=name, too_large=True)
    was, now = (
        {key: value for key, value in (cells or {}).items() if key != PLACEMENT} for cells in entry.steps[1:]
    )
    action: Action = "move" if entry.action == "update" and not (was or now) else entry.action
    # The name of the row after the change, or before it was deleted, as far as the change contains it.
    named = {**current, **{key: value for key, value in (now or was).items() if value is not None}}
    ids = [key for key in columns if key in was or key in now]
    ids += [key for key in {**was, **now} if key not in columns]
    cells = (_cell_change(key, column=columns.get(key), was=was.get(key), now=now.get(key)) for key in ids)
    return RowChange(
        id=entry.row_id,
        action=action,
        name=first_value(named, columns.values()),
        cells=tuple(cell for cell in cells if not same(cell.was, cell.now)),
    )


def _cell_change(column_id: str, *, column: ColumnSpec | None, was: Any, now: Any) -> CellChange:
    if column is None:
        return CellChange(column_id=column_id, column="", type="", was=was, now=now)
    return CellChange(
        column_id=column_id,
        column=column.name,
        type=column.type,
        was=was,
        now=now,
        settings=column.settings,
        colors=column.colors,
        people=column.people,
    )


def _current_cells(table: Table, entries: Iterable[Entry]) -> dict[int, Json]:
    """Return the current cells of changed rows, deleted ones included, for the names of the rows."""
    ids = {entry.row_id for entry in entries if entry.action == "update" or entry.steps is None}
    rows = Row.objects.filter(table_id=table.pk, pk__in=ids).values_list("pk", "data")
    return {pk: restore_numbers(data) for pk, data in rows} if ids else {}
