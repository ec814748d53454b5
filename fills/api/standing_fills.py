"""REST API of standing fills: fills that are stored with their columns and run again."""
from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction
from django.http import HttpRequest
from drf_spectacular.utils import extend_schema, extend_schema_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from fills import selectors, services, tasks
from fills.api.fill_view import StandingFillView
from fills.api.reasons import localized
from fills.api.representations import standing_fill_json
from fills.api.serializers import (
    BUDGET,
    CONDITION,
    FIELDS,
    FillChangesBody,
    FillEstimateSerializer,
    ReasonSerializer,
)
from fills.selectors import Fill, StandingFill
from fills.services.definitions import APPLY, SOURCES
from fills.services.outdated_rows import OutdatedRows
from shared.rest import openapi
from shared.rest.before_transaction import result_before_transaction, run_before_transaction
from shared.rest.openapi import ID, enum, example, nullable
from shared.rest.serializers import DateTimeTextField, EmptyBody, SchemaField
from shared.user_messages import declare
from tables.api.bodies import read_request, rehearse
from tables.api.parameters import Parameters
from tables.api.table_view import TableView
from tables.exceptions import Invalid, Malformed
from tables.selectors import table_shape

Json = dict[str, Any]
NOT_A_FILL = declare("not_a_fill_id", "This must be the id of a fill.")
TRIGGERS = StandingFill.Trigger.values
OWN = {
    "filter": "Only rows that match this filter; null for all.",
    "trigger": "When it runs: “manual” (when a person or a program starts it; the default), “new_rows” (also for rows "
    "that are added from now on), or “changes” (also for rows of which a cell changes that is sent to the model).",
    "budget": "The tokens after which a run makes no further call; null for twice its estimate.",
}


def read_fill_id(value: Any) -> UUID | None:
    """Return the id of a fill, None for null. Raises Malformed."""
    try:
        return None if value is None else UUID(value)
    except (ValueError, TypeError, AttributeError):
        raise Malformed.at("fill", NOT_A_FILL()) from None


@extend_schema_serializer(examples=[example({"trigger": "new_rows"})])
class StandingFillChangesBody(FillChangesBody):
    """What to change of a standing fill."""

    rows = None  # type: ignore[assignment]  # removes the inherited field, as Django REST framework does it
    filter = SchemaField(nullable(CONDITION), required=False, help_text=OWN["filter"])
    trigger = SchemaField(enum(*TRIGGERS), required=False, help_text=OWN["trigger"])
    budget = SchemaField(nullable(BUDGET), required=False, help_text=OWN["budget"])


@extend_schema_serializer(
    examples=[example({"columns": ["Domain"], "instruction": "The domain of {E-mail}.", "trigger": "new_rows"})]
)
class StandingFillBody(StandingFillChangesBody):
    """A fill to store with its columns: one that exists (`fill`), or a new one (`columns`, `instruction`, …)."""

    fill = SchemaField(
        nullable(openapi.UUID), read=read_fill_id, required=False,
        help_text="The id of a fill that you have set up. Its results show which rows are up to date.",
    )


class StandingRowsSerializer(serializers.Serializer[Any]):
    """How many rows are out of date."""

    total = serializers.IntegerField(help_text="The number of rows that it is for.")
    out_of_date = serializers.IntegerField(
        help_text="How many of them a run would fill: rows with an empty cell and without a result, and rows whose "
        "cells, or whose instruction, have changed since."
    )
    discarded = serializers.IntegerField(
        help_text="The number of rows whose values were discarded. They are up to date until a cell changes."
    )


class StandingFillSerializer(serializers.Serializer[Any]):
    """A standing fill."""

    id = SchemaField(openapi.UUID, help_text="The id of the standing fill, and of its fill, which has the results.")
    table = SchemaField(ID, help_text="The id of the table.")
    user = serializers.CharField(help_text="The user who set it up or took it over, and whose tokens it uses.")
    user_id = SchemaField(ID, help_text="The id of that user.")
    columns = serializers.ListField(child=serializers.CharField(), help_text="The ids of the columns to fill.")
    instruction = serializers.CharField(help_text="What to find, with the current names of columns.")
    sources = serializers.ChoiceField(SOURCES, help_text=FIELDS["sources"])
    examples = serializers.ListField(child=serializers.IntegerField(), help_text=FIELDS["examples"])
    apply = serializers.ChoiceField(APPLY, help_text=FIELDS["apply"])
    model = serializers.CharField(help_text="The name of the model.")
    notify = serializers.BooleanField(help_text=FIELDS["notify"])
    filter = SchemaField(nullable(CONDITION), help_text=OWN["filter"])
    trigger = serializers.ChoiceField(TRIGGERS, help_text=OWN["trigger"])
    budget = serializers.IntegerField(allow_null=True, help_text=OWN["budget"])
    state = serializers.ChoiceField(["active", "paused"], help_text="paused: it cannot run, for the given reason.")
    reason = ReasonSerializer(allow_null=True, help_text="Why it is paused; null otherwise.")
    fill_state = serializers.ChoiceField(Fill.State.values, help_text="The state of its fill.")
    due_at = DateTimeTextField(allow_null=True, help_text="When it runs next; null if it waits for a change.")
    created_at = DateTimeTextField(help_text="When it was stored.")


