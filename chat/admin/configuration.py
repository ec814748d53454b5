"""What the assistant is told and may do, in the admin: every entry of the code, its changes, their history."""
from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from chat.admin.configuration_file import FilePages
from chat.admin.configuration_pages import status_of, title_of
from chat.admin.drafts import Draft, draft_in, new_entry_in
from chat.admin.entry_boxes import boxes_of, empty_boxes, faults_by_field
from chat.admin.entry_form import AGAIN, read_entry_form, seen_of
from chat.admin.history_pages import HistoryPages
from chat.admin.orphaned_override_pages import LeftoverPages
from chat.admin.preview_pages import PreviewPages
from chat.admin.preview_targets import choices_in
from chat.admin.try_page import try_draft
from chat.configuration import ADDED, NAME_FORMS, Address
from chat.exceptions import ChatError, Settled
from chat.models import Override
from chat.overrides import current_catalogue
from chat.provider import is_demo, model_named, models
from chat.selectors.configuration import EntryView, entry_lines, entry_view
from chat.selectors.configuration_history import history_of
from chat.selectors.model_checks import checked_models
from chat.selectors.orphaned_overrides import leftovers
from chat.services.configuration import RESET, Edit, change_configuration

Json = dict[str, Any]

# As a new entry begins.
SWITCHED_ON = "field-enabled=on"
# How many of those that cannot be used the list of all names; the rest stands on their own page.
MOST_FAULTS = 5


@admin.register(Override)
class ConfigurationAdmin(FilePages, HistoryPages, LeftoverPages, PreviewPages):
    """One page an entry in place of one a row of the database."""

    def get_urls(self) -> list[URLPattern]:
        """The pages of the configuration; there are none of single rows."""
        return [
            path("", self.page(self.index), name="chat_override_changelist"),
            path("history/", self.page(self.history), name="chat_configuration_history"),
            path("export/", self.page(self.export_file), name="chat_configuration_export"),
            path("import/", self.page(self.import_file), name="chat_configuration_import"),
            path("leftovers/", self.page(self.leftovers), name="chat_configuration_leftovers"),
            path("restore/", self.page(self.restore), name="chat_configuration_restore"),
            path("restore-field/", self.page(self.restore_field), name="chat_configuration_restore_field"),
            path("add/<str:kind>/", self.page(self.add_entry), name="chat_configuration_add"),
            path("add/<str:kind>/preview/", self.page(self.preview), name="chat_configuration_add_preview"),
            path("add/<str:kind>/try/", try_draft, name="chat_configuration_add_try"),
            path("try/", try_draft, name="chat_configuration_try"),
            path("<str:kind>/<path:name>/try/", try_draft, name="chat_configuration_entry_try"),
            path("preview/", self.page(self.preview), name="chat_configuration_preview"),
            path("<str:kind>/<path:name>/preview/", self.page(self.preview), name="chat_configuration_entry_preview"),
            path("<str:kind>/<path:name>/edit/", self.page(self.entry), name="chat_configuration_entry"),
            path("<str:kind>/<path:name>/history/", self.page(self.history), name="chat_configuration_entry_history"),
        ]

    def index(self, request: HttpRequest) -> HttpResponse:
        """All entries, with how much of each is changed."""
        found = leftovers()
        broken = [leftover for leftover in found if leftover.broken]
        return self.shown(
            request,
            "index",
            title="The assistant",
            kinds=entry_lines(),
            is_demo=is_demo(),
            models=checked_models(models() or [model_named(current_catalogue().engine.model)]),
            broken=broken[:MOST_FAULTS],
            more_broken=max(0, len(broken) - MOST_FAULTS),
            left_over=len(found) - len(broken),
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
            draft=Draft(entry.address, entry.kind, entry),
            entry=entry,
            boxes=boxes_of(entry, form=form, faults=faults, overtaken=overtaken),
            # Whoever is told of another's change sees it now; whoever is told of anything else does not.
            seen=entry.version if form is None or overtaken else seen_of(form),
            why=request.POST.get("why", ""),
            faults=faults.get("", []),
            recent=history_of(entry.address, most=5).changes,
            **choices_in(request.POST, user=request.user, about=entry.address),
        )

    def add_entry(self, request: HttpRequest, *, kind: str) -> HttpResponse:
        """A new entry, made without code."""
        draft = draft_in(request.POST, kind=kind)
        refused: ChatError | None = None
        if request.method == "POST" and AGAIN not in request.POST:
            try:
                return self._added(request, new_entry_in(request.POST, draft=draft), draft=draft)
            except ChatError as error:
                refused = error
        faults = faults_by_field(refused) if refused else {}
        form = request.POST if request.method == "POST" else QueryDict(SWITCHED_ON)
        return self.shown(
            request,
            "add",
            status=status_of(refused),
            title=draft.title,
            draft=draft,
            name=form.get("name", ""),
            name_form=NAME_FORMS[kind],
            name_faults=faults.get("name", []),
            boxes=empty_boxes(draft.kind, form=form, faults=faults),
            why=request.POST.get("why", ""),
            faults=faults.get("", []),
            **choices_in(request.POST, user=request.user, about=draft.address),
        )

    def _added(self, request: HttpRequest, edit: Edit, *, draft: Draft) -> HttpResponse:
        self._change(request, edit)
        in_reach = not draft.chosen_in or edit.values.get("is_global")
        told = "The next turn follows it." if in_reach else "Now choose it on the pages that are to have it."
        messages.success(request, f"Added. {told}")
        return HttpResponseRedirect(reverse("admin:chat_configuration_entry", args=edit.address))

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
