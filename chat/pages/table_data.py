"""What the model is shown of tables, as bounded JSON: structure, a few rows, counts; never the whole."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any

from chat.page_config import PageContext
from chat.pages.context_cache import kept as kept_looks
from chat.pages.context_cache import key_of
from chat.pages.size_limit import fewer, fewer_in_each, size_of, within_bounds
from tables.exceptions import TablesError
from tables.operations import ColumnSpec, TableShape
from tables.operations.filters import Filter, SortKey, parse_filter, parse_sort
from tables.selectors import (
    RowView,
    allowed,
    count_rows,
    counted_by_page,
    get_table,
    kept_count,
    kept_stats,
    read_rows,
    refuse_costly,
    rows_by_id,
    table_keys_of,
    table_shape,
    tables_for,
)

ONLY_READING = (
    "It is shared with them for reading only: answer questions about it, but propose and write nothing. When they want "
    "it changed, say that its owner can give them the right to."
)
MAX_TABLES = 50
MAX_COLUMNS = 60
MAX_OPTIONS = 30
MAX_SAMPLE_ROWS = 20
MAX_SELECTED_ROWS = 50
MAX_CELL_CHARACTERS = 200
MAX_VIEW_BYTES = 4_000
OF_TABLES = (fewer_in_each("tables", key="columns", least=8), fewer("tables"))
OF_STRUCTURE = (fewer_in_each("table", "columns", key="options", least=5), fewer("table", "columns"))
OF_ROWS = (
    fewer("sample_rows", least=3, counted=False),
    fewer("selected_rows", least=5),
    fewer_in_each("table", "columns", key="options", least=5),
    fewer("counts"),
    fewer("ranges"),
    fewer("sample_rows", counted=False),
    fewer("selected_rows"),
    fewer("table", "columns"),
)

Json = dict[str, Any]


@dataclass(frozen=True)
class View:
    """What of the client's view hints holds against the table; the rest is left out without a word.

    `selected_left_out` counts the selected rows beyond the most that are shown.
    """

    filter: Filter | None
    sort: tuple[SortKey, ...]
    search: str
    selected_row_ids: tuple[int, ...]
    selected_left_out: int


def tables_data(context: PageContext, *, today: date) -> Json:
    """The person's tables: name, description, columns and number of rows of at most 50."""
    tables = tables_for(context.user)
    listed = [listed_table(table) for table in tables[:MAX_TABLES]]
    total = len(listed) if len(listed) < MAX_TABLES else tables.count()
    data = {"page": context.page, "today": today.isoformat(), "tables": listed, "tables_total": total}
    return within_bounds(data, cuts=OF_TABLES)


def listed_table(table: Any) -> Json:
    """A table in the list: at most 60 of its columns by name and type."""
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
    """The open table's columns and number of rows. Raises tables.exceptions.NotFound."""
    table = open_table(context)
    shape = table_shape(table)
    data = {
        "page": context.page,
        "today": today.isoformat(),
        "table": described(shape, rows=count_rows(table, shape=shape)),
    }
    return within_bounds(data, cuts=OF_STRUCTURE)


def rows_data(context: PageContext, *, today: date) -> Json:
    """The open table with sample rows, what the person's view leaves, and counts of values; nobody changes it.

    Raises tables.exceptions.NotFound.
    """
    table = open_table(context)
    key = key_of(table, page=context.page, view=context.view, today=today)
    return kept_looks.of(key, partial(_rows_data, table, context=context, today=today))


def _rows_data(table: Any, *, context: PageContext, today: date) -> tuple[Json, bool]:
    """The look, and whether it is that of the table as it is now."""
    shape = table_shape(table)
    view = checked_view(context.view, table=table, shape=shape, today=today)
    kept = kept_stats(table, shape=shape, may_be_old=True)
    stats = kept.value
    sample = read_rows(
        table, shape=shape, filter=view.filter, sort=view.sort, search=view.search, limit=MAX_SAMPLE_ROWS
    )
    seen = counted_by_page(len(sample), offset=0, limit=MAX_SAMPLE_ROWS)
    narrowed = view.filter is not None or bool(view.search)
    data: Json = {
        "page": context.page,
        "today": today.isoformat(),
        "table": described(shape, rows=stats["row_count"]),
        "view": {
            "filter": brief(view.filter.as_json()) if view.filter else None,
            "sort": brief(context.view.get("sort")) if view.sort else None,
            "search": shorten(view.search),
            "matching_rows": kept_count(table, shape=shape, filter=view.filter, search=view.search, seen=seen)
            if narrowed
            else stats["row_count"],
        },
        "sample_rows": numbered_rows(sample, shape=shape),
        **named_stats(stats, shape=shape),
    }
    if kept.age:
        data["counted_seconds_ago"] = kept.age
    if view.selected_row_ids:
        selected = rows_by_id(table, view.selected_row_ids)
        data["selected_rows"] = [named_row(row, shape=shape) for row in selected.values()]
    if view.selected_left_out:
        data["selected_rows_left_out"] = view.selected_left_out
    return within_bounds(data, cuts=OF_ROWS), not kept.age


