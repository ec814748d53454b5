"""One table: the toolbar, the first rows, the data for the grid's scripts, and the plain form for hiding columns."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from shared import strictjson
from shared.user_messages.rendering import message_text
from tables import selectors, services, tasks
from tables.column_types import TableShape, get_column_type, type_names
from tables.exceptions import TablesError
from tables.operations.queries.view_settings import ViewSettings
from tables.views.chat_tray import table_chat
from tables.views.grid.cells import draw_heads, draw_rows
from tables.views.grid.exporting import draw_export
from tables.views.grid.filter_words import operator_groups, operators_by_type
from tables.views.grid.filters import draw_conditions, draw_filters
from tables.views.grid.sorting import draw_sorting
from tables.views.grid.table_query import View, read_view
from tables.views.shortcuts import get_table_or_404
from tables.views.value_format import count_text

PAGE_ROWS = 100
# For more rows, options are counted after the page is shown.
MAX_COUNTED_ROWS = 2_000
# Shorter tables are filled up with blank rows.
MIN_ROWS = 10
DEFAULTS = ViewSettings()


@login_required
@require_safe
def table_view(request: HttpRequest, table_id: int) -> HttpResponse:
    """The grid with its first rows; `search`, `sort`, `filter` and `page` are in the URL."""
    table = get_table_or_404(request, table_id=table_id)
    shape = selectors.table_shape(table)
    view = read_view(request, table=table, shape=shape)
    if view.redirect_to:
        return redirect(request.path + view.redirect_to)
    settings = selectors.get_view_settings(request.user, table, shape=shape)
    may_edit = selectors.allowed(request.user, table, can="edit")
    context = grid_context(request, table=table, shape=shape, view=view, settings=settings)
    context |= {
        "view_settings_json": strictjson.dumps({"widths": dict(settings.widths), "hidden": sorted(settings.hidden)}),
        "shown": [(column, column.id not in settings.hidden) for column in shape.columns],
        "hidden_count": len(settings.hidden),
        "export": draw_export(
            view,
            address=reverse("table_export", kwargs={"table_id": table.pk}),
            has_files=any(get_column_type(column.type).has_files for column in shape.columns),
        ),
        "may_edit": may_edit,
        "has_blank_rows": may_edit and _has_blank_rows(shape, view=view, rows=context["total"]),
        # The URL of row forms: that of a new row's without its last segment.
        "row_forms": reverse("table_row_new", kwargs={"table_id": table.pk}).removesuffix("new/") if may_edit else "",
        "may_share": selectors.allowed(request.user, table, can="own"),
        **table_chat(table, matching=context["matching"], number=context["matching_text"], may_edit=may_edit),
    }
    return render(request, "tables/table_view.html", context)


@login_required
@require_POST
def table_columns_shown(request: HttpRequest, table_id: int) -> HttpResponse:
    """Hide the columns that are not in `shown`, and redirect to the table. Scripts use the API."""
    table = get_table_or_404(request, table_id=table_id)
    shape = selectors.table_shape(table)
    shown = set(request.POST.getlist("shown"))
    hidden = [column.id for column in shape.columns if column.id not in shown]
    widths = dict(selectors.get_view_settings(request.user, table, shape=shape).widths)
    try:
        settings = {"widths": widths, "hidden": hidden}
        services.update_view_settings(user=request.user, table_id=table.pk, settings=settings)
    except TablesError as error:
        messages.error(request, _("Nothing was hidden. %(reason)s") % {"reason": message_text(error.message)})
    return redirect("table_view", table_id=table.pk)


def _has_blank_rows(shape: TableShape, *, view: View, rows: int) -> bool:
    """Return whether scripts fill the table up with blank rows, as `BlankRows` in `static/tables/new_rows.js` does."""
    return bool(shape.columns) and rows < MIN_ROWS and not (view.search or view.filter or view.sort)


def grid_context(
    request: HttpRequest, *, table: selectors.Table, shape: TableShape, view: View, settings: ViewSettings = DEFAULTS
) -> dict[str, Any]:
    """Return the template context of the grid: the rows of the view with the user's view settings."""
    number = _page_number(request)
    offset = (number - 1) * PAGE_ROWS
    rows, matching, has_more = _read_page(table, shape=shape, view=view, offset=offset)
    tasks.record_column_use(table, sort=view.keys, filter=view.filter, search=view.search)
    shown = settings.shown(shape.columns)
    drawn = draw_rows(rows, columns=shown, offset=offset, search=view.search)
    narrowed = bool(view.search or view.filter)
    total = selectors.row_count(table, shape=shape).value if narrowed else matching.value
    matching_text = _count_text(matching)
    counts = _choices(table, shape=shape, view=view, rows=total)
    filters = draw_filters(shape.columns, filter_text=view.filter_text, query=view.base_query, counts=counts)
    return {
        "table": table,
        "heads": draw_heads(shown, rows=drawn, sort=view.keys, widths=settings.widths),
        "rows": drawn,
        "offset": offset,
        "matching": matching.value,
        "matching_text": matching_text,
        "is_estimate": not matching.exact,
        "view": view,
        "filters": filters,
        "conditions": draw_conditions(
            shape.columns, filter_text=view.filter_text, query=view.base_query, groups=filters
        ),
        "sorting": draw_sorting(view, shape=shape),
        "operator_groups": operator_groups(shape.columns),
        "operators_json": strictjson.dumps(operators_by_type([*type_names(), *(each.type for each in shape.columns)])),
        "total": total,
        "choices_json": strictjson.dumps(counts),
        "left": _("%(matching)s of %(total)s") % {"matching": matching_text, "total": count_text(total)},
        "filters_divided": len({group.kind == "tab" for group in filters}) == 2,
        "unfiltered": view.address(filter=""),
        "understood": view.address(),
        "narrowed": narrowed,
        "pager": _pager(view, number=number, matching=matching, has_more=has_more),
        "columns": shape.columns,
        "columns_json": strictjson.dumps([column.presented() for column in shape.columns]),
        "rows_json": strictjson.dumps([{"id": row.id, "version": row.version, "data": dict(row.data)} for row in rows]),
    }


