"""What the person is not shown of an answer: gone from the message, and told to the model with the next one."""
from __future__ import annotations

import logging
from typing import Any

import pytest
from django.contrib.auth.models import User

from tests.chat.turns.turn_runs import answered, going_on
from tests.scripted_model import ScriptedModel, say

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]

Json = dict[str, Any]
ONE = 'NOTE_PROPOSAL: {"names": ["north"]}'


@pytest.mark.parametrize(
    ("written", "told", "left"),
    [
        (f'{ONE}\n\nNOTE_PROPOSAL: {{"names": ["south"]}}', "only the first of several is", "note_proposal"),
        ('DATA_PROPOSAL: {"operations": []}', "The DATA_PROPOSAL you wrote was not shown: this page", None),
        (f'{ONE}\n\nSUGGESTED_VALUES: ["Go on"]', "a proposal and suggestions exclude each other", "note_proposal"),
        ("SUGGESTED_VALUES: [north]", "The SUGGESTED_VALUES you wrote were not shown", None),
        ('SUGGESTED_ACTIONS: [{"label": "Fly", "action": "fly_away"}]', "fly_away", None),
    ],
    ids=["a second proposal", "that of another page", "suggestions beside a proposal", "no JSON", "unknown action"],
)
def test_what_is_not_shown_is_told_to_the_model(user: User, written: str, told: str, left: str | None) -> None:
    script = ScriptedModel(say(f"Here.\n\n{written}", sizes=(5,)), say("Fine."))

    first, events = answered(user, script)
    answered(user, script, going_on(first))

    shown: Json = events[-1]["payload"]
    assert shown["message"] == "Here."
    assert (shown.get("custom_payload") or {}).get("type") == left
    assert "suggested_values" not in shown
    assert "suggested_actions" not in shown
    assert told in script.requests[1]["messages"][-1]["content"][1]["text"]


def test_suggestions_that_are_left_out_are_logged(user: User, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="chat")

    answered(user, ScriptedModel(say('SUGGESTED_ACTIONS: [{"label": "Fly", "action": "fly_away"}]')))

    assert "fly_away" in caplog.text
