"""Which rows of a standing fill are out of date: without a result, or with one of other cells or instructions."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from fills.models import Fill, Result, StandingFill
from fills.selectors import UNFINISHED
from fills.services.definitions import instruction_hash, sent_columns
from shared import strictjson
from tables.operations import TableShape
from tables.operations.changes.delta import equivalent
from tables.operations.queries.filters import AnyOf, Condition, Filter, parse_filter
from tables.selectors import Table, count_rows, live_rows, rows_by_id

READ_AT_A_TIME = 1_000


@dataclass
class OutdatedRows:
    """The ids of rows that are out of date: without a result, in the order of the table, and with one.

    `checked` are results that are up to date although their rows have changed, with the new versions of the rows.
    """

    new: list[int] = field(default_factory=list)
    changed: list[int] = field(default_factory=list)
    checked: list[Result] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.new) + len(self.changed)


def watched_columns(fill: Fill, *, shape: TableShape) -> list[str]:
    """Return the ids of the columns that decide whether a row is out of date: those that are sent.

    Computed columns are left out, because some of them change when results are applied.
    """
    return [column.id for column in sent_columns(fill, shape=shape) if not column.is_computed]


def rows_filter(standing: StandingFill, *, shape: TableShape) -> Filter:
    """Return the filter of the rows. Raises Invalid if it cannot be used any more."""
    return parse_filter(standing.condition, shape=shape, today=timezone.localdate())


def count_standing_rows(standing: StandingFill, *, table: Table, shape: TableShape) -> int:
    """Return the number of rows that a standing fill is for. Raises Invalid."""
    return count_rows(table, shape=shape, filter=rows_filter(standing, shape=shape))


def outdated_rows(
    standing: StandingFill, *, table: Table, shape: TableShape, is_automatic: bool = False, most: int | None = None
) -> OutdatedRows:
    """Return the rows that are out of date, at most `most`. Raises Invalid if the filter cannot be used any more.

    A row without a result is out of date if one of its cells to fill is empty, and not all of the cells that are sent.
    In automatic runs, rows count only if they were added or changed since the fill got its trigger, and rows that have
    failed are not repeated.
    """
    found = OutdatedRows(new=_new_rows(standing, table=table, shape=shape, is_automatic=is_automatic, most=most))
    if is_automatic and standing.trigger != StandingFill.Trigger.CHANGES:
        return found
    suspects = _suspects(standing, table=table, shape=shape, is_automatic=is_automatic)
    for start in range(0, len(suspects), READ_AT_A_TIME):
        if most is not None and len(found) >= most:
            break
        ids = suspects[start : start + READ_AT_A_TIME]
        _compare(ids, found=found, standing=standing, table=table, shape=shape, is_automatic=is_automatic)
    if most is not None:
        found.changed = found.changed[: most - len(found.new)]
    return found


def _new_rows(
    standing: StandingFill, *, table: Table, shape: TableShape, is_automatic: bool, most: int | None
) -> list[int]:
    """Return the rows without a result, in the order of the table."""
    fill = standing.fill
    to_fill = _any_of(fill.columns, operator="empty", shape=shape)
    sent = _any_of(watched_columns(fill, shape=shape), operator="not_empty", shape=shape)
    condition = Filter((*rows_filter(standing, shape=shape).clauses, *to_fill, *sent))
    results = Result.objects.filter(fill_id=fill.pk, row_id=OuterRef("pk"))
    rows = live_rows(table, filter=condition).filter(~Exists(results))
    if is_automatic:
        moment = "updated_at__gte" if standing.trigger == StandingFill.Trigger.CHANGES else "created_at__gte"
        rows = rows.filter(**{moment: standing.automatic_since})
    return list(rows.order_by("position", "pk").values_list("pk", flat=True)[:most])


def _any_of(column_ids: Sequence[str], *, operator: str, shape: TableShape) -> tuple[AnyOf, ...]:
    """Return the clause that one of these columns matches; none for no columns."""
    columns = [column for each in column_ids if (column := shape.column(each)) is not None]
    conditions = tuple(Condition(column.id, column.type, operator) for column in columns)
    return (AnyOf(conditions),) if conditions else ()


def _suspects(standing: StandingFill, *, table: Table, shape: TableShape, is_automatic: bool) -> list[int]:
    """Return the rows whose result may be out of date: of other versions of the row, or without an answer."""
    unanswered = Q(state__in=(Result.State.FAILED, *UNFINISHED))
    suspicious = ~Q(row_version=OuterRef("version")) | unanswered
    results = Result.objects.filter(suspicious, fill_id=standing.pk, row_id=OuterRef("pk"))
    rows = live_rows(table, filter=rows_filter(standing, shape=shape)).filter(Exists(results))
    if is_automatic:
        rows = rows.filter(updated_at__gte=standing.automatic_since)
    return list(rows.order_by("position", "pk").values_list("pk", flat=True))


def _compare(
    row_ids: Sequence[int],
    *,
    found: OutdatedRows,
    standing: StandingFill,
    table: Table,
    shape: TableShape,
    is_automatic: bool,
) -> None:
    """Add those of these rows whose results are out of date, and the results of others."""
    fill = standing.fill
    watched, of_instruction = watched_columns(fill, shape=shape), instruction_hash(fill)
    rows = rows_by_id(table, row_ids, shape=shape, with_computed=False)
    results = fill.results.filter(row_id__in=list(row_ids)).only(
        "row_id", "fill_id", "state", "cells", "cells_hash", "row_version"
    )
    by_row = {result.row_id: result for result in results}
    for row_id in row_ids:
        row, result = rows.get(row_id), by_row.get(row_id)
        if row is None or result is None:
            continue
        if result.state in UNFINISHED:
            # No worker answers the remaining rows of a stopped fill.
            is_outdated = not is_automatic and fill.state not in (Fill.State.RUNNING, Fill.State.PAUSED)
        else:
            is_outdated = any(not equivalent(row.data.get(key), result.cells.get(key)) for key in watched)
            if not is_automatic and not is_outdated:
                of_cells = strictjson.content_hash([of_instruction, result.cells])
                is_outdated = result.state == Result.State.FAILED or of_cells != result.cells_hash
            if not is_outdated and result.row_version != row.version:
                result.row_version = row.version
                found.checked.append(result)
        if is_outdated:
            found.changed.append(row_id)
