"""The list of the user's tables as cards, the start page of new users, and the trash."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Page, Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop as noop
from django.views.decorators.http import require_http_methods

from shared.user_messages.rendering import message_text
from tables import selectors, services
from tables.column_types import get_column_type
from tables.exceptions import NotFound, TablesError
from tables.operations import Origin
from tables.page_errors import http_errors
from tables.views.chat_tray import list_chat
from tables.views.grid.table_query import read_search
from tables.views.invitations import answer_invitation, shown_invitations

PAGE_CARDS = 60
MAX_ICONS = 6
FORM = Origin("form")
ORDERINGS = {
    "": (noop("Last changed"), "-updated_at"),
    "name": (noop("Name"), "name"),
    "newest": (noop("Newest"), "-created_at"),
}
TRASH_ORDERINGS = {"": (noop("Last deleted"), "-deleted_at"), "name": (noop("Name"), "name")}
STARTERS = (
    ("briefcase", noop("Job applications"),
     noop("Track my job applications with company, role, status and follow-up date")),
    ("receipt", noop("Expense log"),
     noop("Log my expenses with date, amount, category and whether they were paid back")),
    ("users", noop("Customer feedback"),
     noop("Collect customer feedback: who said it, theme, severity and status")),
    ("book-open", noop("Reading list"),
     noop("Keep a reading list with title, author, status, rating and finish date")),
)


@dataclass(frozen=True)
class ListQuery:
    """The query of the list's URL."""

    search: str
    sort: str
    trashed: bool

    @property
    def orderings(self) -> dict[str, tuple[str, str]]:
        """Return the sort orders by their key in the URL: label and field."""
        return TRASH_ORDERINGS if self.trashed else ORDERINGS

    def address(self, **other: Any) -> str:
        """Return the URL of the same list with these parameters changed."""
        parameters = {"trashed": "1" if self.trashed else "", "search": self.search, "sort": self.sort, **other}
        return "?" + urlencode({name: value for name, value in parameters.items() if value})


@dataclass(frozen=True)
class Notice:
    """A completed action; `table_id` is the table that `offer` ("restore", "open" or none) is about."""

    text: str
    bad: bool
    offer: str
    table_id: str


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def tables_list(request: HttpRequest) -> HttpResponse:
    """List tables as cards; `search`, `sort`, `page` and `trashed` are in the URL.

    A POST with `do` changes the table `table` and redirects back; one with `invitation` answers an invitation.
    """
    if request.method == "POST":
        return _do(request)
    query = _read(request)
    label, field = query.orderings[query.sort]
    found = selectors.tables_for(request.user, search=query.search, trashed=query.trashed)
    found = selectors.with_last_actor(selectors.sort_tables(found, by=field))
    page = Paginator(found, PAGE_CARDS).get_page(request.GET.get("page"))
    total = page.paginator.count
    context = {
        "cards": draw_cards(page.object_list, user=request.user),
        "page": page,
        "pages": _pages(page, query=query),
        "total": total,
        "query": query,
        "everything": query.address(search="", sort=""),
        "orderings": [(key, _(name), query.address(sort=key)) for key, (name, *_rest) in query.orderings.items()],
        "sort_label": _(label),
        "in_trash": 0 if query.trashed else selectors.tables_of(request.user, trashed=True).count(),
        "newcomer": not (total or query.search or query.trashed),
        "notices": list(_notices(request)),
        "invitations": [] if query.trashed else shown_invitations(request.user),
        "starters": [(icon, _(title), _(prompt)) for icon, title, prompt in STARTERS],
        "import_most": settings.IMPORT_MAX_MB,
        **list_chat(),
    }
    return render(request, "tables/tables_list.html", context)


def _read(request: HttpRequest) -> ListQuery:
    trashed = request.GET.get("trashed", "") in ("1", "true")
    sort = request.GET.get("sort", "")
    known = TRASH_ORDERINGS if trashed else ORDERINGS
    return ListQuery(search=read_search(request), sort=sort if sort in known else "", trashed=trashed)


