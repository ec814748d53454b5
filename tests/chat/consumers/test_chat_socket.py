"""The socket of a person's open pages: who is let in, what is told, and that it ends with the session."""
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
from tests.chat.stored_conversations import ended, proposed, started, wish
from tests.manual_clock import ManualClock
from tests.tables.consumers.sockets import (
    ENDS_OF_SESSIONS,
    SECONDS,
    Json,
    in_thread,
    played,
    real_socket,
    session_of,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]


class Page:
    """An open page whose time passes by hand."""

    def __init__(self, session: str, *, clock: ManualClock, query: str = "") -> None:
        router = URLRouter([path("ws/chat/", ChatSocket.as_asgi(clock=clock))])
        headers = [(b"cookie", f"sessionid={session}".encode())]
        self._socket = WebsocketCommunicator(SessionMiddlewareStack(router), f"/ws/chat/{query}", headers=headers)
        self.clock = clock

    async def open(self) -> None:
        await self._socket.connect(timeout=SECONDS)

    async def hear(self) -> Json:
        message: Json = await self._socket.receive_json_from(timeout=SECONDS)
        return message

    async def hear_close(self) -> int:
        return int((await self._socket.receive_output(timeout=SECONDS))["code"])

    async def end(self) -> None:
        """Returns when the socket has ended at the server; raises what broke it there."""
        await self._socket.future

    async def say(self, text: str) -> None:
        await self._socket.send_to(text_data=text)

    async def leave(self) -> None:
        await self._socket.disconnect(timeout=SECONDS)


def with_page(user: User | None, scene: Callable[[Page], Awaitable[Any]], *, query: str = "") -> Any:
    """What the scene gives, played with an open page of this person."""
    session = session_of(user)

    async def play() -> Any:
        page = Page(session, clock=ManualClock(), query=query)
        await page.open()
        return await scene(page)

    return played(play)


def heard_of(user: User, work: Callable[[], Any], *, messages: int = 1) -> list[Json]:
    """What a page of this person hears of this work."""

    async def scene(page: Page) -> list[Json]:
        assert await page.hear() == {"type": "here"}
        await in_thread(work)
        heard = [await page.hear() for _ in range(messages)]
        await page.leave()
        return heard

    heard: list[Json] = with_page(user, scene)
    return heard


def first_word(user: User, *, query: str) -> Json:
    """What a socket with this query says once it hears."""

    async def scene(page: Page) -> Json:
        heard = await page.hear()
        await page.leave()
        return heard

    word: Json = with_page(user, scene, query=query)
    return word


def test_the_first_word_tells_the_latest_conversation_of_the_page_the_socket_is_for(user: User) -> None:
    said = ended(started(user)).conversation
    there = f"?page={said.page}&object_id={said.object_id}"
    assert first_word(user, query=there) == {"type": "here", "latest": str(said.pk)}
    assert first_word(user, query=f"{there}9") == {"type": "here", "latest": ""}
    assert first_word(user, query=f"{there}%00%ff") == {"type": "here", "latest": ""}
    assert first_word(User.objects.create_user("other"), query=there) == {"type": "here", "latest": ""}


def test_the_start_and_the_end_of_a_turn_are_told_by_their_ids(user: User) -> None:
    turns = []

    heard = heard_of(user, lambda: turns.append(ended(started(user))), messages=2)

    ids = {"turn_id": str(turns[0].pk), "conversation_id": str(turns[0].conversation_id)}
    assert heard == [{"type": "turn_started", **ids}, {"type": "turn_ended", **ids}]


def apply_it(user: User, payload_id: Any) -> None:
    apply_payload(user=user, payload_id=payload_id, choice={"operations": "all"}, now=timezone.now())


def dismiss_it(user: User, payload_id: Any) -> None:
    dismiss_payload(user=user, payload_id=payload_id, now=timezone.now())


def take_it_back(user: User, payload_id: Any) -> None:
    set_proposal_undone(proposal_id=payload_id, undone=True)


