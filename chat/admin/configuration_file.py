"""The configuration as a file in the admin: taken out, and taken in after a look at what would change."""
from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone

from chat.admin.configuration_pages import REFUSED, ConfigurationPages, status_of
from chat.configuration import KINDS, MOST_BYTES, difference, in_words
from chat.exceptions import ChatError
from chat.services.configuration_file import (
    PlannedChange,
    export_configuration,
    import_configuration,
    plan_import,
)

# How the overrides that the file does not name fare.
REPLACE, NAMED = "replace", "named"
MOST_TOLD = 100


class FilePages(ConfigurationPages):
    """Download, upload, and the look before it is taken in."""

    def export_file(self, request: HttpRequest) -> HttpResponse:
        """All changes as a file."""
        answer = HttpResponse(export_configuration(), content_type="application/json")
        answer["Content-Disposition"] = f'attachment; filename="assistant-{timezone.localdate().isoformat()}.json"'
        return answer

    def import_file(self, request: HttpRequest) -> HttpResponse:
        """Asks for a file, shows what it would change, and takes it in when that is confirmed."""
        mode = NAMED if request.POST.get("mode") == NAMED else REPLACE
        if request.method != "POST":
            return self._asked(request, mode=mode)
        uploaded = request.FILES.get("file")
        if uploaded is None and not request.POST.get("content"):
            return self._asked(request, mode=mode, said="Choose a file first.")
        # In a form's field every line ends with two characters.
        raw = _start_of(uploaded) if uploaded else _text(request.POST["content"].replace("\r\n", "\n"))
        refused: ChatError | None = None
        if uploaded is None and "confirm" in request.POST:
            try:
                return self._taken_in(request, raw, mode=mode)
            except ChatError as error:
                refused = error
        return self._planned(request, raw, mode=mode, refused=refused)

    def _asked(self, request: HttpRequest, *, mode: str, said: str = "") -> HttpResponse:
        return self.shown(request, "import", status=REFUSED if said else 200, title="Import", mode=mode, said=said)

    def _planned(self, request: HttpRequest, raw: bytes, *, mode: str, refused: ChatError | None) -> HttpResponse:
        plan = plan_import(raw, replace=mode == REPLACE)
        return self.shown(
            request,
            "import",
            status=REFUSED if plan.faults else status_of(refused),
            title="Import",
            mode=mode,
            said=refused.detail if refused else "",
            plan=plan,
            changes=[] if plan.faults else [drawn(change) for change in plan.changes],
            faults=plan.faults[:MOST_TOLD],
            more_faults=max(0, len(plan.faults) - MOST_TOLD),
            content="" if plan.faults else raw.decode(),
            why=request.POST.get("why", ""),
        )

    def _taken_in(self, request: HttpRequest, raw: bytes, *, mode: str) -> HttpResponse:
        seen = request.POST.get("seen", "")
        import_configuration(
            raw,
            user=request.user,
            replace=mode == REPLACE,
            seen=int(seen) if seen.isascii() and seen.isdigit() and len(seen) < 12 else -1,
            why=request.POST.get("why", "").strip(),
            now=timezone.now(),
        )
        messages.success(request, "The file is taken in. The next turn follows it.")
        return HttpResponseRedirect(reverse("admin:chat_override_changelist"))


def _start_of(uploaded: UploadedFile) -> bytes:
    """What was uploaded; of too much, just so much that it is seen to be."""
    start: bytes = uploaded.read(MOST_BYTES + 1)
    return start


def _text(content: str) -> bytes:
    return content.encode("utf-8", "replace")


def drawn(change: PlannedChange) -> dict[str, Any]:
    """A change as the page shows it."""
    before = change.default if change.before is None else change.before["value"]
    after = change.default if change.after is None else change.after["value"]
    kind = KINDS.get(change.address.kind)
    field = kind.field(change.field) if kind else None
    return {
        "title": in_words(change.address),
        "field": field.label if field else "Made here",
        "goes_back": change.after is None,
        "lines": difference(before, after),
    }


