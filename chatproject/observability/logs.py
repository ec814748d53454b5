"""Log formatters and filters: JSON lines with request, user and turn, without secrets and needless tracebacks."""
from __future__ import annotations

import json
import logging
import sqlite3
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from django.db import InterfaceError, OperationalError
from django.urls import Resolver404, resolve
from django.utils.functional import SimpleLazyObject, empty

from chat.turns.current_turn import CURRENT_TURN_ID
from shared.db.time_limits import is_locked, is_over_limit

Json = dict[str, Any]
# https://www.postgresql.org/docs/15/errcodes-appendix.html: too many connections, shutdown, crash, cannot connect now.
# Connections that failed or broke have no code.
CONNECTION_SQLSTATES = {None, "53300", "57P01", "57P02", "57P03"}
# By name, so that the client is not imported in installations without Redis.
REDIS_CONNECTION_ERRORS = {"redis.exceptions.ConnectionError", "redis.exceptions.TimeoutError"}
# The request that is handled in this context.
CURRENT_REQUEST: ContextVar[Any] = ContextVar("request", default=None)


class JsonFormatter(logging.Formatter):
    """`{"time", "level", "logger", "event", "request"?, "user"?, "turn"?, "exception"?}` and the fields in `facts`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line of JSON."""
        fields: Json = {
            "time": datetime.fromtimestamp(record.created, tz=UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "event": record.getMessage(),
            # Django's own loggers add the request to their records, also after its end.
            **request_fields(getattr(record, "request", None) or CURRENT_REQUEST.get()),
        }
        if turn := CURRENT_TURN_ID.get():
            fields["turn"] = turn
        fields |= getattr(record, "facts", {})
        if record.exc_info:
            fields["exception"] = self.formatException(record.exc_info)
        return json.dumps(fields, default=str)


class RedactKeysFilter(logging.Filter):
    """Removes secrets in URLs from Django's log lines: of shared tables, password resets and sign-in links."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Change the record, and return True."""
        key = key_in_url(getattr(record, "request", None))
        if key and isinstance(record.args, tuple):
            record.args = tuple(each.replace(key, "…") if isinstance(each, str) else each for each in record.args)
        return True


class ShortErrorsFilter(logging.Filter):
    """Logs some errors as warnings of one line, without a traceback.

    These are requests that Django refuses (unknown host, too much data), which are errors of the client, and errors
    because the database or Redis is unavailable, whose tracebacks give no further information.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Change the record, and return True."""
        reason = connection_failure(record.exc_info[1] if record.exc_info else None)
        if reason:
            record.msg, record.args = f"{record.getMessage()}: {reason}", ()
        if reason or record.name.startswith("django.security."):
            record.levelno, record.levelname = logging.WARNING, "WARNING"
            record.exc_info = record.exc_text = None
        return True


class RepeatedMessagesFilter(logging.Filter):
    """Drops a message that was logged within the last half minute, whatever its parameters."""

    REPEAT_SECONDS = 30.0

    def __init__(self) -> None:
        super().__init__()
        self._logged_at: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the message is to be logged."""
        template = str(record.msg)
        if record.created - self._logged_at.get(template, float("-inf")) < self.REPEAT_SECONDS:
            return False
        self._logged_at[template] = record.created
        return True


def connection_failure(error: BaseException | None) -> str:
    """Return in one line why the database or Redis could not be used, "" for other errors."""
    if f"{type(error).__module__}.{type(error).__name__}" in REDIS_CONNECTION_ERRORS:
        return " ".join(str(error).split())
    if not isinstance(error, OperationalError | InterfaceError):
        return ""
    if is_over_limit(error) or is_locked(error):
        return " ".join(str(error).split())
    refused = getattr(error.__cause__, "sqlstate", "") in CONNECTION_SQLSTATES
    locked = getattr(error.__cause__, "sqlite_errorcode", 0) == sqlite3.SQLITE_BUSY
    return " ".join(str(error).split()) if refused or locked else ""


def key_in_url(request: Any) -> str:
    """Return the secret in the URL of a request, "" if there is none."""
    match = getattr(request, "resolver_match", None)
    if match is None and request is not None:
        # It failed in a middleware, before its URL was resolved.
        try:
            match = resolve(request.path_info)
        except Resolver404:
            return ""
    return str(match.kwargs.get("token") or match.kwargs.get("key", "")) if match is not None else ""


def request_fields(request: Any) -> Json:
    """Return the id of a request, and of its user if that has been loaded already."""
    if request is None or not hasattr(request, "id"):
        return {}
    user: Any = getattr(request, "user", None)
    if user is None or (isinstance(user, SimpleLazyObject) and user._wrapped is empty) or user.pk is None:
        return {"request": request.id}
    return {"request": request.id, "user": user.pk}
