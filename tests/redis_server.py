"""A Redis of a test's own, which no machine has to have."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

from fakeredis import TcpFakeServer


@contextmanager
def own_redis() -> Iterator[str]:
    """The address of a server in this process that speaks Redis's protocol; nothing is in it yet."""
    server = TcpFakeServer(("127.0.0.1", 0))
    server.daemon_threads = True  # connections that are still open at the end hold nobody up
    Thread(target=server.serve_forever, name="redis", daemon=True).start()
    try:
        yield f"redis://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
