"""Two server processes, Daphne and uvicorn, with Redis: one chat, even when one of them is killed."""
from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from chat.models import Message, OpenStreamCount, Turn
from tests.chat.stored_conversations import finish_turn, running_turn
from tests.chat.stream_client import STREAM, Browser, turn_body
from tests.redis_server import redis_server
from tests.scripted_model import Gate, Reply, ScriptedModel, say
from tests.tables.concurrency.processes import ServerProcess
from tests.tables.consumers.sockets import real_socket, session_of

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("notes"),
    pytest.mark.postgres_only,
]

LIST = {"current_page": "tables_list"}
Json = dict[str, Any]


@pytest.fixture(scope="module")
def provider() -> Iterator[tuple[ScriptedModel, str]]:
    """The Messages API of all processes."""
    script = ScriptedModel()
    with script.serve() as url:
        yield script, url


@pytest.fixture(scope="module")
def environment(provider: tuple[ScriptedModel, str]) -> Iterator[dict[str, str]]:
    """The environment of every process: the provider, and a server with the Redis protocol."""
    with redis_server() as address:
        yield {"REDIS_URL": address, "ANTHROPIC_BASE_URL": provider[1], "ANTHROPIC_API_KEY": "a-key-for-tests"}


@pytest.fixture(scope="module")
def addresses(django_db_setup: None, environment: dict[str, str]) -> Iterator[tuple[str, str]]:
    both = ServerProcess("daphne", **environment), ServerProcess("uvicorn", **environment)
    try:
        yield both[0].wait().address, both[1].wait().address
    finally:
        for server in both:
            server.kill()


@pytest.fixture
def script(provider: tuple[ScriptedModel, str]) -> ScriptedModel:
    return provider[0]


@pytest.fixture
def pair(addresses: tuple[str, str], user: User) -> tuple[Browser, Browser]:
    """The user's browsers at Daphne and at uvicorn."""
    return Browser(addresses[0], user), Browser(addresses[1], user)


@pytest.fixture(params=["Daphne runs it", "uvicorn runs it"])
def both(request: pytest.FixtureRequest, pair: tuple[Browser, Browser]) -> tuple[Browser, Browser]:
    """The user's browsers at the process that runs the turn and at the other one."""
    return pair if request.param == "Daphne runs it" else pair[::-1]


def list_body(message: str = "Hello", **fields: Any) -> Json:
    return turn_body(message, context=LIST, **fields)


def held_reply(gate: Gate) -> Reply:
    """Return a reply that sends a part, then waits at the gate."""
    return say("One two three", sizes=(4,), gate=gate, gate_after=2)


def test_turn_is_followed_from_the_other_process(both: tuple[Browser, Browser], script: ScriptedModel) -> None:
    running, other_process = both
    gate = Gate()
    script.add(held_reply(gate))
    with running.open("POST", STREAM, list_body()) as stream:
        begun = stream.until("text_delta")
        with other_process.open("GET", f"/api/chat/turns/{begun[0]['turn_id']}/stream/") as other:
            seen = other.until("text_delta")
            gate.open()
            seen += list(other)
        rest = list(stream)

    assert seen == begun + rest
    assert seen[-1]["payload"]["message"] == "One two three"


def test_turn_is_cancelled_from_the_other_process_and_its_call_is_closed(
    both: tuple[Browser, Browser], script: ScriptedModel
) -> None:
    running, other_process = both
    left = script.left
    script.add(held_reply(Gate()), say("Again."))
    with running.open("POST", STREAM, list_body()) as stream:
        begun = stream.until("text_delta")[0]
        other_process.request("POST", f"/api/chat/turns/{begun['turn_id']}/cancel/", {})
        kinds = [event["type"] for event in stream]
    with other_process.open("POST", STREAM, list_body(conversation_id=begun["conversation_id"])) as stream:
        again = list(stream)

    assert kinds[-1] == "cancelled"
    assert script.left == left + 1
    assert again[-1]["payload"]["message"] == "Again."


