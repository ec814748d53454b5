"""The page of the rows that are assigned to the user, in all tables."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from tables import selectors
from tables.views.value_format import format_value

MAX_LABEL_LENGTH = 200


@dataclass(frozen=True)
class AssignedItem:
    """A row in the list: its first value, "" for none, and the names of the columns with the user."""

    id: int
    name: str
    columns: str


@login_required
@require_safe
def assigned_rows(request: HttpRequest) -> HttpResponse:
    """List the rows assigned to the user by table, in pages; `cursor` is in the URL. A wrong one starts again."""
    cursor = selectors.AssignedCursor.read(request.GET.get("cursor", ""))
    page = selectors.assigned_rows(request.user, after=cursor)
    groups: list[tuple[Any, list[AssignedItem]]] = [
        (table, [_item(row) for row in rows]) for table, rows in groupby(page.rows, key=lambda row: row.table)
    ]
    context = {"groups": groups, "next": page.next, "is_first": cursor is None}
    return render(request, "tables/assigned_rows.html", context)


def _item(row: selectors.AssignedRow) -> AssignedItem:
    name = "" if row.label is None else format_value(row.value, column=row.label)
    columns = ", ".join(column.name for column in row.columns)
    return AssignedItem(row.id, name[:MAX_LABEL_LENGTH], columns)