class StandingFillDetailsSerializer(StandingFillSerializer):
    """A standing fill with the number of its rows."""

    rows = StandingRowsSerializer(allow_null=True, help_text="How many rows are out of date; null if it is paused.")
    estimate = FillEstimateSerializer(allow_null=True, help_text="What a run would need; null if it is paused.")


class StandingFillListSerializer(serializers.Serializer[Any]):
    """The standing fills of a table."""

    standing_fills = StandingFillSerializer(many=True)


class StandingFills(TableView):
    """/api/tables/{id}/standing-fills/"""

    @extend_schema(responses=StandingFillListSerializer)
    def get(self, request: Request, table_id: int) -> Response:
        """List the standing fills of a table, the oldest first. Each column has at most one."""
        Parameters(request)
        found, table = selectors.standing_fills_of(request.user, table_id)
        shape = table_shape(table)
        problems = services.problems_of(found, table=table, shape=shape)
        items = [standing_fill_json(each, shape=shape, problem=problems.get(each.pk)) for each in found]
        return Response({"standing_fills": localized(items, request=request)})

    @extend_schema(request=StandingFillBody, responses={201: StandingFillDetailsSerializer})
    def post(self, request: Request, table_id: int) -> Response:
        """Store a fill with its columns, to run it again. Nothing is sent to a model before it runs.

        Its results are those of the fill with the same id, which has further requests: to try, pause and apply.
        422 “column_taken” if a column has a standing fill, “circle” if columns would feed each other. 409
        “already_standing” if the fill is stored already.
        """
        create = partial(services.create_standing_fill, user=request.user, table_id=table_id)

        sent: Any = request.data

        def check(body: Json) -> None:
            try:
                rehearse(lambda: create(body=body))
            except (Malformed, Invalid) as error:
                if "fill" not in body and isinstance(sent, dict) and sent.get("fill") is not None:
                    # The fill is named, but cannot be read: that it is missing would be only a consequence.
                    error.faults = tuple(fault for fault in error.faults if fault.code != "fill_or_definition")
                raise

        body = read_request(request, form=StandingFillBody, find_others=check)
        standing = create(body=body)
        return _details(request, table_id=table_id, fill_id=standing.pk, status=201)


class OneStandingFill(StandingFillView):
    """/api/tables/{id}/standing-fills/{fill}/"""

    rights = {"PATCH": "own"}

    @extend_schema(responses=StandingFillDetailsSerializer)
    def get(self, request: Request, table_id: int, fill_id: UUID) -> Response:
        """Get a standing fill with the number of rows that are out of date."""
        Parameters(request)
        return _details(request, table_id=table_id, fill_id=fill_id)

    @extend_schema(request=StandingFillChangesBody, responses=StandingFillDetailsSerializer)
    def patch(self, request: Request, table_id: int, fill_id: UUID) -> Response:
        """Change a standing fill that you have set up. After a change of what it finds, all results are out of date.

        409 “running” for such changes while it runs.
        """
        change = partial(services.change_standing_fill, user=request.user, table_id=table_id, fill_id=fill_id)
        body = read_request(
            request, form=StandingFillChangesBody, find_others=lambda body: rehearse(lambda: change(body=body))
        )
        change(body=body)
        return _details(request, table_id=table_id, fill_id=fill_id)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, table_id: int, fill_id: UUID) -> Response:
        """Do not run a fill again. The fill with its results and all values stay. Every editor can do so.

        If its user may not edit the table any more, another editor can take over the fill with the same id instead.
        """
        Parameters(request)
        services.delete_standing_fill(user=request.user, table_id=table_id, fill_id=fill_id)
        return Response(status=204)


class RunStandingFill(StandingFillView):
    """/api/tables/{id}/standing-fills/{fill}/run/"""

    rights = {"POST": "own"}

    @extend_schema(request=EmptyBody, responses={202: StandingFillDetailsSerializer})
    def post(self, request: Request, table_id: int, fill_id: UUID) -> Response:
        """Have workers fill the rows that are out of date, at most 10,000, and those that have failed.

        422 “up_to_date” if there are none, 409 “standing_fill_paused” with the reason if it cannot run.
        """
        read_request(request, form=EmptyBody)
        rows: OutdatedRows = result_before_transaction(request) or self._find(
            request, table_id=table_id, fill_id=fill_id
        )
        with transaction.atomic():
            services.run_standing_fill(user=request.user, table_id=table_id, fill_id=fill_id, rows=rows)
            tasks.start_work(fill_id)
        return _details(request, table_id=table_id, fill_id=fill_id, status=202)

    @classmethod
    def before_transaction(cls, request: HttpRequest) -> None:
        """Find the rows without the lock that the transaction of an Idempotency-Key holds."""
        run_before_transaction(cls, request, read=cls._find)

    @staticmethod
    def _find(request: Request, *, table_id: int, fill_id: UUID) -> OutdatedRows:
        return services.find_outdated_rows(user=request.user, table_id=table_id, fill_id=fill_id)


def _details(request: Request, *, table_id: int, fill_id: UUID, status: int = 200) -> Response:
    found = services.standing_fill_status(user=request.user, table_id=table_id, fill_id=fill_id)
    shown = standing_fill_json(found.standing, shape=found.shape, problem=found.problem)
    rows = None
    if found.out_of_date is not None:
        rows = {"total": found.total, "out_of_date": found.out_of_date, "discarded": found.discarded}
    [item] = localized([{**shown, "rows": rows, "estimate": found.estimate}], request=request)
    return Response(item, status=status)
