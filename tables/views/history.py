"""Every change of a table: who, through what, when, what; and the way back."""

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
from django.views.decorators.http import require_http_methods

from retold import retold
from tables import selectors, services
from tables.exceptions import NotFound, TablesError
from tables.views.table import found_table

PAGE_CHANGES = 50
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


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def table_history(request: HttpRequest, table_id: int) -> HttpResponse:
    """The newest changes, older ones with `before`; a POST with `change` takes that one back."""
    table = found_table(request, table_id=table_id, can="edit" if request.method == "POST" else "view")
    may_edit = selectors.allowed(request.user, table, can="edit")
    if request.method == "POST":
        still_there = _undo(request, table=table)
        return redirect("table_history", table_id=table.pk) if still_there else redirect("tables_list")
    asked = request.GET.get("before", "")
    before = int(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 19 else None
    changes = selectors.changes_of(table, before_version=before, limit=PAGE_CHANGES + 1)
    reader = request.user.get_username()
    context = {
        "table": table,
        "may_edit": may_edit,
        "entries": [_entry(change, reader=reader, may_edit=may_edit) for change in changes[:PAGE_CHANGES]],
        "older": changes[PAGE_CHANGES - 1].version if len(changes) > PAGE_CHANGES else None,
    }
    return render(request, "tables/table_history.html", context)


def _undo(request: HttpRequest, *, table: Any) -> bool:
    """Takes the change back; False when that put the table itself in the trash."""
    asked = request.POST.get("change", "")
    if not (asked.isascii() and asked.isdecimal() and len(asked) < 19):
        raise Http404
    try:
        undone = services.undo_change(user=request.user, table_id=table.pk, change_id=int(asked))
    except NotFound as error:
        raise Http404 from error
    except TablesError as error:
        messages.error(request, _("Nothing was undone. %(reason)s") % {"reason": retold(error.detail)})
        return True
    messages.success(request, f"{retold(undone.summary)}.")
    return undone.table.deleted_at is None


def _entry(change: selectors.ChangeView, *, reader: str, may_edit: bool) -> Entry:
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
    )
