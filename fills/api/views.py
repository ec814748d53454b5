"""REST API of fills: set up, try, run, watch, review and apply."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from fills import selectors, services, tasks
from fills.api.fill_view import FillView
from fills.api.reasons import localized
from fills.api.representations import fill_json, result_json
from fills.api.result_serializers import OriginsSerializer, ResultListSerializer
from fills.api.serializers import (
    ApplyResultsBody,
    CorrectionsBody,
    FillBody,
    FillChangesBody,
    FillListSerializer,
    FillSerializer,
    RefillBody,
    RunFillBody,
    TryBody,
)
from fills.prompt import CONFIDENCES
from fills.selectors import COUNTED_STATES, Fill
from fills.services.review_states import INVALID
from shared.rest.before_transaction import result_before_transaction, run_before_transaction
from shared.rest.openapi import BOOLEAN, OFFSET, enum, limit, query
from shared.rest.serializers import EmptyBody
from tables.api import response_schemas
from tables.api.bodies import read_body, read_request, rehearse
from tables.api.parameters import IDS, KEYS, PLAN, Parameters
from tables.api.previews import preview_response, read_dry_run_plan
from tables.api.responses import list_json
from tables.api.table_query import read_ids, read_page
from tables.api.table_view import TableView
from tables.exceptions import Invalid, Malformed
from tables.operations.body_reader import Form
from tables.selectors import get_row, get_table, origins_of, table_shape
from tables.services import planned_operations

Json = dict[str, Any]
FILLS = [limit(100, default=20), OFFSET]
RESULTS = [
    query("status", enum("", *COUNTED_STATES), "Only results of this state."),
    query("confidence", enum("", *CONFIDENCES), "Only results of this confidence."),
    query("ids", IDS, "Only the results of these rows, at most 200."),
    query("unverified", enum("", "true", "false"), "Only results whose sources are unverified, or only others."),
    KEYS,
    limit(1_000, default=100),
    OFFSET,
]
APPLYING = [query("dry_run", {**BOOLEAN, "default": False}, "Return the effect, and write nothing."), PLAN, KEYS]


class Fills(TableView):
    """/api/tables/{id}/fills/"""

    @extend_schema(parameters=FILLS, responses=FillListSerializer)
    def get(self, request: Request, table_id: int) -> Response:
        """List the fills of a table, the newest first."""
        maximum, offset = read_page(Parameters(request, FILLS))
        fills = selectors.fills_of(request.user, table_id)
        page = list(fills[offset : offset + maximum])
        ids = [fill.pk for fill in page]
        counts, batches = selectors.counts_of(ids), selectors.open_batches(ids)
        waits = selectors.waits_of(page, now=timezone.now())
        table = get_table(request.user, table_id)
        shape, managed = table_shape(table), selectors.may_manage(request.user, page, table=table)
        items = [
            fill_json(
                fill, shape=shape, counts=counts[fill.pk], batches=batches.get(fill.pk), waits_until=waits.get(fill.pk),
                may_manage=fill.pk in managed,
            )
            for fill in page
        ]  # fmt: skip
        items = localized(items, request=request)
        return Response(list_json(request, name="fills", items=items, offset=offset, count=fills.count()))

    @extend_schema(request=FillBody, responses={201: FillSerializer})
    def post(self, request: Request, table_id: int) -> Response:
        """Set up a fill: a draft with its estimate. Nothing is sent to a model before it is tried or run.

        A fill has the model answer an instruction for each of many rows, and proposes the values that it finds. Each
        row is a conversation of its own, with only the cells that the instruction names.
        """
        create = partial(services.create_fill, user=request.user, table_id=table_id)
        body = read_request(request, form=FillBody, find_others=lambda body: rehearse(lambda: create(body=body)))
        fill = create(body=body)
        return _response(fill, request, status=201)


class OneFill(FillView):
    """/api/tables/{id}/fills/{fill}/"""

    rights = {"PATCH": "own", "DELETE": "manage"}

    @extend_schema(responses=FillSerializer)
    def get(self, request: Request, table_id: int, fill_id: UUID) -> Response:
        """Get a fill with its progress."""
        Parameters(request)
        fill, _ = selectors.get_fill(request.user, table_id, fill_id=fill_id)
        return _response(fill, request)

    @extend_schema(request=FillChangesBody, responses=FillSerializer)
    def patch(self, request: Request, table_id: int, fill_id: UUID) -> Response:
        """Change a draft; tried rows that may differ now are forgotten. Of other fills only `budget` and `notify` can.

        409 “already_run” for other changes of a fill that has run.
        """
        change = partial(services.change_fill, user=request.user, table_id=table_id, fill_id=fill_id)
        body = read_request(
            request, form=FillChangesBody, find_others=lambda body: rehearse(lambda: change(body=body))
        )
        return _call(change, request, body=body)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, table_id: int, fill_id: UUID) -> Response:
        """Delete a fill and its results; values that were applied stay. 409 “running” while it runs.

        A standing fill remains, without the values that it found. The owner of the table can do so, too, and every
        editor if the user of the fill may not edit the table any more.
        """
        Parameters(request)
        services.delete_fill(user=request.user, table_id=table_id, fill_id=fill_id)
        return Response(status=204)


class Try(FillView):
    """/api/tables/{id}/fills/{fill}/try/"""

    rights = {"POST": "own"}

    @extend_schema(request=TryBody, responses={202: FillSerializer})
    def post(self, request: Request, table_id: int, fill_id: UUID) -> Response:
        """Have workers answer a few rows of a draft; read its results until none waits. 409 if it has been run.

        Results of these rows from an earlier try are forgotten. When the fill runs, tried rows keep their results.
        """
        write = partial(services.try_rows, user=request.user, table_id=table_id, fill_id=fill_id)
        body = read_request(request, form=TryBody, find_others=partial(_rehearse, write, required=("rows",)))
        return _call(write, request, starts_work=True, **body)


class Run(FillView):
    """/api/tables/{id}/fills/{fill}/run/"""

    rights = {"POST": "own"}

    @extend_schema(request=RunFillBody, responses={202: FillSerializer})
    def post(self, request: Request, table_id: int, fill_id: UUID) -> Response:
        """Start a draft: workers answer all rows that are chosen now. 409 if it has been run, 422 if there are none."""
        form = Form()
        Parameters(request, form=form)
        write = partial(services.run_fill, user=request.user, table_id=table_id, fill_id=fill_id)
        body = read_body(
            {} if request.data is None else request.data, form=RunFillBody, faults=form,
            find_others=partial(_rehearse, write, required=()),
        )  # fmt: skip
        return _call(write, request, starts_work=True, **body)


class _Transition(FillView):
    """A change of the state of a fill without further choices. Subclasses document it as `post`."""

    def change(self, request: Request, service: Any, *, starts_work: bool = False) -> Response:
        """Call the service for the fill of this URL."""
        read_request(request, form=EmptyBody)
        return _call(partial(service, user=request.user), request, starts_work=starts_work, **self.kwargs)


class Pause(_Transition):
    """/api/tables/{id}/fills/{fill}/pause/"""

    @extend_schema(request=EmptyBody, responses=FillSerializer)
    def post(self, request: Request, **_: Any) -> Response:
        """Pause a running fill; calls that have begun still end. 409 if it does not run."""
        return self.change(request, services.pause_fill)


class Resume(_Transition):
    """/api/tables/{id}/fills/{fill}/resume/"""

    rights = {"POST": "own"}

    @extend_schema(request=EmptyBody, responses={202: FillSerializer})
    def post(self, request: Request, **_: Any) -> Response:
        """Continue a fill that is paused or has failed; if all rows have failed, they are asked for again. 409 if not.

        409 “budget_used” if its budget is used up: raise `budget` with PATCH first. 409 “day_used” if your tokens of
        the day are used up.
        """
        return self.change(request, services.resume_fill, starts_work=True)


class Cancel(_Transition):
    """/api/tables/{id}/fills/{fill}/cancel/"""

    @extend_schema(request=EmptyBody, responses=FillSerializer)
    def post(self, request: Request, **_: Any) -> Response:
        """End a fill. What was found is kept and can be applied. 409 if it has ended.

        Rows that were sent in a batch and are answered already still get their results.
        """
        with transaction.atomic():
            response = self.change(request, services.cancel_fill)
            tasks.end_batches(self.kwargs["fill_id"])
        return response


class TakeOver(_Transition):
    """/api/tables/{id}/fills/{fill}/take-over/"""

    rights = {"POST": "manage"}

    @extend_schema(request=EmptyBody, responses=FillSerializer)
    def post(self, request: Request, **_: Any) -> Response:
        """Make a fill yours: you can resume, change and discard it, and from then on it uses your tokens.

        403 unless you own the table, or may edit it and the user of the fill may not any more.
        """
        return self.change(request, services.take_over_fill)


class Results(FillView):
    """/api/tables/{id}/fills/{fill}/results/"""

    @extend_schema(parameters=RESULTS, responses=ResultListSerializer)
    def get(self, request: Request, table_id: int, fill_id: UUID) -> Response:
        """List the results of a fill in the order of its rows, also while it runs."""
        parameters = Parameters(request, RESULTS)
        maximum, offset = read_page(parameters)
        status, confidence = parameters.choice("status"), parameters.choice("confidence")
        fill, table = selectors.get_fill(request.user, table_id, fill_id=fill_id)
        unverified = {"true": True, "false": False}.get(parameters.choice("unverified"))
        states = [status] if status else []
        results = selectors.results_of(
            fill, states=states, confidence=confidence, unverified=unverified, row_ids=read_ids(parameters)
        )
        page, shape = list(results[offset : offset + maximum]), table_shape(table)
        reviews = services.review_states(page, table=table, shape=shape)
        by_name = parameters.choice("keys") == "name"
        names = {column.id: column.name if by_name else column.id for column in shape.columns}
        invalid = [each for each in page if reviews.get(each.row_id) == INVALID]
        faults = services.value_faults(invalid, shape=shape)
        items = [
            result_json(each, names=names, review=reviews.get(each.row_id, ""), fault=faults.get(each.row_id))
            for each in page
        ]
        items = localized(items, request=request)
        return Response(list_json(request, name="results", items=items, offset=offset, count=results.count()))

    @extend_schema(request=CorrectionsBody, responses={204: None})
    def patch(self, request: Request, table_id: int, fill_id: UUID) -> Response:
        """Store corrections of found values, for all who review. Nothing is written to the table before an apply.

        They are applied in place of the found values, and forgotten when a row is filled again. 422 “no_result” for a
        row without a found result.
        """
        write = partial(services.correct_results, user=request.user, table_id=table_id, fill_id=fill_id)
        body = read_request(request, form=CorrectionsBody, find_others=partial(_rehearse, write, required=("edits",)))
        write(**body)
        return Response(status=204)


class Refill(FillView):
    """/api/tables/{id}/fills/{fill}/refill/"""

    rights = {"POST": "own"}

    @extend_schema(request=RefillBody, responses={202: FillSerializer})
    def post(self, request: Request, table_id: int, fill_id: UUID) -> Response:
        """Answer some rows again; their results are replaced. 409 for a draft.

        The model gets the remark. The fill runs again until these rows are answered. 409 “budget_used” if its budget is
        used up: raise `budget` with PATCH first. 409 “day_used” if your tokens of the day are used up.
        """
        write = partial(services.refill_rows, user=request.user, table_id=table_id, fill_id=fill_id)
        body = read_request(request, form=RefillBody, find_others=partial(_rehearse, write, required=("ids",)))
        return _call(write, request, starts_work=True, **body)


class Apply(FillView):
    """/api/tables/{id}/fills/{fill}/apply/"""

    @extend_schema(
        request=ApplyResultsBody, parameters=APPLYING, responses={200: response_schemas.APPLIED_OR_PREVIEW}
    )
    def post(self, request: Request, table_id: int, fill_id: UUID) -> Response:
        """Apply results as one change, all or some, also while the fill runs; with dry_run, return its preview.

        409 if cells of a row have changed since they were read; `on_conflict` decides. The change can be undone, and
        the results applied again. 422 “nothing_to_apply” if there are none, “no_result” for a row without a result.
        Paths of errors name rows by id: `edits.12.Domain`, or `rows[12].data.Domain` for other cells and conflicts. The
        `plan` of a preview covers the results with their corrections, the edits, and the versions of the rows.
        """
        review, preview_keys = _read_review(request, table_id=table_id, fill_id=fill_id)
        arguments: Json = {"user": request.user, "table_id": table_id, "fill_id": fill_id, "review": review}
        if preview_keys:
            preview = services.preview_results(**arguments)
            return preview_response(preview, request, keyed_by=preview_keys, table_id=table_id)
        with planned_operations(review.plan, body=request.data, user=request.user, table_id=table_id):
            applied = services.apply_results(**arguments, composed=result_before_transaction(request))
        return Response(applied.as_json())

    @classmethod
    def before_transaction(cls, request: HttpRequest) -> None:
        """Compose the change without the lock that the transaction of an Idempotency-Key holds."""
        run_before_transaction(cls, request, read=cls._compose)

    @staticmethod
    def _compose(request: Request, *, table_id: int, fill_id: UUID) -> services.ComposedReview | None:
        """Return nothing for a preview, which is not composed."""
        review, preview_keys = _read_review(request, table_id=table_id, fill_id=fill_id)
        if preview_keys:
            return None
        with planned_operations(review.plan, body=request.data, user=request.user, table_id=table_id):
            return services.compose_results(user=request.user, table_id=table_id, fill_id=fill_id, review=review)


class RowOrigins(TableView):
    """/api/tables/{id}/rows/{row}/origins/"""

    @extend_schema(parameters=[KEYS], responses=OriginsSerializer)
    def get(self, request: Request, table_id: int, row_id: int) -> Response:
        """Get where the values of a row come from that fills have found, as long as the row has these values."""
        by_name = Parameters(request, [KEYS]).choice("keys") == "name"
        table = get_table(request.user, table_id)
        shape = table_shape(table)
        found = origins_of(table, [get_row(table, row_id, shape=shape)]).get(row_id, {})
        named = [(column.id, column.name if by_name else column.id) for column in shape.columns]
        return Response({"origins": {key: found[column_id] for column_id, key in named if column_id in found}})


def _read_review(request: Request, *, table_id: int, fill_id: UUID) -> tuple[services.Review, str]:
    """Return the chosen results, and the `keys` of the preview, "" for an apply. Raises Malformed and Invalid."""
    form = Form()
    parameters = Parameters(request, APPLYING, form=form)
    keyed_by, plan = parameters.choice("keys"), parameters.text("plan")
    try:
        plan = read_dry_run_plan(parameters)
    except (Malformed, Invalid) as error:
        form.add_error(error)

    def check(body: Json) -> None:
        if "rows" in body:
            review = services.Review(ids=body.pop("rows"), **body)
            services.compose_results(user=request.user, table_id=table_id, fill_id=fill_id, review=review)

    body = read_body(request.data, form=ApplyResultsBody, faults=form, find_others=check)
    review = services.Review(ids=body.pop("rows"), plan=plan, **body)
    return review, keyed_by if parameters.flag("dry_run") else ""


def _rehearse(write: Callable[..., object], body: Json, *, required: Sequence[str]) -> None:
    """Raise the errors of a service for the fields of a body that can be read, if the required ones can."""
    if body.keys() >= set(required):
        rehearse(partial(write, **body))


def _call(write: Callable[..., Fill], request: Request, *, starts_work: bool = False, **arguments: Any) -> Response:
    """Call a service that changes a fill, in one transaction with enqueuing the work that it starts."""
    with transaction.atomic():
        fill = write(**arguments)
        if starts_work:
            tasks.start_work(fill.pk)
    return _response(fill, request, status=202 if starts_work else 200)


def _response(fill: Fill, request: Request, *, status: int = 200) -> Response:
    table = get_table(request.user, fill.table_id)
    counts = selectors.counts_of([fill.pk])[fill.pk]
    batches = selectors.open_batches([fill.pk]).get(fill.pk)
    may_manage = bool(selectors.may_manage(request.user, [fill], table=table))
    waits_until = selectors.waits_of([fill], now=timezone.now()).get(fill.pk)
    item = fill_json(
        fill, shape=table_shape(table), counts=counts, batches=batches, waits_until=waits_until, may_manage=may_manage
    )
    [shown] = localized([item], request=request)
    return Response(shown, status=status)
