"""The JSON that the model receives about tables: structure, sample rows and counts, limited in size."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any

from django.utils import timezone

from chat.page_config import PageContext
from chat.pages.context_cache import cache_key, context_cache
from chat.pages.size_limit import halve, halve_in_each, limit_size, size_of
from tables.exceptions import TablesError
from tables.operations import ColumnSpec, TableShape, get_column_type
from tables.operations.queries.filters import Filter, parse_filter
from tables.operations.queries.sorts import SortKey, parse_sort
from tables.selectors import (
    RowView,
    allowed,
    cached_count,
    cached_stats,
    count_from_page,
    count_rows,
    get_table,
    read_rows,
    refuse_costly,
    rows_by_id,
    table_ids_as_text,
    table_shape,
    tables_for,
)

READ_ONLY_NOTE = (
    "It is shared with the user for reading only: answer questions, but propose and write nothing. If they want to "
    "change it, say that its owner can give them the right to."
)
MAX_TABLES = 50
MAX_COLUMNS = 60
MAX_OPTIONS = 30
MAX_SAMPLE_ROWS = 20
MAX_SELECTED_ROWS = 50
MAX_CELL_CHARACTERS = 200
MAX_VIEW_BYTES = 4_000
TABLE_LIST_REDUCTIONS = (halve_in_each("tables", key="columns", minimum=8), halve("tables"))
STRUCTURE_REDUCTIONS = (halve_in_each("table", "columns", key="options", minimum=5), halve("table", "columns"))
ROWS_REDUCTIONS = (
    halve("sample_rows", minimum=3, counted=False),
    halve("selected_rows", minimum=5),
    halve_in_each("table", "columns", key="options", minimum=5),
    halve("counts"),
    halve("ranges"),
    halve("sample_rows", counted=False),
    halve("selected_rows"),
    halve("table", "columns"),
)

Json = dict[str, Any]

# What the pages of tables send of their view. Whether columns and values exist is decided when it is read.
VIEW_SCHEMA: Json = {
    "type": "object",
    "properties": {
        "filter": {
            "type": ["object", "array", "null"],
            "items": {"type": "object"},
            "description": "The filter of the rows, in the form of the parameter `filter` of a list of rows.",
        },
        "sort": {
            "type": ["string", "array", "null"],
            "items": {"type": "string"},
            "description": "The columns by which the rows are sorted, such as “-Due,Company”, or a list of them.",
        },
        "search": {"type": ["string", "null"], "description": "The words that are searched for."},
        "selected_row_ids": {
            "type": ["array", "null"],
            "items": {"type": "integer"},
            "description": "The ids of the selected rows.",
        },
        "visible_column_ids": {
            "type": ["array", "null"],
            "items": {"type": "string"},
            "description": "The ids of the visible columns.",
        },
    },
}
# The pages of one table also need its id, a number or its digits; the engine checks the type.
TABLE_SCHEMA: Json = {
    **VIEW_SCHEMA,
    "properties": {
        "table_id": {
            "minimum": 1,
            "pattern": "^[1-9][0-9]*$",
            "description": "The id of the table, required on “table_view” and “table_edit”.",
        },
        **VIEW_SCHEMA["properties"],
    },
}


@dataclass(frozen=True)
class View:
    """The valid parts of the client's view; invalid ones are ignored.

    `selected_left_out` is the number of selected rows beyond the first 50, which are shown.
    """

    filter: Filter | None
    sort: tuple[SortKey, ...]
    search: str
    selected_row_ids: tuple[int, ...]
    selected_left_out: int


def tables_data(context: PageContext, *, today: date) -> Json:
    """Return name, description, columns and row count of at most 50 of the user's tables."""
    tables = tables_for(context.user)
    listed = [listed_table(table) for table in tables[:MAX_TABLES]]
    total = len(listed) if len(listed) < MAX_TABLES else tables.count()
    data = {"page": context.page, "today": today.isoformat(), "tables": listed, "tables_total": total}
    return limit_size(data, reductions=TABLE_LIST_REDUCTIONS)


def listed_table(table: Any) -> Json:
    """Return an item of the list of tables, with name and type of at most 60 columns."""
    columns = [f"{column.name} ({column.type})" for column in table.columns.all()]
    data: Json = {
        "id": table.pk,
        "name": table.name,
        "description": shorten(table.description),
        "columns": columns[:MAX_COLUMNS],
        "rows": table.row_count,
    }
    return {**data, "columns_left_out": len(columns) - MAX_COLUMNS} if len(columns) > MAX_COLUMNS else data


