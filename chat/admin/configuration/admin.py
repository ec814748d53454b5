"""URLs of the configuration, the list of entries, and the pages to change and to add an entry."""
from __future__ import annotations

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from chat.admin.configuration.base import status_of, title_of
from chat.admin.configuration.bound_fields import bound_fields, faults_by_field, new_entry_fields
from chat.admin.configuration.drafts import Draft, new_entry_edit, read_draft
from chat.admin.configuration.entry_form import REDISPLAY, read_entry_form, version_seen
from chat.admin.configuration.file_pages import FilePages
from chat.admin.configuration.history_pages import HistoryPages
from chat.admin.configuration.orphaned_override_pages import OrphanedOverridePages
from chat.admin.configuration.preview_pages import PreviewPages, try_draft
from chat.admin.configuration.preview_targets import preview_target_choices
from chat.configuration import ADDED, NAME_FORMS, Address
from chat.exceptions import ChatError, Settled
from chat.models import Override
from chat.provider.configured import local_model, model_named, models
from chat.selectors.configuration.catalogue import current_catalogue
from chat.selectors.configuration.entries import EntryView, entry_summaries, entry_view
from chat.selectors.configuration.history import change_history
from chat.selectors.configuration.model_checks import checked_models
from chat.selectors.configuration.orphaned_overrides import orphaned_overrides
from chat.services.configuration.changes import RESET, Edit, change_configuration

# The initial form of a new entry: it is enabled.
NEW_ENTRY_FORM = "field-enabled=on"
# Faults shown with the list of entries; all are on the page of orphaned overrides.
MAX_FAULTS = 5
MAX_RECENT_CHANGES = 5


