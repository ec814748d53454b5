"""The WebSocket of open pages: access, events, and its end with the session."""
from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from channels.routing import URLRouter
from channels.sessions import SessionMiddlewareStack
from channels.testing import WebsocketCommunicator
from django.contrib.auth.models import User
from django.urls import path
from django.utils import timezone
from websockets.exceptions import InvalidStatus

from chat.consumers.chat_socket import ChatSocket
from chat.models import Conversation
from chat.services import (
    apply_payload,
    delete_conversation,
    dismiss_payload,
    rename_conversation,
    set_proposal_undone,
)
from tests.chat.stored_conversations import finish_turn, make_proposal, running_turn, turn_request
from tests.manual_clock import ManualClock
from tests.tables.consumers.sockets import (
    ENDS_OF_SESSIONS,
    SECONDS,
    Json,
    in_thread,
    real_socket,
    run_scenario,
    session_of,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]


class Page:
    """The socket of an open page, with a manual clock."""

    def __init__(self, session: str, *, clock: ManualClock, query: str = "") -> None:
        router = URLRouter([path("ws/chat/", ChatSocket.as_asgi(clock=clock))])
        headers = [(b"cookie", f"sessionid={session}".encode())]
        self._socket = WebsocketCommunicator(SessionMiddlewareStack(router), f"/ws/chat/{query}", headers=headers)
        self.clock = clock

    async def open(self) -> None:
        await self._socket.connect(timeout=SECONDS)

    async def receive(self) -> Json:
        message: Json = await self._socket.receive_json_from(timeout=SECONDS)
        return message

    async def receive_close(self) -> int:
        return int((await self._socket.receive_output(timeout=SECONDS))["code"])

    async def end(self) -> None:
        """Wait until the server has ended the socket, and raise its error, if any."""
        await self._socket.future

    async def send(self, text: str) -> None:
        await self._socket.send_to(text_data=text)

    async def disconnect(self) -> None:
        await self._socket.disconnect(timeout=SECONDS)


def with_page(user: User | None, scene: Callable[[Page], Awaitable[Any]], *, query: str = "") -> Any:
    """Return the result of `scene`, run with an open page of this user."""
    session = session_of(user)

    async def play() -> Any:
        page = Page(session, clock=ManualClock(), query=query)
        await page.open()
        return await scene(page)

    return run_scenario(play)


def messages_of(user: User, work: Callable[[], Any], *, count: int = 1) -> list[Json]:
    """Return the events that a page of this user gets while `work` runs."""

    async def scene(page: Page) -> list[Json]:
        assert await page.receive() == {"type": "here"}
        await in_thread(work)
        events = [await page.receive() for _ in range(count)]
        await page.disconnect()
        return events

    events: list[Json] = with_page(user, scene)
    return events


def first_message(user: User, *, query: str) -> Json:
    """Return the first message of a socket with this query."""

    async def scene(page: Page) -> Json:
        message = await page.receive()
        await page.disconnect()
        return message

    message: Json = with_page(user, scene, query=query)
    return message


def test_first_message_has_the_latest_conversation_of_the_page(user: User) -> None:
    conversation = finish_turn(running_turn(user)).conversation
    query = f"?page={conversation.page}&object_id={conversation.object_id}"
    assert first_message(user, query=query) == {"type": "here", "latest": str(conversation.pk)}
    assert first_message(user, query=f"{query}9") == {"type": "here", "latest": ""}
    assert first_message(user, query=f"{query}%00%ff") == {"type": "here", "latest": ""}
    assert first_message(User.objects.create_user("other"), query=query) == {"type": "here", "latest": ""}


def test_start_and_end_of_a_turn_are_sent_with_their_ids(user: User) -> None:
    turns = []

    events = messages_of(user, lambda: turns.append(finish_turn(running_turn(user))), count=2)

    ids = {"turn_id": str(turns[0].pk), "conversation_id": str(turns[0].conversation_id)}
    assert events == [{"type": "turn_started", **ids}, {"type": "turn_ended", **ids}]


def apply(user: User, payload_id: Any) -> None:
    apply_payload(user=user, payload_id=payload_id, choice={"operations": "all"}, now=timezone.now())


def dismiss(user: User, payload_id: Any) -> None:
    dismiss_payload(user=user, payload_id=payload_id, now=timezone.now())


