"""Pages of imports: upload, decisions with a preview, progress and result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop as noop
from django.views.decorators.http import require_http_methods

from shared.user_messages.rendering import localize_detail, message_text
from tables import selectors, services, tasks
from tables.api.imports.reader_defaults import reader_defaults
from tables.column_types import TableShape
from tables.exceptions import TablesError
from tables.importing.targets import ROW_NUMBERS
from tables.page_errors import http_errors
from tables.selectors import Import
from tables.views.imports.form import (
    ON_REFUSED,
    decimals,
    delimiters,
    draw_columns,
    encodings,
    preview_rows,
    read_decisions,
    read_options,
    target_names,
    unknown_targets,
)
from tables.views.shortcuts import get_table_or_404

MB = 1024 * 1024
State = Import.State
RUNNING = (State.QUEUED, State.READING, State.WRITING)
SHOWN_REFUSED = 100
SHOWN_RECENT = 12
# State labels in the list of imports.
STATE_LABELS = {
    State.READY: noop("Columns to review"), State.QUEUED: noop("Waiting to start"),
    State.READING: noop("Reading file"), State.WAITING: noop("Invalid cells to review"),
    State.WRITING: noop("Saving rows"), State.DONE: noop("Done"), State.FAILED: noop("Nothing imported"),
}  # fmt: skip


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def import_file(request: HttpRequest) -> HttpResponse:
    """Ask for a file or pasted text; `table` in the URL is the target table."""
    table = _requested_table(request)
    if request.method == "POST":
        answer = _receive(request, table_id=table.pk if table else None)
        if answer is not None:
            return answer
    context = {"table": table, "most": settings.IMPORT_MAX_MB, "recent": _recent(request)}
    context["most_pasted"] = settings.DATA_UPLOAD_MAX_MEMORY_SIZE // MB
    return render(request, "tables/import_file.html", context, status=422 if request.method == "POST" else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def import_page(request: HttpRequest, import_id: int) -> HttpResponse:
    """Show one import: decisions, progress, refused cells, result. A POST names its action in `do`."""
    with http_errors():
        imported = selectors.get_import(request.user, import_id)
    if request.method == "POST":
        do = ACTIONS.get(request.POST.get("do", ""))
        if do is None:
            raise Http404
        if imported.state == State.UPLOADING and do is not _cancel:
            # The file has not been read yet, which the page reports.
            return redirect("import_page", import_id=imported.pk)
        try:
            with http_errors():
                return do(request, imported)
        except TablesError as error:
            for text in dict.fromkeys(map(message_text, [fault.message for fault in error.faults] or [error.message])):
                messages.error(request, text)
            return redirect("import_page", import_id=imported.pk)
    return render(request, "tables/import_page.html", _context(request, imported))


def _recent(request: HttpRequest) -> list[tuple[Import, str]]:
    found = selectors.recent_imports(request.user).select_related("table").defer("sniffed", "choices", "plan")
    return [
        (imported, _(STATE_LABELS[State.FAILED if selectors.is_interrupted(imported) else State(imported.state)]))
        for imported in found[:SHOWN_RECENT]
    ]


def _context(request: HttpRequest, imported: Import) -> dict[str, Any]:
    shape = selectors.table_shape(imported.table) if imported.table is not None else None
    # The page itself reports an interrupted upload.
    lost = imported.state != State.UPLOADING and selectors.is_interrupted(imported)
    state = State.FAILED if lost else imported.state
    error = selectors.import_error(imported) if state == State.FAILED else None
    context: dict[str, Any] = {
        "imported": imported,
        "table": imported.table,
        "state": state,
        "running": state in RUNNING,
        "error": localize_detail(error)["detail"] if error else "",
        "counts": imported.counts,
    }
    if state in (State.READY, State.FAILED):
        context |= _deciding(imported, shape=shape)
    if state in (State.WAITING, State.FAILED, State.DONE) and imported.counts.get("refused_cells"):
        context |= _report(request, imported)
    return context


def _deciding(imported: Import, *, shape: TableShape | None) -> dict[str, Any]:
    sniffed, choices = imported.sniffed, imported.choices
    source, merge_on = sniffed["source"], choices["merge_on"]
    with_files = selectors.has_files(imported)
    rows = preview_rows(sniffed["rows"], columns=choices["columns"], shape=shape)
    included = {column["into"] for column in choices["columns"] if column["include"]}
    return {
        "columns": draw_columns(choices["columns"], found=sniffed["columns"], shape=shape, with_files=with_files),
        "target_names": target_names(choices["columns"], shape=shape, with_files=with_files),
        "source": source,
        "encodings": encodings(source["encoding"]),
        "delimiters": delimiters(source["delimiter"]),
        "decimals": decimals(source.get("decimal", "")),
        "rows": rows,
        "differs": any(original for row in rows for _text, original in row),
        "names": [column["name"] for column in choices["columns"]],
        "table_name": choices["table_name"],
        "keys": [(c.id, c.name, c.id in merge_on) for c in (shape.columns if shape else ()) if c.id in included],
        "clears": choices["empty_cells"] == "clear",
        "on_refused": [(word, _(label), word == choices["on_refused"]) for word, label in ON_REFUSED.items()],
        "kept": imported.pieces.filter(index=0).exists(),
    }


def _report(request: HttpRequest, imported: Import) -> dict[str, Any]:
    text = request.GET.get("from", "0")
    offset = int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 0
    cells = selectors.refused_cells(imported, offset=offset, limit=SHOWN_REFUSED)
    count = imported.counts.get("refused_cells", 0)
    label = {"line": _("Line"), "row": _("Row"), "record": _("Record")}
    refused_rows = imported.counts.get("refused_rows", 0)
    left_out = imported.counts.get("left_out", 0)
    return {
        "cells": [(cell.row, cell.column, message_text(cell.message), cell.value) for cell in cells],
        "number_label": label[ROW_NUMBERS[imported.sniffed["source"]["format"]]],
        "earlier": max(0, offset - SHOWN_REFUSED) if offset else None,
        "later": offset + SHOWN_REFUSED if offset + SHOWN_REFUSED < count else None,
        "writable": imported.counts.get("rows", 0) > 0,
        "skipped": left_out + (refused_rows if imported.choices["on_refused"] == "skip" else 0),
        "clean": imported.counts.get("rows", 0) - refused_rows,
    }


def _receive(request: HttpRequest, *, table_id: int | None) -> HttpResponse | None:
    file, text = request.FILES.get("file"), request.POST.get("text", "")
    if file is None and not text.strip():
        messages.error(request, _("Choose a file, or paste some rows."))
        return None
    try:
        with http_errors():
            imported = services.receive_file(
                user=request.user,
                # The name of a table from pasted text.
                name=(file.name or "") if file is not None else _("Pasted rows"),
                chunks=file.chunks() if file is not None else iter([text.encode(errors="replace")]),
                table_id=table_id,
                defaults=reader_defaults(request),
            )
    except TablesError as error:
        messages.error(request, message_text(error.message))
        return None
    return redirect("import_page", import_id=imported.pk)


def _decide(request: HttpRequest, imported: Import) -> HttpResponse:
    """Store the decisions of the form; `run` starts the import, unless a target column is unknown."""
    shape = selectors.table_shape(imported.table) if imported.table is not None else None
    columns, found = imported.choices["columns"], imported.sniffed["columns"]
    decided = read_decisions(request.POST, columns=columns, found=found, shape=shape)
    services.change_import(user=request.user, import_id=imported.pk, raw=decided)
    unknown = unknown_targets(request.POST, columns=imported.choices["columns"], shape=shape)
    for name in unknown:
        messages.error(request, _("The table has no column “%(name)s”.") % {"name": name})
    if "run" in request.POST and not unknown:
        tasks.start_import(user=request.user, import_id=imported.pk)
    return redirect("import_page", import_id=imported.pk)


def _read_again(request: HttpRequest, imported: Import) -> HttpResponse:
    raw, defaults = read_options(request.POST), reader_defaults(request)
    services.change_import(user=request.user, import_id=imported.pk, raw=raw, defaults=defaults)
    return redirect("import_page", import_id=imported.pk)


def _continue(request: HttpRequest, imported: Import) -> HttpResponse:
    text = request.POST.get("on_refused", "")
    tasks.start_import(user=request.user, import_id=imported.pk, on_refused=text if text in ("empty", "skip") else None)
    return redirect("import_page", import_id=imported.pk)


def _reconsider(request: HttpRequest, imported: Import) -> HttpResponse:
    """Return to the columns with the stored decisions."""
    services.change_import(user=request.user, import_id=imported.pk, raw={})
    return redirect("import_page", import_id=imported.pk)


def _cancel(request: HttpRequest, imported: Import) -> HttpResponse:
    services.cancel_import(user=request.user, import_id=imported.pk)
    return redirect("import_page", import_id=imported.pk)


ACTIONS: dict[str, Callable[[HttpRequest, Import], HttpResponse]] = {
    "decide": _decide, "read": _read_again, "go_on": _continue, "reconsider": _reconsider, "cancel": _cancel,
}  # fmt: skip


def _requested_table(request: HttpRequest) -> Any:
    text = request.POST.get("table", "") or request.GET.get("table", "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise Http404
    return get_table_or_404(request, table_id=int(text), can="edit")