def _pages(page: Page[Any], *, query: ListQuery) -> dict[str, str]:
    """Return the URLs of the previous and the next page; "" if there is none."""
    return {
        "before": query.address(page=page.previous_page_number()) if page.has_previous() else "",
        "after": query.address(page=page.next_page_number()) if page.has_next() else "",
    }


def _do(request: HttpRequest) -> HttpResponse:
    if "invitation" in request.POST:
        return _answer(request)
    do, table_id = ACTIONS.get(request.POST.get("do", "")), _id(request, "table")
    if do is None:
        raise Http404
    try:
        with http_errors():
            return do(request, table_id)
    except TablesError as error:
        messages.error(request, message_text(error.message))
        return redirect(request.get_full_path())


def _answer(request: HttpRequest) -> HttpResponse:
    try:
        return answer_invitation(request, key=_id(request, "invitation"))
    except NotFound as error:
        # The invitation was withdrawn or has expired since the page was shown.
        messages.error(request, message_text(error.message))
        return redirect("tables_list")


def _id(request: HttpRequest, name: str) -> int:
    text = request.POST.get(name, "")
    if not (text.isascii() and text.isdecimal() and len(text) < 19):
        raise Http404
    return int(text)


def _trash(request: HttpRequest, table_id: int) -> HttpResponse:
    name = selectors.get_table(request.user, table_id).name
    services.trash_table(user=request.user, table_id=table_id, origin=FORM)
    messages.success(request, _("“%(name)s” moved to trash.") % {"name": name}, extra_tags=f"restore {table_id}")
    return redirect(request.get_full_path())


def _restore(request: HttpRequest, table_id: int) -> HttpResponse:
    services.restore_table(user=request.user, table_id=table_id, origin=FORM)
    name = selectors.get_table(request.user, table_id).name
    messages.success(request, _("“%(name)s” restored.") % {"name": name}, extra_tags=f"open {table_id}")
    return redirect(request.get_full_path())


def _copy(request: HttpRequest, table_id: int) -> HttpResponse:
    copy = services.duplicate_table(
        user=request.user, table_id=table_id, origin=FORM, name_template=_("{name} (copy)")
    )
    return redirect("table_view", table_id=copy.pk)


ACTIONS: dict[str, Callable[[HttpRequest, int], HttpResponse]] = {"trash": _trash, "restore": _restore, "copy": _copy}


def _notices(request: HttpRequest) -> Iterator[Notice]:
    for message in messages.get_messages(request):
        offer, _, table_id = message.extra_tags.partition(" ")
        bad = message.level_tag == "error"
        yield Notice(text=str(message), bad=bad, offer=offer if table_id.isdecimal() else "", table_id=table_id)



@dataclass(frozen=True)
class Card:
    """One table as a card.

    `by` is the user who changed it last, "" if that is no longer stored; `by_user`: it is the current user. `shared_by`
    is its owner, "" for the user's own. `purge_at` is when a table in the trash is deleted permanently, else None.
    """

    table: Any
    icons: tuple[str, ...]
    more: int
    columns: int
    rows: int
    by: str
    by_user: bool
    shared_by: str
    purge_at: datetime | None

    @property
    def own(self) -> bool:
        """Whether the current user may move it to the trash."""
        return not self.shared_by


def draw_cards(tables: Iterable[Any], *, user: Any) -> list[Card]:
    """Return the cards of tables with `row_count`, `changed_by`, owner and columns loaded."""
    return [_card(table, user=user) for table in tables]


def _card(table: Any, *, user: Any) -> Card:
    columns = list(table.columns.all())
    icons = tuple(get_column_type(column.type).icon_of(column.settings) for column in columns[:MAX_ICONS])
    by = table.changed_by or ""
    return Card(
        table=table,
        icons=icons,
        more=len(columns) - len(icons),
        columns=len(columns),
        rows=table.row_count,
        by=by,
        by_user=by == user.get_username(),
        shared_by="" if table.owner_id == user.pk else table.owner.get_username(),
        purge_at=table.deleted_at + selectors.TRASH_RETENTION if table.deleted_at else None,
    )
