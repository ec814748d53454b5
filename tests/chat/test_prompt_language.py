"""Whatever language the reader's pages are in, the model is sent the same bytes, and the same is kept."""
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
# Ids, also those the script gives, and the token of the marks around data, which is another one in each conversation.
IDS = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{16}\b|toolu_\d+")
ROW = {"Company": "Bolt", "Due": "2026-12-24", "Paid": True}

Json = dict[str, Any]


@pytest.fixture
def table(api: Api) -> Table:
    kinds = {"Company": "text", "Due": "date", "Paid": "boolean", "Amount": "number"}
    columns = [{"name": name, "type": kind} for name, kind in kinds.items()]
    made = api.post("/api/tables/", {"name": "Invoices", "description": "", "columns": columns}).json()
    api.post(f"/api/tables/{made['id']}/rows/", {"data": {"Company": "Acme", "Due": "2026-12-01", "Amount": 1234.5}})
    return Table.objects.get(pk=made["id"])


def conversation(browser: Browser, script: ScriptedModel, *, table: Table, **headers: str) -> tuple[str, str]:
    """What the model was sent in three turns with tools, failures and a proposal, and what was kept of them."""
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
    place = {"current_page": "table_view", "table_id": table.pk}
    known: str | None = None
    for message in ("What is there?", "Add one.", "Thank you."):
        body = {"message": message, "context": place, **({"conversation_id": known} if known else {})}
        with browser.open("POST", STREAM, body, **headers) as stream:
            events = list(stream)
        known = next(event["conversation_id"] for event in events if "conversation_id" in event)
    sent = IDS.sub("<id>", json.dumps(script.requests[began:], ensure_ascii=False))
    said = Message.objects.filter(conversation_id=known).order_by("created_at")
    kept = [[each.role, each.text, each.exchange] for each in said]
    return sent, IDS.sub("<id>", json.dumps(kept, ensure_ascii=False, default=str))


@pytest.mark.django_db(transaction=True)
def test_the_model_reads_the_same_in_every_language(
    browser: Browser, script: ScriptedModel, table: Table, user: User
) -> None:
    english = conversation(browser, script, table=table)
    Profile.objects.update_or_create(user=user, defaults={"language": "de"})
    german = conversation(browser, script, table=table, **GERMAN)
    assert script.problems == []
    assert ("is not a date" in english[0], "Bolt" in english[1]) == (True, True)
    assert german == english
