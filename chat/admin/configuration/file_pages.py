"""Export and import of the configuration as a file."""
from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone

from chat.admin.configuration.base import UNPROCESSABLE, ConfigurationPages, status_of
from chat.admin.configuration.entry_form import version_seen
from chat.configuration import KINDS, MAX_BYTES, difference, entry_title
from chat.exceptions import ChatError
from chat.services.configuration.import_export import (
    PlannedChange,
    export_configuration,
    import_configuration,
    plan_import,
)

# Overrides that the file does not contain are reset, or not changed.
REPLACE, MERGE = "replace", "named"
MAX_FAULTS = 100


class FilePages(ConfigurationPages):
    """Download of all overrides, and upload with a preview of the changes."""

    def export_file(self, request: HttpRequest) -> HttpResponse:
        """Send all overrides as a file."""
        response = HttpResponse(export_configuration(), content_type="application/json")
        response["Content-Disposition"] = f'attachment; filename="assistant-{timezone.localdate().isoformat()}.json"'
        return response

    def import_file(self, request: HttpRequest) -> HttpResponse:
        """Show a form for a file, then what the file would change; POST with `confirm` imports it."""
        mode = MERGE if request.POST.get("mode") == MERGE else REPLACE
        if request.method != "POST":
            return self._render_upload_form(request, mode=mode)
        uploaded = request.FILES.get("file")
        if uploaded is None and not request.POST.get("content"):
            return self._render_upload_form(request, mode=mode, error="Choose a file.")
        # Browsers submit text fields with CRLF.
        raw = _read_upload(uploaded) if uploaded else _encode(request.POST["content"].replace("\r\n", "\n"))
        error: ChatError | None = None
        if uploaded is None and "confirm" in request.POST:
            try:
                return self._import(request, raw, mode=mode)
            except ChatError as raised:
                error = raised
        return self._render_plan(request, raw, mode=mode, error=error)

    def _render_upload_form(self, request: HttpRequest, *, mode: str, error: str = "") -> HttpResponse:
        status = UNPROCESSABLE if error else 200
        return self.render(request, "import", status=status, title="Import", mode=mode, error=error)

    def _render_plan(self, request: HttpRequest, raw: bytes, *, mode: str, error: ChatError | None) -> HttpResponse:
        plan = plan_import(raw, replace=mode == REPLACE)
        return self.render(
            request,
            "import",
            status=UNPROCESSABLE if plan.faults else status_of(error),
            title="Import",
            mode=mode,
            error=error.detail if error else "",
            plan=plan,
            changes=[] if plan.faults else [change_context(change) for change in plan.changes],
            faults=plan.faults[:MAX_FAULTS],
            more_faults=max(0, len(plan.faults) - MAX_FAULTS),
            content="" if plan.faults else raw.decode(),
            why=request.POST.get("why", ""),
        )

    def _import(self, request: HttpRequest, raw: bytes, *, mode: str) -> HttpResponse:
        seen = version_seen(request.POST)
        import_configuration(
            raw,
            user=request.user,
            replace=mode == REPLACE,
            # No version is -1, so a form without a version is refused.
            seen=-1 if seen is None else seen,
            why=request.POST.get("why", "").strip(),
            now=timezone.now(),
        )
        messages.success(request, "Configuration imported. Applies from the next message.")
        return HttpResponseRedirect(reverse("admin:chat_override_changelist"))


def change_context(change: PlannedChange) -> dict[str, Any]:
    """Return the template context of a planned change."""
    before = change.default if change.before is None else change.before["value"]
    after = change.default if change.after is None else change.after["value"]
    kind = KINDS.get(change.address.kind)
    field = kind.field(change.field) if kind else None
    return {
        "title": entry_title(change.address),
        "field": field.label if field else "Added",
        "is_reset": change.after is None,
        "lines": difference(before, after),
    }


def _read_upload(uploaded: UploadedFile) -> bytes:
    """Read the file, of one that is too long only enough to detect that."""
    content: bytes = uploaded.read(MAX_BYTES + 1)
    return content


def _encode(content: str) -> bytes:
    return content.encode("utf-8", "replace")
