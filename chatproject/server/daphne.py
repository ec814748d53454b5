"""Daphne with a graceful shutdown, for one of several server processes behind a proxy."""
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
from twisted.internet import reactor as installed_reactor
from twisted.internet.defer import Deferred

from chat.turns.runtime import current_runtime, shut_down
from chatproject.server.request_bodies import BodyFromFileMixin
from shared.websockets.event_stream import end_endless_streams

log = logging.getLogger("chatproject.processes")
# Twisted's reactor has no types.
reactor: Any = installed_reactor

POLL_SECONDS = 0.05
# Time for requests on connections that were accepted last.
LINGER_SECONDS = 1.0
# Time to send the final events of interrupted turns.
FINAL_EVENT_SECONDS = 1.0
# Close code "Service Restart": pages connect again, to another process.
RESTARTING = 1012


class GracefulServer(BodyFromFileMixin, Server):
    """Shuts down on SIGTERM or Ctrl+C.

    It accepts no new connections, closes sockets, and gives running requests and turns `drain_seconds`. At a second
    signal it ends immediately; running turns are stored as interrupted.
    """

    def __init__(self, *, drain_seconds: float | None = None, **options: Any) -> None:
        super().__init__(signal_handlers=False, **options)
        self._drain_seconds: float = settings.DRAIN_SECONDS if drain_seconds is None else drain_seconds
        self._ports: list[Any] = []
        self._is_stopping = False

    def run(self) -> None:
        """Serve until a signal arrives."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)
        # Background tasks also end the turns of killed processes, so they do not wait for the first request.
        reactor.callLater(0, lambda: current_runtime().start_background_tasks())
        super().run()

    def listen_success(self, port: Any) -> None:
        self._ports.append(port)
        address = port.getHost()
        log.info("serving at %s, port %s", address.host, address.port)
        super().listen_success(port)

    def kill_all_applications(self) -> Deferred[None]:
        """Shut down. Daphne calls this before it ends, and waits for the result."""
        return Deferred.fromFuture(asyncio.ensure_future(self._shut_down()))

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        reactor.callFromThread(self._stop_or_abort)

    def _stop_or_abort(self) -> None:
        if self._is_stopping:
            current_runtime().abort_drain.set()
        else:
            self._is_stopping = True
            log.info("shutting down: running requests and turns have %s s to finish", self._drain_seconds)
            self.stop()

    async def _shut_down(self) -> None:
        runtime, deadline = current_runtime(), time.monotonic() + self._drain_seconds
        for port in self._ports:
            # Accept connections that are waiting; the proxy sends later ones to another process.
            port.doRead()
            port.stopListening()
        for connection in list(self.connections):
            if isinstance(connection, WebSocketProtocol) and connection.state == connection.STATE_OPEN:
                # `serverClose` accepts only the codes of applications.
                connection.sendCloseFrame(code=RESTARTING)
        end_endless_streams()
        await asyncio.sleep(min(LINGER_SECONDS, self._drain_seconds))
        await shut_down(runtime, within=deadline - time.monotonic())
        # Streams of turns that were interrupted at the deadline still have to send the final event.
        sent_by = time.monotonic() + FINAL_EVENT_SECONDS
        while self._is_busy() and time.monotonic() < (
            sent_by if runtime.abort_drain.is_set() else max(sent_by, deadline)
        ):
            end_endless_streams()
            await asyncio.sleep(POLL_SECONDS)
        # Turns that have started since then get no time.
        await shut_down(runtime, within=0)
        connections = self.connections.values()
        remaining = [each["application_instance"] for each in connections if "application_instance" in each]
        for application in remaining:
            application.cancel()
        await asyncio.gather(*remaining, return_exceptions=True)
        log.info("stopped")

    def _is_busy(self) -> bool:
        """Return whether a request is still being received or a response is still being sent."""
        return any("disconnected" not in each or _is_running(each) for each in self.connections.values())


def _is_running(connection: dict[str, Any]) -> bool:
    application = connection.get("application_instance")
    return application is not None and not application.done()
