"""Request bodies are read in parts while the application receives them."""

from __future__ import annotations

import asyncio
from functools import partial
from io import BytesIO
from typing import Any

from chatproject.limits.body_size import REQUEST_BUFFER_SIZE
from chatproject.server.request_bodies import BodyFromFileMixin

HTTP, SOCKET = {"type": "http"}, {"type": "websocket"}
DISCONNECT = {"type": "http.disconnect"}


class Daphne:
    """A server that starts its application as Daphne does."""

    def __init__(self, *, application: Any) -> None:
        self._application_of_daphne = application
        self.tasks: list[asyncio.Future[None]] = []

    def create_application(self, protocol: Any, scope: Any) -> asyncio.Queue[Any]:
        queue = asyncio.Queue[Any]()
        started = self._application_of_daphne(scope=scope, receive=queue.get, send=partial(self.send, protocol))
        self.tasks.append(asyncio.ensure_future(started))
        return queue

    async def send(self, protocol: Any, message: Any) -> None:
        pass


class Server(BodyFromFileMixin, Daphne):
    pass


class Request:
    """A request whose body the server has received completely."""

    def __init__(self, body: bytes) -> None:
        self.body = self.content = BytesIO(body)

    def position(self) -> int | None:
        """Return how much has been read, or None once the file is closed."""
        return None if self.body.closed else self.body.tell()


async def begin(server: Server, request: Request, scope: Any = HTTP) -> asyncio.Queue[Any]:
    """Start the application of a request and read its content, as Daphne does."""
    queue = server.create_application(request, scope)  # type: ignore[arg-type]  # has what is used
    body = request.content.read()
    queue.put_nowait({"type": f"{scope['type']}.request", "body": body, "more_body": False})
    return queue


def received(body: bytes, *, parts: int, scope: Any = HTTP, disconnected: bool = False) -> tuple[list[Any], Request]:
    """Return the first messages an application receives, each with the position in the body at that time."""
    request = Request(body)
    messages: list[Any] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        messages.extend([(await receive(), request.position()) for _ in range(parts)])

    async def scenario() -> None:
        server = Server(application=application)
        queue = await begin(server, request, scope)
        if disconnected:
            queue.put_nowait(DISCONNECT)
        await asyncio.gather(*server.tasks)

    asyncio.run(scenario())
    return messages, request


def test_a_body_is_read_in_parts_when_they_are_received() -> None:
    first, second = b"a" * REQUEST_BUFFER_SIZE, b"b" * 10

    messages, request = received(first + second, parts=2)

    assert messages == [
        ({"type": "http.request", "body": first, "more_body": True}, REQUEST_BUFFER_SIZE),
        ({"type": "http.request", "body": second, "more_body": False}, None),
    ]
    assert request.body.closed


def test_an_application_that_ends_early_leaves_no_file_open() -> None:
    _, request = received(b"a" * 3 * REQUEST_BUFFER_SIZE, parts=1)

    assert request.body.closed


def test_a_disconnect_is_received_before_the_rest_of_the_body() -> None:
    messages, _ = received(b"a" * 3 * REQUEST_BUFFER_SIZE, parts=1, disconnected=True)

    assert messages == [(DISCONNECT, 0)]


def test_messages_of_sockets_are_passed_on() -> None:
    ((message, _),), _ = received(b"", parts=1, scope=SOCKET)

    assert message["type"] == "websocket.request"
