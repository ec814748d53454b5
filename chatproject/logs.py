"""Logs as events: one JSON object a line, with the request, the person and the turn that it belongs to."""
from __future__ import annotations

import json
import logging
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from django.db import InterfaceError, OperationalError
from django.utils.functional import SimpleLazyObject, empty

from chat.turns.current_turn import CURRENT_TURN_ID
from shared.db.time_limits import is_locked, is_over_limit

Json = dict[str, Any]
# What PostgreSQL says of a connection that it does not give or takes back: too many, it ends, it begins. One that never
# came about has no number, nor has one that broke off.
NOT_CONNECTED = {None, "53300", "57P01", "57P02", "57P03"}
LOCKED = 5  # as SQLite says it
# By name: who uses no Redis need not load its client.
NO_REDIS = {"redis.exceptions.ConnectionError", "redis.exceptions.TimeoutError"}
# Answered in this context, None elsewhere.
REQUEST: ContextVar[Any] = ContextVar("request", default=None)


class JsonLines(logging.Formatter):
    """`{"time", "level", "logger", "event", "request"?, "user"?, "turn"?, "exception"?}` and what `facts` add."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, whatever the message holds."""
        said: Json = {
            "time": datetime.fromtimestamp(record.created, tz=UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "event": record.getMessage(),
            # Django's own loggers name the request themselves, also when it is over.
            **about(getattr(record, "request", None) or REQUEST.get()),
        }
        if turn := CURRENT_TURN_ID.get():
            said["turn"] = turn
        said |= getattr(record, "facts", {})
        if record.exc_info:
            said["exception"] = self.formatException(record.exc_info)
        return json.dumps(said, default=str)


class WithoutKeys(logging.Filter):
    """Leaves out of Django's lines about a request the key that its address is: of a link for reading, for a new
    password, to sign in. Whoever reads logs may not do all that."""

    def filter(self, record: logging.LogRecord) -> bool:
        """True: nothing is left out but that."""
        key = key_in_address(getattr(record, "request", None))
        if key and isinstance(record.args, tuple):
            record.args = tuple(said.replace(key, "…") if isinstance(said, str) else said for said in record.args)
        return True


class Refusals(logging.Filter):
    """What Django logs as a failure, with its way through the code, when it refuses what strangers send (for a foreign
    host, or too much) is a warning of one line: nobody has to get up for it. So is a wait for the database or for Redis
    that was in vain: where in the code somebody waited says nothing, and there are many."""

    def filter(self, record: logging.LogRecord) -> bool:
        """True: nothing is left out but that."""
        reason = no_connection(record.exc_info[1] if record.exc_info else None)
        if reason:
            record.msg, record.args = f"{record.getMessage()}: {reason}", ()
        if reason or record.name.startswith("django.security."):
            record.levelno, record.levelname = logging.WARNING, "WARNING"
            record.exc_info = record.exc_text = None
        return True


def no_connection(error: BaseException | None) -> str:
    """In one line why the database or Redis could not be asked; "" for any other failure, also of theirs."""
    if f"{type(error).__module__}.{type(error).__name__}" in NO_REDIS:
        return " ".join(str(error).split())
    if not isinstance(error, OperationalError | InterfaceError):
        return ""
    if is_over_limit(error) or is_locked(error):
        return " ".join(str(error).split())
    refused = getattr(error.__cause__, "sqlstate", "") in NOT_CONNECTED
    locked = getattr(error.__cause__, "sqlite_errorcode", 0) == LOCKED
    return " ".join(str(error).split()) if refused or locked else ""


def key_in_address(request: Any) -> str:
    """The key that the address of a request is; "" where it is none."""
    match = getattr(request, "resolver_match", None)
    return str(match.kwargs.get("token") or match.kwargs.get("key", "")) if match is not None else ""


def about(request: Any) -> Json:
    """The id of a request, and the person where it is known by now: a log asks no database."""
    if request is None or not hasattr(request, "id"):
        return {}
    user: Any = getattr(request, "user", None)
    if user is None or (isinstance(user, SimpleLazyObject) and user._wrapped is empty) or user.pk is None:
        return {"request": request.id}
    return {"request": request.id, "user": user.pk}
