"""The pool of PostgreSQL connections before, during and after an outage."""
from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from django.db import OperationalError, connection

from chatproject.backends.postgresql.base import DatabaseWrapper
from chatproject.backends.postgresql.connection_pool import database_options
from chatproject.observability.readiness import wait_for_session
from tests.chatproject.production.cluster import wait_until


class Outlet:
    """The socket of the test server in a folder of its own, from which it can be removed."""

    def __init__(self, folder: Path) -> None:
        database = connection.settings_dict
        name = f".s.PGSQL.{database['PORT'] or 5432}"
        self.folder, self._socket, self._server = folder, folder / name, Path(database["HOST"]) / name
        self.plug_in()

    def plug_in(self) -> None:
        self._socket.symlink_to(self._server)

    def unplug(self) -> None:
        self._socket.unlink()

    def database(self, alias: str) -> DatabaseWrapper:
        """Return a Django connection through this socket, with the pool of a process with four connections."""
        options = database_options({}, max_connections=4)
        return DatabaseWrapper({**connection.settings_dict, "HOST": str(self.folder), "OPTIONS": options}, alias)


@pytest.fixture
def outlet() -> Iterator[Outlet]:
    # Not `tmp_path`: the path of a socket is limited to 107 characters.
    with TemporaryDirectory(prefix="outlet-", dir="/tmp") as folder:
        yield Outlet(Path(folder))


@pytest.fixture
def database(outlet: Outlet) -> Iterator[DatabaseWrapper]:
    database = outlet.database("outage")
    yield database
    database.close()
    database.close_pool()


@pytest.mark.postgres_only
@pytest.mark.django_db
def test_a_session_prepares_frequent_statements_once(database: DatabaseWrapper) -> None:
    for number in range(4):
        with database.prepared_cursor() as cursor:
            cursor.execute("SELECT %s + 1", [number])
            assert cursor.fetchone() == (number + 1,)
        with database.cursor() as cursor:
            cursor.execute("SELECT %s + 2", [number])
            assert cursor.fetchone() == (number + 2,)

    with database.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements")
        assert cursor.fetchall() == [("SELECT $1 + 1",)]


def query(database: DatabaseWrapper, statement: str = "SELECT pg_backend_pid()") -> Any:
    """Run a statement in a session from the pool, and return it to the pool."""
    try:
        with database.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchone()[0]
    finally:
        database.close()


@pytest.mark.postgres_only
@pytest.mark.django_db
def test_a_waiting_request_is_served_when_the_database_is_back(outlet: Outlet, database: DatabaseWrapper) -> None:
    outlet.unplug()
    database.pool.open()
    with pytest.raises(OperationalError, match=r"0\.01"):
        wait_for_session(database, seconds=0.01)
    wait_until(lambda: database.pool.get_stats()["connections_errors"] > 2, description="a second series of attempts")

    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(database.pool.getconn, timeout=60)
        outlet.plug_in()
        database.pool.putconn(waiting.result())
    wait_for_session(database, seconds=60)
    assert query(database)


@pytest.mark.postgres_only
@pytest.mark.django_db
def test_a_lost_session_empties_the_pool(outlet: Outlet, database: DatabaseWrapper) -> None:
    other = outlet.database("outage")
    with database.cursor(), other.cursor():
        pids = [wrapper.connection.info.backend_pid for wrapper in (database, other)]
    database.close()
    other.close()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pid, 10000) FROM unnest(%s) AS pid", [pids])

    with pytest.raises(OperationalError):
        query(database)
    assert query(database) not in pids


def test_the_parameters_of_the_url_take_precedence() -> None:
    options = database_options({"sslmode": "verify-full", "connect_timeout": 9}, max_connections=4)

    assert (options["sslmode"], options["connect_timeout"], options["pool"]["max_size"]) == ("verify-full", 9, 4)
