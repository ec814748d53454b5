"""Fills in the chat: a proposal that is tried and started, its faults for the model, and the tool that reads fills."""
from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django_tasks_db.models import DBTaskResult

from chat.agent.tools import ToolContext
from chat.exceptions import ToolFailure
from chat.json_schema import faults_of
from chat.payload_types import get_payload_type
from chat.proposals import ProposalContext, Selection, StructuralFault
from fills.chat_entries import fill_proposal, get_fills
from fills.models import Fill
from tables.selectors import Table
from tests.conftest import Api
from tests.fills.conftest import Workers, record

pytestmark = pytest.mark.django_db(transaction=True)
Json = dict[str, Any]
PROPOSAL: Json = {"columns": ["domain"], "instruction": "Take the domain out of {e-mail}.", "reasoning": "Wanted"}


def at(table: Table, user: User) -> ProposalContext:
    return ProposalContext(user=user, page="table_view", object_id=str(table.pk))


def choice(**edit: Any) -> Selection:
    return Selection(items=(0,), edits={0: edit} if edit else {})


def test_a_proposal_is_priced_and_started_only_by_apply(
    api: Api, user: User, people: Table, url: str, workers: Callable[..., Workers]
) -> None:
    context = at(people, user)
    checked = fill_proposal.check(PROPOSAL, context)
    assert (checked.summary, checked.counts) == ("Domain: Take the domain out of {E-mail}.", {"fill": 5})
    again = fill_proposal.preview(checked.resolved, choice(instruction="The domain of {Name}"), context)
    assert (again[0].data["instruction"], again[0].data["estimate"]["rows"]) == ("The domain of {Name}", 5)
    assert (Fill.objects.count(), DBTaskResult.objects.count()) == (0, 0)

    draft = api.post(url, {"columns": ["Domain"], "instruction": "Domain of {E-mail}"}).json()["id"]
    api.post(f"{url}{draft}/try/", {"rows": 1})
    workers().work(f"{url}{draft}/")
    started = fill_proposal.apply(checked.resolved, choice(fill=draft), context)
    assert (started.details, started.message) == ({"fill": draft}, "Filling Domain in 5 rows")
    assert started.link is not None
    assert started.link.href == f"/tables/{people.pk}/fills/{draft}/"
    shown = api.get(f"{url}{draft}/").json()
    assert (shown["state"], shown["counts"]["found"], shown["counts"]["waiting"]) == ("running", 1, 4)
    assert DBTaskResult.objects.filter(task_path="fills.tasks.work_on_fill").exists()
    new = fill_proposal.apply(checked.resolved, choice(instruction="The domain of {Name}"), context)
    assert api.get(f"{url}{new.details['fill']}/").json()["instruction"] == "The domain of {Name}"


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"columns": ["Domian"]}, "columns[0]: There is no column “Domian”"),
        ({"instruction": "Of {Mail"}, "instruction: A “{” has no counterpart."),
        ({"rows": {"filter": {"column": "Name", "op": "eq", "value": "No such name"}}}, "rows: no row is chosen"),
        ({"sources": "web"}, "sources: The model"),
    ],
)
def test_faults_are_told_to_the_model_with_their_path(
    user: User, people: Table, changes: Json, fault: str
) -> None:
    with pytest.raises(StructuralFault) as refused:
        fill_proposal.check(PROPOSAL | changes, at(people, user))
    assert fault in str(refused.value)
    assert not faults_of(PROPOSAL | changes, schema=fill_proposal.SCHEMA)


def test_the_web_is_offered_to_the_model_only_where_there_is_one(provider: Any) -> None:
    kind = get_payload_type("fill_proposal")
    assert kind is not None
    assert '"web"' in kind.instructions
    provider.FILL_WEB_SEARCHES = 0
    assert '"web"' not in kind.instructions


def test_the_tool_reads_fills_and_some_of_their_results(
    api: Api, user: User, people: Table, draft: Callable[..., str], workers: Callable[..., Workers]
) -> None:
    def read(who: User = user, **params: Any) -> Json:
        found: Json = json.loads(get_fills.execute(params, user=who, context=ToolContext("table_view", str(people.pk))))
        return found

    url = draft()
    api.post(f"{url}run/", {})
    workers(lambda request: record(request, None, confidence="low", note="No address.")).work(url, limit=1)
    (fill,) = read()["fills"]
    assert (fill["columns"], fill["state"], fill["results"]["found"]) == (["Domain"], "done", 4)
    found = read(fill=fill["fill"], state="found", limit=2)
    assert (len(found["results"]), found["results_total"]) == (2, 4)
    assert found["results"][0] | {"row_id": 0} == {
        "row_id": 0, "state": "found", "review": "open", "values": {"Domain": "firm1.example"}, "confidence": "high",
        "note": "From the address.",
    }  # fmt: skip
    assert read(fill=fill["fill"], state="empty")["results"][0]["note"] == "No address."
    for who, params in ((user, {"fill": "7"}), (User.objects.create_user("eve"), {})):
        with pytest.raises(ToolFailure):
            read(who, **params)
