"""Overrides without effect: broken ones, and those of deleted entries, each with the reason."""
from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone

from chat.admin.configuration.base import status_of
from chat.admin.configuration.confirmation import (
    CONFIRM,
    Confirmation,
    ConfirmationPages,
    shown_version,
    submitted_fields,
)
from chat.admin.configuration.entry_form import value_as_text, version_seen
from chat.exceptions import ChatError
from chat.selectors.configuration.catalogue import current_version
from chat.selectors.configuration.orphaned_overrides import OrphanedOverride, orphaned_overrides
from chat.services.configuration.changes import check_edits, delete_orphaned_overrides, edits_to_delete_orphans
from chat.services.configuration.import_export import planned_changes

# Values that were written by SQL may have any length.
MAX_TEXT_LENGTH = 1_000
MAX_ROWS = 200
MAX_ID_DIGITS = 18


class OrphanedOverridePages(ConfirmationPages):
    """The list of overrides without effect."""

    def orphaned_overrides(self, request: HttpRequest) -> HttpResponse:
        """List them; POST with one or more `row` ids asks to delete these, and with `confirm` deletes them."""
        error: ChatError | None = None
        if request.method == "POST":
            ids = [int(row) for row in request.POST.getlist("row") if _is_id(row)]
            try:
                return self._delete(request, ids)
            except ChatError as raised:
                error = raised
        # Read before the list, so that a change in between is detected as a conflict.
        version = current_version()
        orphaned = orphaned_overrides()
        return self.render(
            request,
            "orphaned_overrides",
            status=status_of(error),
            title="Changes without effect",
            error=error.detail if error else "",
            seen=version,
            rows=[_row_context(override) for override in orphaned[:MAX_ROWS]],
            more=max(0, len(orphaned) - MAX_ROWS),
        )

    def _delete(self, request: HttpRequest, ids: list[int]) -> HttpResponse:
        """Delete these overrides, or ask first. Raises ChatError."""
        url = reverse("admin:chat_configuration_orphaned_overrides")
        why = request.POST.get("why", "").strip()
        if CONFIRM in request.POST:
            seen = shown_version(request.POST)
            version = delete_orphaned_overrides(user=request.user, ids=ids, seen=seen, why=why, now=timezone.now())
            self.report_change(request, "Removed.", version=version, before=seen)
            return HttpResponseRedirect(url)
        # Read before the overrides, so that a change in between is detected as a conflict.
        shown = current_version()
        edits = edits_to_delete_orphans(ids, seen=version_seen(request.POST))
        check_edits(edits)
        confirmation = Confirmation(
            title="Remove changes without effect",
            button="Remove",
            back=url,
            fields=list(submitted_fields(request.POST)),
            why=why,
        )
        return self.render_confirmation(request, confirmation, changes=planned_changes(edits), shown=shown)


def _row_context(override: OrphanedOverride) -> dict[str, Any]:
    text = value_as_text(override.row.value)
    return {
        "override": override,
        "text": text[:MAX_TEXT_LENGTH],
        "cut": max(0, len(text) - MAX_TEXT_LENGTH),
        "address": override.address,
    }


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= MAX_ID_DIGITS
