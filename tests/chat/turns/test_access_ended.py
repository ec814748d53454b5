"""Turns and streams end when the user is deactivated, or the session or API token that began them no longer holds."""
from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import Group, User
from django.contrib.sessions.models import Session
from django.utils import timezone

from accounts.models import ApiToken
from accounts.tokens import create_token
from chat.agent.tools import ToolContext, tools
from chat.models import Turn
from chat.page_config import pages
from chat.turns.database import in_database
from chat.turns.event_stream import EventStream
from chat.turns.model_clients import use_transport
from chat.turns.runtime import RunningTurn, TurnRuntime
from chat.turns.start import start_turn_task
from shared.websockets.credentials import Credential
from tests.chat.entries import NOTES, tool
from tests.chat.stored_conversations import running_turn, turn_request
from tests.chat.turns.turn_runs import events_of
from tests.manual_clock import ManualClock
from tests.scripted_model import Gate, ScriptedModel, say, use
from tests.tables.consumers.sockets import session_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]

# Timeout for an end that never comes; not used for measurements.
SECONDS = 60
Json = dict[str, Any]


def session_credential(user: User) -> Credential:
    return Credential(user.pk, session_key=session_of(user))


def token_credential(user: User) -> Credential:
    token, _ = create_token(user=user, name="robot", scope="write", now=timezone.now())
    return Credential(user.pk, token_id=token.pk, token_scope="write")


def deactivate(user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_active=False)


def sign_out(user: User) -> None:
    Session.objects.all().delete()


def change_password(user: User) -> None:
    user.set_password("another one")
    user.save()


def revoke(user: User) -> None:
    ApiToken.objects.all().delete()


def expire(user: User) -> None:
    ApiToken.objects.update(expires_at=timezone.now())


def change_scope(user: User) -> None:
    ApiToken.objects.update(scope="read")


ENDS = [
    pytest.param(session_credential, deactivate, id="session, user deactivated"),
    pytest.param(session_credential, sign_out, id="session ended"),
    pytest.param(session_credential, change_password, id="session, password changed"),
    pytest.param(token_credential, deactivate, id="token, user deactivated"),
    pytest.param(token_credential, revoke, id="token revoked"),
    pytest.param(token_credential, expire, id="token expired"),
    pytest.param(token_credential, change_scope, id="token with another scope"),
]
End = Callable[[User], None]


async def all_of(stream: EventStream) -> list[bytes]:
    return [piece async for piece in stream]


async def advance_until(clock: ManualClock, waiting: asyncio.Future[Any]) -> Any:
    """Return the result of the future, while the clock advances by single seconds."""
    async with asyncio.timeout(SECONDS):
        while not waiting.done():
            await clock.advance(1)
            await in_database(int)
        return waiting.result()


@pytest.mark.parametrize(("credential_of", "end"), ENDS)
def test_tool_is_not_run_and_the_turn_ends(
    user: User, credential_of: Callable[[User], Credential], end: End
) -> None:
    def lose_access(params: Json, *, user: Any, context: ToolContext) -> str:
        end(User.objects.get(pk=user.pk))
        return "done"

    page = replace(NOTES, page="open_notes", tools=("lose_access", "make_group", "echo"))
    where: Json = {"page": "open_notes", "context": {"current_page": "open_notes", "note_id": "7"}}
    group = ("make_group", {"name": "north"})
    script = ScriptedModel(use(("lose_access", {})), use(("echo", {}), group), say("Done."))
    credential = credential_of(user)

    @async_to_sync
    async def scene() -> tuple[Turn, list[bytes]]:
        runtime = TurnRuntime(clock=ManualClock())
        turn = await start_turn_task(runtime, user=user, request=turn_request(**where), credential=credential)
        return turn, await all_of(EventStream(runtime=runtime, turn_id=turn.pk, after=0, user_id=user.pk))

    with tools.registered(tool("lose_access", lose_access)), pages.registered(page), use_transport(script.transport()):
        turn, pieces = scene()

    final = events_of(pieces)[-1]
    turn.refresh_from_db()
    assert (final["type"], final["code"], final["retryable"]) == ("error", "access_ended", False)
    assert (turn.state, turn.error_code) == ("error", "access_ended")
    assert not Group.objects.exists()
    assert len(script.requests) == 2


@pytest.mark.parametrize(("credential_of", "end"), [ENDS[0], ENDS[4]])
def test_turn_that_waits_for_its_model_ends(
    user: User, credential_of: Callable[[User], Credential], end: End
) -> None:
    gate = Gate()
    script = ScriptedModel(say("Hello.", gate=gate))
    credential = credential_of(user)

    @async_to_sync
    async def scene() -> list[bytes]:
        clock = ManualClock()
        runtime = TurnRuntime(clock=clock)
        turn = await start_turn_task(runtime, user=user, request=turn_request(), credential=credential)
        reading = asyncio.ensure_future(all_of(EventStream(runtime=runtime, turn_id=turn.pk, after=0, user_id=user.pk)))
        await in_database(end, user)
        # Only once, because the call of the model would time out later.
        await clock.advance(1)
        return await asyncio.wait_for(reading, SECONDS)

    with use_transport(script.transport()):
        assert events_of(scene())[-1]["code"] == "access_ended"


@pytest.mark.parametrize("is_local", [True, False], ids=["turn of this process", "turn of another process"])
def test_stream_ends_with_its_session_while_the_turn_goes_on(user: User, is_local: bool) -> None:
    turn = running_turn(user)
    credential = session_credential(user)

    async def work(running: RunningTurn) -> None:
        running.send({"type": "text_delta", "text": "Hello."})
        await asyncio.Event().wait()

    @async_to_sync
    async def scene() -> bool:
        clock = ManualClock()
        runtime = TurnRuntime(clock=clock)
        running = runtime.launch(turn.pk, work)
        reader = runtime if is_local else TurnRuntime(clock=clock)
        stream = EventStream(runtime=reader, turn_id=turn.pk, after=0, user_id=user.pk, credential=credential)
        reading = asyncio.ensure_future(all_of(stream))
        await in_database(sign_out, user)
        await advance_until(clock, reading)
        return running.log.ended

    assert not scene()
