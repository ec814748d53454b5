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


class FailingRedis(socketserver.ThreadingTCPServer):
    """A Redis that answers each command with an error or not at all; counts its connections."""

    daemon_threads = True
    answer = b""
    connections = 0


class FailingHandler(socketserver.StreamRequestHandler):
    server: FailingRedis

    def handle(self) -> None:
        self.server.connections += 1
        while line := self.rfile.readline():
            # A command is an array, which starts with its length.
            if line.startswith(b"*"):
                self.wfile.write(self.server.answer)


@pytest.fixture
def failing_redis() -> Iterator[FailingRedis]:
    with FailingRedis(("127.0.0.1", 0), FailingHandler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def cache_at(port: int) -> SharedCache:
    """Return the cache that a process with a Redis at this port would use."""
    options = caches(f"redis://127.0.0.1:{port}/0")["default"]
    return SharedCache(options.pop("LOCATION"), options)


def test_processes_share_values(redis: TcpFakeServer) -> None:
    first, second = (cache_at(redis.server_address[1]) for _ in range(2))
    assert first.add("lock", True, timeout=10)
    assert not second.add("lock", True, timeout=10)
    first.set("tries", [1.5, 2.5], timeout=60)
    assert second.get("tries", []) == [1.5, 2.5]
    second.delete("lock")
    assert first.add("lock", True, timeout=10)


def test_without_redis_the_process_stores_values() -> None:
    # No server listens on port 1 (tcpmux).
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
def test_failing_redis_is_not_used_for_a_while(failing_redis: FailingRedis, answer: str) -> None:
    failing_redis.answer = answer.encode()
    cache, other = (cache_at(failing_redis.server_address[1]) for _ in range(2))
    now = 0.0
    for process_cache in (cache, other):
        process_cache.now = lambda: now
    key = f"lock of {failing_redis.server_address[1]}"
    assert [cache.add(key, True, timeout=10), other.add(key, True, timeout=10)] == [True, False]
    assert failing_redis.connections == 1
    now = RETRY_AFTER_SECONDS
    cache.delete(key)
    assert failing_redis.connections == 2


def test_values_are_stored_as_json(redis: TcpFakeServer) -> None:
    cache = cache_at(redis.server_address[1])
    for value in ([1.5], True, "y", 3, None):
        cache.set("value", value, timeout=60)
        assert cache.get("value", "nothing") == value
    cache.set("tries", [1.5], timeout=60)
    client = cache._cache.get_client()  # type: ignore[attr-defined]  # Django's client of Redis
    assert json.loads(client.get(cache.make_key("tries"))) == [1.5]
