"""Endpoints of payload types, and of the payload types, tools and actions on a page."""

from __future__ import annotations

from functools import partial
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chat.api import schemas
from chat.api.model_notice import model_notice
from chat.api.query import check_parameters, text_parameter
from chat.api.representations import client_action_json, payload_type_json, server_action_json, tool_json
from chat.catalogue import Catalogue, PageEntries
from chat.lookups import payload_types_for
from chat.page_config import PageContext
from chat.provider.configured import is_demo, model_named, models
from chat.selectors.configuration.catalogue import current_catalogue
from chat.turns.page import can_change_object, check_object_access, resolve_page_entries
from chat.turns.request import read_together
from shared.rest.openapi import TEXT, query
from shared.user_messages.request_language import reader_language, translated_registry_texts

OPEN = [
    query("tab", TEXT, "The open tab."),
    query("subtab", TEXT, "The open subtab."),
    query("object_id", TEXT, "The id of the open object."),
]


class PayloadTypeList(APIView):
    """/api/chat/payload-types/"""

    @extend_schema(responses={200: schemas.PAYLOAD_TYPES})
    def get(self, request: Request) -> Response:
        """List the payload types."""
        check_parameters(request)
        entries = payload_types_for(request.user.has_perm, catalogue=current_catalogue())
        with reader_language(request):
            return Response({"payload_types": [payload_type_json(entry) for entry in entries]})


class PageDetail(APIView):
    """/api/chat/pages/{page}/"""

    @extend_schema(parameters=OPEN, responses={200: schemas.PAGE_OFFER})
    def get(self, request: Request, page: str) -> Response:
        """Get what the assistant offers on a page: payload types, tools, actions, starters, models and tabs.

        Users who can only view the page's object get no proposals and no starters.
        """
        object_names = ("object_id", *schemas.object_parameters())
        _, *texts = read_together(
            lambda: check_parameters(request, OPEN, aliases=schemas.object_parameters()),
            *(partial(text_parameter, request, name) for name in ("tab", "subtab", *object_names)),
        )
        tab, subtab, *object_ids = (text or "" for text in texts)
        object_id = next(filter(None, object_ids), "")
        catalogue = current_catalogue()
        context = PageContext(user=request.user, page=page, object_id=object_id, view={})
        page_entries = resolve_page_entries(
            context,
            tab=tab,
            subtab=subtab,
            catalogue=catalogue,
        )
        check_object_access(context)
        starters = page_entries.starters if can_change_object(context) else ()
        with reader_language(request):
            offer = {**_offer(page_entries), "starters": translated_registry_texts(starters)}
            offer |= {"demo": is_demo(), "notice": model_notice(page)}
            offer |= {"models": _models(page_entries, catalogue=catalogue)}
            tabs = page_entries.config.tabs.items()
            offer |= {"tabs": [{"name": name, "subtabs": list(tab_config.subtabs)} for name, tab_config in tabs]}
            # The conversation may have calls of other tabs and pages.
            may = request.user.has_perm
            known = [tool_json(tool) for tool in catalogue.tools if not tool.permission or may(tool.permission)]
            return Response({"page": page, **offer, "all_tools": known})


def _models(page_entries: PageEntries, *, catalogue: Catalogue) -> list[dict[str, Any]]:
    """Return the models that users can choose on the page; empty if they cannot choose."""
    if not page_entries.config.allow_model_choice or len(models()) < 2:
        return []
    default = model_named(page_entries.config.model or catalogue.engine.model)
    return [{"name": each.name, "label": each.label, "default": each == default} for each in models()]


def _offer(page_entries: PageEntries) -> dict[str, Any]:
    return {
        "payload_types": [payload_type_json(entry) for entry in page_entries.payload_types],
        "tools": [tool_json(entry) for entry in page_entries.tools],
        "client_actions": [client_action_json(entry) for entry in page_entries.client_actions],
        "server_actions": [server_action_json(entry) for entry in page_entries.server_actions],
    }
