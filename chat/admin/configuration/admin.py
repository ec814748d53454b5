"""URLs of the configuration, the list of entries, and the pages to change and to add an entry."""
from __future__ import annotations

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse, QueryDict
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from chat.admin.configuration.base import status_of, title_of
from chat.admin.configuration.bound_fields import (
    bound_fields,
    element_ids,
    error_summary,
    faults_by_field,
    new_entry_fields,
)
from chat.admin.configuration.confirmation import APPLIES, CONFIRM, Confirmation, asks, shown_version, submitted_fields
from chat.admin.configuration.conflicts import conflict_faults, form_with_conflicts, resolved_form, unresolved_faults
from chat.admin.configuration.draft_pages import DraftPages, continued_draft, draft_context, forget_draft, listed_drafts
from chat.admin.configuration.drafts import Draft, new_entry_edit, read_draft
from chat.admin.configuration.entry_form import REDISPLAY, check_all_fields, parse_entry_form, version_seen
from chat.admin.configuration.file_pages import FilePages
from chat.admin.configuration.history_pages import HistoryPages
from chat.admin.configuration.orphaned_override_pages import OrphanedOverridePages
from chat.admin.configuration.preview_pages import PreviewPages, try_draft
from chat.admin.configuration.preview_targets import preview_target_choices
from chat.admin.configuration.prompt_test_pages import PromptTestPages
from chat.configuration import ADDED, NAME_FORMS, Address
from chat.exceptions import ChatError, Malformed, Settled
from chat.models import Override
from chat.provider.configured import local_model, model_named, models
from chat.selectors.configuration.catalogue import current_catalogue, current_version
from chat.selectors.configuration.entries import EntryView, entry_summaries, entry_view
from chat.selectors.configuration.history import change_history
from chat.selectors.configuration.model_checks import checked_models
from chat.selectors.configuration.names import name_in_sentence
from chat.selectors.configuration.orphaned_overrides import orphaned_overrides
from chat.services.configuration.changes import RESET, Edit, change_configuration, check_edits
from chat.services.configuration.import_export import planned_changes
from chat.services.configuration.undo import edits_to_delete
from chat.turns.model_names import check_model_names, listed_models

# The initial form of a new entry: it is enabled.
NEW_ENTRY_FORM = "field-enabled=on"
# Faults shown with the list of entries; all are on the page of orphaned overrides.
MAX_FAULTS = 5
MAX_RECENT_CHANGES = 5


