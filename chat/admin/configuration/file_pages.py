"""Export and import of the configuration as a file."""
from __future__ import annotations

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone

from chat.admin.configuration.base import UNPROCESSABLE, status_of
from chat.admin.configuration.confirmation import NO_VERSION, ConfirmationPages, changes_context
from chat.admin.configuration.entry_form import version_seen
from chat.configuration import MAX_BYTES
from chat.exceptions import ChatError
from chat.selectors.configuration.catalogue import current_catalogue
from chat.services.configuration.import_export import (
    export_configuration,
    import_configuration,
    plan_import,
)
from chat.turns.model_names import check_model_names

# Overrides that the file does not contain are reset, or not changed.
REPLACE, MERGE = "replace", "named"
MAX_FAULTS = 100


class FilePages(ConfirmationPages):
    """Download of all overrides and stored tests, and upload with a preview of the changes."""

    def export_file(self, request: HttpRequest) -> HttpResponse:
        """Send all overrides and stored tests as a file."""
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
        check = check_model_names(plan.edits, engine=current_catalogue().engine)
        faults = [*plan.faults, *check.faults]
        return self.render(
            request,
            "import",
            status=UNPROCESSABLE if faults else status_of(error),
            title="Import",
            mode=mode,
            error=error.detail if error else "",
            plan=plan,
            changes=[] if faults else changes_context(plan.changes),
            warnings=check.warnings,
            faults=faults[:MAX_FAULTS],
            more_faults=max(0, len(faults) - MAX_FAULTS),
            content="" if faults else raw.decode(),
            why=request.POST.get("why", ""),
        )

    def _import(self, request: HttpRequest, raw: bytes, *, mode: str) -> HttpResponse:
        seen = version_seen(request.POST)
        before = NO_VERSION if seen is None else seen
        imported = import_configuration(
            raw,
            user=request.user,
            replace=mode == REPLACE,
            seen=before,
            why=request.POST.get("why", "").strip(),
            now=timezone.now(),
        )
        if imported.tests:
            messages.success(request, f"Imported {imported.tests} stored test{'s' if imported.tests > 1 else ''}.")
        if imported.version != before or not imported.tests:
            self.report_change(request, "Configuration imported.", version=imported.version, before=before)
        return HttpResponseRedirect(reverse("admin:chat_override_changelist"))


def _read_upload(uploaded: UploadedFile) -> bytes:
    """Read the file, of one that is too long only enough to detect that."""
    content: bytes = uploaded.read(MAX_BYTES + 1)
    return content


def _encode(content: str) -> bytes:
    return content.encode("utf-8", "replace")
