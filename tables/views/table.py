"""One table: the toolbar, the first rows, and what the grid needs to come to life."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

import strictjson
from tables import selectors, tasks
from tables.column_types.spec import TableShape
from tables.exceptions import Forbidden, NotFound, TablesError
from tables.operations.filters import parse_filter
from tables.operations.look import Look
from tables.operations.sorts import parse_sort
from tables.views.cells import draw_heads, draw_rows
from tables.views.filters import draw_filters

PAGE_ROWS = 100
MOST_WORDS = 50
USUAL = Look()


@dataclass(frozen=True)
class View:
    """What the address asks to see; `problem` says what of it was not understood."""

    search: str
    sort: str
    filter_text: str
    filter: Any
    keys: Any
    problem: str

    @property
    def kept(self) -> dict[str, str]:
        """Search and sort order as they stand in an address."""
        return {key: value for key, value in (("search", self.search), ("sort", self.sort)) if value}


def found_table(request: HttpRequest, *, table_id: int, can: Literal["view", "edit"] = "view") -> Any:
    """The table, or the 404 that a missing one and somebody else's share; 403 for who may only look at it."""
    try:
        return selectors.get_table(request.user, table_id, can=can)
    except NotFound as error:
        raise Http404 from error
    except Forbidden as error:
        raise PermissionDenied(error.detail) from error


@login_required
@require_safe
def table_view(request: HttpRequest, table_id: int) -> HttpResponse:
    """The grid with its first rows; `search`, `sort`, `filter` and `page` are in the address."""
    table = found_table(request, table_id=table_id)
    shape = selectors.table_shape(table)
    look = selectors.look_of(request.user, table, shape=shape)
    context = grid_context(request, table=table, shape=shape, look=look) | {
        "look_json": strictjson.dump({"widths": dict(look.widths), "hidden": sorted(look.hidden)}),
        "shown": [(column, column.id not in look.hidden) for column in shape.columns],
        "hidden_count": len(look.hidden),
        "may_edit": selectors.allowed(request.user, table, can="edit"),
        "may_share": selectors.allowed(request.user, table, can="own"),
        "chat_page": "table_view",
        "chat_object_id": str(table.pk),
    }
    return render(request, "tables/table_view.html", context)


def grid_context(
    request: HttpRequest, *, table: selectors.Table, shape: TableShape, look: Look = USUAL
) -> dict[str, Any]:
    """The grid's part of a page: the rows that the address asks for, drawn as the reader looks at the table."""
    view = _read_view(request, shape=shape)
    number = _page_number(request)
    matching = selectors.kept_count(table, shape=shape, filter=view.filter, search=view.search)
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
    tasks.note_use(table, sort=view.keys, filter=view.filter)
    shown = look.shown(shape.columns)
    drawn = draw_rows(rows, columns=shown, offset=offset)
    filters = draw_filters(shape.columns, filter_text=view.filter_text, kept=view.kept)
    return {
        "table": table,
        "heads": draw_heads(shown, rows=drawn, sort=view.sort, widths=look.widths),
        "rows": drawn,
        "offset": offset,
        "matching": matching,
        "view": view,
        "filters": filters,
        "filters_divided": len({group.kind == "tab" for group in filters}) == 2,
        "unfiltered": "?" + urlencode(view.kept),
        "narrowed": bool(view.search or view.filter),
        "pager": _pager(view, number=number, matching=matching),
        "columns_json": strictjson.dump([column.as_json() for column in shape.columns]),
        "rows_json": strictjson.dump([{"id": row.id, "version": row.version, "data": dict(row.data)} for row in rows]),
    }


def asked_search(request: HttpRequest) -> str:
    """The words of `search`: an address is no place for errors, so that what cannot be looked for is left out."""
    return " ".join(request.GET.get("search", "").replace("\0", " ").split()[:MOST_WORDS])


def _page_number(request: HttpRequest) -> int:
    asked = request.GET.get("page", "1")
    return max(1, int(asked)) if asked.isascii() and asked.isdecimal() and len(asked) < 8 else 1


def _read_view(request: HttpRequest, *, shape: TableShape) -> View:
    search = asked_search(request)
    sort, filter_text = request.GET.get("sort", ""), request.GET.get("filter", "")
    parsed_filter: Any = None
    keys: Any = ()
    problem = ""
    try:
        if filter_text:
            parsed_filter = parse_filter(strictjson.read(filter_text), shape=shape, today=timezone.localdate())
        keys = parse_sort(sort, shape=shape) if sort else ()
    except (TablesError, strictjson.NotStrictJson) as error:
        problem = f"This link asks for something the table does not have: {error}"
        sort, filter_text, parsed_filter, keys = "", "", None, ()
    return View(search, sort, filter_text, parsed_filter, keys, problem)


def _pager(view: View, *, number: int, matching: int) -> dict[str, Any]:
    last = max(1, -(-matching // PAGE_ROWS))
    query = {**view.kept, **({"filter": view.filter_text} if view.filter_text else {})}

    def address(page: int) -> str:
        return "?" + urlencode({**query, "page": page})

    return {
        "number": number,
        "last": last,
        "previous": address(number - 1) if number > 1 else "",
        "next": address(number + 1) if number < last else "",
    }
