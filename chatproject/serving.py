"""One server process of several behind a proxy: Daphne, that when it is told to end loses nothing of what it does."""
from __future__ import annotations

import asyncio
import logging
import signal
import time
from types import FrameType
from typing import Any

from daphne.server import Server
from daphne.ws_protocol import WebSocketProtocol
from django.conf import settings
from twisted.internet import reactor as installed
from twisted.internet.defer import Deferred

from chat.turns.runtime import current_runtime
from chat.turns.shutdown import shut_down
from chatproject.body_messages import ReadsBodiesInParts

log = logging.getLogger("chatproject.processes")
# What Daphne brings has no types.
reactor: Any = installed

LOOK_SECONDS = 0.05
# Whoever was let in at the last moment gets to say what they want.
LINGER_SECONDS = 1.0
# "Service Restart": pages open their socket again, at another process.
RESTARTING = 1012


class LeavingServer(ReadsBodiesInParts, Server):
    """Told to end (SIGTERM, Ctrl+C), it takes no new connections, sends sockets elsewhere, and gives what runs
    `drain_seconds` (DRAIN_SECONDS); told again, it ends at once, with turns that are ended as interrupted."""

    def __init__(self, *, drain_seconds: float | None = None, **options: Any) -> None:
        super().__init__(signal_handlers=False, **options)
        self._drain_seconds: float = settings.DRAIN_SECONDS if drain_seconds is None else drain_seconds
        self._ports: list[Any] = []
        self._told = False

    def run(self) -> None:
        """Serves until it is told to end."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)
        # Looks after what other processes left, without waiting for a first request.
        reactor.callLater(0, lambda: current_runtime().start_background_tasks())
        super().run()

    def listen_success(self, port: Any) -> None:
        self._ports.append(port)
        here = port.getHost()
        log.info("serving at %s, port %s", here.host, here.port)
        super().listen_success(port)

    def kill_all_applications(self) -> Deferred[None]:
        """What Daphne does before it ends; what it returns is waited for."""
        return Deferred.fromFuture(asyncio.ensure_future(self._leave()))

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        reactor.callFromThread(self._tell)

    def _tell(self) -> None:
        if self._told:
            current_runtime().abort_drain.set()
        else:
            self._told = True
            log.info("shutting down: running requests and turns have %s s to finish", self._drain_seconds)
            self.stop()

    async def _leave(self) -> None:
        runtime, until = current_runtime(), time.monotonic() + self._drain_seconds
        for port in self._ports:
            # Whoever waits at the door comes in; the next are sent to another process.
            port.doRead()
            port.stopListening()
        for connection in list(self.connections):
            if isinstance(connection, WebSocketProtocol) and connection.state == connection.STATE_OPEN:
                # `serverClose` knows only what a person's own code may say.
                connection.sendCloseFrame(code=RESTARTING)
        await asyncio.sleep(min(LINGER_SECONDS, self._drain_seconds))
        await shut_down(runtime, within=until - time.monotonic())
        while self._busy() and time.monotonic() < until and not runtime.abort_drain.is_set():
            await asyncio.sleep(LOOK_SECONDS)
        # What began after all of that has no time left.
        await shut_down(runtime, within=0)
        left = [each["application_instance"] for each in self.connections.values() if "application_instance" in each]
        for application in left:
            application.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        log.info("stopped")

    def _busy(self) -> bool:
        """Whether a request is still on its way in, or an answer on its way out."""
        return any("disconnected" not in each or _runs(each) for each in self.connections.values())


def _runs(connection: dict[str, Any]) -> bool:
    application = connection.get("application_instance")
    return application is not None and not application.done()
