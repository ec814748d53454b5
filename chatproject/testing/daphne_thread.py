"""The project served by Daphne on a free loopback port, in a thread of the test process."""

import threading
from typing import Any

START_SECONDS = 120.0  # on a busy machine, importing the project takes long


class DaphneThread:
    """The only server of a process, because Twisted's reactor cannot be started twice. It ends with the process."""

    def __init__(self) -> None:
        self._ready = threading.Event()
        self._server: Any = None
        self._thread = threading.Thread(target=self._serve, name="daphne", daemon=True)

    def start(self) -> str:
        """Start the server and return its URL, such as http://127.0.0.1:43211."""
        self._thread.start()
        if not self._ready.wait(START_SECONDS):
            raise RuntimeError("Daphne did not start")
        _, port = self._server.listening_addresses[0]
        return f"http://127.0.0.1:{port}"

    def _serve(self) -> None:
        # Daphne installs its reactor for the thread that imports it.
        from daphne.server import Server

        from chatproject.server.application import application
        from chatproject.server.request_bodies import BodyFromFileMixin

        class InPartsServer(BodyFromFileMixin, Server):
            """Receives bodies as in production."""

        self._server = InPartsServer(
            application=application,
            endpoints=["tcp:port=0:interface=127.0.0.1"],
            signal_handlers=False,
            ready_callable=self._ready.set,
            websocket_handshake_timeout=60,
            verbosity=0,
        )
        self._server.run()