def _read_page(
    table: selectors.Table, *, shape: TableShape, view: View, offset: int
) -> tuple[list[selectors.RowView], selectors.RowCount, bool]:
    """Return the rows of a page, the number of all rows of the view, and whether more rows follow."""
    narrowed: dict[str, Any] = {"filter": view.filter, "search": view.search}
    # One more row than shown: whether a next page exists must not depend on an estimate.
    limit = PAGE_ROWS + 1
    rows = selectors.read_rows(table, shape=shape, sort=view.keys, offset=offset, limit=limit, **narrowed)
    seen = selectors.count_from_page(len(rows), offset=offset, limit=limit)
    at_least = offset + len(rows) if rows else 0
    matching = selectors.row_count(table, shape=shape, seen=seen, at_least=at_least, **narrowed)
    return rows[:PAGE_ROWS], matching, len(rows) > PAGE_ROWS


def _choices(
    table: selectors.Table, *, shape: TableShape, view: View, rows: int
) -> dict[str, dict[str, int]] | None:
    """Return the row count of each option and person; None if counting would delay the page.

    Scripts request them later.
    """
    columns = [column for column in shape.columns if column.options or column.names_people]
    if not columns:
        return {}
    return selectors.cached_choices(
        table,
        shape=shape,
        columns=columns,
        filter=view.filter,
        search=view.search,
        cached_only=rows > MAX_COUNTED_ROWS,
    )


def _count_text(count: selectors.RowCount) -> str:
    number = count_text(count.value)
    return number if count.exact else _("about %(number)s") % {"number": number}


def _page_number(request: HttpRequest) -> int:
    text = request.GET.get("page", "1")
    return max(1, int(text)) if text.isascii() and text.isdecimal() and len(text) < 8 else 1


def _pager(view: View, *, number: int, matching: selectors.RowCount, has_more: bool) -> dict[str, Any]:
    last = max(1, -(-matching.value // PAGE_ROWS))

    def address(page: int) -> str:
        return view.address(page=str(page))

    return {
        "number": number,
        "last": last,
        "last_text": _count_text(selectors.RowCount(last, matching.exact)),
        "previous": address(number - 1) if number > 1 else "",
        "next": address(number + 1) if has_more else "",
    }
