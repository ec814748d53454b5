"""Servers and clients for benchmarks of turns: processes, their CPU time, and streams read to the end."""
from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from tests.tables.concurrency.processes import database_url

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "a" * 32

Json = dict[str, Any]


@contextmanager
def process(*command: str, **variables: str) -> Iterator[tuple[str, int]]:
    """Run a process that prints its URL when it is ready; yield the URL and the process id."""
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    started = subprocess.Popen(
        [sys.executable, *command],
        cwd=ROOT, env={**environment, **variables}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert started.stdout is not None
    try:
        address = started.stdout.readline().strip()
        assert address, f"{command} did not start"
        yield address, started.pid
    finally:
        started.kill()
        started.communicate()


@contextmanager
def server(provider: str, *, bare: bool, kind: str = "daphne", **variables: str) -> Iterator[tuple[str, int]]:
    """Run the project, or the bare view, in its own process with the bench's database."""
    with process(
        "-m", "tests.tables.concurrency.serve", kind,
        DATABASE_URL=database_url(), DATA_DIR=str(settings.DATA_DIR), SECRET_KEY=settings.SECRET_KEY,
        DJANGO_SETTINGS_MODULE="tests.bench.bare_settings" if bare else "chatproject.settings",
        ANTHROPIC_API_KEY="bench", ANTHROPIC_BASE_URL=provider, LOG_LEVEL="WARNING",
        API_CALLS_A_MINUTE="1000000", CHAT_TURNS_A_MINUTE="1000", CHAT_STREAMS_A_USER="100",
        CHAT_TOKENS_A_DAY="100000000", **variables,
    ) as served:  # fmt: skip
        yield served


def cpu_of(pid: int) -> float:
    """Return the CPU seconds that the process has used so far, with all its threads."""
    # The clock of a process as in clock_getcpuclockid(3) on Linux: /proc counts in steps of 10 ms.
    return time.clock_gettime((~pid << 3) | 2)


def headers_of(user: User) -> str:
    """Return the request headers of this user's browser."""
    client = Client()
    client.force_login(user)
    cookies = f"csrftoken={TOKEN}; sessionid={client.cookies['sessionid'].value}"
    return f"Cookie: {cookies}\r\nX-CSRFToken: {TOKEN}\r\nContent-Type: application/json\r\n"


@dataclass
class StreamResult:
    """The result of one stream, in seconds; `numbers` are the ids of its events."""

    first_token: float = 0.0
    numbers: list[int] = field(default_factory=list)
    deltas: int = 0
    last: str = ""

    @property
    def is_whole(self) -> bool:
        """Return whether no event is missing."""
        return self.last == "complete" and self.numbers == list(range(1, len(self.numbers) + 1))


async def read_stream(address: str, headers: str, body: Json, *, result: StreamResult | None = None) -> StreamResult:
    """Send a request, and read its stream to the end; `result` can be read meanwhile."""
    where = urlsplit(address)
    reader, writer = await asyncio.open_connection(where.hostname, where.port, limit=1 << 22)
    data = json.dumps({**body, "client_turn_id": str(uuid4())}).encode()
    request = f"POST /api/chat/stream/ HTTP/1.1\r\nHost: {where.netloc}\r\n{headers}Content-Length: {len(data)}\r\n\r\n"
    result = result or StreamResult()
    began = time.perf_counter()
    writer.write(request.encode() + data)
    try:
        status = await reader.readline()
        assert b" 200 " in status, status + await reader.read(2_000)
        while result.last not in {"complete", "error"}:
            line = await reader.readline()
            if line.startswith(b"id: "):
                result.numbers.append(int(line[4:]))
            elif line.startswith(b"data: "):
                if b'"text_delta"' in line:
                    result.deltas += 1
                    result.first_token = result.first_token or time.perf_counter() - began
                elif b'"type":"complete"' in line or b'"type": "complete"' in line:
                    result.last = "complete"
                elif b'"type":"error"' in line:
                    result.last = "error"
            elif not line:
                result.last = "cut"
                break
    finally:
        writer.close()
    return result
