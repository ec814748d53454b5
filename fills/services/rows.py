"""The rows that a fill is for."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.utils import timezone

from fills.models import Fill
from shared.user_messages import declare
from tables.exceptions import Invalid, TablesError
from tables.operations import TableShape
from tables.operations.body_reader import Form
from tables.operations.cells import StoredRow
from tables.operations.queries.filters import Filter, parse_filter
from tables.selectors import Table, count_rows, live_rows, rows_by_id

Json = dict[str, Any]
EMPTY, ALL = "empty", "all"
MAX_IDS = 10_000
NOT_A_ROW_CHOICE = declare(
    "not_a_row_choice", "This must be “empty”, “all”, an object with “ids”, or an object with a “filter”."
)
TOO_MANY_ROWS = declare("too_many_fill_rows", "At most {most:,} rows can be filled at a time; these are {count:,}.")
TOO_MANY_IDS = declare("too_many_row_ids", "Name at most {most:,} rows; these are {count:,}.")
NO_ROWS = declare("no_fill_rows", "There are no such rows.")


def read_row_choice(raw: Any, *, shape: TableShape, path: str, form: Form) -> Any:
    """Return the stored form of a choice of rows, with ids of columns in place of names."""
    if raw in (EMPTY, ALL):
        return raw
    if not isinstance(raw, dict) or set(raw) not in ({"ids"}, {"filter"}):
        form.fault(path=path, code="unknown_value", message=NOT_A_ROW_CHOICE(), value=raw)
        return EMPTY
    if "ids" in raw:
        return {"ids": read_row_ids(raw["ids"], path=f"{path}.ids", form=form)}
    try:
        found = parse_filter(raw["filter"], shape=shape, today=timezone.localdate(), path=f"{path}.filter")
    except TablesError as error:
        form.add_error(error)
        return EMPTY
    return {"filter": found.as_json()}


def read_row_ids(raw: Any, *, path: str, form: Form, most: int = MAX_IDS) -> list[int]:
    """Return ids of rows, each once."""
    ids = form.items(raw, path=path)
    if len(ids) > most:
        form.fault(path=path, code="too_many", message=TOO_MANY_IDS(most=most, count=len(ids)))
        return []
    return list(dict.fromkeys(form.row_id(each, path=f"{path}[{index}]") for index, each in enumerate(ids)))


def example_rows(ids: Sequence[int], *, table: Table, shape: TableShape, columns: Sequence[str]) -> list[StoredRow]:
    """Return those of these rows that can be examples: they exist and have a value in one of the columns to fill."""
    rows = rows_by_id(table, ids, shape=shape) if ids else {}
    return [row for row in rows.values() if any(row.data.get(each) not in (None, "", []) for each in columns)]


def count_chosen(fill: Fill, *, table: Table, shape: TableShape) -> int:
    """Return the number of rows that are chosen now. Raises Invalid if a filter cannot be used any more."""
    condition, ids = _condition(fill.row_choice, shape=shape, columns=fill.columns)
    examples = _example_ids(fill, table=table, shape=shape)
    if ids is None and not examples:
        return count_rows(table, shape=shape, filter=condition)
    return live_rows(table, filter=condition, ids=ids).exclude(pk__in=examples).count()


def chosen_rows(fill: Fill, *, table: Table, shape: TableShape, first: int | None = None) -> list[int]:
    """Return the ids of the chosen rows in the order of the table, or of the `first` of them. Examples are left out.

    Raises Invalid for none, and for too many unless `first` is given.
    """
    condition, ids = _condition(fill.row_choice, shape=shape, columns=fill.columns)
    rows = live_rows(table, filter=condition, ids=ids).order_by("position", "pk")
    if examples := _example_ids(fill, table=table, shape=shape):
        rows = rows.exclude(pk__in=examples)
    most = settings.FILL_MAX_ROWS
    found = list(rows.values_list("pk", flat=True)[: most + 1 if first is None else first])
    if not found:
        raise Invalid.at("rows", NO_ROWS())
    if first is None and len(found) > most:
        raise Invalid.at("rows", TOO_MANY_ROWS(most=most, count=rows.count()), code="too_many")
    return found


def _example_ids(fill: Fill, *, table: Table, shape: TableShape) -> list[int]:
    return [row.id for row in example_rows(fill.examples, table=table, shape=shape, columns=fill.columns)]


def _condition(choice: Any, *, shape: TableShape, columns: Sequence[str]) -> tuple[Filter | None, list[int] | None]:
    if choice == ALL:
        return None, None
    if isinstance(choice, dict) and "ids" in choice:
        return None, choice["ids"]
    raw = choice["filter"] if isinstance(choice, dict) else {"or": [{"column": each, "op": EMPTY} for each in columns]}
    return parse_filter(raw, shape=shape, today=timezone.localdate(), path="rows.filter"), None
