"""A server action and its record are one transaction, in a conversation about the same object."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.utils import timezone

from chat.actions import ActionContext, ActionResult, ServerAction
from chat.exceptions import ActionFailure, Malformed, NotFound
from chat.models import ActionRun
from chat.selectors.events_since import actions_since
from chat.services.actions import run_action
from tests.chat.stored_conversations import finish_turn, running_turn

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]


def make(data: dict[str, Any], *, user: Any, context: ActionContext) -> ActionResult:
    group = Group.objects.create(name=data["name"])
    if "!" in data["name"]:
        raise ActionFailure("No exclamation, please.")
    return ActionResult(message=f"made {group.name} for {context.object_id}", data={"group": group.pk})


async def make_async(data: dict[str, Any], *, user: Any, context: ActionContext) -> str:
    return f"later, {user.username}"


def run(user: User, executor: Any, *, name: str = "north", conversation_id: str = "", note: str = "7") -> ActionRun:
    return run_action(
        user=user,
        action=ServerAction(action="make", description="Makes.", executor=executor),
        data={"name": name},
        context=ActionContext(page="notes", object_id=note, conversation_id=conversation_id),
        now=timezone.now(),
    )


def test_action_stores_its_effect_and_its_record(user: User) -> None:
    done = run(user, make)

    assert (done.message, done.answer) == ("made north for 7", {"group": Group.objects.get().pk})
    stored = ActionRun.objects.get()
    assert (stored.action, stored.data, stored.message) == ("make", {"name": "north"}, "made north for 7")


def test_failed_action_stores_neither(user: User) -> None:
    with pytest.raises(ActionFailure, match="No exclamation"):
        run(user, make, name="north!")

    assert not Group.objects.exists()
    assert not ActionRun.objects.exists()


def test_async_action_is_awaited_and_recorded(user: User) -> None:
    assert run(user, make_async).message == "later, ada"
    assert ActionRun.objects.get().message == "later, ada"


def test_invalid_result_raises_an_error_and_stores_nothing(user: User) -> None:
    def wrong(data: dict[str, Any], *, user: Any, context: ActionContext) -> Any:
        Group.objects.create(name="north")

    with pytest.raises(TypeError, match="a string or an ActionResult"):
        run(user, wrong)

    assert not Group.objects.exists()


def test_conversation_reports_an_action_once_and_only_later_ones(user: User) -> None:
    turn = finish_turn(running_turn(user))
    before = timezone.now()
    run(user, make, conversation_id=str(turn.conversation_id))

    assert actions_since(turn.conversation, moment=before) == ["The action make was run: made north for 7"]
    assert actions_since(turn.conversation, moment=timezone.now()) == []


def test_conversation_about_another_object_or_of_another_user_is_refused(user: User, other_user: User) -> None:
    own_turn, other_turn = finish_turn(running_turn(user)), finish_turn(running_turn(other_user))

    with pytest.raises(Malformed, match="another page or object"):
        run(user, make, conversation_id=str(own_turn.conversation_id), note="8")
    with pytest.raises(NotFound):
        run(user, make, conversation_id=str(other_turn.conversation_id))

    assert not Group.objects.exists()
