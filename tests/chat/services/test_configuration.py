"""Administrators' changes: in force from the next turn, recorded, taken back, never half, never over another's."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from chat.configuration import Address
from chat.exceptions import Malformed, NotFound, Settled
from chat.models import ConfigurationChange, Override
from chat.overrides import current_catalogue, current_version, default_catalogue, faults_of_configuration
from chat.services.configuration import RESET, Edit, change_configuration, restore_configuration
from tests.chat.stored_conversations import wish
from tests.chat.turns.turn_runs import answer_of, answered, going_on
from tests.scripted_model import ScriptedModel, say

pytestmark = pytest.mark.django_db(transaction=True)

TOOL = Address("tool", "get_rows")
NOTES = Address("page", "notes")


def change(user: User, address: Address = TOOL, *, seen: int | None = None, why: str = "", **values: Any) -> int:
    edit = Edit(address, values, seen=seen)
    return change_configuration(user=user, edits=[edit], why=why, now=timezone.now())


def description() -> str:
    tool = current_catalogue().tools.get("get_rows")
    assert tool is not None
    return tool.description


@pytest.mark.usefixtures("notes")
def test_the_very_next_turn_follows_a_change_and_taking_it_back_takes_it_out(user: User) -> None:
    script = ScriptedModel(say("One."), say("Two."), say("Three."))
    first, _ = answered(user, script, wish())
    version = change(user, NOTES, identity="Answer like a pirate.")
    second, _ = answered(user, script, going_on(first))
    change(user, NOTES, identity=RESET)
    answered(user, script, going_on(first))
    systems = [str(request["system"]) for request in script.requests]
    assert ["pirate" in system for system in systems] == [False, True, False]
    assert systems[0] == systems[2]
    assert [answer_of(first).configuration, answer_of(second).configuration] == [0, version]


@pytest.mark.usefixtures("notes")
def test_a_page_that_was_switched_off_and_on_again_answers_at_once(user: User) -> None:
    first, _ = answered(user, ScriptedModel(say("One.")), wish())
    change(user, NOTES, enabled=False)
    with pytest.raises(NotFound, match="turned off"):
        answered(user, ScriptedModel(say("Two.")), going_on(first))
    change(user, NOTES, enabled=RESET)
    turn, _ = answered(user, ScriptedModel(say("Three.")), going_on(first))
    assert answer_of(turn).text == "Three."


def test_what_is_in_force_is_read_with_its_version(user: User) -> None:
    words = {change(user, description=f"{n}."): f"{n}." for n in (1, 2)}
    current_catalogue()
    words[change(user, description="3.")] = "3."
    found: list[bool] = []

    def changed_meanwhile(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        result = execute(sql, params, many, context)
        if not found and "chat_configuration" in sql:
            found.append(True)
            words[change(user, description="4.")] = "4."
        return result

    with connection.execute_wrapper(changed_meanwhile):
        catalogue = current_catalogue()
    tool = catalogue.tools.get("get_rows")
    assert found
    assert tool is not None
    assert tool.description == words[catalogue.version]
    assert description() == "4."


def test_a_change_is_recorded_with_who_when_before_after_and_why(user: User) -> None:
    change(user, description="Read rows.", why="Shorter")
    change(user, description="Reads rows.")
    last, first = ConfigurationChange.objects.order_by("-pk")
    assert (first.user, first.before, first.after, first.why) == (user, None, {"value": "Read rows."}, "Shorter")
    assert (last.before, last.after) == ({"value": "Read rows."}, {"value": "Reads rows."})
    assert description() == "Reads rows."


def test_an_override_keeps_the_default_it_was_written_against(user: User) -> None:
    default = description()
    change(user, description="Read rows.")
    assert Override.objects.get().base == default


def test_what_says_the_same_as_the_code_is_no_override(user: User) -> None:
    change(user, description="Read rows.")
    change(user, description=current_default())
    assert not Override.objects.exists()
    assert change(user, description=current_default()) == current_version() == 2


def current_default() -> str:
    tool = default_catalogue().tools.get("get_rows")
    assert tool is not None
    return tool.description


def test_one_fault_and_nothing_of_all_is_written(user: User) -> None:
    edits = [Edit(TOOL, {"description": "Read rows."}), Edit(NOTES_VIEW, {"tools": ["get_row"]})]
    with pytest.raises(Malformed) as refused:
        change_configuration(user=user, edits=edits, now=timezone.now())
    assert refused.value.path == "table_view.tools"
    assert "Did you mean get_rows?" in refused.value.detail
    assert not Override.objects.exists()
    assert current_version() == 0


NOTES_VIEW = Address("page", "table_view")


def test_the_second_of_two_editors_is_told_and_overwrites_nothing(user: User) -> None:
    seen = current_version()
    change(user, description="Mine.", seen=seen)
    with pytest.raises(Settled, match="ada changed “Description for the model”"):
        change(user, description="Theirs.", seen=seen)
    change(user, label="Rows", seen=seen)
    assert description() == "Mine."


def test_an_entry_that_is_not_there_cannot_be_changed(user: User) -> None:
    with pytest.raises(NotFound):
        change(user, Address("tool", "get_row"), description="?")


def test_any_version_can_be_gone_back_to_and_that_is_a_change_too(user: User) -> None:
    first = change(user, description="One.")
    change(user, description="Two.", label="Two")
    change(user, NOTES_VIEW, identity="Three")
    last = restore_configuration(user=user, version=first, now=timezone.now())
    assert description() == "One."
    assert Override.objects.count() == 1
    restore_configuration(user=user, version=last - 1, now=timezone.now())
    assert description() == "Two."


def test_an_added_entry_comes_and_goes(user: User) -> None:
    action = Address("client_action", "open_report")
    change(user, action, added=True, description="Open the report.", is_global=True)
    reach = current_catalogue().resolve("table_view")
    assert reach is not None
    assert "open_report" in [entry.action for entry in reach.client_actions]
    change(user, action, added=RESET, description=RESET, is_global=RESET)
    assert "open_report" not in current_catalogue().client_actions


def test_an_added_entry_needs_what_it_cannot_do_without(user: User) -> None:
    with pytest.raises(Malformed, match="Description for the model is required"):
        change(user, Address("client_action", "open_report"), added=True)
    with pytest.raises(Malformed, match="is not a valid name"):
        change(user, Address("client_action", "Open report"), added=True, description="x")


def test_a_broken_row_in_the_database_leaves_the_default_and_is_said(user: User) -> None:
    change(user, description="Read rows.")
    Override.objects.update(value=["not", "a", "text"])
    change(user, Address("tool", "search_rows"), label="Looking")
    assert description() == current_default()
    assert faults_of_configuration() == current_catalogue().faults
    assert "get_rows, description" in current_catalogue().faults[0]
