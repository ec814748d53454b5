"""Detect requests of a browser to other hosts, without an event for each of the many requests to the app."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread

REFUSAL = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class RefusingProxy(ThreadingTCPServer):
    """A proxy that refuses and records every request. Chromium does not use it for requests to this host."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Refusal)
        self.requests: list[str] = []

    @property
    def option(self) -> str:
        """The command-line option of Chromium that makes it use this proxy."""
        return f"--proxy-server=http://127.0.0.1:{self.server_address[1]}"

    def take_requests(self) -> list[str]:
        """Return the requests since the last call, each as a method and a URL or host."""
        found, self.requests = self.requests, []
        return found


class _Refusal(StreamRequestHandler):
    server: RefusingProxy

    def handle(self) -> None:
        method_and_address = self.rfile.readline().decode(errors="replace").rpartition(" ")[0]
        if method_and_address:
            self.server.requests.append(method_and_address)
            self.wfile.write(REFUSAL)


@contextmanager
def refusing_proxy() -> Iterator[RefusingProxy]:
    with RefusingProxy() as proxy:
        Thread(target=proxy.serve_forever, daemon=True).start()
        yield proxy
        proxy.shutdown()
