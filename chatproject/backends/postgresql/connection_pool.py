"""Options of the connection pool for PostgreSQL, so that a process uses a server that comes back within seconds."""
from __future__ import annotations

from typing import Any

# psycopg doubles the pause between attempts to connect until this limit (5 minutes by default).
RECONNECT_SECONDS = 1.0
# How often a session runs a statement of `prepared_cursor` before it is prepared. Other cursors prepare none.
PREPARE_AFTER = 2
# For libpq, unless DATABASE_URL sets them. A host that vanished refuses nothing: without these, attempts to connect and
# statements would wait for it for minutes.
NETWORK_OPTIONS = {
    "connect_timeout": 3,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}


def database_options(url_options: dict[str, Any], *, max_connections: int) -> dict[str, Any]:
    """Return OPTIONS for a database: the parameters of its URL, such as `sslmode`, the time limits and the pool."""
    pool = {
        "min_size": 0,
        "max_size": max_connections,
        "timeout": 10,
        "reconnect_timeout": RECONNECT_SECONDS,
        "reconnect_failed": retry_for_waiting_threads,
    }
    return {**NETWORK_OPTIONS, "prepare_threshold": PREPARE_AFTER, **url_options, "pool": pool}


def retry_for_waiting_threads(pool: Any) -> None:
    """Connect again if threads wait for a connection. Otherwise only the next request would do so."""
    if pool.get_stats().get("requests_waiting"):
        pool.check()
