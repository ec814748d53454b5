"""Django's PostgreSQL backend with the time limits of the work that opens a connection."""

from __future__ import annotations

from typing import Any

from django.db import connections
from django.db.backends.postgresql import base, operations

from chatproject.limits.memory import empty_when_grown
from shared.db.time_limits import TimeLimit, check_time_limit, current_time_limit, lift_time_limit

SET_LIMITS = "SELECT set_config('statement_timeout', %s, false), set_config('lock_timeout', %s, false)"
# Its parameters are sent apart from the statement. Django's stubs have other arguments.
server_binding_cursor: Any = base.ServerBindingCursor
NO_LIMITS = ("0", "0")
# Seconds that cancelling a statement may take. The session is not returned to the pool before.
CANCEL_SECONDS = 2.0


class LargeParameterCursor(server_binding_cursor):
    """Sends parameters apart from statements, so that large ones are neither quoted nor parsed as SQL.

    Prepares no statement: the plan of each is that for its parameters.
    """

    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        """Send a statement. Options are those of psycopg."""
        return super().execute(query, params, **{**options, "prepare": False})


class DatabaseOperations(operations.DatabaseOperations):
    """Returns the text of prepared statements with their parameters, for logs and tests."""

    def last_executed_query(self, cursor: Any, sql: Any, params: Any) -> Any:
        """Return the statement as `prepared_cursor` or another cursor has sent it."""
        if isinstance(cursor, server_binding_cursor):
            return self.compose_sql(sql, params)
        return super().last_executed_query(cursor, sql, params)


class DatabaseWrapper(base.DatabaseWrapper):
    """Gives each session the time limits of the context that opens it.

    Sessions come from a pool, and setting limits costs a round trip, so it is done only if they differ.
    """

    ops_class = DatabaseOperations
    _time_limit: TimeLimit | None = None

    def init_connection_state(self) -> None:
        super().init_connection_state()
        limit, session = current_time_limit(), self.connection
        wanted = NO_LIMITS if limit is None else (_milliseconds(limit.seconds), _milliseconds(limit.lock_seconds))
        if getattr(session, "time_limits", NO_LIMITS) != wanted:
            session.execute(SET_LIMITS, wanted)
            session.time_limits = wanted
        if limit is not None:
            limit.attach(session, stop=lambda: session.cancel_safe(timeout=CANCEL_SECONDS))
            self._time_limit = limit

    def create_cursor(self, name: Any = None) -> Any:
        """Return a cursor. Raises OverTimeLimit if the limit has been reached."""
        check_time_limit()
        return super().create_cursor(name)

    def prepared_cursor(self) -> Any:
        """Return a cursor whose statements PostgreSQL plans once for each session, for statements that run often.

        Raises OverTimeLimit if the limit has been reached.
        """
        return self._cursor_of(server_binding_cursor)

    def large_parameter_cursor(self) -> Any:
        """Return a cursor for statements with large parameters. Raises OverTimeLimit if the limit has been reached."""
        return self._cursor_of(LargeParameterCursor)

    def _cursor_of(self, kind: Any) -> Any:
        backend: Any = self  # Django's stubs leave out some of it
        backend.ensure_connection()
        check_time_limit()
        with backend.wrap_database_errors:
            return backend._prepare_cursor(kind(backend.connection))

    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]  # Django's stubs leave it out
        lift_time_limit()

    def _close(self) -> None:
        if self._time_limit is not None:
            self._time_limit.detach(self.connection)
            self._time_limit = None
        session, pool = self.connection, self.pool
        super()._close()  # type: ignore[misc]  # Django's stubs leave it out
        if pool and session is not None and session.broken:
            # The server has probably restarted: each idle session in the pool would fail one more request.
            pool.drain()


def _milliseconds(seconds: float) -> str:
    # Not 0, which means no limit.
    return str(max(1, int(seconds * 1000)))


def replace_pooled_sessions() -> None:
    """Close the free sessions of the pools, and those in use when they are returned, and open new ones.

    The buffers of a session grow to its largest statement, of several MB, and never shrink. The pool uses its sessions
    in turn, so that all of them would become large one after the other.
    """
    for connection in connections.all(initialized_only=True):
        pool = getattr(connection, "pool", None)
        if pool is not None:
            pool.drain()


empty_when_grown(replace_pooled_sessions, retry=False)
