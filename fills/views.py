"""Pages without scripts: set up a fill, try it, run it, watch it by reloading, and apply what it found."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import pgettext
from django.views.decorators.http import require_http_methods

from chat.provider.configured import DEMO_MODEL
from fills import selectors, services, tasks
from fills.instruction import instruction_text
from fills.selectors import Fill, Result
from fills.services.offers import offered_modes
from fills.services.overview import review_overview
from fills.services.review_states import INVALID
from shared.user_messages import Message
from shared.user_messages.message import MESSAGE_CONTEXT
from shared.user_messages.rendering import localize_detail, message_text
from tables.exceptions import TablesError
from tables.operations import TableShape
from tables.operations.queries.filters import parse_filter
from tables.operations.value_schemas import accepts_values, sent_value
from tables.page_errors import http_errors
from tables.selectors import allowed, get_table, read_rows, rows_by_id, table_shape

Json = dict[str, Any]
TRIED, SHOWN, EXAMPLES_SHOWN = 3, 100, 10
ACTIONS: Mapping[str, Callable[..., Any]] = {
    "try": services.try_rows, "run": services.run_fill, "run_batch": services.run_fill,
    "pause": services.pause_fill, "resume": services.resume_fill, "stop": services.cancel_fill,
    "apply": services.apply_results, "take_over": services.take_over_fill, "discard": services.delete_fill,
}  # fmt: skip
# After these, workers have something to do.
WORKING = {"try", "run", "run_batch", "resume"}


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_fill(request: HttpRequest, table_id: int) -> HttpResponse:
    """The form of a new fill. Sent, it becomes a draft, whose page has the estimate."""
    with http_errors():
        table = get_table(request.user, table_id, can="edit")
    shape, faults = table_shape(table), {}
    chosen = request.POST.getlist("column") or request.GET.getlist("column")
    if request.method == "POST":
        body = {"columns": chosen, **_choices(request.POST)}
        try:
            with http_errors():
                fill = services.create_fill(user=request.user, table_id=table_id, body=body)
            return redirect("fill_page", table_id=table_id, fill_id=fill.pk)
        except TablesError as error:
            faults = faults_by_field(error)
    columns = [(each, each.id in chosen) for each in shape.columns if accepts_values(each)]
    offers = services.offers_for(request.user)
    context = {
        "table": table, "columns": columns, "names": [each.name for each in shape.columns], "faults": faults,
        "offers": offers, "has_web": any(offers.models.values()),
        "examples": _examples(table, shape=shape, columns=chosen), "chosen": _choices(request.POST),
    }  # fmt: skip
    return render(request, "fills/new_fill.html", context, status=422 if faults else 200)


def _choices(form: QueryDict) -> Json:
    """Return what the form says apart from the columns, as the body of a request. What is missing has its default."""
    return {
        "instruction": form.get("instruction", "").replace("\r\n", "\n"),
        "rows": form.get("rows", "empty"),
        "sources": form.get("sources", "row"),
        "apply": form.get("apply", "review"),
        "notify": "notify" in form,
        "examples": [int(each) for each in form.getlist("example") if each.isascii() and each.isdigit()],
        **({"model": form["model"]} if form.get("model") else {}),
    }


def _examples(table: Any, *, shape: TableShape, columns: list[str]) -> list[Json]:
    """Return rows with values in these columns, which can be examples: id, name and values of each."""
    filled = [each for each in columns if (column := shape.column(each)) is not None and accepts_values(column)]
    if not filled:
        return []
    filled_in = [{"column": each, "op": "not_empty"} for each in filled]
    condition = parse_filter(filled_in, shape=shape, today=timezone.localdate())
    return [
        {
            "id": row.id,
            "name": _name(row.data, shape=shape) or str(row.id),
            "values": _texts(row.data, columns=filled, shape=shape),
        }
        for row in read_rows(table, shape=shape, filter=condition, limit=EXAMPLES_SHOWN)
    ]


def _name(cells: Json, *, shape: TableShape) -> str:
    """Return the first value of a row as text, "" if it has none."""
    columns = [column.id for column in shape.columns if cells.get(column.id) not in (None, "", [])]
    return next(iter(_texts(cells, columns=columns[:1], shape=shape)), "")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def fill_page(request: HttpRequest, table_id: int, fill_id: UUID) -> HttpResponse:
    """A fill with its progress and results. `do` of a POST is one of `ACTIONS`."""
    problem = ""
    if request.method == "POST":
        try:
            with http_errors():
                _act(request, table_id=table_id, fill_id=fill_id)
            if request.POST["do"] == "discard":
                return redirect("table_view", table_id=table_id)
            return redirect("fill_page", table_id=table_id, fill_id=fill_id)
        except TablesError as error:
            problem = " ".join(dict.fromkeys([message_text(error.message), *faults_by_field(error).values()]))
    with http_errors():
        fill, table = selectors.get_fill(request.user, table_id, fill_id=fill_id)
        counts = review_overview(user=request.user, table_id=table_id, fill_id=fill_id).counts
    shape, numbers = table_shape(table), selectors.counts_of([fill.pk])[fill.pk]
    done = sum(number for state, number in numbers.items() if state not in selectors.UNFINISHED)
    context = {
        "table": table, "fill": fill, "problem": problem, "counts": numbers, "review": counts, "done": done,
        "total": sum(numbers.values()), "instruction": instruction_text(fill.instruction, shape=shape),
        "columns": ", ".join(each.name for each in shape.columns if each.id in fill.columns),
        "tokens": fill.input_tokens + fill.output_tokens,
        "reason": message_text(Message.from_json(fill.reason)) if fill.reason else "",
        "is_working": done < sum(numbers.values()) and fill.state in (Fill.State.DRAFT, Fill.State.RUNNING),
        "waits_until": selectors.waits_of([fill], now=timezone.now()).get(fill.pk) if numbers["waiting"] else None,
        "batches": selectors.open_batches([fill.pk]).get(fill.pk), "has_batches": "batch" in offered_modes(fill.model),
        "is_own": fill.user_id == request.user.pk,
        "may_manage": bool(selectors.may_manage(request.user, [fill], table=table)),
        "may_edit": allowed(request.user, table, can="edit"),
        "results": _lines(fill, table=table, shape=shape),
    }  # fmt: skip
    return render(request, "fills/fill_page.html", context, status=409 if problem else 200)


def _act(request: HttpRequest, *, table_id: int, fill_id: UUID) -> None:
    """Do what the pressed button says. Raises TablesError, and Http404 for another name."""
    name = request.POST.get("do", "")
    if name not in ACTIONS:
        raise Http404
    arguments: Json = {"user": request.user, "table_id": table_id, "fill_id": fill_id}
    if name == "try":
        arguments["rows"] = TRIED
    if name == "run_batch":
        arguments["mode"] = Fill.Mode.BATCH
    if name == "apply":
        arguments["review"] = services.Review(on_conflict="skip")
    with transaction.atomic():
        ACTIONS[name](**arguments)
        if name in WORKING:
            tasks.start_work(fill_id)
        if name == "stop":
            tasks.end_batches(fill_id)


def _lines(fill: Fill, *, table: Any, shape: TableShape) -> list[Json]:
    """Return the first answered rows: the name of each, its values as texts, and what the model says of them."""
    answered = (Result.State.FOUND, Result.State.EMPTY, Result.State.FAILED)
    results = list(selectors.results_of(fill, states=answered)[:SHOWN])
    rows = rows_by_id(table, [each.row_id for each in results], shape=shape)
    reviews = services.review_states(results, table=table, shape=shape)
    invalid = [each for each in results if reviews.get(each.row_id) == INVALID]
    faults = {key: localize_detail(each)["detail"] for key, each in services.value_faults(invalid, shape=shape).items()}
    lines = []
    for result in results:
        row = rows.get(result.row_id)
        lines.append({
            "name": (_name(row.data, shape=shape) if row else "") or str(result.row_id),
            "values": _texts(result.values | result.corrections, columns=fill.columns, shape=shape),
            "confidence": result.confidence,
            "note": message_text(Message.from_json(result.error)) if result.error else _note(result, fill=fill),
            "is_unverified": result.is_unverified,
            "review": reviews.get(result.row_id, ""),
            "fault": faults.get(result.row_id, ""),
            "sources": [{**each, "host": urlsplit(each["url"]).hostname or ""} for each in result.sources],
        })  # fmt: skip
    return lines


def _note(result: Result, *, fill: Fill) -> str:
    """Return the note of a result. Those of the demo model are texts of this application, which are translated."""
    return pgettext(MESSAGE_CONTEXT, result.note) if result.note and fill.model == DEMO_MODEL else result.note


def _texts(cells: Json, *, columns: Sequence[str], shape: TableShape) -> list[str]:
    """Return the values of these columns as texts, "" for none."""
    found = [(shape.column(each), cells.get(each)) for each in columns]
    sent = [sent_value(value, column=column) if column is not None else value for column, value in found]
    return [", ".join(map(str, each)) if isinstance(each, list) else "" if each is None else str(each) for each in sent]


def faults_by_field(error: TablesError) -> dict[str, str]:
    """Return the messages of an error by field: columns, instruction, rows, or "" for others."""
    found: dict[str, str] = {}
    for fault in error.faults:
        name = fault.path.partition("[")[0].partition(".")[0]
        found.setdefault(name if name in ("columns", "instruction", "rows") else "", message_text(fault.message))
    return found or {"": message_text(error.message)}
