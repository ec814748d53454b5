"""The list of a person's tables, or for a newcomer the question what they need."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from tables import selectors
from tables.column_types import get_column_type
from tables.views.table import asked_search

PAGE_CARDS = 60
ORDERINGS = {
    "": ("Last changed", "-updated_at"),
    "name": ("Name", "name"),
    "newest": ("Newest", "-created_at"),
}
STARTERS = (
    ("briefcase", "Job applications", "Track my job applications with company, role, status and follow-up date"),
    ("receipt", "Expense log", "Log my expenses with date, amount, category and whether they were paid back"),
    ("users", "Customer feedback", "Collect customer feedback: who said it, theme, severity and status"),
    ("book-open", "Reading list", "Keep a reading list with title, author, status, rating and finish date"),
)


@dataclass(frozen=True)
class Card:
    """One table as a card."""

    table: Any
    icons: tuple[str, ...]
    more: int
    columns: int
    rows: int


@login_required
@require_safe
def tables_list(request: HttpRequest) -> HttpResponse:
    """The cards; `search`, `sort` and `page` are in the address."""
    search = asked_search(request)
    sort = request.GET.get("sort", "") if request.GET.get("sort", "") in ORDERINGS else ""
    found = selectors.in_order(selectors.tables_for(request.user, search=search), by=ORDERINGS[sort][1])
    page = Paginator(found, PAGE_CARDS).get_page(request.GET.get("page"))
    context = {
        "cards": _cards(page.object_list),
        "page": page,
        "total": page.paginator.count,
        "search": search,
        "sort": sort,
        "orderings": [(key, label) for key, (label, _) in ORDERINGS.items()],
        "sort_label": ORDERINGS[sort][0],
        "newcomer": not page.paginator.count and not search,
        "starters": STARTERS,
        "chat_page": "tables_list",
        "chat_object_id": "",
    }
    return render(request, "tables/tables_list.html", context)


def _cards(tables: Iterable[Any]) -> list[Card]:
    cards = []
    for table in tables:
        columns = list(table.columns.all())
        icons = tuple(get_column_type(column.type).icon for column in columns[:6])
        cards.append(Card(table, icons, len(columns) - len(icons), len(columns), table.row_count))
    return cards