@admin.register(Override)
class ConfigurationAdmin(FilePages, HistoryPages, OrphanedOverridePages, PreviewPages):
    """Pages of registry entries, which replace the pages of single override rows."""

    def get_urls(self) -> list[URLPattern]:
        """Return the pages of the configuration."""
        return [
            path("", self.wrap(self.index), name="chat_override_changelist"),
            path("history/", self.wrap(self.history), name="chat_configuration_history"),
            path("export/", self.wrap(self.export_file), name="chat_configuration_export"),
            path("import/", self.wrap(self.import_file), name="chat_configuration_import"),
            path(
                "orphaned_overrides/",
                self.wrap(self.orphaned_overrides),
                name="chat_configuration_orphaned_overrides",
            ),
            path("restore/", self.wrap(self.restore), name="chat_configuration_restore"),
            path("restore-field/", self.wrap(self.restore_field), name="chat_configuration_restore_field"),
            path("add/<str:kind>/", self.wrap(self.add_entry), name="chat_configuration_add"),
            path("add/<str:kind>/preview/", self.wrap(self.preview), name="chat_configuration_add_preview"),
            path("add/<str:kind>/try/", try_draft, name="chat_configuration_add_try"),
            path("try/", try_draft, name="chat_configuration_try"),
            path("<str:kind>/<path:name>/try/", try_draft, name="chat_configuration_entry_try"),
            path("preview/", self.wrap(self.preview), name="chat_configuration_preview"),
            path("<str:kind>/<path:name>/preview/", self.wrap(self.preview), name="chat_configuration_entry_preview"),
            path("<str:kind>/<path:name>/edit/", self.wrap(self.entry), name="chat_configuration_entry"),
            path("<str:kind>/<path:name>/history/", self.wrap(self.history), name="chat_configuration_entry_history"),
        ]

    def index(self, request: HttpRequest) -> HttpResponse:
        """List all entries with the number of changed fields, and the models with their checks."""
        orphaned = orphaned_overrides()
        broken = [override for override in orphaned if override.broken]
        return self.render(
            request,
            "index",
            title="Assistant configuration",
            kinds=entry_summaries(),
            local_model=local_model(),
            models=checked_models(models() or [model_named(current_catalogue().engine.model)]),
            broken=broken[:MAX_FAULTS],
            more_broken=max(0, len(broken) - MAX_FAULTS),
            orphaned=len(orphaned) - len(broken),
        )

    def entry(self, request: HttpRequest, *, kind: str, name: str) -> HttpResponse:
        """Show the fields of an entry with their defaults; POST saves them as one change."""
        entry = entry_view(Address(kind, name))
        error: ChatError | None = None
        if request.method == "POST" and REDISPLAY not in request.POST:
            try:
                return self._save(request, _requested_edit(request.POST, entry=entry), entry=entry)
            except ChatError as raised:
                error = raised
        conflict = isinstance(error, Settled)
        if conflict:
            entry = entry_view(entry.address)
        faults = faults_by_field(error) if error else {}
        form = request.POST if request.method == "POST" else None
        return self.render(
            request,
            "entry",
            status=status_of(error),
            title=title_of(entry.kind, name),
            draft=Draft(entry.address, entry.kind, entry),
            entry=entry,
            fields=bound_fields(entry, form=form, faults=faults, conflict=conflict),
            # Only after a conflict the page shows the other editor's change.
            seen=entry.version if form is None or conflict else version_seen(form),
            why=request.POST.get("why", ""),
            faults=faults.get("", []),
            recent=change_history(entry.address, limit=MAX_RECENT_CHANGES).changes,
            **preview_target_choices(request.POST, user=request.user, address=entry.address),
        )

    def add_entry(self, request: HttpRequest, *, kind: str) -> HttpResponse:
        """Show an empty form; POST creates the entry."""
        draft = read_draft(request.POST, kind=kind)
        error: ChatError | None = None
        if request.method == "POST" and REDISPLAY not in request.POST:
            try:
                return self._add(request, new_entry_edit(request.POST, draft=draft), draft=draft)
            except ChatError as raised:
                error = raised
        faults = faults_by_field(error) if error else {}
        form = request.POST if request.method == "POST" else QueryDict(NEW_ENTRY_FORM)
        return self.render(
            request,
            "add",
            status=status_of(error),
            title=draft.title,
            draft=draft,
            name=form.get("name", ""),
            name_form=NAME_FORMS[kind],
            name_faults=faults.get("name", []),
            fields=new_entry_fields(draft.kind, form=form, faults=faults),
            why=request.POST.get("why", ""),
            faults=faults.get("", []),
            **preview_target_choices(request.POST, user=request.user, address=draft.address),
        )

    def _add(self, request: HttpRequest, edit: Edit, *, draft: Draft) -> HttpResponse:
        self._change(request, edit)
        available = not draft.selected_in or edit.values.get("is_global")
        hint = "Applies from the next message." if available else "Now select it on the pages that should have it."
        messages.success(request, f"Added. {hint}")
        return HttpResponseRedirect(reverse("admin:chat_configuration_entry", args=edit.address))

    def _save(self, request: HttpRequest, edit: Edit, *, entry: EntryView) -> HttpResponse:
        changed = self._change(request, edit) != entry.version
        messages.success(request, "Saved. Applies from the next message." if changed else "No changes to save.")
        if entry.added and "remove" in request.POST:
            return HttpResponseRedirect(reverse("admin:chat_override_changelist"))
        return HttpResponseRedirect(request.path)

    def _change(self, request: HttpRequest, edit: Edit) -> int:
        """Apply the edit and return the version of the configuration after it."""
        why = request.POST.get("why", "").strip()
        return change_configuration(user=request.user, edits=[edit], why=why, now=timezone.now())


def _requested_edit(form: QueryDict, *, entry: EntryView) -> Edit:
    """Return the requested change; with `remove` it resets all fields, and deletes an added entry."""
    if "remove" not in form:
        return read_entry_form(form, entry=entry)
    values = {view.field.name: RESET for view in entry.fields if view.overridden}
    return Edit(entry.address, {**values, ADDED: RESET} if entry.added else values, seen=version_seen(form))