@admin.register(Override)
class ConfigurationAdmin(
    FilePages, HistoryPages, OrphanedOverridePages, PreviewPages, PromptTestPages, DraftPages
):
    """Pages of registry entries, which replace the pages of single override rows."""

    def get_urls(self) -> list[URLPattern]:
        """Return the pages of the configuration."""
        return [
            path("", self.wrap(self.index), name="chat_override_changelist"),
            path("models/", self.wrap(self.model_names), name="chat_configuration_models"),
            path("history/", self.wrap(self.history), name="chat_configuration_history"),
            path("export/", self.wrap(self.export_file), name="chat_configuration_export"),
            path("import/", self.wrap(self.import_file), name="chat_configuration_import"),
            path(
                "orphaned_overrides/",
                self.wrap(self.orphaned_overrides),
                name="chat_configuration_orphaned_overrides",
            ),
            path("tests/", self.wrap(self.prompt_tests), name="chat_configuration_tests"),
            path("tests/data/", self.wrap(self.prompt_test_data), name="chat_configuration_test_data"),
            path("tests/add/", self.wrap(self.prompt_test), name="chat_configuration_test_add"),
            path("tests/add/draft/", self.wrap(self.prompt_test_draft), name="chat_configuration_test_add_draft"),
            path("tests/<int:pk>/draft/", self.wrap(self.prompt_test_draft), name="chat_configuration_test_draft"),
            path("tests/<int:pk>/", self.wrap(self.prompt_test), name="chat_configuration_test"),
            path(
                "tests/<int:pk>/delete/",
                self.wrap(self.prompt_test_deletion),
                name="chat_configuration_test_deletion",
            ),
            path(
                "tests/<int:pk>/restore/",
                self.wrap(self.prompt_test_restore),
                name="chat_configuration_test_restore",
            ),
            path("restore/", self.wrap(self.restore), name="chat_configuration_restore"),
            path("undo/", self.wrap(self.undo), name="chat_configuration_undo"),
            path("restore-field/", self.wrap(self.restore_field), name="chat_configuration_restore_field"),
            path("add/<str:kind>/", self.wrap(self.add_entry), name="chat_configuration_add"),
            path("add/<str:kind>/preview/", self.wrap(self.preview), name="chat_configuration_add_preview"),
            path("add/<str:kind>/try/", try_draft, name="chat_configuration_add_try"),
            path("add/<str:kind>/draft/", self.wrap(self.draft), name="chat_configuration_add_draft"),
            path("try/", try_draft, name="chat_configuration_try"),
            path("<str:kind>/<path:name>/try/", try_draft, name="chat_configuration_entry_try"),
            path("<str:kind>/<path:name>/draft/", self.wrap(self.draft), name="chat_configuration_entry_draft"),
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
            drafts=listed_drafts(request),
        )

    def model_names(self, request: HttpRequest) -> HttpResponse:
        """Send the models of the default model's server as JSON."""
        return JsonResponse({"models": listed_models(current_catalogue().engine)})

    def entry(self, request: HttpRequest, *, kind: str, name: str) -> HttpResponse:
        """Show the fields of an entry with their defaults; POST saves them as one change."""
        entry = entry_view(Address(kind, name))
        error: ChatError | None = None
        if request.method == "POST" and REDISPLAY not in request.POST:
            try:
                return self._save(request, _requested_edits(request.POST, entry=entry), entry=entry)
            except ChatError as raised:
                error = raised
        draft = Draft(entry.address, entry.kind, entry)
        form = request.POST if request.method == "POST" else continued_draft(request, edited=draft)
        faults = faults_by_field(error) if error else {}
        if isinstance(error, Settled) and form is not None:
            entry = entry_view(entry.address)
            resolved = resolved_form(form, entry=entry)
            form = None if "remove" in form else form_with_conflicts(resolved, entry=entry)
            faults = (conflict_faults(form, entry=entry) if form else {}) or faults
        fields = bound_fields(entry, form=form, faults=faults)
        return self.render(
            request,
            "entry",
            status=status_of(error),
            title=title_of(entry.kind, name),
            draft=draft,
            entry=entry,
            fields=fields,
            errors=error_summary(faults, ids=element_ids(fields)),
            seen=entry.version if form is None else version_seen(form),
            conflict_base=form.get("conflict_base", "") if form else "",
            why=form.get("why", "") if form else "",
            **draft_context(request, edited=draft, form=form),
            recent=change_history(entry.address, limit=MAX_RECENT_CHANGES).changes,
            **preview_target_choices(request.POST, user=request.user, address=entry.address),
        )

    def add_entry(self, request: HttpRequest, *, kind: str) -> HttpResponse:
        """Show an empty form; POST creates the entry."""
        draft = read_draft(request.POST, kind=kind)
        error: ChatError | None = None
        if request.method == "POST" and REDISPLAY not in request.POST:
            try:
                return self._add(request, new_entry_edit(request.POST, draft=draft, complete=True), draft=draft)
            except ChatError as raised:
                error = raised
        faults = faults_by_field(error) if error else {}
        given = request.POST if request.method == "POST" else continued_draft(request, edited=draft)
        form = QueryDict(NEW_ENTRY_FORM) if given is None else given
        fields = new_entry_fields(draft.kind, form=form, faults=faults)
        return self.render(
            request,
            "add",
            status=status_of(error),
            title=draft.title,
            draft=draft,
            name=form.get("name", ""),
            name_form=NAME_FORMS[kind],
            name_faults=faults.get("name", []),
            fields=fields,
            errors=error_summary(faults, ids=element_ids(fields)),
            why=form.get("why", ""),
            **draft_context(request, edited=draft, form=given),
            **preview_target_choices(request.POST, user=request.user, address=draft.address),
        )

    def _add(self, request: HttpRequest, edit: Edit, *, draft: Draft) -> HttpResponse:
        version = self._change(request, [edit])
        forget_draft(request, edited=draft)
        available = not draft.selected_in or edit.values.get("is_global")
        hint = APPLIES if available else "Now select it on the pages that should have it."
        self.report_change(request, "Added.", version=version, before=None, hint=hint)
        return HttpResponseRedirect(reverse("admin:chat_configuration_entry", args=edit.address))

    def _save(self, request: HttpRequest, edits: list[Edit], *, entry: EntryView) -> HttpResponse:
        """Save the edits, or ask first. Raises ChatError for errors that the form shows."""
        removes = asks(edits, form=request.POST, entry=entry)
        if removes and CONFIRM not in request.POST:
            return self._ask(request, edits, entry=entry)
        try:
            version = self._change(request, edits, shown=shown_version(request.POST) if removes else None)
        except Settled as error:
            if not removes:
                raise
            return self._ask(request, edits, entry=entry, error=error)
        forget_draft(request, edited=Draft(entry.address, entry.kind, entry))
        text = "Deleted." if _is_deleted(edits, entry=entry) else "Saved."
        self.report_change(request, text, version=version, before=entry.version)
        if _is_deleted(edits, entry=entry):
            return HttpResponseRedirect(reverse("admin:chat_override_changelist"))
        return HttpResponseRedirect(request.path)

    def _ask(
        self, request: HttpRequest, edits: list[Edit], *, entry: EntryView, error: ChatError | None = None
    ) -> HttpResponse:
        """Show the confirmation page. Raises ChatError if the edits cannot be saved."""
        # Read before the changes, so that one in between is detected as a conflict.
        shown = current_version()
        check_edits(edits)
        title, name = title_of(entry.kind, entry.address.name), name_in_sentence(entry.address)
        deletes = _is_deleted(edits, entry=entry)
        confirmation = Confirmation(
            title=f"Delete {name}" if deletes else f"Reset {name}" if "remove" in request.POST else title,
            button="Delete" if deletes else "Reset" if "remove" in request.POST else "Save",
            back=request.path,
            fields=list(submitted_fields(request.POST)),
            why=request.POST.get("why", ""),
            edit_url="" if "remove" in request.POST else request.path,
        )
        return self.render_confirmation(request, confirmation, changes=planned_changes(edits), shown=shown, error=error)

    def _change(self, request: HttpRequest, edits: list[Edit], *, shown: int | None = None) -> int:
        """Apply the edits and return the version of the configuration after them."""
        check = check_model_names(edits, engine=current_catalogue().engine)
        if check.faults:
            raise Malformed(check.faults[0].detail, path=check.faults[0].path, faults=check.faults)
        why = request.POST.get("why", "").strip()
        version = change_configuration(user=request.user, edits=edits, why=why, shown=shown, now=timezone.now())
        for warning in check.warnings:
            messages.warning(request, warning)
        return version


def _requested_edits(form: QueryDict, *, entry: EntryView) -> list[Edit]:
    """Return the requested changes; with `remove` they reset all fields, and delete an added entry."""
    if "remove" not in form:
        edit, faults = parse_entry_form(resolved_form(form, entry=entry), entry=entry)
        check_all_fields(edit, faults=[*unresolved_faults(form, entry=entry), *faults])
        return [edit]
    if entry.added:
        return edits_to_delete(entry.address, seen=version_seen(form))
    values = {view.field.name: RESET for view in entry.fields if view.overridden}
    return [Edit(entry.address, values, seen=version_seen(form))]


def _is_deleted(edits: list[Edit], *, entry: EntryView) -> bool:
    return any(edit.address == entry.address and edit.values.get(ADDED) is RESET for edit in edits)
