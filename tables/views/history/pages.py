"""The history of a table with undo, the page of one change, and restoring the table to the state after it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop as noop
from django.views.decorators.http import require_http_methods, require_safe

from shared.user_messages.rendering import message_html, message_text, moment_html
from tables import selectors, services
from tables.exceptions import Conflict, NotFound, Outdated, TablesError
from tables.page_errors import http_errors
from tables.views.history.change_details import DrawnDetails, draw_details
from tables.views.history.undo_conflicts import UndoConflicts, find_conflicts
from tables.views.shortcuts import get_table_or_404

PAGE_CHANGES = 50
PAGE_ROWS = 100
MAX_IN_SUMMARY = 40
MAX_PIECE = 10**9
# Decisions about later changes.
DECISIONS = ("skip", "overwrite")
# By source: labels of changes, and choices of the list's filter.
SOURCE_NAMES = {
    "grid": noop("in the table"),
    "form": noop("in a form or menu"),
    "api": noop("through the API"),
    "tool": noop("through the assistant"),
    "proposal": noop("from a proposal"),
    "fill": noop("by filling"),
    "import": noop("by import"),
    "template": noop("from a template"),
    "undo": noop("by undo"),
    "restore": noop("by restoring"),
    "admin": noop("in the administration"),
}
SOURCE_LABELS = {
    "grid": noop("Table"),
    "form": noop("Form or menu"),
    "api": noop("API"),
    "tool": noop("Assistant"),
    "proposal": noop("Proposal"),
    "fill": noop("Fill"),
    "import": noop("File import"),
    "template": noop("Template"),
    "undo": noop("Undo"),
    "restore": noop("Restore"),
    "admin": noop("Administration"),
}
SOURCE_ICONS = {
    "grid": "pencil",
    "form": "columns-3",
    "api": "key-round",
    "tool": "message-square-text",
    "proposal": "diff",
    "fill": "list-plus",
    "import": "file-input",
    "template": "table-2",
    "undo": "undo-2",
    "restore": "rotate-ccw",
    "admin": "settings-2",
}


@dataclass(frozen=True)
class Entry:
    """One line of the history."""

    id: int
    summary: str
    # The summary with times as elements, which scripts format for the user.
    summary_html: SafeString | str
    user: str
    source: str
    icon: str
    at: datetime
    state: str
    can_undo: bool
    can_restore: bool
    verb: str
    verb_icon: str
    details: DrawnDetails


@dataclass(frozen=True)
class HistoryFilter:
    """The filter of the list, which is also the query of its URL."""

    person: str = ""
    source: str = ""
    row: int | None = None
    before: int | None = None
    # The piece of a large change at which the search for the row continues.
    piece: int = 0

    @property
    def only(self) -> selectors.ChangeFilter:
        return selectors.ChangeFilter(before_version=self.before, username=self.person, source=self.source)

    @property
    def is_set(self) -> bool:
        return bool(self.person or self.source or self.row)

    @property
    def without_row(self) -> str:
        """The query of the same list for all rows."""
        return self.address(row=None)

    def address(self, **changed: Any) -> str:
        """Return the query of this list with changed parameters, from the newest changes unless `before` is given."""
        query = {"person": self.person, "source": self.source, "row": self.row, **changed}
        return "?" + urlencode({name: value for name, value in query.items() if value})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def table_history(request: HttpRequest, table_id: int) -> HttpResponse:
    """List the newest changes, older ones with `before`, filtered by `person`, `source` and `row`.

    A POST with `change` undoes that one. If it conflicts with later changes, nothing is changed until `later` decides
    about them.
    """
    table = get_table_or_404(request, table_id=table_id, can="edit" if request.method == "POST" else "view")
    if request.method == "POST":
        return _undo(request, table=table)
    return _page(request, table)


@login_required
@require_safe
def table_change(request: HttpRequest, table_id: int, change_id: int) -> HttpResponse:
    """Show one change with all its rows, a page at a time (`cursor`)."""
    table = get_table_or_404(request, table_id=table_id)
    with http_errors():
        change = selectors.get_change(table, change_id)
    text = request.GET.get("cursor", "")
    cursor = selectors.Cursor.read(text)
    if text and cursor is None:
        raise Http404
    shape = selectors.table_shape(table)
    details = selectors.change_details(table, change.id, shape=shape, cursor=cursor, limit=PAGE_ROWS)
    entry = _entry(
        change,
        version=table.version,
        reader=request.user.get_username(),
        may_edit=selectors.allowed(request.user, table, can="edit"),
        details=draw_details(details),
    )
    context = {"table": table, "entry": entry, "cursor": text, "next": details.next}
    return render(request, "tables/table_change.html", context)


def _page(request: HttpRequest, table: Any, *, conflicts: UndoConflicts | None = None) -> HttpResponse:
    may_edit = selectors.allowed(request.user, table, can="edit")
    filter_ = _read_filter(request)
    shape = selectors.table_shape(table)
    if filter_.row is None:
        found = selectors.changes_of(table, only=filter_.only, limit=PAGE_CHANGES + 1)
        changes = found[:PAGE_CHANGES]
        older = {"before": changes[-1].version} if len(found) > PAGE_CHANGES else {}
        details = selectors.change_previews(table, [change.id for change in changes], shape=shape)
    else:
        history = selectors.row_history(
            table, filter_.row, shape=shape, only=filter_.only, piece=filter_.piece, limit=PAGE_CHANGES
        )
        changes, details = history.changes, history.details
        older = {"before": history.next.before_version, "piece": history.next.piece} if history.next else {}
    reader = request.user.get_username()
    context = {
        "table": table,
        "may_edit": may_edit,
        "entries": [
            _entry(
                change,
                version=table.version,
                reader=reader,
                may_edit=may_edit,
                details=draw_details(details[change.id], preview=True),
            )
            for change in changes
        ],
        "older": filter_.address(**older) if older else "",
        "conflicts": conflicts,
        "filter": filter_,
        "row_name": "" if filter_.row is None else selectors.row_name(table, filter_.row, shape=shape) or _("Row"),
        "people": [
            (name, _("You") if name == reader else name)
            for name in sorted({*selectors.users_in_history(table), *([filter_.person] if filter_.person else [])})
        ],
        "sources": [(source, _(label)) for source, label in SOURCE_LABELS.items()],
    }
    return render(request, "tables/table_history.html", context)


def _read_filter(request: HttpRequest) -> HistoryFilter:
    """Read the filter of the list from the URL. Raises Http404 for values that no link or form contains."""
    person, source, row = (request.GET.get(name, "") for name in ("person", "source", "row"))
    row_id = parse_number(row)
    if (row and not row_id) or (source and source not in SOURCE_LABELS) or len(person) > 150 or "\0" in person:
        raise Http404
    before, piece = (parse_number(request.GET.get(name, "")) for name in ("before", "piece"))
    return HistoryFilter(person=person, source=source, row=row_id, before=before, piece=min(piece or 0, MAX_PIECE))


def parse_number(text: str) -> int | None:
    """Return a number from a link or form; None for anything else."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else None


