"""Trials of drafts are excluded from statistics, and from lists unless requested."""
from __future__ import annotations

import json

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chat.models import Conversation, Payload, Trace, Turn
from chat.selectors.figures import TurnSelection, statistics
from tests.chat.admin.editors import Editor
from tests.chat.stored_conversations import finish_turn, running_turn
from tests.scripted_model import ScriptedModel, say

pytestmark = pytest.mark.django_db(transaction=True)

RISE = {"operations": [{"action": "update", "where": {"column": "Company", "op": "eq", "value": "Acme"},
                        "changes": {"Salary": 70000}}]}  # fmt: skip
LISTS = ("conversation", "turn", "payload", "trace")


@pytest.fixture
def trial(edda: Editor, script: ScriptedModel) -> Turn:
    """A turn of a trial that has every kind of related object."""
    script.add(say(f"Like this. DATA_PROPOSAL: {json.dumps(RISE)}"))
    assert edda.tries("Give them a rise")[-1]["type"] == "complete"
    assert Payload.objects.exists()
    assert Trace.objects.exists()
    return Turn.objects.get()


@pytest.fixture
def root(db: None) -> Client:
    """A superuser."""
    client = Client()
    client.force_login(User.objects.create_superuser("root"))
    return client


def listed(client: Client, model: str, **query: str) -> list[str]:
    answer = client.get(reverse(f"admin:chat_{model}_changelist"), query)
    assert answer.status_code == 200
    return [str(each.pk) for each in answer.context["cl"].result_list]


def test_trials_and_turns_of_users_are_in_separate_lists(trial: Turn, root: Client, user: User) -> None:
    total = statistics(TurnSelection(), days=7, now=timezone.now()).total
    assert (total.turns, total.dropped, dict(total.tokens)) == (0, 0, {})
    for model in LISTS:
        assert (listed(root, model), len(listed(root, model, trials="only"))) == ([], 1), model
    own = finish_turn(running_turn(user))
    assert listed(root, "turn") == [str(own.pk)]
    assert listed(root, "conversation") == [str(own.conversation_id)]
    for further in ({}, {"version": "0"}, {"tab": trial.tab}, {"since": "2020-01-01", "page": trial.page}):
        assert listed(root, "conversation", trials="only", **further) == [str(trial.conversation_id)], further
    assert listed(root, "conversation", trials="<script>") == [str(own.conversation_id)]
    assert Conversation.objects.count() == 2
    assert statistics(TurnSelection(), days=7, now=timezone.now()).total.turns == 1
