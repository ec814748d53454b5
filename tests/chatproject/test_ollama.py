"""A model server on this machine is found, and its first model named in a command that can be copied."""
from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from chatproject.startup.ollama import hint


@contextmanager
def server(body: bytes, *, status: int = 200) -> Iterator[str]:
    """A server on loopback that answers every GET of /api/tags like this."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/api/tags" else 404)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    listening = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.server_port}"
    finally:
        listening.shutdown()
        thread.join()
        listening.server_close()


def models(*names: object) -> bytes:
    return json.dumps({"models": [{"name": name, "size": 1} for name in names]}).encode()


def test_the_first_model_of_a_server_is_named_in_a_command() -> None:
    with server(models("$(rm -rf ~)", "qwen3-coder:30b", "gpt-oss:20b")) as address:
        assert hint(address) == (
            "To use a local model: "
            f"ANTHROPIC_BASE_URL={address} CHAT_MODEL=qwen3-coder:30b python3 manage.py start"
        )


def test_a_server_without_a_model_is_said_to_have_none() -> None:
    with server(models()) as address:
        assert "without models" in hint(address)


@pytest.mark.parametrize(
    ("body", "status"), [(b"<html>", 200), (b'{"models": 3}', 200), (b"[]", 200), (b"", 404)]
)
def test_something_else_at_the_address_is_no_model_server(body: bytes, status: int) -> None:
    with server(body, status=status) as address:
        assert hint(address) == ""


def test_a_server_that_is_silent_or_not_there_is_not_waited_for() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        assert hint(address) == ""
    assert hint(address) == ""