@pytest.mark.parametrize("settle", [apply_it, dismiss_it, take_it_back])
def test_what_becomes_of_a_proposal_is_told(user: User, settle: Callable[[User, Any], None]) -> None:
    payload = proposed(user, "north")

    heard = heard_of(user, lambda: settle(user, payload.pk))

    ids = {"payload_id": str(payload.pk), "conversation_id": str(payload.conversation_id)}
    assert heard == [{"type": "payload_status", **ids}]


def test_a_proposal_that_is_left_behind_on_another_branch_is_told(user: User) -> None:
    payload = proposed(user, "north")
    beside = wish("In other words", conversation_id=str(payload.conversation_id), from_beginning=True)

    heard = heard_of(user, lambda: started(user, beside), messages=2)

    ids = {"payload_id": str(payload.pk), "conversation_id": str(payload.conversation_id)}
    assert {"type": "payload_status", **ids} in heard


def test_a_proposal_that_another_takes_the_place_of_is_told(user: User) -> None:
    first = proposed(user, "north")

    heard = heard_of(user, lambda: proposed(user, "south", conversation_id=first.conversation_id), messages=3)

    ids = {"payload_id": str(first.pk), "conversation_id": str(first.conversation_id)}
    assert [message for message in heard if message["type"] == "payload_status"] == [{"type": "payload_status", **ids}]


def rename_it(user: User, conversation: Conversation) -> None:
    rename_conversation(user=user, conversation_id=conversation.pk, title="Other words")


def delete_it(user: User, conversation: Conversation) -> None:
    delete_conversation(user=user, conversation_id=conversation.pk, now=timezone.now())


@pytest.mark.parametrize("change", [rename_it, delete_it])
def test_another_title_and_a_deletion_are_told(user: User, change: Callable[[User, Conversation], None]) -> None:
    conversation = ended(started(user)).conversation

    heard = heard_of(user, lambda: change(user, conversation))

    assert heard == [{"type": "conversation_changed", "conversation_id": str(conversation.pk)}]


def test_nothing_is_told_of_what_others_do(user: User, other_user: User) -> None:
    def work() -> None:
        ended(started(other_user))
        started(user)

    assert [message["type"] for message in heard_of(user, work)] == ["turn_started"]


def test_what_is_rolled_back_is_not_told(user: User) -> None:
    payload = proposed(user, "north", "north")

    def work() -> None:
        # The second name is taken by the first: nothing of it stays.
        with pytest.raises(Exception, match="taken"):
            apply_it(user, payload.pk)
        dismiss_it(user, payload.pk)

    assert [message["type"] for message in heard_of(user, work)] == ["payload_status"]


def test_what_a_page_says_is_not_listened_to(user: User) -> None:
    async def scene(page: Page) -> Json:
        await page.hear()
        await page.say("{not json")
        await in_thread(started, user)
        heard = await page.hear()
        await page.leave()
        return heard

    assert with_page(user, scene)["type"] == "turn_started"


def test_nobody_is_let_in_without_a_session(db: None) -> None:
    assert with_page(None, Page.hear_close) == 4403


@pytest.mark.parametrize("end", ENDS_OF_SESSIONS)
def test_within_a_second_of_the_sessions_end_the_socket_is_closed(user: User, end: Callable[[User], None]) -> None:
    async def scene(page: Page) -> tuple[Json, int]:
        await page.hear()
        await in_thread(end, user)
        await page.clock.advance(1)
        return await page.hear(), await page.hear_close()

    assert with_page(user, scene) == ({"type": "revoked"}, 4403)


@pytest.fixture(params=["Daphne", "uvicorn"])
def address(request: pytest.FixtureRequest, live_server_url: str, uvicorn_address: str) -> str:
    return live_server_url if request.param == "Daphne" else uvicorn_address


def test_a_real_server_tells_what_happens_in_a_thread_of_its_own(address: str, user: User) -> None:
    with real_socket(address, "/ws/chat/", session=session_of(user)) as page:
        page.hear("here")
        turn = started(user)

        assert page.hear("turn_started")["turn_id"] == str(turn.pk)


def test_a_foreign_page_is_refused_whoever_is_signed_in(address: str, user: User) -> None:
    with (
        pytest.raises(InvalidStatus) as refused,
        real_socket(address, "/ws/chat/", session=session_of(user), origin="http://elsewhere.example"),
    ):
        pass

    assert refused.value.response.status_code == 403
