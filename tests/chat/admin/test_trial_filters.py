"""What was only tried out of a draft is nobody's use of the assistant: in no figure, in lists only when asked for."""
from __future__ import annotations

import json

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chat.models import Conversation, Payload, Trace, Turn
from chat.selectors.figures import figures_by_day, total_of
from tests.chat.admin.editors import Editor
from tests.chat.stored_conversations import ended, started
from tests.scripted_model import ScriptedModel, say

pytestmark = pytest.mark.django_db(transaction=True)

RISE = {"operations": [{"action": "update", "where": {"column": "Company", "op": "eq", "value": "Acme"},
                        "changes": {"Salary": 70000}}]}  # fmt: skip
LISTS = ("conversation", "turn", "payload", "trace")


@pytest.fixture
def tried(edda: Editor, script: ScriptedModel) -> Turn:
    """A turn that was tried and has everything that a turn can have."""
    script.add(say(f"Like this. DATA_PROPOSAL: {json.dumps(RISE)}"))
    assert edda.tries("Give them a rise")[-1]["type"] == "complete"
    assert Payload.objects.exists()
    assert Trace.objects.exists()
    return Turn.objects.get()


@pytest.fixture
def root(db: None) -> Client:
    """Somebody who may see everything."""
    client = Client()
    client.force_login(User.objects.create_superuser("root"))
    return client


def listed(client: Client, what: str, **asked: str) -> list[str]:
    answer = client.get(reverse(f"admin:chat_{what}_changelist"), asked)
    assert answer.status_code == 200
    return [str(each.pk) for each in answer.context["cl"].result_list]


def test_it_is_in_no_figure(tried: Turn) -> None:
    total = total_of(figures_by_day(days=7, now=timezone.now()))
    assert (total.turns, total.dropped, dict(total.tokens)) == (0, 0, {})


@pytest.mark.parametrize("what", LISTS)
def test_it_is_in_no_list_but_that_of_what_was_tried(tried: Turn, root: Client, what: str) -> None:
    assert listed(root, what) == []
    assert len(listed(root, what, trials="only")) == 1


def test_what_people_did_is_in_every_list_and_not_among_what_was_tried(
    tried: Turn, root: Client, user: User
) -> None:
    own = ended(started(user))
    assert listed(root, "turn") == [str(own.pk)]
    assert listed(root, "conversation") == [str(own.conversation_id)]
    assert listed(root, "conversation", trials="only") == [str(tried.conversation_id)]
    assert listed(root, "conversation", trials="<script>") == [str(own.conversation_id)]
    assert Conversation.objects.count() == 2
    assert total_of(figures_by_day(days=7, now=timezone.now())).turns == 1
