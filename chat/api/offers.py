"""What the chat offers where: payload types, pages, the state of a turn."""
from __future__ import annotations

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chat.api.forms import payload_type_form, turn_form
from chat.api.query import only, text
from chat.exceptions import NotFound
from chat.page_config import resolve
from chat.payload_types import payload_types
from chat.selectors import get_turn
from chat.services import end_stale_turns
from chat.turns.model import is_demo


class PayloadTypeList(APIView):
    """GET the payload types there are."""

    def get(self, request: Request) -> Response:
        only(request)
        return Response({"payload_types": [payload_type_form(entry) for entry in payload_types]})


class PageDetail(APIView):
    """GET what a page (`tab`, `subtab`) offers. `table` is taken and changes nothing: offers do not depend on it."""

    def get(self, request: Request, page: str) -> Response:
        only(request, "tab", "subtab", "table")
        reach = resolve(page, tab=text(request, "tab") or "", subtab=text(request, "subtab") or "")
        if reach is None:
            raise NotFound("There is no such page.")
        actions = [
            {"action": entry.action, "description": entry.description, "parameters": list(entry.parameters)}
            for entry in reach.client_actions
        ]
        return Response(
            {
                "page": page,
                "payload_types": [payload_type_form(entry) for entry in reach.payload_types],
                "client_actions": actions,
                "server_actions": [],
                "starters": list(reach.config.starters),
                "demo": is_demo(),
            }
        )


class TurnDetail(APIView):
    """GET a turn's state."""

    def get(self, request: Request, turn_id: str) -> Response:
        only(request)
        end_stale_turns(user=request.user, now=timezone.now())
        return Response(turn_form(get_turn(request.user, turn_id)))
