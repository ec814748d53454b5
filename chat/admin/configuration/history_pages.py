"""History of the configuration, and restoring of earlier versions and values."""
from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone

from chat.admin.configuration.confirmation import (
    CONFIRM,
    Confirmation,
    ConfirmationPages,
    shown_version,
    submitted_fields,
)
from chat.configuration import ADDED, KINDS, Address
from chat.exceptions import ChatError, NotFound
from chat.selectors.configuration.catalogue import current_version
from chat.selectors.configuration.entries import entry_exists, entry_view, has_page
from chat.selectors.configuration.history import change_history, current_values
from chat.selectors.configuration.names import entry_title, name_in_sentence
from chat.services.configuration.changes import RESET, edits_to_restore, restore_configuration, restore_field
from chat.services.configuration.import_export import planned_changes
from chat.services.configuration.undo import (
    current_versions,
    edits_to_undo,
    undo_is_destructive,
    undo_version,
    undone_versions,
)
from shared.user_messages import literal

# Digits of a version or of the id of a change.
MAX_DIGITS = 12


class HistoryPages(ConfirmationPages):
    """The changes of all entries or of one, with buttons to restore."""

    def history(self, request: HttpRequest, *, kind: str = "", name: str = "") -> HttpResponse:
        """List the changes of one entry, or all, from `?before=` (the id of a change) on, or those of `?version=`."""
        address = Address(kind, name) if kind else None
        only = _number(request.GET.get("version", ""))
        history = change_history(address, before=_number(request.GET.get("before", "")), version=only)
        if address is not None and not history.changes:
            # Raise NotFound for an unknown entry; deleted entries have changes.
            entry_view(address)
        current = current_values()
        versions = {view.change.version for view in history.changes}
        return self.render(
            request,
            "history",
            title=f"History: {entry_title(address)}" if address and kind in KINDS else "History",
            history=history,
            address=address,
            only=only,
            undone=undone_versions(versions, current=current, address=address),
            same=current_versions(versions, current=current),
            all_default=not current,
            is_current=address is not None and entry_exists(address),
            version=current_version(),
        )

    def restore(self, request: HttpRequest) -> HttpResponse:
        """Show what restoring a version would change; POST with `confirm` restores it."""
        version = _number(request.POST.get("version", ""))
        if request.method != "POST" or version is None or version >= current_version():
            raise NotFound(literal("There is no such earlier version."))
        error: ChatError | None = None
        why = request.POST.get("why", "").strip()
        if CONFIRM in request.POST:
            try:
                restored = restore_configuration(
                    user=request.user, version=version, seen=shown_version(request.POST), why=why, now=timezone.now()
                )
                before = shown_version(request.POST)
                text = f"Version {version} restored." if version else "Built-in defaults restored."
                self.report_change(request, text, version=restored, before=before)
                return HttpResponseRedirect(reverse("admin:chat_configuration_history"))
            except ChatError as raised:
                error = raised
        # Read before the changes, so that one in between is detected as a conflict.
        shown = current_version()
        confirmation = Confirmation(
            title=f"Restore version {version}" if version else "Restore all defaults",
            button="Restore",
            back=reverse("admin:chat_configuration_history"),
            fields=[("version", str(version))],
            why=why,
        )
        changes = list(planned_changes(edits_to_restore(version)))
        if not changes and error is None:
            what = f"the settings of version {version}" if version else "the built-in defaults"
            messages.info(request, f"Nothing to restore: {what} are in use already.")
            return HttpResponseRedirect(reverse("admin:chat_configuration_history"))
        return self.render_confirmation(request, confirmation, changes=changes, shown=shown, error=error)

    def undo(self, request: HttpRequest) -> HttpResponse:
        """Undo a version, or its changes of one entry; an undo that deletes or replaces more must be confirmed."""
        version = _number(request.POST.get("version", ""))
        if request.method != "POST" or version is None:
            raise NotFound(literal("There is no such version."))
        address = _posted_address(request, prefix="of_")
        # Read before the changes, so that one in between is detected as a conflict.
        shown = current_version()
        edits = edits_to_undo(version, address=address)
        changes = list(planned_changes(edits))
        error: ChatError | None = None
        why = request.POST.get("why", "").strip()
        confirmed = CONFIRM in request.POST
        if edits and not changes and not confirmed:
            messages.info(request, f"Nothing to undo: the values from before version {version} are set already.")
            return HttpResponseRedirect(_history_url(request))
        if confirmed or not undo_is_destructive(version, edits=edits):
            try:
                undone = undo_version(
                    user=request.user,
                    version=version,
                    address=address,
                    why=why,
                    shown=shown_version(request.POST) if confirmed else None,
                    now=timezone.now(),
                )
                restores = address is not None and any(
                    edit.address == address and edit.values.get(ADDED, RESET) is not RESET for edit in edits
                )
                restored = name_in_sentence(address) if address and restores else ""
                text = f"{restored} restored." if restored else f"Version {version} undone."
                self.report_change(request, text, version=undone, before=shown)
                return HttpResponseRedirect(_history_url(request))
            except ChatError as raised:
                if not confirmed or shown_version(request.POST) == shown:
                    messages.error(request, raised.detail)
                    return HttpResponseRedirect(_history_url(request))
                error = raised
        confirmation = Confirmation(
            title=f"Undo version {version}",
            button="Undo",
            back=_history_url(request),
            fields=list(submitted_fields(request.POST)),
            why=why,
        )
        return self.render_confirmation(request, confirmation, changes=changes, shown=shown, error=error)

    def restore_field(self, request: HttpRequest) -> HttpResponse:
        """Set a field to the value that an earlier change gave it."""
        change = _number(request.POST.get("change", ""))
        if request.method != "POST" or change is None:
            raise NotFound(literal("There is no such change."))
        seen = _number(request.POST.get("seen", ""))
        before = current_version()
        try:
            restored = restore_field(user=request.user, change_id=change, seen=seen, now=timezone.now())
            self.report_change(request, "Value restored.", version=restored, before=before)
        except ChatError as error:
            messages.error(request, error.detail)
        return HttpResponseRedirect(_history_url(request))


def _history_url(request: HttpRequest) -> str:
    """Return the URL of the history page that the form was on."""
    address = _posted_address(request)
    if address is not None:
        return reverse("admin:chat_configuration_entry_history", args=address)
    return reverse("admin:chat_configuration_history")


def _posted_address(request: HttpRequest, *, prefix: str = "") -> Address | None:
    """Return the entry in the form."""
    address = Address(request.POST.get(f"{prefix}kind", ""), request.POST.get(f"{prefix}name", ""))
    return address if address.kind in KINDS and has_page(address) else None


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS else None
