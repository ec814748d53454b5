"""A local model server is detected, and the hint contains a command for its first model."""
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
    """Run a local server that answers GET /api/tags with this body and status."""

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


def test_the_hint_contains_a_command_for_the_first_model() -> None:
    with server(models("$(rm -rf ~)", "qwen3-coder:30b", "gpt-oss:20b")) as url:
        assert hint(url) == (
            "To use a local model: "
            f"ANTHROPIC_BASE_URL={url} CHAT_MODEL=qwen3-coder:30b python3 manage.py start"
        )


def test_the_hint_mentions_a_server_without_models() -> None:
    with server(models()) as url:
        assert "without models" in hint(url)


@pytest.mark.parametrize(
    ("body", "status"), [(b"<html>", 200), (b'{"models": 3}', 200), (b"[]", 200), (b"", 404)]
)
def test_other_servers_give_no_hint(body: bytes, status: int) -> None:
    with server(body, status=status) as url:
        assert hint(url) == ""


def test_silent_and_missing_servers_give_no_hint() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        assert hint(url) == ""
    assert hint(url) == ""
