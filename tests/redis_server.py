"""A Redis server in this process, for tests on machines without Redis."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

from fakeredis import TcpFakeServer


@contextmanager
def redis_server(port: int = 0) -> Iterator[str]:
    """Start an empty server, by default at a free port, that speaks Redis's protocol, and yield its URL."""
    server = TcpFakeServer(("127.0.0.1", port))
    server.daemon_threads = True  # do not wait for connections that are still open at the end
    Thread(target=server.serve_forever, name="redis", daemon=True).start()
    try:
        yield f"redis://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