def undo(user: User, payload_id: Any) -> None:
    set_proposal_undone(proposal_id=payload_id, undone=True)


@pytest.mark.parametrize("settle", [apply, dismiss, undo])
def test_answered_proposal_is_sent(user: User, settle: Callable[[User, Any], None]) -> None:
    payload = make_proposal(user, "north")

    events = messages_of(user, lambda: settle(user, payload.pk))

    ids = {"payload_id": str(payload.pk), "conversation_id": str(payload.conversation_id)}
    assert events == [{"type": "payload_status", **ids}]


def test_proposal_left_on_another_branch_is_sent(user: User) -> None:
    payload = make_proposal(user, "north")
    beside = turn_request("In other words", conversation_id=str(payload.conversation_id), from_beginning=True)

    events = messages_of(user, lambda: running_turn(user, beside), count=2)

    ids = {"payload_id": str(payload.pk), "conversation_id": str(payload.conversation_id)}
    assert {"type": "payload_status", **ids} in events


def test_superseded_proposal_is_sent(user: User) -> None:
    first = make_proposal(user, "north")

    events = messages_of(user, lambda: make_proposal(user, "south", conversation_id=first.conversation_id), count=3)

    ids = {"payload_id": str(first.pk), "conversation_id": str(first.conversation_id)}
    assert [message for message in events if message["type"] == "payload_status"] == [{"type": "payload_status", **ids}]


def rename(user: User, conversation: Conversation) -> None:
    rename_conversation(user=user, conversation_id=conversation.pk, title="Other words")


def delete(user: User, conversation: Conversation) -> None:
    delete_conversation(user=user, conversation_id=conversation.pk, now=timezone.now())


@pytest.mark.parametrize("change", [rename, delete])
def test_renaming_and_deletion_are_sent(user: User, change: Callable[[User, Conversation], None]) -> None:
    conversation = finish_turn(running_turn(user)).conversation

    events = messages_of(user, lambda: change(user, conversation))

    assert events == [{"type": "conversation_changed", "conversation_id": str(conversation.pk)}]


def test_actions_of_others_are_not_sent(user: User, other_user: User) -> None:
    def work() -> None:
        finish_turn(running_turn(other_user))
        running_turn(user)

    assert [message["type"] for message in messages_of(user, work)] == ["turn_started"]


def test_rolled_back_change_is_not_sent(user: User) -> None:
    payload = make_proposal(user, "north", "north")

    def work() -> None:
        # The second name is taken, so all is rolled back.
        with pytest.raises(Exception, match="taken"):
            apply(user, payload.pk)
        dismiss(user, payload.pk)

    assert [message["type"] for message in messages_of(user, work)] == ["payload_status"]


def test_messages_of_a_page_are_ignored(user: User) -> None:
    async def scene(page: Page) -> Json:
        await page.receive()
        await page.send("{not json")
        await in_thread(running_turn, user)
        event = await page.receive()
        await page.disconnect()
        return event

    assert with_page(user, scene)["type"] == "turn_started"


def test_socket_requires_a_session(db: None) -> None:
    assert with_page(None, Page.receive_close) == 4403


@pytest.mark.parametrize("end", ENDS_OF_SESSIONS)
def test_socket_is_closed_within_a_second_of_the_end_of_the_session(user: User, end: Callable[[User], None]) -> None:
    async def scene(page: Page) -> tuple[Json, int]:
        await page.receive()
        await in_thread(end, user)
        await page.clock.advance(1)
        return await page.receive(), await page.receive_close()

    assert with_page(user, scene) == ({"type": "revoked"}, 4403)


@pytest.fixture(params=["Daphne", "uvicorn"])
def address(request: pytest.FixtureRequest, live_server_url: str, uvicorn_address: str) -> str:
    return live_server_url if request.param == "Daphne" else uvicorn_address


def test_real_server_sends_changes_made_in_another_thread(address: str, user: User) -> None:
    with real_socket(address, "/ws/chat/", session=session_of(user)) as page:
        page.receive("here")
        turn = running_turn(user)

        assert page.receive("turn_started")["turn_id"] == str(turn.pk)


def test_cross_origin_page_is_refused(address: str, user: User) -> None:
    with (
        pytest.raises(InvalidStatus) as refused,
        real_socket(address, "/ws/chat/", session=session_of(user), origin="http://elsewhere.example"),
    ):
        pass

    assert refused.value.response.status_code == 403
