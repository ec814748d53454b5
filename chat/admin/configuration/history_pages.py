"""History of the configuration, and restoring of earlier versions and values."""
from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone

from chat.admin.configuration.base import ConfigurationPages, status_of
from chat.admin.configuration.file_pages import change_context
from chat.configuration import KINDS, Address, entry_title
from chat.exceptions import ChatError, NotFound
from chat.selectors.configuration.catalogue import current_version
from chat.selectors.configuration.entries import entry_view, has_page
from chat.selectors.configuration.history import change_history
from chat.services.configuration.changes import edits_to_restore, restore_configuration, restore_field
from chat.services.configuration.import_export import planned_changes
from shared.user_messages import literal

# Digits of a version or of the id of a change.
MAX_DIGITS = 12


class HistoryPages(ConfigurationPages):
    """The changes of all entries or of one, with buttons to restore."""

    def history(self, request: HttpRequest, *, kind: str = "", name: str = "") -> HttpResponse:
        """List the changes of one entry, or all, from `?before=` (the id of a change) on."""
        address = Address(kind, name) if kind else None
        history = change_history(address, before=_number(request.GET.get("before", "")))
        if address is not None and not history.changes:
            # Raise NotFound for an unknown entry; deleted entries have changes.
            entry_view(address)
        return self.render(
            request,
            "history",
            title=f"History: {entry_title(address)}" if address and kind in KINDS else "History",
            history=history,
            address=address,
            version=current_version(),
        )

    def restore(self, request: HttpRequest) -> HttpResponse:
        """Show what restoring a version would change; POST with `confirm` restores it."""
        version = _number(request.POST.get("version", ""))
        if request.method != "POST" or version is None or version >= current_version():
            raise NotFound(literal("There is no such earlier version."))
        error: ChatError | None = None
        if "confirm" in request.POST:
            try:
                restore_configuration(
                    user=request.user,
                    version=version,
                    seen=_number(request.POST.get("seen", "")),
                    why=request.POST.get("why", "").strip(),
                    now=timezone.now(),
                )
                messages.success(request, f"Restored version {version}. Applies from the next message.")
                return HttpResponseRedirect(reverse("admin:chat_configuration_history"))
            except ChatError as raised:
                error = raised
        # Read before the changes, so that one in between is detected as a conflict.
        seen = current_version()
        return self.render(
            request,
            "restore",
            status=status_of(error),
            title=f"Restore version {version}" if version else "Restore all defaults",
            version=version,
            seen=seen,
            error=error.detail if error else "",
            changes=[change_context(change) for change in planned_changes(edits_to_restore(version))],
        )

    def restore_field(self, request: HttpRequest) -> HttpResponse:
        """Set a field to the value that an earlier change gave it."""
        change = _number(request.POST.get("change", ""))
        if request.method != "POST" or change is None:
            raise NotFound(literal("There is no such change."))
        seen = _number(request.POST.get("seen", ""))
        try:
            restore_field(user=request.user, change_id=change, seen=seen, now=timezone.now())
            messages.success(request, "Saved. Applies from the next message.")
        except ChatError as error:
            messages.error(request, error.detail)
        return HttpResponseRedirect(_history_url(request))


def _history_url(request: HttpRequest) -> str:
    """Return the URL of the history page that the form was on."""
    kind, name = request.POST.get("kind", ""), request.POST.get("name", "")
    if kind in KINDS and has_page(Address(kind, name)):
        return reverse("admin:chat_configuration_entry_history", args=[kind, name])
    return reverse("admin:chat_configuration_history")


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS else None
