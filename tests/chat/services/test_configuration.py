"""Changes of the configuration: effective from the next turn, recorded, undone, atomic, and checked for conflicts."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from chat.configuration import Address
from chat.exceptions import Malformed, NotFound, Settled
from chat.models import ConfigurationChange, Override
from chat.selectors.configuration.catalogue import (
    current_catalogue,
    current_version,
    default_catalogue,
    faults_of_configuration,
)
from chat.services.configuration.changes import RESET, Edit, change_configuration, restore_configuration
from tests.chat.stored_conversations import turn_request
from tests.chat.turns.turn_runs import answer_of, next_request, run_turn
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
def test_next_turn_uses_a_change_and_its_undo(user: User) -> None:
    script = ScriptedModel(say("One."), say("Two."), say("Three."))
    first, _ = run_turn(user, script, turn_request())
    version = change(user, NOTES, identity="Answer like a pirate.")
    second, _ = run_turn(user, script, next_request(first))
    change(user, NOTES, identity=RESET)
    run_turn(user, script, next_request(first))
    systems = [str(request["system"]) for request in script.requests]
    assert ["pirate" in system for system in systems] == [False, True, False]
    assert systems[0] == systems[2]
    assert [answer_of(first).configuration, answer_of(second).configuration] == [0, version]


@pytest.mark.usefixtures("notes")
def test_disabled_and_enabled_page_answers_at_once(user: User) -> None:
    first, _ = run_turn(user, ScriptedModel(say("One.")), turn_request())
    change(user, NOTES, enabled=False)
    with pytest.raises(NotFound, match="turned off"):
        run_turn(user, ScriptedModel(say("Two.")), next_request(first))
    change(user, NOTES, enabled=RESET)
    turn, _ = run_turn(user, ScriptedModel(say("Three.")), next_request(first))
    assert answer_of(turn).text == "Three."


def test_effective_configuration_is_read_with_its_version(user: User) -> None:
    descriptions = {change(user, description=f"{n}."): f"{n}." for n in (1, 2)}
    current_catalogue()
    descriptions[change(user, description="3.")] = "3."
    found: list[bool] = []

    def changed_meanwhile(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        result = execute(sql, params, many, context)
        if not found and "chat_configuration" in sql:
            found.append(True)
            descriptions[change(user, description="4.")] = "4."
        return result

    with connection.execute_wrapper(changed_meanwhile):
        catalogue = current_catalogue()
    tool = catalogue.tools.get("get_rows")
    assert found
    assert tool is not None
    assert tool.description == descriptions[catalogue.version]
    assert description() == "4."


def test_change_is_recorded_with_user_time_values_and_reason(user: User) -> None:
    change(user, description="Read rows.", why="Shorter")
    change(user, description="Reads rows.")
    last, first = ConfigurationChange.objects.order_by("-pk")
    assert (first.user, first.before, first.after, first.why) == (user, None, {"value": "Read rows."}, "Shorter")
    assert (last.before, last.after) == ({"value": "Read rows."}, {"value": "Reads rows."})
    assert description() == "Reads rows."


def test_override_stores_the_default_at_its_time(user: User) -> None:
    default = description()
    change(user, description="Read rows.")
    assert Override.objects.get().base == default


def test_value_equal_to_the_default_is_no_override(user: User) -> None:
    change(user, description="Read rows.")
    change(user, description=current_default())
    assert not Override.objects.exists()
    assert change(user, description=current_default()) == current_version() == 2


def current_default() -> str:
    tool = default_catalogue().tools.get("get_rows")
    assert tool is not None
    return tool.description


def test_one_fault_writes_nothing(user: User) -> None:
    edits = [Edit(TOOL, {"description": "Read rows."}), Edit(NOTES_VIEW, {"tools": ["get_row"]})]
    with pytest.raises(Malformed) as refused:
        change_configuration(user=user, edits=edits, now=timezone.now())
    assert refused.value.path == "table_view.tools"
    assert "Did you mean get_rows?" in refused.value.detail
    assert not Override.objects.exists()
    assert current_version() == 0


NOTES_VIEW = Address("page", "table_view")


def test_second_of_two_editors_gets_a_conflict(user: User) -> None:
    seen = current_version()
    change(user, description="Mine.", seen=seen)
    with pytest.raises(Settled, match="ada changed “Description for the model”"):
        change(user, description="Theirs.", seen=seen)
    change(user, label="Rows", seen=seen)
    assert description() == "Mine."


def test_unknown_entry_cannot_be_changed(user: User) -> None:
    with pytest.raises(NotFound):
        change(user, Address("tool", "get_row"), description="?")


def test_restoring_a_version_is_a_change(user: User) -> None:
    first = change(user, description="One.")
    change(user, description="Two.", label="Two")
    change(user, NOTES_VIEW, identity="Three")
    last = restore_configuration(user=user, version=first, now=timezone.now())
    assert description() == "One."
    assert Override.objects.count() == 1
    restore_configuration(user=user, version=last - 1, now=timezone.now())
    assert description() == "Two."


def test_added_entry_is_created_and_deleted(user: User) -> None:
    action = Address("client_action", "open_report")
    change(user, action, added=True, description="Open the report.", is_global=True)
    page_entries = current_catalogue().resolve("table_view")
    assert page_entries is not None
    assert "open_report" in [entry.action for entry in page_entries.client_actions]
    change(user, action, added=RESET, description=RESET, is_global=RESET)
    assert "open_report" not in current_catalogue().client_actions


def test_added_entry_requires_its_required_fields(user: User) -> None:
    with pytest.raises(Malformed, match="Description for the model is required"):
        change(user, Address("client_action", "open_report"), added=True)
    with pytest.raises(Malformed, match="is not a valid name"):
        change(user, Address("client_action", "Open report"), added=True, description="x")


def test_broken_row_leaves_the_default_and_is_reported(user: User) -> None:
    change(user, description="Read rows.")
    Override.objects.update(value=["not", "a", "text"])
    change(user, Address("tool", "search_rows"), label="Looking")
    assert description() == current_default()
    assert faults_of_configuration() == current_catalogue().faults
    assert "get_rows, description" in current_catalogue().faults[0]
