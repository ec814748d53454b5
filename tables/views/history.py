"""The history of a table: every change with who made it, how, when and what, its undo; and one change with its rows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop as noop
from django.views.decorators.http import require_http_methods, require_safe

from retold import retold
from tables import selectors, services
from tables.exceptions import Conflict, NotFound, TablesError
from tables.views.change_details import DrawnDetails, draw_details
from tables.views.refusals import refused_as_pages
from tables.views.standing_in_the_way import InTheWay, in_the_way
from tables.views.table import found_table

PAGE_CHANGES = 50
PAGE_ROWS = 100
# What may become of later changes.
DECISIONS = ("keep", "overwrite")
THROUGH = {
    "grid": noop("in the table"),
    "form": noop("on the edit page"),
    "api": noop("through the API"),
    "tool": noop("through the assistant"),
    "proposal": noop("from a proposal"),
    "import": noop("by import"),
    "undo": noop("by undo"),
    "admin": noop("in the administration"),
}
MARKS = {
    "grid": "pencil",
    "form": "columns-3",
    "api": "key-round",
    "tool": "message-square-text",
    "proposal": "diff",
    "import": "file-input",
    "undo": "undo-2",
    "admin": "settings-2",
}


@dataclass(frozen=True)
class Entry:
    """One line of the history."""

    id: int
    summary: str
    who: str
    through: str
    icon: str
    at: datetime
    state: str
    can_undo: bool
    verb: str
    details: DrawnDetails


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def table_history(request: HttpRequest, table_id: int) -> HttpResponse:
    """The newest changes, older ones with `before`; a POST with `change` takes that one back.

    Where later changes stand in its way, nothing is done until `later` says what becomes of them.
    """
    table = found_table(request, table_id=table_id, can="edit" if request.method == "POST" else "view")
    if request.method == "POST":
        return _undo(request, table=table)
    return _page(request, table)


@login_required
@require_safe
def table_change(request: HttpRequest, table_id: int, change_id: int) -> HttpResponse:
    """Show one change with all its rows, a page at a time (`cursor`)."""
    table = found_table(request, table_id=table_id)
    with refused_as_pages():
        change = selectors.get_change(table, change_id)
    text = request.GET.get("cursor", "")
    cursor = selectors.Cursor.read(text)
    if text and cursor is None:
        raise Http404
    shape = selectors.table_shape(table)
    details = selectors.change_details(table, change.id, shape=shape, cursor=cursor, limit=PAGE_ROWS)
    entry = _entry(
        change,
        reader=request.user.get_username(),
        may_edit=selectors.allowed(request.user, table, can="edit"),
        details=draw_details(details),
    )
    context = {"table": table, "entry": entry, "cursor": text, "next": details.next}
    return render(request, "tables/table_change.html", context)


def _page(request: HttpRequest, table: Any, *, asked_about: InTheWay | None = None) -> HttpResponse:
    may_edit = selectors.allowed(request.user, table, can="edit")
    asked = request.GET.get("before", "")
    before = int(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 19 else None
    changes = selectors.changes_of(table, before_version=before, limit=PAGE_CHANGES + 1)
    reader = request.user.get_username()
    shown = changes[:PAGE_CHANGES]
    shape = selectors.table_shape(table)
    previews = selectors.change_previews(table, [change.id for change in shown], shape=shape)
    context = {
        "table": table,
        "may_edit": may_edit,
        "entries": [
            _entry(change, reader=reader, may_edit=may_edit, details=draw_details(previews[change.id], preview=True))
            for change in shown
        ],
        "older": changes[PAGE_CHANGES - 1].version if len(changes) > PAGE_CHANGES else None,
        "asked_about": asked_about,
    }
    return render(request, "tables/table_history.html", context)


def _undo(request: HttpRequest, *, table: Any) -> HttpResponse:
    """Takes the change back, or asks first about what changed since."""
    asked, later = request.POST.get("change", ""), request.POST.get("later")
    if not (asked.isascii() and asked.isdecimal() and len(asked) < 19) or later not in (None, *DECISIONS):
        raise Http404
    again = redirect("table_history", table_id=table.pk)
    try:
        undone = services.undo_change(
            user=request.user, table_id=table.pk, change_id=int(asked), on_conflict=later
        )
    except NotFound as error:
        raise Http404 from error
    except TablesError as error:
        found = in_the_way(error, table=table, change=int(asked)) if isinstance(error, Conflict) else None
        if found:
            return _page(request, table, asked_about=found)
        messages.error(request, _("Nothing was undone. %(reason)s") % {"reason": retold(error.detail)})
        return again
    messages.success(request, f"{retold(undone.summary)}.")
    return again if undone.table.deleted_at is None else redirect("tables_list")


def _entry(change: selectors.ChangeView, *, reader: str, may_edit: bool, details: DrawnDetails) -> Entry:
    who = _("Somebody") if change.actor is None else _("You") if change.actor == reader else change.actor
    return Entry(
        id=change.id,
        summary=retold(change.summary),
        who=who,
        through=_(THROUGH[change.source]) if change.source in THROUGH else "",
        icon=MARKS.get(change.source, "circle-dot"),
        at=change.created_at,
        state=_("Undone") if change.undone_by else "",
        can_undo=change.undoable and may_edit,
        verb=_("Redo") if change.undo_of else _("Undo"),
        details=details,
    )
