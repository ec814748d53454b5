"""A reader that stops reading: it fills no memory of the server, is cut off after a while, and can join again."""
from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User

from chat.models import Message, OpenStreamCount, Turn, TurnEvent
from tests.chat.stored_conversations import ended, started
from tests.chat.stream_client import Browser
from tests.tables.concurrency.processes import ServerProcess

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]

EVENTS, CHARACTERS = 3_000, 10_000
MB = 1_000_000
SECONDS = 60.0
# As much may lie on the way, in the kernel's buffers on both ends and in the server's; there are 30 to be sent.
MOST_MEMORY = 12 * MB


@pytest.fixture(scope="module", params=["daphne", "uvicorn"])
def server(request: pytest.FixtureRequest, django_db_setup: None) -> Iterator[ServerProcess]:
    """A process of its own, which cuts off whoever takes nothing for a while: longer than a busy machine pauses."""
    server = ServerProcess(request.param, STALL_SECONDS="3")
    try:
        yield server.wait()
    finally:
        server.kill()


def turn_of(events: int, *, user: User) -> Turn:
    """Return an ended turn with so many events of 10,000 characters, the last of which completes it."""
    turn = ended(started(user))
    TurnEvent.objects.filter(turn=turn).delete()
    delta = {"type": "text_delta", "text": "x" * CHARACTERS}
    deltas = [TurnEvent(turn=turn, seq=seq, data=delta) for seq in range(1, events)]
    TurnEvent.objects.bulk_create([*deltas, TurnEvent(turn=turn, seq=events, data={"type": "complete"})])
    return turn


def memory_of(server: ServerProcess) -> int:
    """Bytes that the process has in memory."""
    pages = int(Path(f"/proc/{server.pid}/statm").read_text().split()[1])
    return pages * 4096


def begin_to_read(server: ServerProcess, browser: Browser, path: str) -> socket.socket:
    """Asks, and reads the first piece of the answer."""
    where = urlsplit(server.address)
    reader = socket.socket()
    reader.settimeout(SECONDS)
    # However large the kernel of this machine would let it grow: what lies there is not what the server holds.
    reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
    reader.connect((where.hostname or "", where.port or 0))
    headers = "".join(f"{name}: {value}\r\n" for name, value in browser.headers.items())
    reader.sendall(f"GET {path} HTTP/1.1\r\nHost: {where.netloc}\r\n{headers}\r\n".encode())
    assert reader.recv(1_000).startswith(b"HTTP/1.1 200 ")
    return reader


def rest_of(reader: socket.socket) -> int:
    """How many bytes still come before the connection ends."""
    count = 0
    try:
        while piece := reader.recv(65_536):
            count += len(piece)
    except ConnectionError:
        pass
    return count


def test_a_reader_that_stalls_costs_no_memory_and_is_cut_off(server: ServerProcess, user: User) -> None:
    browser = Browser(server.address, user)
    path = f"/api/chat/turns/{turn_of(EVENTS, user=user).pk}/stream/"
    # Whatever a first request brings into memory is there before the measure.
    with browser.open("GET", f"{path}?after={EVENTS - 300}") as stream:
        assert len(list(stream)) == 300
    before = most = memory_of(server)

    reader = begin_to_read(server, browser, path)
    deadline = time.monotonic() + SECONDS
    while OpenStreamCount.objects.exists():
        assert time.monotonic() < deadline, "the reader was never cut off"
        most = max(most, memory_of(server))

    assert most - before < MOST_MEMORY
    assert rest_of(reader) < EVENTS * CHARACTERS / 2
    with browser.open("GET", f"{path}?after={EVENTS - 10}") as stream:
        assert list(stream)[-1] == {"type": "complete"}


def test_a_reader_that_is_slow_gets_it_all(server: ServerProcess, user: User) -> None:
    turn = turn_of(501, user=user)
    reader = begin_to_read(server, Browser(server.address, user), f"/api/chat/turns/{turn.pk}/stream/")

    received = b""
    while b'"complete"' not in received[-200:]:
        piece = reader.recv(20_000)
        assert piece, "it was cut off"
        received += piece

    assert received.count(b"text_delta") >= 499
    assert Message.objects.filter(turn=turn, role="assistant").exists()
