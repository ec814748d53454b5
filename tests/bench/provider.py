"""A provider for benchmarks in its own process: every call gets the same text at the same pace.

`python -m tests.bench.provider DELTAS DELTAS_A_SECOND` prints its URL. With a pace of 0 all deltas are sent at once.
"""
from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
WORD = "word "


def event(kind: str, **fields: Any) -> bytes:
    """Return a server-sent event as a chunk."""
    data = b"event: " + kind.encode() + b"\ndata: " + json.dumps({"type": kind, **fields}).encode() + b"\n\n"
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


MESSAGE = {"id": "msg_1", "type": "message", "role": "assistant", "model": "bench", "content": []}
START = event(
    "message_start",
    message={**MESSAGE, "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 9, "output_tokens": 1}},
) + event("content_block_start", index=0, content_block={"type": "text", "text": ""})
DELTA = event("content_block_delta", index=0, delta={"type": "text_delta", "text": WORD})
END = (
    event("content_block_stop", index=0)
    + event("message_delta", delta={"stop_reason": "end_turn", "stop_sequence": None}, usage={"output_tokens": 9})
    + event("message_stop")
    + b"0\r\n\r\n"
)


class Provider:
    """Answers calls; one timer advances all answers, so that it takes little CPU time."""

    def __init__(self, *, deltas: int, pace: float) -> None:
        self.deltas, self.pace = deltas, pace
        self._beat = asyncio.Event()

    async def beat(self) -> None:
        """Advance all answers forever."""
        while True:
            await asyncio.sleep(1 / self.pace)
            self._beat.set()
            self._beat = asyncio.Event()

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer any number of calls on one connection."""
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
                length = next(line for line in head.split("\r\n") if line.startswith("content-length"))
                await reader.readexactly(int(length.split(":")[1]))
                writer.write(HEAD + START)
                if self.pace:
                    for _ in range(self.deltas):
                        await self._beat.wait()
                        writer.write(DELTA)
                else:
                    writer.write(DELTA * self.deltas)
                writer.write(END)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client has disconnected
        finally:
            writer.close()


async def main() -> None:
    """Serve until standard input is closed."""
    provider = Provider(deltas=int(sys.argv[1]), pace=float(sys.argv[2]))
    server = await asyncio.start_server(provider.answer, "127.0.0.1", 0, backlog=1_000)
    beating = asyncio.create_task(provider.beat()) if provider.pace else None
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    if beating:
        beating.cancel()


if __name__ == "__main__":
    asyncio.run(main())
