"""One table: the toolbar, the first rows, and what the grid needs to come to life."""

from __future__ import annotations

from typing import Any, Literal

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

import strictjson
from tables import selectors, tasks
from tables.column_types import TableShape, type_names
from tables.operations.view_settings import ViewSettings
from tables.views.cells import draw_heads, draw_rows
from tables.views.error_pages import refused_as_pages
from tables.views.exporting import draw_export
from tables.views.filter_words import operator_groups, operators_of
from tables.views.filters import draw_conditions, draw_filters
from tables.views.sorting import draw_sorting
from tables.views.table_query import View, read_view
from tables.views.table_query import asked_search as asked_search

PAGE_ROWS = 100
# Of more rows, options are counted when the page is there.
COUNTED_AT_ONCE = 2_000
# Fewer are filled up with blank rows.
MIN_ROWS = 10
USUAL = ViewSettings()


def found_table(request: HttpRequest, *, table_id: int, can: Literal["view", "edit"] = "view") -> Any:
    """The table, or the 404 that a missing one and somebody else's share; 403 for who may only look at it."""
    with refused_as_pages():
        return selectors.get_table(request.user, table_id, can=can)


@login_required
@require_safe
def table_view(request: HttpRequest, table_id: int) -> HttpResponse:
    """The grid with its first rows; `search`, `sort`, `filter` and `page` are in the address."""
    table = found_table(request, table_id=table_id)
    shape = selectors.table_shape(table)
    view = read_view(request, table=table, shape=shape)
    if view.leads_to:
        return redirect(request.path + view.leads_to)
    look = selectors.look_of(request.user, table, shape=shape)
    may_edit = selectors.allowed(request.user, table, can="edit")
    context = grid_context(request, table=table, shape=shape, view=view, look=look)
    context |= {
        "look_json": strictjson.dump({"widths": dict(look.widths), "hidden": sorted(look.hidden)}),
        "shown": [(column, column.id not in look.hidden) for column in shape.columns],
        "hidden_count": len(look.hidden),
        "export": draw_export(view, address=reverse("table_export", kwargs={"table_id": table.pk})),
        "may_edit": may_edit,
        "has_blank_rows": may_edit and _has_blank_rows(shape, view=view, rows=context["total"]),
        # Where a row has its form: the address of a new one's without its last word.
        "row_forms": reverse("table_row_new", kwargs={"table_id": table.pk}).removesuffix("new/") if may_edit else "",
        "may_share": selectors.allowed(request.user, table, can="own"),
        "chat_page": "table_view",
        "chat_object_id": str(table.pk),
    }
    return render(request, "tables/table_view.html", context)


def _has_blank_rows(shape: TableShape, *, view: View, rows: int) -> bool:
    """Return whether scripts fill the table up with blank rows, as `static/tables/blank_rows.js` does."""
    return bool(shape.columns) and rows < MIN_ROWS and not (view.search or view.filter or view.sort)


def grid_context(
    request: HttpRequest, *, table: selectors.Table, shape: TableShape, view: View, look: ViewSettings = USUAL
) -> dict[str, Any]:
    """The grid's part of a page: the rows of the view, drawn as the reader looks at the table."""
    number = _page_number(request)
    offset = (number - 1) * PAGE_ROWS
    rows = selectors.read_rows(
        table,
        shape=shape,
        filter=view.filter,
        sort=view.keys,
        search=view.search,
        offset=offset,
        limit=PAGE_ROWS,
    )
    seen = selectors.counted_by_page(len(rows), offset=offset, limit=PAGE_ROWS)
    matching = selectors.kept_count(table, shape=shape, filter=view.filter, search=view.search, seen=seen)
    tasks.note_use(table, sort=view.keys, filter=view.filter)
    shown = look.shown(shape.columns)
    drawn = draw_rows(rows, columns=shown, offset=offset, search=view.search)
    narrowed = bool(view.search or view.filter)
    total = selectors.kept_count(table, shape=shape) if narrowed else matching
    counts = _choices(table, shape=shape, view=view, rows=total)
    filters = draw_filters(shape.columns, filter_text=view.filter_text, kept=view.kept, counts=counts)
    return {
        "table": table,
        "heads": draw_heads(shown, rows=drawn, sort=view.keys, widths=look.widths),
        "rows": drawn,
        "offset": offset,
        "matching": matching,
        "view": view,
        "filters": filters,
        "conditions": draw_conditions(
            shape.columns, filter_text=view.filter_text, kept=view.kept, groups=filters
        ),
        "sorting": draw_sorting(view, shape=shape),
        "operator_groups": operator_groups(shape.columns),
        "operators_json": strictjson.dump(operators_of([*type_names(), *(column.type for column in shape.columns)])),
        "total": total,
        "choices_json": strictjson.dump(counts),
        "left": _("%(matching)s of %(total)s") % {"matching": _counted(matching), "total": _counted(total)},
        "filters_divided": len({group.kind == "tab" for group in filters}) == 2,
        "unfiltered": view.address(filter=""),
        "understood": view.address(),
        "narrowed": narrowed,
        "pager": _pager(view, number=number, matching=matching),
        "columns": shape.columns,
        "columns_json": strictjson.dump([column.as_json() for column in shape.columns]),
        "rows_json": strictjson.dump([{"id": row.id, "version": row.version, "data": dict(row.data)} for row in rows]),
    }


def _choices(
    table: selectors.Table, *, shape: TableShape, view: View, rows: int
) -> dict[str, dict[str, int]] | None:
    """How many rows each option leaves; None where to count them would keep the page waiting: scripts ask later."""
    columns = [column for column in shape.columns if column.options]
    if not columns:
        return {}
    return selectors.kept_choices(
        table,
        shape=shape,
        columns=columns,
        filter=view.filter,
        search=view.search,
        only_known=rows > COUNTED_AT_ONCE,
    )


def _counted(number: int) -> str:
    return number_format(number, use_l10n=True, force_grouping=True)


def _page_number(request: HttpRequest) -> int:
    asked = request.GET.get("page", "1")
    return max(1, int(asked)) if asked.isascii() and asked.isdecimal() and len(asked) < 8 else 1


def _pager(view: View, *, number: int, matching: int) -> dict[str, Any]:
    last = max(1, -(-matching // PAGE_ROWS))

    def address(page: int) -> str:
        return view.address(page=str(page))

    return {
        "number": number,
        "last": last,
        "previous": address(number - 1) if number > 1 else "",
        "next": address(number + 1) if number < last else "",
    }
