"""Changes that come to nothing, in the admin: each with its reason, to be mended on its page or taken away here."""
from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone

from chat.admin.configuration_pages import ConfigurationPages, status_of
from chat.admin.entry_form import seen_of, text_of
from chat.exceptions import ChatError
from chat.overrides import current_version
from chat.selectors.orphaned_overrides import Leftover, leftovers
from chat.services.orphaned_overrides import take_away

# Past the checks values of any length get in.
LONGEST_SHOWN = 1_000
MOST_SHOWN = 200
MOST_DIGITS = 18


class LeftoverPages(ConfigurationPages):
    """The list, and the way out of it."""

    def leftovers(self, request: HttpRequest) -> HttpResponse:
        """What comes to nothing; POST `row`, once or more, takes it away."""
        refused: ChatError | None = None
        if request.method == "POST":
            ids = [int(row) for row in request.POST.getlist("row") if _is_id(row)]
            try:
                take_away(
                    user=request.user,
                    ids=ids,
                    seen=seen_of(request.POST),
                    why=request.POST.get("why", "").strip(),
                    now=timezone.now(),
                )
                messages.success(request, "Taken away. The history keeps it.")
                return HttpResponseRedirect(reverse("admin:chat_configuration_leftovers"))
            except ChatError as error:
                refused = error
        version = current_version()
        found = leftovers()
        return self.shown(
            request,
            "leftovers",
            status=status_of(refused),
            title="Broken or left over",
            said=refused.detail if refused else "",
            seen=version,
            why=request.POST.get("why", ""),
            rows=[_drawn(leftover) for leftover in found[:MOST_SHOWN]],
            more=max(0, len(found) - MOST_SHOWN),
        )


def _drawn(leftover: Leftover) -> dict[str, Any]:
    text = text_of(leftover.row.value)
    return {
        "leftover": leftover,
        "text": text[:LONGEST_SHOWN],
        "cut": max(0, len(text) - LONGEST_SHOWN),
        "address": leftover.address,
    }


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS
