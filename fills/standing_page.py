"""The page of the standing fills of a table, which works without scripts: store, change, run and delete them."""
from __future__ import annotations

from collections.abc import Collection
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from fills import selectors, services, tasks
from fills.instruction import instruction_text
from fills.selectors import Fill, StandingFill
from fills.views import faults_by_field, http_errors
from shared import strictjson
from shared.user_messages.rendering import message_text
from tables.exceptions import TablesError
from tables.operations import TableShape
from tables.operations.value_schemas import accepts_values
from tables.selectors import Table, allowed, get_table, table_shape

Json = dict[str, Any]
# The number of recent fills among which the last one of a column is searched for.
RECENT_FILLS = 20


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def standing_fills(request: HttpRequest, table_id: int) -> HttpResponse:
    """The standing fills of a table, and the form of a new one for the columns in the query, `column`.

    `filter` in the query is the one of the grid, as JSON. `do` of a POST is "store", or "change", "run", "take_over"
    and "delete" for the standing fill with the id `fill`.
    """
    with http_errors():
        table = get_table(request.user, table_id)
    shape, faults = table_shape(table), {}
    if request.method == "POST":
        try:
            with http_errors():
                _act(request, table=table, shape=shape)
            return redirect("standing_fills", table_id=table_id)
        except TablesError as error:
            faults = faults_by_field(error)
    found = services.all_standing_fills(user=request.user, table_id=table_id)
    may_edit = allowed(request.user, table, can="edit")
    managed = selectors.may_manage(request.user, [each.standing.fill for each in found], table=table)
    context = {
        "table": table, "may_edit": may_edit, "faults": faults, "faulty": request.POST.get("fill", ""),
        "offers_confident": settings.FILL_CONFIDENT,
        "form": _new(request, table=table, shape=shape, found=found) if may_edit else None,
        "lines": [_line(each, request=request, managed=managed) for each in found],
    }  # fmt: skip
    return render(request, "fills/standing_fills.html", context, status=422 if faults else 200)


def _act(request: HttpRequest, *, table: Table, shape: TableShape) -> None:
    """Do what the pressed button says. Raises TablesError, and Http404 for another name or id."""
    name = request.POST.get("do", "")
    arguments: Json = {"user": request.user, "table_id": table.pk}
    if name == "store":
        services.create_standing_fill(**arguments, body=_body(request, table=table, shape=shape))
        return
    try:
        fill_id = UUID(request.POST.get("fill", ""))
    except ValueError:
        raise Http404 from None
    if name == "change":
        body = {"instruction": _instruction(request), "trigger": request.POST.get("trigger", "")}
        standing, _ = selectors.get_standing_fill(request.user, table.pk, fill_id=fill_id)
        # A running fill can get another trigger.
        if body["instruction"] == instruction_text(standing.fill.instruction, shape=shape):
            del body["instruction"]
        services.change_standing_fill(**arguments, fill_id=fill_id, body=body)
    elif name == "run":
        rows = services.find_outdated_rows(**arguments, fill_id=fill_id)
        with transaction.atomic():
            services.run_standing_fill(**arguments, fill_id=fill_id, rows=rows)
            tasks.start_work(fill_id)
    elif name == "take_over":
        services.take_over_fill(**arguments, fill_id=fill_id)
    elif name == "delete":
        services.delete_standing_fill(**arguments, fill_id=fill_id)
    else:
        raise Http404


def _body(request: HttpRequest, *, table: Table, shape: TableShape) -> Json:
    """Return the body of a new standing fill: the last fill of its columns if it has the same instruction."""
    columns, instruction = request.POST.getlist("column"), _instruction(request)
    body: Json = {"trigger": request.POST.get("trigger", "")}
    if request.POST.get("apply"):
        body["apply"] = "confident"
    if condition := _filter(request.POST.get("filter", "") if request.POST.get("filtered") else ""):
        body["filter"] = condition
    last = _last_fill(request.user, table=table, columns=columns)
    if last is not None and instruction == instruction_text(last.instruction, shape=shape):
        return {**body, "fill": last.pk}
    return {**body, "columns": columns, "instruction": instruction}


def _instruction(request: HttpRequest) -> str:
    return request.POST.get("instruction", "").replace("\r\n", "\n")


def _filter(text: str) -> Any:
    """Return the filter in a query, None for none and for one that cannot be read."""
    try:
        return strictjson.loads(text) if text else None
    except strictjson.StrictJsonError:
        return None


def _last_fill(user: Any, *, table: Table, columns: list[str]) -> Fill | None:
    """Return the last fill of the user that has run for exactly these columns."""
    fills = selectors.fills_of(user, table.pk).filter(user=user, standing__isnull=True)
    ended = fills.exclude(state=Fill.State.DRAFT)[:RECENT_FILLS]
    return next((fill for fill in ended if set(fill.columns) == set(columns)), None)


def _new(request: HttpRequest, *, table: Table, shape: TableShape, found: list[services.Status]) -> Json | None:
    """Return the form of a new standing fill, None if each column has one."""
    taken = {column_id for each in found for column_id in each.standing.fill.columns}
    free = [column for column in shape.columns if accepts_values(column) and column.id not in taken]
    if not free:
        return None
    sent = request.POST if request.POST.get("do") == "store" else None
    chosen = (sent or request.GET).getlist("column")
    last = _last_fill(request.user, table=table, columns=chosen) if chosen else None
    known = instruction_text(last.instruction, shape=shape) if last else ""
    condition = (sent or request.GET).get("filter", "")
    return {
        "columns": [(column, column.id in chosen) for column in free], "names": [each.name for each in shape.columns],
        "instruction": sent.get("instruction", "") if sent else known, "is_open": bool(chosen) or not found,
        "trigger": sent.get("trigger", "manual") if sent else "manual",
        "filter": condition if _filter(condition) else "", "filtered": bool(sent and sent.get("filtered")),
        "apply": bool(sent and sent.get("apply")),
    }  # fmt: skip


def _line(status: services.Status, *, request: HttpRequest, managed: Collection[UUID]) -> Json:
    """Return a standing fill as the template shows it; `managed` are the ids of those that the user may take over."""
    standing, shape = status.standing, status.shape
    fill = standing.fill
    return {
        "id": str(standing.pk), "fill": fill, "trigger": standing.trigger, "user": fill.user.get_username(),
        "columns": ", ".join(column.name for each in fill.columns if (column := shape.column(each)) is not None),
        "instruction": instruction_text(fill.instruction, shape=shape), "has_filter": standing.condition is not None,
        "reason": message_text(status.problem) if status.problem else "", "total": status.total,
        "out_of_date": status.out_of_date, "discarded": status.discarded, "estimate": status.estimate,
        "is_due": standing.due_at is not None,
        "is_own": fill.user_id == request.user.pk, "may_manage": fill.pk in managed,
        "has_run": fill.state != Fill.State.DRAFT,
        "is_running": fill.state == Fill.State.RUNNING, "is_automatic": standing.trigger != StandingFill.Trigger.MANUAL,
    }  # fmt: skip