def visible_tables(user: Any) -> Any:
    """The ids of the tables this person may see, as conversations name them; their trash included."""
    return table_keys_of(user)


def may_edit(context: PageContext) -> bool:
    """Whether the person may change the open table. Raises tables.exceptions.NotFound."""
    if "may_edit" not in context.found:
        context.found["may_edit"] = allowed(context.user, open_table(context), can="edit")
    return bool(context.found["may_edit"])


def open_table(context: PageContext) -> Any:
    """The open table, read once for a look at its page. Raises tables.exceptions.NotFound."""
    if "table" not in context.found:
        context.found["table"] = get_table(context.user, object_number(context.object_id))
    return context.found["table"]


def object_number(object_id: str) -> int:
    """A table's id out of the conversation's object id; 0, which no table has, when it is none."""
    possible = object_id.isascii() and object_id.isdigit() and len(object_id) < 19 and object_id[0] != "0"
    return int(object_id) if possible else 0


def checked_view(raw: Json, *, table: Any, shape: TableShape, today: date) -> View:
    """The client's hints, checked."""
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
    """The ids of the selected rows among the client's hints, in their order; what is no id is left out."""
    ids = view.get("selected_row_ids")
    return tuple(dict.fromkeys(i for i in ids if type(i) is int and 0 < i < 2**63)) if isinstance(ids, list) else ()


def brief(value: Any) -> Any:
    """A view's filter or sort order; of one that fills kilobytes only that there is one."""
    return value if size_of(value) <= MAX_VIEW_BYTES else "(too long to be shown)"


def described(shape: TableShape, *, rows: int) -> Json:
    """A table's name, description, columns (at most 60, with at most 30 options each) and number of rows."""
    data: Json = {
        "id": shape.id,
        "name": shape.name,
        "description": shorten(shape.description),
        "columns": [described_column(column) for column in shape.columns[:MAX_COLUMNS]],
        "rows": rows,
    }
    if len(shape.columns) > MAX_COLUMNS:
        data["columns_left_out"] = len(shape.columns) - MAX_COLUMNS
    return data


def described_column(column: ColumnSpec) -> Json:
    """A column as the model needs it: id, name, type, required, options."""
    data: Json = {"id": column.id, "name": column.name, "type": column.type, "required": column.required}
    if column.options:
        data["options"] = list(column.options[:MAX_OPTIONS])
        if len(column.options) > MAX_OPTIONS:
            data["options_left_out"] = len(column.options) - MAX_OPTIONS
    return data


def named_row(row: RowView, *, shape: TableShape) -> Json:
    """`{"row_id", "data": {column name: value}}`, empty cells left out, long texts cut."""
    columns = shape.columns[:MAX_COLUMNS]
    return {
        "row_id": row.id,
        "data": {column.name: shorten(row.data[column.id]) for column in columns if column.id in row.data},
    }


def numbered_rows(rows: Iterable[RowView], *, shape: TableShape, offset: int = 0) -> list[Json]:
    """Rows of a view as `named_row` gives them, each with the `number` that the person sees beside it."""
    return [{"number": number, **named_row(row, shape=shape)} for number, row in enumerate(rows, start=offset + 1)]


def named_stats(stats: Json, *, shape: TableShape) -> Json:
    """`{"counts": {column: {value: rows}}, "ranges": {column: {"min","max"}}}` by column name."""
    counts: Json = {}
    ranges: Json = {}
    for column in shape.columns[:MAX_COLUMNS]:
        of_column = stats["columns"].get(column.id, {})
        if of_column.get("counts"):
            counts[column.name] = dict(list(of_column["counts"].items())[:MAX_OPTIONS])
        elif of_column.get("min") is not None:
            ranges[column.name] = {"min": of_column["min"], "max": of_column["max"]}
    return {"counts": counts, "ranges": ranges}


def shorten(value: Any) -> Any:
    """A text cut to 200 characters; anything else as it is."""
    if isinstance(value, str) and len(value) > MAX_CELL_CHARACTERS:
        return value[: MAX_CELL_CHARACTERS - 1] + "…"
    return value