def structure_data(context: PageContext, *, today: date) -> Json:
    """Return the columns and row count of the open table. Raises tables.exceptions.NotFound."""
    table = open_table(context)
    shape = table_shape(table)
    data = {
        "page": context.page,
        "today": today.isoformat(),
        "table": table_description(shape, rows=count_rows(table, shape=shape)),
    }
    return limit_size(data, reductions=STRUCTURE_REDUCTIONS)


def rows_data(context: PageContext, *, today: date) -> Json:
    """Return the open table with sample rows, the user's view and value counts. Callers must not modify the result.

    Raises tables.exceptions.NotFound.
    """
    table = open_table(context)
    zone = timezone.get_current_timezone_name()
    key = cache_key(table, page=context.page, view=context.view, today=today, zone=zone)
    return context_cache.get_or_build(key, partial(_rows_data, table, context=context, today=today))


def _rows_data(table: Any, *, context: PageContext, today: date) -> tuple[Json, bool]:
    """Return the context, and whether it may be cached: not if its counts are of an earlier state of the table."""
    shape = table_shape(table)
    view = checked_view(context.view, table=table, shape=shape, today=today)
    counted = cached_stats(table, shape=shape, allow_stale=True)
    stats = counted.value
    sample = read_rows(
        table, shape=shape, filter=view.filter, sort=view.sort, search=view.search, limit=MAX_SAMPLE_ROWS
    )
    seen = count_from_page(len(sample), offset=0, limit=MAX_SAMPLE_ROWS)
    narrowed = view.filter is not None or bool(view.search)
    data: Json = {
        "page": context.page,
        "today": today.isoformat(),
        "table": table_description(shape, rows=stats["row_count"]),
        "view": {
            "filter": omit_if_long(view.filter.as_json()) if view.filter else None,
            "sort": omit_if_long(context.view.get("sort")) if view.sort else None,
            "search": shorten(view.search),
            "matching_rows": cached_count(table, shape=shape, filter=view.filter, search=view.search, seen=seen)
            if narrowed
            else stats["row_count"],
        },
        "sample_rows": numbered_rows(sample, shape=shape),
        **named_stats(stats, shape=shape),
    }
    if counted.age:
        data["counted_seconds_ago"] = counted.age
    if view.selected_row_ids:
        selected = rows_by_id(table, view.selected_row_ids)
        data["selected_rows"] = [named_row(row, shape=shape) for row in selected.values()]
    if view.selected_left_out:
        data["selected_rows_left_out"] = view.selected_left_out
    return limit_size(data, reductions=ROWS_REDUCTIONS), not counted.age


def visible_tables(user: Any) -> Any:
    """Return the ids of the tables that the user may see, as text, with those in their trash."""
    return table_ids_as_text(user)


def may_edit(context: PageContext) -> bool:
    """Return whether the user may edit the open table. Raises tables.exceptions.NotFound."""
    if "may_edit" not in context.found:
        context.found["may_edit"] = allowed(context.user, open_table(context), can="edit")
    return bool(context.found["may_edit"])


def open_table(context: PageContext) -> Any:
    """Return the open table, cached in the context. Raises tables.exceptions.NotFound."""
    if "table" not in context.found:
        context.found["table"] = get_table(context.user, parse_id(context.object_id))
    return context.found["table"]


def parse_id(object_id: str) -> int:
    """Return the integer id in a text such as a conversation's object id; 0, which is never used, if it is invalid."""
    possible = object_id.isascii() and object_id.isdigit() and len(object_id) < 19 and object_id[0] != "0"
    return int(object_id) if possible else 0


def checked_view(raw: Json, *, table: Any, shape: TableShape, today: date) -> View:
    """Return the valid parts of the client's view."""
    try:
        active = parse_filter(raw["filter"], shape=shape, today=today) if raw.get("filter") else None
        if active:
            refuse_costly(table, [active])
    except TablesError:
        active = None
    try:
        sort = parse_sort(raw["sort"], shape=shape) if raw.get("sort") else ()
    except TablesError:
        sort = ()
    search = _affordable_search(raw.get("search"), table=table, active=active)
    selected = selected_ids(raw)
    return View(
        filter=active,
        sort=sort,
        search=search,
        selected_row_ids=selected[:MAX_SELECTED_ROWS],
        selected_left_out=max(0, len(selected) - MAX_SELECTED_ROWS),
    )


