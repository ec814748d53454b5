"""What the assistant is told and may do, in the admin: every entry of the code, its changes, their history."""
from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from chat.admin.configuration_file import FilePages
from chat.admin.configuration_pages import status_of, title_of
from chat.admin.entry_boxes import boxes_of, empty_boxes, faults_by_field
from chat.admin.entry_form import AGAIN, read_entry_form, read_new_entry, seen_of
from chat.admin.history_pages import HistoryPages
from chat.admin.places import choices_in
from chat.admin.preview_pages import PreviewPages
from chat.admin.try_page import try_draft
from chat.configuring import ADDED, KINDS, NAME_FORMS, Address
from chat.exceptions import ChatError, Malformed, NotFound, Settled
from chat.models import Override
from chat.overrides import faults_of_configuration
from chat.selectors.configuration import EntryView, entry_lines, entry_view
from chat.selectors.configuration_history import history_of
from chat.services.configuration import RESET, Edit, change_configuration

Json = dict[str, Any]

# As a new entry begins.
SWITCHED_ON = "field-enabled=on"


@admin.register(Override)
class ConfigurationAdmin(FilePages, HistoryPages, PreviewPages):
    """One page an entry in place of one a row of the database."""

    def get_urls(self) -> list[URLPattern]:
        """The pages of the configuration; there are none of single rows."""
        return [
            path("", self.page(self.index), name="chat_override_changelist"),
            path("history/", self.page(self.history), name="chat_configuration_history"),
            path("export/", self.page(self.export_file), name="chat_configuration_export"),
            path("import/", self.page(self.import_file), name="chat_configuration_import"),
            path("restore/", self.page(self.restore), name="chat_configuration_restore"),
            path("restore-field/", self.page(self.restore_field), name="chat_configuration_restore_field"),
            path("add/<str:kind>/", self.page(self.add_entry), name="chat_configuration_add"),
            path("try/", try_draft, name="chat_configuration_try"),
            path("<str:kind>/<path:name>/try/", try_draft, name="chat_configuration_entry_try"),
            path("preview/", self.page(self.preview), name="chat_configuration_preview"),
            path("<str:kind>/<path:name>/preview/", self.page(self.preview), name="chat_configuration_entry_preview"),
            path("<str:kind>/<path:name>/edit/", self.page(self.entry), name="chat_configuration_entry"),
            path("<str:kind>/<path:name>/history/", self.page(self.history), name="chat_configuration_entry_history"),
        ]

    def index(self, request: HttpRequest) -> HttpResponse:
        """All entries, with how much of each is changed."""
        return self.shown(
            request, "index", title="The assistant", kinds=entry_lines(), faults=faults_of_configuration()
        )

    def entry(self, request: HttpRequest, *, kind: str, name: str) -> HttpResponse:
        """One entry: its fields with their defaults; saved as one change."""
        entry = entry_view(Address(kind, name))
        refused: ChatError | None = None
        if request.method == "POST" and AGAIN not in request.POST:
            try:
                return self._saved(request, _sent(request.POST, entry=entry), entry=entry)
            except ChatError as error:
                refused = error
        overtaken = isinstance(refused, Settled)
        if overtaken:
            entry = entry_view(entry.address)
        faults = faults_by_field(refused) if refused else {}
        form = request.POST if request.method == "POST" else None
        return self.shown(
            request,
            "entry",
            status=status_of(refused),
            title=title_of(entry.kind, name),
            entry=entry,
            boxes=boxes_of(entry, form=form, faults=faults, overtaken=overtaken),
            # Whoever is told of another's change sees it now; whoever is told of anything else does not.
            seen=entry.version if form is None or overtaken else seen_of(form),
            why=request.POST.get("why", ""),
            faults=faults.get("", []),
            recent=history_of(entry.address, most=5).changes,
            **choices_in(request.POST, user=request.user, entry=entry),
        )

    def add_entry(self, request: HttpRequest, *, kind: str) -> HttpResponse:
        """A new entry, made without code."""
        made = KINDS.get(kind)
        if made is None or not made.addable:
            raise NotFound("Nothing of this kind can be added here.")
        refused: ChatError | None = None
        if request.method == "POST":
            address = Address(kind, request.POST.get("name", "").strip())
            try:
                if address in _known():
                    raise Malformed(f"There is a {kind} {address.name} already.", path="name")
                edit = read_new_entry(request.POST, address=address, fields=made.fields)
                self._change(request, edit)
                return HttpResponseRedirect(reverse("admin:chat_configuration_entry", args=[kind, address.name]))
            except ChatError as error:
                refused = error
        faults = faults_by_field(refused) if refused else {}
        form = request.POST if request.method == "POST" else QueryDict(SWITCHED_ON)
        return self.shown(
            request,
            "add",
            status=status_of(refused),
            title=f"Add to {made.label.lower()}",
            kind=made,
            name=form.get("name", ""),
            name_form=NAME_FORMS[kind],
            name_faults=faults.get("name", []),
            boxes=empty_boxes(made, form=form, faults=faults),
            why=request.POST.get("why", ""),
            faults=faults.get("", []),
        )

    def _saved(self, request: HttpRequest, edit: Edit, *, entry: EntryView) -> HttpResponse:
        changed = self._change(request, edit) != entry.version
        messages.success(request, "Saved. The next turn follows it." if changed else "Nothing was changed.")
        if entry.added and "remove" in request.POST:
            return HttpResponseRedirect(reverse("admin:chat_override_changelist"))
        return HttpResponseRedirect(request.path)

    def _change(self, request: HttpRequest, edit: Edit) -> int:
        why = request.POST.get("why", "").strip()
        return change_configuration(user=request.user, edits=[edit], why=why, now=timezone.now())


def _sent(form: QueryDict, *, entry: EntryView) -> Edit:
    """The change that was asked for; with `remove` everything of the entry goes back to what the code has."""
    if "remove" not in form:
        return read_entry_form(form, entry=entry)
    values = {view.field.name: RESET for view in entry.fields if view.overridden}
    return Edit(entry.address, {**values, ADDED: RESET} if entry.added else values, seen=seen_of(form))


def _known() -> set[Address]:
    return {line.address for _, lines in entry_lines() for line in lines}
