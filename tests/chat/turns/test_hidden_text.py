"""Parts of an answer that are not shown: removed from the message, and reported to the model in the next turn."""
from __future__ import annotations

import logging
from typing import Any

import pytest
from django.contrib.auth.models import User

from tests.chat.turns.turn_runs import next_request, run_turn
from tests.scripted_model import ScriptedModel, say

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]

Json = dict[str, Any]
ONE = 'NOTE_PROPOSAL: {"names": ["north"]}'


@pytest.mark.parametrize(
    ("written", "notice", "remaining"),
    [
        (f'{ONE}\n\nNOTE_PROPOSAL: {{"names": ["south"]}}', "only the first of several is", "note_proposal"),
        ('DATA_PROPOSAL: {"operations": []}', "The DATA_PROPOSAL you wrote was not shown: this page", None),
        (f'{ONE}\n\nSUGGESTED_VALUES: ["Go on"]', "a proposal and suggestions exclude each other", "note_proposal"),
        ("SUGGESTED_VALUES: [north]", "The SUGGESTED_VALUES you wrote were not shown", None),
        ('SUGGESTED_ACTIONS: [{"label": "Fly", "action": "fly_away"}]', "fly_away", None),
    ],
    ids=["second proposal", "of another page", "suggestions beside a proposal", "invalid JSON", "unknown action"],
)
def test_hidden_part_is_reported_to_the_model(user: User, written: str, notice: str, remaining: str | None) -> None:
    script = ScriptedModel(say(f"Here.\n\n{written}", sizes=(5,)), say("Fine."))

    first, events = run_turn(user, script)
    run_turn(user, script, next_request(first))

    shown: Json = events[-1]["payload"]
    assert shown["message"] == "Here."
    assert (shown.get("custom_payload") or {}).get("type") == remaining
    assert "suggested_values" not in shown
    assert "suggested_actions" not in shown
    assert notice in script.requests[1]["messages"][-1]["content"][1]["text"]


def test_ignored_suggestions_are_logged(user: User, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="chat")

    run_turn(user, ScriptedModel(say('SUGGESTED_ACTIONS: [{"label": "Fly", "action": "fly_away"}]')))

    assert "fly_away" in caplog.text
