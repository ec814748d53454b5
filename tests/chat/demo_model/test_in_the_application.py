"""The demo model with real tables: its proposals can be applied, and its tools return results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.demo_model import demo_transport
from chat.models import Payload
from chat.turns.model_clients import use_transport
from tests.background_worker import work
from tests.chat.demo_model.requests import COLUMNS
from tests.chat.stream_client import STREAM, Browser
from tests.conftest import Api

pytestmark = pytest.mark.django_db(transaction=True)

Json = dict[str, Any]
ROWS: list[Json] = [
    {"Company": "Acme", "Status": "Applied", "Date Applied": "2020-03-01", "Salary": 50_000, "Notes": "offer soon"},
    {"Company": "Bolt", "Status": "Rejected", "Date Applied": "2020-04-01", "Salary": 90_000, "Remote": True},
    {"Company": "Bolt", "Status": "Rejected", "Date Applied": "2020-04-01", "Salary": 90_000, "Remote": True},
    {"Company": "Cove", "Notes": "They sent an offer", "Link": "https://cove.example"},
]
# Requests with the number of operations they propose, as the application counts them.
PROPOSALS = {
    "Add 8 sample rows": 8,
    "Set status to Applied for all rows": 3,
    "Set everything Rejected before 2021-01-01 to Applied": 2,
    "Change Acme's status to Offer and notes to empty": 1,
    "Delete everything older than 90 days": 3,
    "Delete the duplicates": 1,
    "Fill status from the notes": 1,
    "Rename the column Link to URL": 1,
    "Add a Priority column before Company with High, Low and a column Website": 4,
    "Make Company a select column": 1,
    "Add Ghosted to Status": 1,
}
ANSWERS = {
    "How many rows are there?": "4 rows.",
    "How many are Rejected?": "2 rows: rows where Status is Rejected.",
    "Average salary": "Average Salary: 76,666.67 (4 rows).",
    "Total salary per company": "- Bolt: 180,000",
    "Which company has the highest salary?": "[Bolt, Rejected]",
    "Which columns could be select columns?": "in the first 200 rows: none.",
    "average salary of these": "Average Salary of selected rows: 70,000 (2 rows).",
    "how many of these are Rejected?": "1 row: selected rows where Status is Rejected.",
}


@pytest.fixture(autouse=True)
def without_pauses() -> Iterator[None]:
    with use_transport(demo_transport(pace=0)):
        yield


def final_payload(browser: Browser, words: str, **context: Any) -> Json:
    """Return the payload of the final event of a turn."""
    conversation = {name: context.pop(name) for name in ("conversation_id",) if name in context}
    body = {"message": words, "context": {"current_page": "tables_list"} | context, **conversation}
    with browser.open("POST", STREAM, body) as stream:
        return list(stream)[-1]["payload"]  # type: ignore[no-any-return]


def create_table(api: Api) -> int:
    columns = [{name: value for name, value in column.items() if name != "id"} for column in COLUMNS]
    created = api.post("/api/tables/", {"name": "Job Applications", "columns": columns, "rows": ROWS})
    assert created.status_code == 201, created.content
    return created.json()["id"]  # type: ignore[no-any-return]


def test_every_proposal_can_be_applied(browser: Browser, api: Api) -> None:
    table = create_table(api)
    for words, operations in PROPOSALS.items():
        payload = final_payload(browser, words, current_page="table_view", table_id=table)
        preview = api.post(f"/api/chat/payloads/{payload['custom_payload']['id']}/preview/", {"operations": "all"})
        states = {one["state"] for one in preview.json()["operations"]}
        assert (len(preview.json()["operations"]), states & {"error", "conflict"}) == (operations, set()), words


def test_a_column_is_filled_from_a_sentence(browser: Browser, api: Api) -> None:
    table = create_table(api)
    words = "Fill the position column with the domain of the web address"
    payload = final_payload(browser, words, current_page="table_view", table_id=table)["custom_payload"]
    assert (payload["type"], payload["counts"]) == ("fill_proposal", {"fill": 4})
    applied = api.post(f"/api/chat/payloads/{payload['id']}/apply/", {"operations": "all"}).json()
    work()
    url = f"/api/tables/{table}/fills/{applied['outcome']['fill']}/results/"
    assert [each["values"] for each in api.get(url, status="found").json()["results"]] == [{"Position": "cove.example"}]


def test_answers_are_computed_in_one_call(browser: Browser, api: Api) -> None:
    table = create_table(api)
    ids = [row["id"] for row in api.get(f"/api/tables/{table}/rows/").json()["rows"]][:2]
    for words, expected in ANSWERS.items():
        payload = final_payload(browser, words, current_page="table_view", table_id=table, selected_row_ids=ids)
        assert expected in payload["message"], words
        assert len(payload["tool_history"]) == 1


def test_revised_table_replaces_the_previous_proposal(browser: Browser, user: User) -> None:
    first = final_payload(browser, "Track my books with title, priority and notes")
    for words in ("drop the Notes column", "make Priority a select column with High, Low", "call it Library"):
        last = final_payload(browser, words, conversation_id=first["conversation_id"])

    data = last["custom_payload"]["data"]
    assert data["table_name"] == "Library"
    assert [one["column"]["name"] for one in data["operations"]] == ["Title", "Priority"]
    statuses = Payload.objects.filter(user=user).order_by("created_at").values_list("status", flat=True)
    assert list(statuses) == ["superseded"] * 3 + ["pending"]
