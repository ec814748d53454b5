"""Rules in the prompt of every page: phases, proposals, style, suggestions, and fenced data."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.prompt import DATA_NOTICE
from tests.chat.pages.page_contexts import make_table
from tests.chat.stored_conversations import turn_request
from tests.chat.turns.turn_runs import next_request, run_turn
from tests.scripted_model import ScriptedModel, say

pytestmark = pytest.mark.django_db(transaction=True)

Json = dict[str, Any]
WORDS = {
    "Assistant": (
        "The application is Table Chat,",
        "Define",
        "Populate",
        "Organise and enrich",
        "Act –",
        "Work out from the context which phase the user is in",
        "Answer in the language of the user's last message, also in suggestions",
        "whatever the language of the page,",
        "The user can undo everything that was applied.",
    ),
    "Capabilities": (
        "The user decides about these: SCHEMA_PROPOSAL.",
        "They do nothing until the user applies them",
        "Give no suggestions with it",
    ),
    "Format": (
        "SUGGESTED_VALUES: [",
        "SUGGESTED_ACTIONS: [",
        "2 to 4",
        "after something was created, changed or applied",
        "for obvious next steps",
        "when the user seems unsure",
        "Give none when the conversation ends",
    ),
}


def on_table(table: str) -> Json:
    return {"page": "table_view", "object_id": table, "context": {"current_page": "table_view", "table_id": table}}


@pytest.mark.parametrize("section", sorted(WORDS))
def test_rules_are_in_the_prompt(user: User, section: str) -> None:
    script = ScriptedModel(say("Fine."))

    run_turn(user, script, turn_request(page="tables_list", object_id="", context={"current_page": "tables_list"}))

    [text] = [block["text"] for block in script.requests[0]["system"] if block["text"].startswith(f"# {section}\n")]
    assert [words for words in WORDS[section] if words not in text] == []


def test_first_data_of_a_turn_is_introduced_and_proposals_can_be_read(
    user: User,
) -> None:
    page = on_table(make_table(user))
    script = ScriptedModel(say('DATA_PROPOSAL: {"operations": [{"action": "add", "data": {"Company": "A"}}]}'))
    first, _ = run_turn(user, script, turn_request(**page))
    script.add(say("Fine."))

    run_turn(user, script, next_request(first, **page))

    context, payloads, words = [block["text"] for block in script.requests[1]["messages"][-1]["content"]]
    assert 0 < context.index(DATA_NOTICE) < context.index("\n<data token=")
    assert "get_payload(id)" in payloads.partition("<data token=")[0]
    assert words == "And now?"


def test_cache_extends_to_the_end_of_system_prompt_and_history(user: User) -> None:
    script = ScriptedModel(say("Hello."), say("Fine."))
    page = on_table(make_table(user))
    first, _ = run_turn(user, script, turn_request(**page))

    run_turn(user, script, next_request(first, **page))

    request = script.requests[1]
    blocks = [block for message in request["messages"] for block in message["content"]]
    marked = ["cache_control" in block for block in [*request["system"], *blocks]]
    history = sum(len(message["content"]) for message in request["messages"][:-1])
    ends = {len(request["system"]) - 1, len(request["system"]) + history - 1}
    assert {index for index, mark in enumerate(marked) if mark} == ends


@pytest.mark.usefixtures("notes")
def test_instructions_of_a_tab_follow_those_of_its_page(user: User) -> None:
    script = ScriptedModel(say("Fine."))
    context = {"current_page": "notes", "note_id": "7", "active_tab": "plain"}

    run_turn(user, script, turn_request(context=context))

    [text] = [block["text"] for block in script.requests[0]["system"] if block["text"].startswith("# This page")]
    assert text == "# This page\n\nYou help with notes.\n\nBe plain."
