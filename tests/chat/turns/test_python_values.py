"""Context builders, tools and checks of proposals may return dates and decimals, which become text."""
from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, User

from chat.agent.tools import ToolContext, ToolResult, tools
from chat.models import Payload
from chat.page_config import ContextBlock, PageConfig, PageContext, pages
from chat.payload_types import payload_types
from chat.proposals import CheckedProposal
from chat.turns.page import build_page
from tests.chat.entries import NOTES, PROPOSAL, tool
from tests.chat.stored_conversations import turn_request
from tests.chat.turns.turn_runs import run_turn
from tests.scripted_model import ScriptedModel, say, use

DUE: dict[str, Any] = {"due": date(2026, 11, 26), "amount": Decimal("80.50")}
DUE_AS_JSON = {"due": "2026-11-26", "amount": "80.50"}


def block_of(data: dict[str, Any]) -> ContextBlock:
    page = PageConfig(page="dues", context_builder=lambda context: ContextBlock(text="", data=data))
    with pages.registered(page):
        return build_page(PageContext(user=AnonymousUser(), page="dues", object_id="", view={})).block


def test_data_of_the_context_is_json() -> None:
    assert block_of({"invoice": DUE}).data == {"page": "dues", "invoice": DUE_AS_JSON}


def test_a_context_that_is_not_json_names_its_page() -> None:
    with pytest.raises(TypeError, match="the page 'dues' is not JSON: Object of type AnonymousUser"):
        block_of({"user": AnonymousUser()})


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("notes")
def test_payloads_of_tools_and_checked_proposals_are_stored_as_json(user: User) -> None:
    async def find(params: dict[str, Any], *, user: Any, context: ToolContext) -> AsyncIterator[ToolResult]:
        yield ToolResult(text="One.", payload={"type": "note_chart", "data": {"bars": [DUE]}})

    page = replace(NOTES, page="dues", tools=("find_due",), payloads=("due_proposal",))
    due = replace(
        PROPOSAL, name="due_proposal", parse_marker="DUE_PROPOSAL:",
        check=lambda data, context: CheckedProposal(resolved=DUE, summary="Pay"),
    )  # fmt: skip
    script = ScriptedModel(use(("find_due", {})), say("One."), say('DUE_PROPOSAL: {"names": []}'))
    with (
        payload_types.registered(due),
        tools.registered(tool("find_due", find, payload_type="note_chart")),
        pages.registered(page),
    ):
        for _ in range(2):
            run_turn(user, script, turn_request(page="dues", context={"current_page": "dues", "note_id": "7"}))

    assert Payload.objects.get(type="note_chart").data == {"bars": [DUE_AS_JSON]}
    assert Payload.objects.get(type="due_proposal").resolved == DUE_AS_JSON