def test_conversation_has_one_turn_across_processes(pair: tuple[Browser, Browser], script: ScriptedModel) -> None:
    running, other_process = pair
    gate = Gate()
    script.add(held_reply(gate))
    with running.open("POST", STREAM, list_body()) as stream:
        begun = stream.until("text_delta")[0]
        status, answer, _ = other_process.request("POST", STREAM, list_body(conversation_id=begun["conversation_id"]))
        gate.open()
        list(stream)

    assert (status, answer["turn_id"]) == (409, begun["turn_id"])


def test_limit_of_open_streams_applies_across_processes(
    pair: tuple[Browser, Browser], script: ScriptedModel
) -> None:
    gate = Gate()
    script.add(*[held_reply(gate) for _ in range(4)])
    with ExitStack() as stack:
        streams = [stack.enter_context(browser.open("POST", STREAM, list_body())) for browser in (*pair, *pair)]
        for stream in streams:
            stream.until("text_delta")
        refused = [browser.request("POST", STREAM, list_body())[0] for browser in pair]
        gate.open()
        for stream in streams:
            list(stream)

    assert refused == [429, 429]
    assert not OpenStreamCount.objects.exists()


def test_limit_of_turns_per_minute_applies_across_processes(
    pair: tuple[Browser, Browser], script: ScriptedModel, user: User
) -> None:
    # Turns stay in the window however long the second request takes.
    later = timezone.now() + timedelta(minutes=10)
    for _ in range(19):
        finish_turn(running_turn(user, now=later))
    script.add(say("The twentieth."))

    def status_at(browser: Browser) -> int:
        with browser.open("POST", STREAM, list_body()) as stream:
            stream.response.read()
            return stream.response.status

    with ThreadPoolExecutor(2) as pool:
        statuses = sorted(pool.map(status_at, pair))

    assert statuses == [200, 429]
    assert Turn.objects.count() == 20


def test_pages_at_the_other_process_get_events_of_a_turn(
    addresses: tuple[str, str], script: ScriptedModel, user: User
) -> None:
    script.add(say("Hello."))
    with real_socket(addresses[1], "/ws/chat/", session=session_of(user)) as page:
        page.receive("here")
        with Browser(addresses[0], user).open("POST", STREAM, list_body()) as stream:
            begun = stream.until("complete")[0]
        events = page.receive("turn_started"), page.receive("turn_ended")

    assert {message["turn_id"] for message in events} == {begun["turn_id"]}


def kill_during_turn(server: ServerProcess, user: User, other_process: Browser) -> Json:
    """Kill the process that runs a turn, once part of the answer is stored; return the turn's first event."""
    with Browser(server.wait().address, user).open("POST", STREAM, list_body("Tell me")) as stream:
        begun = stream.until("text_delta")[0]
        # Another process has only what is stored.
        with other_process.open("GET", f"/api/chat/turns/{begun['turn_id']}/stream/") as stored:
            stored.until("text_delta")
            stored.until("text_delta")
        server.kill()
    # The last heartbeat was half a minute ago.
    stale = timezone.now() - timedelta(seconds=31)
    Turn.objects.update(heartbeat_at=stale)
    OpenStreamCount.objects.update(seen_at=stale)
    return begun


@pytest.mark.parametrize("killed", ["daphne", "uvicorn"])
def test_killed_process_leaves_a_closed_turn_and_a_usable_conversation(
    addresses: tuple[str, str], environment: dict[str, str], script: ScriptedModel, user: User, killed: str
) -> None:
    script.add(held_reply(Gate()), say("And on."))
    other_process = Browser(addresses[0], user)
    begun = kill_during_turn(ServerProcess(killed, **environment), user, other_process)

    with other_process.open("GET", f"/api/chat/turns/{begun['turn_id']}/stream/") as stream:
        seen = list(stream)
    with other_process.open("POST", STREAM, list_body("And?", conversation_id=begun["conversation_id"])) as stream:
        following = list(stream)

    assert (seen[-1]["type"], seen[-1]["retryable"]) == ("error", True)
    assert Message.objects.get(turn_id=begun["turn_id"], role="assistant").text == "One two"
    assert following[-1]["payload"]["message"] == "And on."
    held_still = OpenStreamCount.objects.filter(user=user, seen_at__gt=timezone.now() - timedelta(seconds=30))
    assert not held_still.exists()
