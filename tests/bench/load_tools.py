"""Tools of benchmarks: single requests, other servers, the memory of a process."""
from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from socket import create_connection, create_server
from typing import Any
from urllib.parse import urlsplit

from tests.redis_server import redis_server

# Clients disconnect after this many seconds without data.
IDLE_SECONDS = 30.0
START_SECONDS = 30.0


@dataclass(frozen=True)
class Answer:
    """The status of a response (0 without a response), its duration, and its first characters."""

    status: int
    seconds: float
    text: str


async def request(address: str, headers: str, *, path: str, body: Any = None) -> Answer:
    """Send one request on its own connection."""
    began = time.perf_counter()
    try:
        raw = await asyncio.wait_for(_exchange(address, headers, path=path, body=body), timeout=IDLE_SECONDS)
    except (OSError, TimeoutError, asyncio.IncompleteReadError) as error:
        return Answer(0, time.perf_counter() - began, repr(error))
    head, _, text = raw.partition(b"\r\n\r\n")
    status = int(head.split(b" ", 2)[1]) if head.startswith(b"HTTP/1.1 ") else 0
    return Answer(status, time.perf_counter() - began, text[:300].decode(errors="replace"))


async def _exchange(address: str, headers: str, *, path: str, body: Any) -> bytes:
    where = urlsplit(address)
    reader, writer = await asyncio.open_connection(where.hostname, where.port)
    data = b"" if body is None else json.dumps(body).encode()
    method = "GET" if body is None else "POST"
    length = f"Content-Length: {len(data)}\r\n" if data else ""
    head = f"{method} {path} HTTP/1.1\r\nHost: {where.netloc}\r\n{headers}{length}Connection: close\r\n\r\n"
    try:
        writer.write(head.encode() + data)
        return await reader.read(-1)
    finally:
        writer.close()


def memory_of(pid: int) -> float:
    """Return the MB in use by a process; 0 after its end."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")), 0.0)


@contextmanager
def redis() -> Iterator[str]:
    """Run a Redis server, or one with its protocol, and return its URL."""
    binary = shutil.which("redis-server")
    if binary is None:
        with redis_server() as address:
            yield address
        return
    port = free_port()
    command = [binary, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    with running(command, port=port):
        yield f"redis://127.0.0.1:{port}/0"


def free_port() -> int:
    """Return a port of this machine that no server uses."""
    with create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


@contextmanager
def running(command: Sequence[str], *, port: int) -> Iterator[int]:
    """Run a server until the end of the block and return its process id, once it accepts connections at this port."""
    started = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                if time.monotonic() > deadline or started.poll() is not None:
                    raise RuntimeError(f"{command[0]} did not start") from None
                time.sleep(0.05)
        yield started.pid
    finally:
        started.kill()
        started.wait()
