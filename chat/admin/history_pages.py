"""The configuration's history in the admin: who changed what and why, and the ways back, each looked at first."""
from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone

from chat.admin.configuration_file import drawn
from chat.admin.configuration_pages import ConfigurationPages, status_of
from chat.configuration import KINDS, Address, in_words
from chat.exceptions import ChatError, NotFound
from chat.overrides import current_version
from chat.selectors.configuration import entry_view, has_page
from chat.selectors.configuration_history import history_of
from chat.services.configuration import edits_back_to, restore_configuration, restore_field
from chat.services.configuration_file import planned_changes
from user_messages import literal

# No version and no change has more digits.
LONGEST = 12


class HistoryPages(ConfigurationPages):
    """Every change, or those of one entry, with what takes them back."""

    def history(self, request: HttpRequest, *, kind: str = "", name: str = "") -> HttpResponse:
        """What was changed, by whom and why; of one entry, or of all."""
        address = Address(kind, name) if kind else None
        page = history_of(address, before=_number(request.GET.get("before", "")))
        if address is not None and not page.changes:
            # An entry that is gone has its history all the same; what never was has none.
            entry_view(address)
        return self.shown(
            request,
            "history",
            title=f"History: {in_words(address)}" if address and kind in KINDS else "Every change",
            told=page,
            address=address,
            version=current_version(),
        )

    def restore(self, request: HttpRequest) -> HttpResponse:
        """Shows what taking everything back to a version would change, and does so when that is confirmed."""
        version = _number(request.POST.get("version", ""))
        if request.method != "POST" or version is None or version >= current_version():
            raise NotFound(literal("There is no such version to go back to."))
        refused: ChatError | None = None
        if "confirm" in request.POST:
            try:
                restore_configuration(
                    user=request.user,
                    version=version,
                    seen=_number(request.POST.get("seen", "")),
                    why=request.POST.get("why", "").strip(),
                    now=timezone.now(),
                )
                messages.success(request, f"All is as it was at version {version}. The next turn follows it.")
                return HttpResponseRedirect(reverse("admin:chat_configuration_history"))
            except ChatError as error:
                refused = error
        seen = current_version()
        return self.shown(
            request,
            "restore",
            status=status_of(refused),
            title=f"Back to version {version}" if version else "Back to the code’s own",
            version=version,
            seen=seen,
            said=refused.detail if refused else "",
            changes=[drawn(change) for change in planned_changes(edits_back_to(version))],
        )

    def restore_field(self, request: HttpRequest) -> HttpResponse:
        """Gives one field the value that a change gave it."""
        change = _number(request.POST.get("change", ""))
        if request.method != "POST" or change is None:
            raise NotFound(literal("The number of a change is needed here."))
        seen = _number(request.POST.get("seen", ""))
        try:
            restore_field(user=request.user, change_id=change, seen=seen, now=timezone.now())
            messages.success(request, "Saved. The next turn follows it.")
        except ChatError as error:
            messages.error(request, error.detail)
        return HttpResponseRedirect(_back(request))


def _back(request: HttpRequest) -> str:
    """The history of the entry it was asked from, or of all."""
    kind, name = request.POST.get("kind", ""), request.POST.get("name", "")
    if kind in KINDS and has_page(Address(kind, name)):
        return reverse("admin:chat_configuration_entry_history", args=[kind, name])
    return reverse("admin:chat_configuration_history")


def _number(text: Any) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= LONGEST else None
