"""The demo model beside a real table: it changes its open proposal when it is asked to, and the new one takes over."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.models import Payload
from tests.chat.browserlike import STREAM, Browser
from tests.conftest import Api

pytestmark = pytest.mark.django_db(transaction=True)

Json = dict[str, Any]
COLUMNS = [
    {"name": "Company", "type": "text"},
    {"name": "City", "type": "text"},
    {"name": "Status", "type": "select", "options": ["Applied", "Offer"]},
]


def answered(browser: Browser, words: str, *, table: int = 0, conversation: str = "") -> Json:
    """The final event of a turn on the table's page, or on the list of tables."""
    place = {"current_page": "table_view", "table_id": table} if table else {"current_page": "tables_list"}
    body: Json = {"message": words, "context": place}
    with browser.open("POST", STREAM, body | ({"conversation_id": conversation} if conversation else {})) as stream:
        return list(stream)[-1]["payload"]  # type: ignore[no-any-return]


def test_each_wish_makes_a_proposal_that_takes_the_place_of_the_one_before(
    browser: Browser, api: Api, user: User
) -> None:
    table = api.post("/api/tables/", {"name": "Applications", "columns": COLUMNS}).json()["id"]
    first = answered(browser, "Add 3 sample rows", table=table)
    rows = [operation["data"] for operation in first["custom_payload"]["data"]["operations"]]

    conversation = first["conversation_id"]
    answered(browser, "make them all Berlin", table=table, conversation=conversation)
    last = answered(browser, "drop the second one", table=table, conversation=conversation)

    assert [operation["data"] for operation in last["custom_payload"]["data"]["operations"]] == [
        row | {"City": "Berlin"} for row in (rows[0], rows[2])
    ]
    statuses = Payload.objects.filter(user=user).order_by("created_at").values_list("status", flat=True)
    assert list(statuses) == ["superseded"] * 2 + ["pending"]
    assert str(Payload.objects.get(status="pending").pk) == last["custom_payload"]["id"]


def test_a_proposed_table_is_changed_before_it_is_created(browser: Browser, api: Api, user: User) -> None:
    first = answered(browser, "Track my books with title, priority and notes")
    assert "Notes" in [one["column"]["name"] for one in first["custom_payload"]["data"]["operations"]]
    conversation = first["conversation_id"]

    answered(browser, "drop the Notes column", conversation=conversation)
    answered(browser, "make Priority a select with High, Low", conversation=conversation)
    last = answered(browser, "call it Library instead", conversation=conversation)["custom_payload"]

    assert Payload.objects.get(status="pending").pk.hex == last["id"].replace("-", "")
    applied = api.post(f"/api/chat/payloads/{last['id']}/apply/", {"operations": "all"}).json()
    created = api.get(f"/api/tables/{applied['outcome']['table']['id']}/").json()
    assert created["name"] == "Library"
    by_name = {column["name"]: column for column in created["columns"]}
    assert "Notes" not in by_name
    assert by_name["Priority"]["type"] == "select"
