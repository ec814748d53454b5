"""Requests to the model and stored text do not depend on the language of the user's pages."""
from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import User

from accounts.models import Profile
from chat.models import Message
from tables.models import Table
from tests.chat.stream_client import STREAM, Browser
from tests.conftest import Api
from tests.scripted_model import ScriptedModel, say, use

GERMAN = {"Accept-Language": "de-DE,de;q=0.9"}
# Ids, including those of the script, and the token of data fences, which is new in each conversation.
IDS = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{16}\b|toolu_\d+")
ROW = {"Company": "Bolt", "Due": "2026-12-24", "Paid": True}

Json = dict[str, Any]


@pytest.fixture
def table(api: Api) -> Table:
    kinds = {"Company": "text", "Due": "date", "Paid": "boolean", "Amount": "number"}
    columns = [{"name": name, "type": kind} for name, kind in kinds.items()]
    created = api.post("/api/tables/", {"name": "Invoices", "description": "", "columns": columns}).json()
    api.post(f"/api/tables/{created['id']}/rows/", {"data": {"Company": "Acme", "Due": "2026-12-01", "Amount": 1234.5}})
    return Table.objects.get(pk=created["id"])


def run_conversation(browser: Browser, script: ScriptedModel, *, table: Table, **headers: str) -> tuple[str, str]:
    """Return what the model was sent in three turns with tools, failures and a proposal, and what was stored."""
    began = len(script.requests)
    rows = ({**ROW, "Due": "soon"}, ROW)
    wrong, right = (json.dumps({"operations": [{"action": "add", "data": row}]}) for row in rows)
    script.add(
        use(("get_rows", {"limit": 5}), ("get_rows", {"limit": "many"})),
        say("There is one."),
        say(f"DATA_PROPOSAL: {wrong}"),
        say(f"DATA_PROPOSAL: {right}"),
        say("Good."),
    )
    context = {"current_page": "table_view", "table_id": table.pk}
    conversation_id: str | None = None
    for message in ("What is there?", "Add one.", "Thank you."):
        body = {"message": message, "context": context}
        if conversation_id:
            body["conversation_id"] = conversation_id
        with browser.open("POST", STREAM, body, **headers) as stream:
            events = list(stream)
        conversation_id = next(event["conversation_id"] for event in events if "conversation_id" in event)
    sent = IDS.sub("<id>", json.dumps(script.requests[began:], ensure_ascii=False))
    messages = Message.objects.filter(conversation_id=conversation_id).order_by("created_at")
    contents = [[each.role, each.text, each.exchange] for each in messages]
    return sent, IDS.sub("<id>", json.dumps(contents, ensure_ascii=False, default=str))


@pytest.mark.django_db(transaction=True)
def test_model_is_sent_the_same_in_every_language(
    browser: Browser, script: ScriptedModel, table: Table, user: User
) -> None:
    english = run_conversation(browser, script, table=table)
    Profile.objects.update_or_create(user=user, defaults={"language": "de"})
    german = run_conversation(browser, script, table=table, **GERMAN)
    assert script.problems == []
    assert ("is not a date" in english[0], "Bolt" in english[1]) == (True, True)
    assert german == english
