"""What a user can choose for a fill of a table."""
from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from fills.services import offers_for
from tables.api.parameters import Parameters
from tables.api.table_view import TableView
from tables.selectors import get_table


class OfferedModelSerializer(serializers.Serializer[Any]):
    """A model that is offered for fills."""

    name = serializers.CharField(help_text="Its name.")
    web = serializers.BooleanField(help_text="Whether it can search the web, which the sources “web” need.")


class FillOffersSerializer(serializers.Serializer[Any]):
    """What can be chosen for a fill."""

    models = OfferedModelSerializer(many=True, help_text="The models, the default first.")
    confident = serializers.BooleanField(help_text="Whether results of high confidence can be applied by themselves.")
    notify = serializers.BooleanField(help_text="Whether a mail can be sent to the user when the fill has ended.")


class FillOffers(TableView):
    """/api/tables/{id}/fills/offers/"""

    rights = {"GET": "edit"}

    @extend_schema(responses=FillOffersSerializer)
    def get(self, request: Request, table_id: int) -> Response:
        """Get what the user can choose for a fill: models, sources from the web, `confident` and `notify`."""
        Parameters(request)
        get_table(request.user, table_id, can="edit")
        found = offers_for(request.user)
        models = [{"name": name, "web": has_web} for name, has_web in found.models.items()]
        return Response({"models": models, "confident": found.confident, "notify": found.notify})
