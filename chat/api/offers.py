"""What the chat offers where: payload types, pages, the state of a turn."""
from __future__ import annotations

from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chat.api.forms import client_action_form, payload_type_form, server_action_form, turn_form
from chat.api.query import only, text
from chat.catalogue import Catalogue, Reach
from chat.lookups import payload_types_for
from chat.overrides import current_catalogue
from chat.page_config import PageContext
from chat.provider import is_demo, model_named, models
from chat.selectors import get_turn
from chat.services import end_stale_turns
from chat.turns.snapshot import may_change, reach_of, refuse_anothers
from user_messages.request_language import as_read, translated_registry_text, translated_registry_texts


class PayloadTypeList(APIView):
    """GET the payload types this person may meet: those of all pages, with what they may use there."""

    def get(self, request: Request) -> Response:
        only(request)
        entries = payload_types_for(request.user.has_perm, catalogue=current_catalogue())
        with as_read(request):
            return Response({"payload_types": [payload_type_form(entry) for entry in entries]})


class PageDetail(APIView):
    """GET what a page (`tab`, `subtab`) offers this person; with `table`, the id of what the page is about, for that.

    Who may only read it is offered no proposals and no starters, which are mostly about changing something.
    """

    def get(self, request: Request, page: str) -> Response:
        only(request, "tab", "subtab", "table")
        catalogue = current_catalogue()
        context = PageContext(user=request.user, page=page, object_id=text(request, "table") or "", view={})
        reach = reach_of(
            context,
            tab=text(request, "tab") or "",
            subtab=text(request, "subtab") or "",
            catalogue=catalogue,
        )
        refuse_anothers(context)
        starters = reach.config.starters if may_change(context) else ()
        with as_read(request):
            offer = {**_offer(reach), "starters": translated_registry_texts(starters), "demo": is_demo()}
            return Response({"page": page, **offer, "models": _models(reach, catalogue=catalogue)})


def _models(reach: Reach, *, catalogue: Catalogue) -> list[dict[str, Any]]:
    """The models that people may choose from on the page; none where they may not."""
    if not reach.config.people_choose_model or len(models()) < 2:
        return []
    default = model_named(reach.config.model or catalogue.engine.model)
    return [{"name": each.name, "label": each.label, "default": each == default} for each in models()]


def _offer(reach: Reach) -> dict[str, Any]:
    return {
        "payload_types": [payload_type_form(entry) for entry in reach.payload_types],
        "tools": [{"name": entry.name, "label": translated_registry_text(entry.label)} for entry in reach.tools],
        "client_actions": [client_action_form(entry) for entry in reach.client_actions],
        "server_actions": [server_action_form(entry) for entry in reach.server_actions],
    }


class TurnDetail(APIView):
    """GET a turn's state."""

    def get(self, request: Request, turn_id: str) -> Response:
        only(request)
        end_stale_turns(user=request.user, now=timezone.now())
        turn = get_turn(request.user, turn_id)
        with as_read(request):
            return Response(turn_form(turn))