def _affordable_search(search: Any, *, table: Any, active: Filter | None) -> str:
    if not isinstance(search, str):
        return ""
    try:
        refuse_costly(table, [active] if active else [], words=len(set(search.split())))
    except TablesError:
        return ""
    return search


def selected_ids(view: Json) -> tuple[int, ...]:
    """Return the ids of the selected rows in the client's view, in order and without invalid ones."""
    ids = view.get("selected_row_ids")
    return tuple(dict.fromkeys(i for i in ids if type(i) is int and 0 < i < 2**63)) if isinstance(ids, list) else ()


def omit_if_long(value: Any) -> Any:
    """Return a filter or sort order, or a note in place of one that is longer than 4 kB."""
    return value if size_of(value) <= MAX_VIEW_BYTES else "(too long to be shown)"


def table_description(shape: TableShape, *, rows: int) -> Json:
    """Return name, description, row count and columns (at most 60, with at most 30 options each) of a table.

    With dates with a time, also the time zone of the user.
    """
    data: Json = {
        "id": shape.id,
        "name": shape.name,
        "description": shorten(shape.description),
        "columns": [column_description(column) for column in shape.columns[:MAX_COLUMNS]],
        "rows": rows,
    }
    if len(shape.columns) > MAX_COLUMNS:
        data["columns_left_out"] = len(shape.columns) - MAX_COLUMNS
    if any(get_column_type(column.type).has_times(column) for column in shape.columns):
        data["time_zone_of_user"] = str(shape.zone)
    return data


def column_description(column: ColumnSpec) -> Json:
    """Return id, name, type, `required`, settings (if any differs from its default), options and people of a column."""
    data: Json = {"id": column.id, "name": column.name, "type": column.type, "required": column.required}
    if column.settings:
        data |= column.used_settings
    if column.has_people:
        data["people"] = [person.name for person in column.people.members[:MAX_OPTIONS]]
    if column.options:
        data["options"] = list(column.options[:MAX_OPTIONS])
        if len(column.options) > MAX_OPTIONS:
            data["options_left_out"] = len(column.options) - MAX_OPTIONS
    return data


def named_row(row: RowView, *, shape: TableShape) -> Json:
    """Return `{"row_id", "data": {column name: value}}` without empty cells and with long texts truncated."""
    columns = shape.columns[:MAX_COLUMNS]
    shown = [column for column in columns if column.id in row.data]
    data = {column.name: shown_value(row.data[column.id], column=column) for column in shown}
    return {"row_id": row.id, "data": data}


def numbered_rows(rows: Iterable[RowView], *, shape: TableShape, offset: int = 0) -> list[Json]:
    """Return rows as `named_row` does, each with the `number` that the user sees."""
    return [{"number": number, **named_row(row, shape=shape)} for number, row in enumerate(rows, start=offset + 1)]


def named_stats(stats: Json, *, shape: TableShape) -> Json:
    """Return `{"counts": {column name: {value: rows}}, "ranges": {column name: {"min","max"}}}`."""
    counts: Json = {}
    ranges: Json = {}
    for column in shape.columns[:MAX_COLUMNS]:
        of_column = stats["columns"].get(column.id, {})
        if of_column.get("counts"):
            first = list(of_column["counts"].items())[:MAX_OPTIONS]
            counts[column.name] = {_counted(key, column=column): count for key, count in first}
        elif of_column.get("min") is not None:
            ranges[column.name] = {"min": of_column["min"], "max": of_column["max"]}
    return {"counts": counts, "ranges": ranges}


def _counted(key: str, *, column: ColumnSpec) -> str:
    """Return a counted value, of people the name."""
    return str(shown_value(int(key), column=column)) if column.has_people else key


def shown_value(value: Any, *, column: ColumnSpec) -> Any:
    """Return a value of a column for the model, with long texts truncated."""
    return shorten(get_column_type(column.type).for_model(value, column))


def shorten(value: Any) -> Any:
    """Return a text truncated to 200 characters, or any other value unchanged."""
    if isinstance(value, str) and len(value) > MAX_CELL_CHARACTERS:
        return value[: MAX_CELL_CHARACTERS - 1] + "…"
    return value