def _undo(request: HttpRequest, *, table: Any) -> HttpResponse:
    """Undo the change, or ask for a decision about later changes."""
    change_id, later = parse_number(request.POST.get("change", "")), request.POST.get("later")
    if change_id is None or later not in (None, *DECISIONS):
        raise Http404
    history_page = redirect("table_history", table_id=table.pk)
    try:
        undone = services.undo_change(user=request.user, table_id=table.pk, change_id=change_id, on_conflict=later)
    except NotFound as error:
        raise Http404 from error
    except TablesError as error:
        found = find_conflicts(error, table=table, change=change_id) if isinstance(error, Conflict) else None
        if found:
            return _page(request, table, conflicts=found)
        messages.error(request, _("Nothing was undone. %(reason)s") % {"reason": message_text(error.message)})
        return history_page
    text = format_html("{}.", message_html(undone.message))
    if undone.table.deleted_at is not None:
        messages.success(request, text)
        return redirect("tables_list")
    step = "redone" if undone.is_redo else "undone"
    tag = undo_step(step, services.original_of(undone).pk, by=undone)
    messages.success(request, text, extra_tags=tag)
    return history_page


def undo_step(step: str, change_id: int, *, by: Any) -> str:
    """Return a message tag for a step that was just "made", "undone" or "redone", for undo and redo in the tab.

    It includes the ids of the table, because the next page may show another one, and of the change.
    """
    return f"{step} {change_id} {by.table_id} {by.pk}"


