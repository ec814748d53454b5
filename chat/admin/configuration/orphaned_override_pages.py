"""Overrides without effect: broken ones, and those of deleted entries, each with the reason."""
from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone

from chat.admin.configuration.base import ConfigurationPages, status_of
from chat.admin.configuration.entry_form import value_as_text, version_seen
from chat.exceptions import ChatError
from chat.selectors.configuration.catalogue import current_version
from chat.selectors.configuration.orphaned_overrides import OrphanedOverride, orphaned_overrides
from chat.services.configuration.changes import delete_orphaned_overrides

# Values that were written by SQL may have any length.
MAX_TEXT_LENGTH = 1_000
MAX_ROWS = 200
MAX_ID_DIGITS = 18


class OrphanedOverridePages(ConfigurationPages):
    """The list of overrides without effect."""

    def orphaned_overrides(self, request: HttpRequest) -> HttpResponse:
        """List them; POST with one or more `row` ids deletes these."""
        error: ChatError | None = None
        if request.method == "POST":
            ids = [int(row) for row in request.POST.getlist("row") if _is_id(row)]
            try:
                delete_orphaned_overrides(
                    user=request.user,
                    ids=ids,
                    seen=version_seen(request.POST),
                    why=request.POST.get("why", "").strip(),
                    now=timezone.now(),
                )
                messages.success(request, "Removed. The history still has it.")
                return HttpResponseRedirect(reverse("admin:chat_configuration_orphaned_overrides"))
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
            why=request.POST.get("why", ""),
            rows=[_row_context(override) for override in orphaned[:MAX_ROWS]],
            more=max(0, len(orphaned) - MAX_ROWS),
        )


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
