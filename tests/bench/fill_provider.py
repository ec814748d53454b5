"""A provider for fills in its own process: each call gets its answer after the same time.

`python -m tests.bench.fill_provider LATENCY_MS REFUSED` prints its URL. Each REFUSED-th call is refused with 429 and a
Retry-After of one second; none with 0. The answer has the domain of the first address in the row for each column.
"""
from __future__ import annotations

import asyncio
import itertools
import json
import re
import sys
from typing import Any

from chat.scripted_model.reply import Reply
from chat.scripted_model.wire import encode, events_of

Json = dict[str, Any]
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: %d\r\n\r\n"
BUSY = json.dumps({"type": "error", "error": {"type": "rate_limit_error", "message": "busy"}}).encode()
REFUSAL = b"HTTP/1.1 429 Busy\r\nretry-after: 1\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (
    len(BUSY), BUSY,
)  # fmt: skip
USAGE = {"input_tokens": 300}
NUMBERS = itertools.count(1)


def answer(request: Json, *, number: int) -> bytes:
    """Return the response to a call about a row."""
    text = request["messages"][0]["content"][0]["text"]
    found = re.search(r"@([a-z0-9.]+)", text)
    columns = request["tools"][0]["input_schema"]["properties"]["values"]["properties"]
    result = {"values": dict.fromkeys(columns, found and found[1]), "confidence": "high", "note": "", "sources": []}
    reply = Reply.use(("record_result", result), usage=USAGE)
    body = b"".join(encode(event) for event in events_of(reply, unique_id=str(number), model="bench"))
    return HEAD % len(body) + body


async def serve_calls(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, latency: float, refused: int
) -> None:
    """Answer any number of calls on one connection."""
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            length = next(line for line in head.split("\r\n") if line.startswith("content-length"))
            request = json.loads(await reader.readexactly(int(length.split(":")[1])))
            number = next(NUMBERS)
            if refused and number % refused == 0:
                writer.write(REFUSAL)
            else:
                response = answer(request, number=number)
                await asyncio.sleep(latency)
                writer.write(response)
            await writer.drain()
    except (ConnectionError, asyncio.IncompleteReadError):
        pass  # the client has disconnected
    finally:
        writer.close()


async def main() -> None:
    """Serve until standard input is closed."""
    latency, refused = float(sys.argv[1]) / 1_000, int(sys.argv[2])
    server = await asyncio.start_server(
        lambda reader, writer: serve_calls(reader, writer, latency=latency, refused=refused), "127.0.0.1", 0
    )
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
