"""The cache in Redis that counts limits, and its fallback while Redis is unavailable."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Iterator

import pytest
from django.core.cache import CacheHandler
from fakeredis import TcpFakeServer

from chatproject.backends.cache import RETRY_AFTER_SECONDS, SharedCache
from chatproject.config.environment import caches


@pytest.fixture
def redis() -> Iterator[TcpFakeServer]:
    server = TcpFakeServer(("127.0.0.1", 0))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


class Refusing(socketserver.ThreadingTCPServer):
    """A Redis that answers each command with an error or not at all; `asked` counts its connections."""

    daemon_threads = True
    answer = b""
    asked = 0


class Refuse(socketserver.StreamRequestHandler):
    server: Refusing

    def handle(self) -> None:
        self.server.asked += 1
        while line := self.rfile.readline():
            # A command is an array, which starts with its length.
            if line.startswith(b"*"):
                self.wfile.write(self.server.answer)


@pytest.fixture
def refusing() -> Iterator[Refusing]:
    with Refusing(("127.0.0.1", 0), Refuse) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def cache_at(port: int) -> SharedCache:
    """Return a cache of a process with a Redis at this port."""
    said = caches(f"redis://127.0.0.1:{port}/0")["default"]
    return SharedCache(said.pop("LOCATION"), said)


def test_processes_share_values(redis: TcpFakeServer) -> None:
    one, other = (cache_at(redis.server_address[1]) for _ in range(2))
    assert one.add("lock", True, timeout=10)
    assert not other.add("lock", True, timeout=10)
    one.set("tries", [1.5, 2.5], timeout=60)
    assert other.get("tries", []) == [1.5, 2.5]
    other.delete("lock")
    assert one.add("lock", True, timeout=10)


def test_without_redis_the_process_stores_values() -> None:
    # Nothing listens on the port of tcpmux here.
    cache = cache_at(1)
    assert [cache.add("lock", True, timeout=10), cache.add("lock", True, timeout=10)] == [True, False]
    cache.set("tries", [1.5], timeout=60)
    cache.delete("lock")
    assert (cache.get("tries", []), cache.add("lock", True, timeout=10)) == ([1.5], True)


@pytest.mark.parametrize("redis_url", ["", "redis://127.0.0.1:1/0"])
def test_counts_are_not_evicted_by_others(redis_url: str) -> None:
    cache = CacheHandler(caches(redis_url))["default"]
    cache.set("tries", [1.5], timeout=60)
    for number in range(1_000):
        cache.set(f"tries-{number}", [1.5], timeout=60)
    assert cache.get("tries") == [1.5]


@pytest.mark.parametrize("answer", ["-OOM command not allowed\r\n", "-READONLY You can't write\r\n", ""])
def test_failing_redis_is_not_used_for_a_while(refusing: Refusing, answer: str) -> None:
    refusing.answer = answer.encode()
    cache, another = (cache_at(refusing.server_address[1]) for _ in range(2))
    moment = 0.0
    for each in (cache, another):
        each.now = lambda: moment
    key = f"lock of {refusing.server_address[1]}"
    assert [cache.add(key, True, timeout=10), another.add(key, True, timeout=10)] == [True, False]
    assert refusing.asked == 1
    moment = RETRY_AFTER_SECONDS
    cache.delete(key)
    assert refusing.asked == 2


def test_values_are_stored_as_json(redis: TcpFakeServer) -> None:
    cache = cache_at(redis.server_address[1])
    for value in ([1.5], True, "y", 3, None):
        cache.set("value", value, timeout=60)
        assert cache.get("value", "nothing") == value
    cache.set("tries", [1.5], timeout=60)
    client = cache._cache.get_client()  # type: ignore[attr-defined]  # Django's client of Redis
    assert json.loads(client.get(cache.make_key("tries"))) == [1.5]