def _cell_summary(change: selectors.ChangeView, details: DrawnDetails) -> str:
    """Return the change of a single cell: "Acme: Salary 50 → -7"; "" for other changes."""
    counts = {name: count for name, count in change.counts.items() if count}
    if change.undo_of is not None or counts != {"update": 1} or details.definitions or len(details.rows) != 1:
        return ""
    row = details.rows[0]
    if row.more or len(row.values) != 1 or not row.values[0].changes:
        return ""
    value = row.values[0]
    was, now = (Truncator(each).chars(MAX_IN_SUMMARY) if each else _("empty") for each in (value.was, value.now))
    name = Truncator(row.name).chars(MAX_IN_SUMMARY)
    return f"{name}: {value.label} {was} → {now}"


def _entry(change: selectors.ChangeView, *, version: int, reader: str, may_edit: bool, details: DrawnDetails) -> Entry:
    """Return a line of the history. `version` is that of the table: the last change has nothing to restore."""
    redoes = change.undo_of is not None and not change.is_redo
    cell_summary = _cell_summary(change, details)
    user = _("Former user") if change.actor is None else _("You") if change.actor == reader else change.actor
    return Entry(
        id=change.id,
        summary=cell_summary or message_text(change.message),
        summary_html=cell_summary or message_html(change.message),
        user=user,
        source=_(SOURCE_NAMES[change.source]) if change.source in SOURCE_NAMES else "",
        icon=SOURCE_ICONS.get(change.source, "circle-dot"),
        at=change.created_at,
        state=_("Undone") if change.is_undone else "",
        # After a redo, its own entry has the button.
        can_undo=change.undoable and not change.undone_by and may_edit,
        can_restore=may_edit and change.version < version,
        verb=_("Redo") if redoes else _("Undo"),
        verb_icon="redo-2" if redoes else "undo-2",
        details=details,
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def table_restore(request: HttpRequest, table_id: int, change_id: int) -> HttpResponse:
    """Show how many changes would be undone; a POST with the shown `version` undoes them."""
    table = get_table_or_404(request, table_id=table_id, can="edit")
    with http_errors():
        change = selectors.get_change(table, change_id)
    if request.method == "POST":
        return _restore(request, table=table, change=change)
    later = table.version - change.version
    context = {"table": table, "change": change, "summary_html": message_html(change.message), "later": later}
    context["time_html"] = moment_html(change.created_at)
    return render(request, "tables/table_restore.html", context)


def _restore(request: HttpRequest, *, table: selectors.Table, change: selectors.ChangeView) -> HttpResponse:
    version = parse_number(request.POST.get("version", ""))
    if version is None:
        raise Http404
    try:
        done = services.restore_as_of(user=request.user, table_id=table.pk, change_id=change.id, version=version)
    except NotFound as error:
        raise Http404 from error
    except Outdated:
        messages.error(request, _("The table has changed meanwhile. Nothing was restored; check the number again."))
        return redirect("table_restore", table_id=table.pk, change_id=change.id)
    except TablesError as error:
        messages.error(request, _("Nothing was restored. %(reason)s") % {"reason": message_text(error.message)})
        return redirect("table_history", table_id=table.pk)
    text = format_html("{}.", message_html(done.message))
    messages.success(request, text, extra_tags=undo_step("made", done.pk, by=done))
    return redirect("table_history", table_id=table.pk)
