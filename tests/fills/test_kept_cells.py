"""A fill for empty cells leaves the values of people as they are, and sends no columns that are hidden."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tables.selectors import Table
from tests.conftest import Api
from tests.fills.conftest import Workers, row_text
from tests.fills.test_running import domains, results
from tests.scripted_model import Reply, use

pytestmark = pytest.mark.django_db(transaction=True)


def both(domain: str) -> Callable[[dict[str, Any]], Reply]:
    """Return a reply with a value for each of the two columns."""

    def reply(request: dict[str, Any]) -> Reply:
        first, second = request["tools"][0]["input_schema"]["properties"]["values"]["properties"]
        values = {first: domain, second: "Firm"}
        return use(("record_result", {"values": values, "confidence": "high", "note": "", "sources": []}))

    return reply


def test_values_of_people_stay_unless_the_row_is_asked_for_again(
    api: Api, people: Table, draft: Callable[..., str], workers: Callable[..., Workers]
) -> None:
    url = draft(columns=["Domain", "Kind"])
    api.post(f"{url}run/", {})
    workers(*[both("other.example")] * 6).work(url)
    last = results(api, url)[5]
    assert last["values"] == {"Kind": "Firm"}
    api.post(f"{url}apply/", {"rows": "all"})
    assert domains(api, people) == ["other.example"] * 5 + ["firm5.example"]
    api.post(f"{url}refill/", {"ids": [last["row"]]})
    workers(both("again.example")).work(url)
    assert results(api, url)[5]["values"] == {"Domain": "again.example", "Kind": "Firm"}
    # What a fill has found may be replaced by another one, which is for the row because of an empty cell.
    api.patch(f"/api/tables/{people.pk}/rows/{results(api, url)[0]['row']}/", {"data": {"Kind": None}})
    other = draft(columns=["Domain", "Kind"])
    api.post(f"{other}run/", {})
    workers(both("new.example")).work(other)
    assert [each["values"] for each in results(api, other)] == [{"Domain": "new.example", "Kind": "Firm"}]


def test_hidden_columns_are_only_sent_if_they_are_named(
    api: Api, people: Table, draft: Callable[..., str], workers: Callable[..., Workers]
) -> None:
    name = api.get(f"/api/tables/{people.pk}/columns/").json()["columns"][0]["id"]
    api.client.put(f"/api/tables/{people.pk}/view/", {"widths": {}, "hidden": [name]}, content_type="application/json")
    worker = workers()
    for instruction in ("Find the domain.", "Find the domain of {Name}."):
        url = draft(instruction=instruction)
        api.post(f"{url}try/", {"rows": 1})
        worker.work(url)
    sent = [row_text(request) for request in worker.model.requests]
    assert ["Person 0" in text for text in sent] == [False, True]
