"""A server action and its record stand or fall together; it belongs to a conversation about the same thing."""
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
from tests.chat.stored_conversations import ended, started

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]


def make(data: dict[str, Any], *, user: Any, context: ActionContext) -> ActionResult:
    group = Group.objects.create(name=data["name"])
    if "!" in data["name"]:
        raise ActionFailure("No exclamation, please.")
    return ActionResult(message=f"made {group.name} for {context.object_id}", data={"group": group.pk})


async def later(data: dict[str, Any], *, user: Any, context: ActionContext) -> str:
    return f"later, {user.username}"


def run(user: User, executor: Any, *, name: str = "north", conversation_id: str = "", note: str = "7") -> ActionRun:
    return run_action(
        user=user,
        action=ServerAction(action="make", description="Makes.", executor=executor),
        data={"name": name},
        context=ActionContext(page="notes", object_id=note, conversation_id=conversation_id),
        now=timezone.now(),
    )


def test_an_action_leaves_its_effect_and_its_record(user: User) -> None:
    done = run(user, make)

    assert (done.message, done.answer) == ("made north for 7", {"group": Group.objects.get().pk})
    kept = ActionRun.objects.get()
    assert (kept.action, kept.data, kept.message) == ("make", {"name": "north"}, "made north for 7")


def test_an_action_that_fails_leaves_neither(user: User) -> None:
    with pytest.raises(ActionFailure, match="No exclamation"):
        run(user, make, name="north!")

    assert not Group.objects.exists()
    assert not ActionRun.objects.exists()


def test_an_async_action_is_awaited_and_recorded(user: User) -> None:
    assert run(user, later).message == "later, ada"
    assert ActionRun.objects.get().message == "later, ada"


def test_what_is_no_answer_is_a_developers_mistake_and_leaves_nothing(user: User) -> None:
    def wrong(data: dict[str, Any], *, user: Any, context: ActionContext) -> Any:
        Group.objects.create(name="north")

    with pytest.raises(TypeError, match="a sentence or an ActionResult"):
        run(user, wrong)

    assert not Group.objects.exists()


def test_its_conversation_is_told_once_and_only_of_what_came_after(user: User) -> None:
    turn = ended(started(user))
    before = timezone.now()
    run(user, make, conversation_id=str(turn.conversation_id))

    assert actions_since(turn.conversation, moment=before) == ["The action make was run: made north for 7"]
    assert actions_since(turn.conversation, moment=timezone.now()) == []


def test_a_conversation_about_something_else_or_of_somebody_else_is_refused(user: User, other_user: User) -> None:
    mine, theirs = ended(started(user)), ended(started(other_user))

    with pytest.raises(Malformed, match="another page or object"):
        run(user, make, conversation_id=str(mine.conversation_id), note="8")
    with pytest.raises(NotFound):
        run(user, make, conversation_id=str(theirs.conversation_id))

    assert not Group.objects.exists()
