"""What is left to review of a fill."""
from __future__ import annotations

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from fills.api.fill_view import FillView
from fills.api.serializers import EndedCountsSerializer
from fills.services.overview import KINDS, review_overview
from shared.rest.openapi import ID, array, enum, query
from shared.rest.serializers import SchemaField
from tables.api.parameters import Parameters

OVERVIEW = [query("rows", enum("", *KINDS), "Also return the ids of the rows of this kind.")]


class FillReviewCountsSerializer(EndedCountsSerializer):
    """The number of rows by kind."""

    open = serializers.IntegerField(help_text="Rows whose values can be applied.")
    high = serializers.IntegerField(help_text="Those of high confidence.")
    medium = serializers.IntegerField(help_text="Those of medium confidence.")
    low = serializers.IntegerField(help_text="Those of low confidence.")
    unverified = serializers.IntegerField(help_text="Those that are marked unverified.")
    conflict = serializers.IntegerField(help_text="Rows that have changed since they were read.")
    invalid = serializers.IntegerField(help_text="Rows whose values their columns refuse by now.")
    deleted = serializers.IntegerField(help_text="Rows that were deleted since they were answered.")
    applied = serializers.IntegerField(help_text="Rows that have their values.")


class FillReviewSerializer(serializers.Serializer[Any]):
    """What is left to review."""

    counts = FillReviewCountsSerializer()
    rows = SchemaField(array(ID), help_text="The ids of the rows of the requested kind, in the order of the fill.")


class ReviewOverview(FillView):
    """/api/tables/{id}/fills/{fill}/review/"""

    @extend_schema(parameters=OVERVIEW, responses=FillReviewSerializer)
    def get(self, request: Request, table_id: int, fill_id: UUID) -> Response:
        """Count the results of a fill by what is left to do with them."""
        kind = Parameters(request, OVERVIEW).choice("rows")
        found = review_overview(user=request.user, table_id=table_id, fill_id=fill_id, kind=kind)
        return Response({"counts": found.counts, "rows": found.rows})
