"""What the chat offers where: payload types, pages, the state of a turn."""
from __future__ import annotations

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chat.api.forms import payload_type_form, turn_form
from chat.api.query import only, text
from chat.exceptions import NotFound
from chat.page_config import PageContext, resolve
from chat.payload_types import payload_types
from chat.selectors import get_turn
from chat.services import end_stale_turns
from chat.turns.model import is_demo
from chat.turns.snapshot import for_reading, may_change


class PayloadTypeList(APIView):
    """GET the payload types there are."""

    def get(self, request: Request) -> Response:
        only(request)
        return Response({"payload_types": [payload_type_form(entry) for entry in payload_types]})


class PageDetail(APIView):
    """GET what a page (`tab`, `subtab`) offers; with `table`, what it offers this person for that object.

    Who may only read it is offered no proposals and no starters, which are mostly about changing something.
    """

    def get(self, request: Request, page: str) -> Response:
        only(request, "tab", "subtab", "table")
        reach = resolve(page, tab=text(request, "tab") or "", subtab=text(request, "subtab") or "")
        if reach is None:
            raise NotFound("There is no such page.")
        object_id = text(request, "table") or ""
        context = PageContext(user=request.user, page=page, object_id=object_id, view={})
        may_write = not object_id or may_change(reach, context=context)
        if not may_write:
            reach = for_reading(reach)
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
                "starters": list(reach.config.starters) if may_write else [],
                "demo": is_demo(),
            }
        )


class TurnDetail(APIView):
    """GET a turn's state."""

    def get(self, request: Request, turn_id: str) -> Response:
        only(request)
        end_stale_turns(user=request.user, now=timezone.now())
        return Response(turn_form(get_turn(request.user, turn_id)))
