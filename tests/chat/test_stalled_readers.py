"""Clients that stop reading: they use no memory of the server, are disconnected, and can resume."""
from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User

from chat.models import Message, OpenStreamCount, Turn, TurnEvent
from tests.chat.stored_conversations import finish_turn, running_turn
from tests.chat.stream_client import Browser
from tests.tables.concurrency.processes import ServerProcess

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]

EVENTS, CHARACTERS = 3_000, 10_000
MB = 1_000_000
SECONDS = 60.0
# Allows for the buffers of the kernel on both ends and of the server; 30 MB are to be sent.
MAX_MEMORY = 12 * MB


@pytest.fixture(scope="module", params=["daphne", "uvicorn"])
def server(request: pytest.FixtureRequest, django_db_setup: None) -> Iterator[ServerProcess]:
    """A server process that disconnects clients that read nothing for longer than a busy machine pauses."""
    server = ServerProcess(request.param, STALL_SECONDS="3")
    try:
        yield server.wait()
    finally:
        server.kill()


def turn_of(events: int, *, user: User) -> Turn:
    """Return an ended turn with this many events of 10,000 characters, the last of which completes it."""
    turn = finish_turn(running_turn(user))
    TurnEvent.objects.filter(turn=turn).delete()
    delta = {"type": "text_delta", "text": "x" * CHARACTERS}
    deltas = [TurnEvent(turn=turn, seq=seq, data=delta) for seq in range(1, events)]
    TurnEvent.objects.bulk_create([*deltas, TurnEvent(turn=turn, seq=events, data={"type": "complete"})])
    return turn


def memory_of(server: ServerProcess) -> int:
    """Return the resident memory of the process in bytes."""
    pages = int(Path(f"/proc/{server.pid}/statm").read_text().split()[1])
    return pages * 4096


def start_reading(server: ServerProcess, browser: Browser, path: str) -> socket.socket:
    """Send the request and read the first piece of the response."""
    where = urlsplit(server.address)
    reader = socket.socket()
    reader.settimeout(SECONDS)
    # A fixed buffer, because the content of the kernel's buffer is not in the server's memory.
    reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
    reader.connect((where.hostname or "", where.port or 0))
    headers = "".join(f"{name}: {value}\r\n" for name, value in browser.headers.items())
    reader.sendall(f"GET {path} HTTP/1.1\r\nHost: {where.netloc}\r\n{headers}\r\n".encode())
    assert reader.recv(1_000).startswith(b"HTTP/1.1 200 ")
    return reader


def count_rest(reader: socket.socket) -> int:
    """Return how many bytes arrive until the connection ends."""
    count = 0
    try:
        while piece := reader.recv(65_536):
            count += len(piece)
    except ConnectionError:
        pass
    return count


def test_stalled_client_uses_no_memory_and_is_disconnected(server: ServerProcess, user: User) -> None:
    browser = Browser(server.address, user)
    path = f"/api/chat/turns/{turn_of(EVENTS, user=user).pk}/stream/"
    # A first request loads lazy modules before the measurement.
    with browser.open("GET", f"{path}?after={EVENTS - 300}") as stream:
        assert len(list(stream)) == 300
    before = most = memory_of(server)

    reader = start_reading(server, browser, path)
    deadline = time.monotonic() + SECONDS
    while OpenStreamCount.objects.exists():
        assert time.monotonic() < deadline, "the reader was never cut off"
        most = max(most, memory_of(server))
        Event().wait(0.02)

    assert most - before < MAX_MEMORY
    assert count_rest(reader) < EVENTS * CHARACTERS / 2
    with browser.open("GET", f"{path}?after={EVENTS - 10}") as stream:
        assert list(stream)[-1] == {"type": "complete"}


def test_slow_client_gets_everything(server: ServerProcess, user: User) -> None:
    turn = turn_of(501, user=user)
    reader = start_reading(server, Browser(server.address, user), f"/api/chat/turns/{turn.pk}/stream/")

    received = b""
    while b'"complete"' not in received[-200:]:
        piece = reader.recv(20_000)
        assert piece, "it was cut off"
        received += piece

    assert received.count(b"text_delta") >= 499
    assert Message.objects.filter(turn=turn, role="assistant").exists()
