"""Serve the scripted model over HTTP, with a small asyncio server in a thread."""
from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager
from typing import TYPE_CHECKING

import httpx2

from chat.scripted_model.transport import content_type

if TYPE_CHECKING:
    from tests.scripted_model import ScriptedModel


@contextmanager
def serving(script: Callable[[], ScriptedModel]) -> Iterator[str]:
    """Serve on a free loopback port until the block ends, and yield the base URL.

    `script` is called for each request, so that a test can replace the script.
    """
    loop = asyncio.new_event_loop()
    ready = threading.Event()
    ports: list[int] = []
    stop = asyncio.Event()

    async def run() -> None:
        server = await asyncio.start_server(lambda r, w: _connection(script(), r, w), "127.0.0.1", 0)
        ports.append(server.sockets[0].getsockname()[1])
        ready.set()
        await stop.wait()
        server.close()
        open_calls = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in open_calls:
            task.cancel()
        await asyncio.gather(*open_calls, return_exceptions=True)

    thread = threading.Thread(target=lambda: loop.run_until_complete(run()), daemon=True)
    thread.start()
    ready.wait(60)
    try:
        yield f"http://127.0.0.1:{ports[0]}"
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(60)
        loop.close()


async def _connection(script: ScriptedModel, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        await _answer(script, reader, writer)
    except (ConnectionError, asyncio.IncompleteReadError):
        pass  # the client disconnected
    finally:
        writer.close()


async def _answer(script: ScriptedModel, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    fields = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
    body = await reader.readexactly(int(fields.get("content-length", "0"))) or b"{}"
    method, path = head.split(" ", 2)[:2]
    found = script.other(method, path.partition("?")[0], body)
    if found is not None:
        first = f"HTTP/1.1 {found.status_code} Scripted\r\ncontent-type: application/json\r\nconnection: close\r\n"
        writer.write(f"{first}content-length: {len(found.content)}\r\n\r\n".encode() + found.content)
        await writer.drain()
        return
    reply = script.take(json.loads(body))
    lines = [f"HTTP/1.1 {reply.status} Scripted", f"content-type: {content_type(reply)}", "transfer-encoding: chunked"]
    lines += ["connection: close", *(f"{name}: {value}" for name, value in reply.headers.items())]
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))
    sending = asyncio.ensure_future(_send(script.stream(reply), writer))
    disconnect = asyncio.ensure_future(reader.read(1))
    try:
        # A client that cancels closes its socket, which ends the read, also while the reply waits at a gate.
        await asyncio.wait({sending, disconnect}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        sending.cancel()
        disconnect.cancel()
        await asyncio.gather(sending, disconnect, return_exceptions=True)


async def _send(pieces: AsyncGenerator[bytes, None], writer: asyncio.StreamWriter) -> None:
    async with aclosing(pieces) as stream:
        try:
            async for piece in stream:
                writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                await writer.drain()
        except httpx2.RemoteProtocolError:
            writer.transport.abort()
            return
        writer.write(b"0\r\n\r\n")
        await writer.drain()
