"""An HTTP client of streams: session, CSRF, and events read as they arrive."""
from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from django.contrib.auth.models import User
from django.test import Client

from tests.logins import sign_in
from tests.stream_grammar import StreamGrammar

STREAM = "/api/chat/stream/"
NOTE = {"current_page": "notes", "note_id": 7}
# Events of a table, whose ids are its versions.
TABLE_EVENTS = {"ready", "change", "reset"}
TOKEN = "a" * 32
# Timeout for a response that never arrives; not used for measurements.
SECONDS = 120.0

Json = dict[str, Any]


def turn_body(message: str = "Hello", **fields: Any) -> Json:
    """Return the body of a turn on the notes page."""
    return {"message": message, "context": NOTE, "client_turn_id": str(uuid4()), **fields}


class Stream:
    """A streamed response."""

    def __init__(self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse) -> None:
        self._connection = connection
        self.response = response
        self.last_id = 0
        self._grammar: StreamGrammar | None = None

    def __iter__(self) -> Iterator[Json]:
        """Yield each event as it arrives; streams read from their first event are checked against the grammar."""
        kind = ""
        while line := self.response.readline():
            if line.startswith(b"id: "):
                self.last_id = int(line[4:])
            elif line.startswith(b"event: "):
                kind = line[7:].decode().strip()
            elif line.startswith(b"data: "):
                event = json.loads(line[6:])
                assert kind == event["type"]
                if self.last_id == 1 and kind not in TABLE_EVENTS:
                    self._grammar = self._grammar or StreamGrammar()
                if self._grammar is not None:
                    self._grammar.take(event)
                    assert self._grammar.problems == []
                yield event

    def until(self, kind: str) -> list[Json]:
        """Return the events up to the first of this type."""
        found = []
        for event in self:
            found.append(event)
            if event["type"] == kind:
                break
        return found

    def close(self) -> None:
        """Close the connection."""
        self.response.close()
        self._connection.close()


class Browser:
    """A client signed in as `user` at a real server."""

    def __init__(self, address: str, user: User | None = None, *, csrf: bool = True) -> None:
        self._address = urlsplit(address).netloc
        cookies = [f"csrftoken={TOKEN}"]
        if user is not None:
            client = Client()
            sign_in(client, user)
            cookies.append(f"sessionid={client.cookies['sessionid'].value}")
        self.headers = {"Cookie": "; ".join(cookies), **({"X-CSRFToken": TOKEN} if csrf else {})}

    def connection(self) -> http.client.HTTPConnection:
        """Return a connection that is not open yet."""
        return http.client.HTTPConnection(self._address, timeout=SECONDS)

    @contextmanager
    def open(self, method: str, path: str, body: Any = None, **headers: str) -> Iterator[Stream]:
        """Yield a response whose body is still to be read."""
        connection = self.connection()
        sent = {"Content-Type": "application/json", **self.headers, **headers}
        data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        connection.request(method, path, body=data, headers=sent)
        try:
            yield Stream(connection, connection.getresponse())
        finally:
            connection.close()

    def request(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Json, dict[str, str]]:
        """Return status, JSON and headers of a response."""
        with self.open(method, path, body, **headers) as stream:
            raw = stream.response.read()
            return stream.response.status, json.loads(raw), dict(stream.response.getheaders())
