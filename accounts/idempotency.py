"""Stored responses by `Idempotency-Key`, so that a repeated request has its effect once."""
from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.db import OperationalError, connection, transaction

from accounts.exceptions import AlreadyCreated, InProgress, Invalid, Malformed
from accounts.models import StoredResponse
from shared.db.time_limits import OverTimeLimit, current_time_limit
from shared.user_messages import declare
from shared.user_messages.request_messages import IDEMPOTENCY_KEY_REUSED

RETENTION = timedelta(hours=24)
MAX_KEY_LENGTH = 255
BAD_KEY = declare("bad_idempotency_key", "Idempotency-Key must have 1 to {count} printable ASCII characters.")
STILL_IN_PROGRESS = declare(
    "still_in_progress",
    "A request with this Idempotency-Key is still running. Try again in a moment.",
)
SECRET_SHOWN_BEFORE = declare(
    "secret_shown_before",
    "The first request created this. Its secret was only shown then and is not stored.",
)

Response = TypeVar("Response")


def respond_once(
    *,
    user: Any,
    key: str,
    request_digest: str,
    now: datetime,
    wait_seconds: int,
    process: Callable[[StoredResponse], Response],
    replay: Callable[[StoredResponse], Response],
) -> Response:
    """Return the result of `process`, or of `replay` if the user's key has a stored response.

    `process` runs in the transaction that holds the key, so that its effect and the stored response are committed
    together. A second request with the key waits for the first. Raises Malformed, Invalid (the key belongs to another
    request), InProgress, AlreadyCreated.
    """
    check_key(key)
    claimed = False
    try:
        with transaction.atomic():
            stored, new = _claim(user=user, key=key, request_digest=request_digest, now=now, wait_seconds=wait_seconds)
            claimed = True
            if new:
                return process(stored)
    except OperationalError as error:
        # On SQLite, the lock may be held by any other writer.
        if claimed or isinstance(error, OverTimeLimit) or connection.vendor == "sqlite":
            raise
        raise InProgress(STILL_IN_PROGRESS(), extra={"retry_after": 1}) from error
    if stored.request_digest != request_digest:
        raise Invalid(IDEMPOTENCY_KEY_REUSED(), code="idempotency_key_reused")
    if stored.created_id:
        # The type of the id in the first response: an integer, or a text such as a UUID.
        created = stored.created_id
        created_id = int(created) if created.isascii() and created.isdecimal() else created
        raise AlreadyCreated(SECRET_SHOWN_BEFORE(), extra={"id": created_id})
    return replay(stored)


def check_key(key: str) -> None:
    """Raise Malformed for a key of other than 1 to 255 printable ASCII characters."""
    if not (key.isascii() and key.isprintable() and 0 < len(key) <= MAX_KEY_LENGTH):
        raise Malformed(BAD_KEY(count=MAX_KEY_LENGTH), code="bad_idempotency_key")


def has_stored_response(*, user: Any, key: str) -> bool:
    """Return whether there is a stored response for this key of the user."""
    return StoredResponse.objects.filter(user=user, key=key[:MAX_KEY_LENGTH]).exists()


def _claim(
    *, user: Any, key: str, request_digest: str, now: datetime, wait_seconds: int
) -> tuple[StoredResponse, bool]:
    # PostgreSQL waits for the first request at the unique index; SQLite has waited at the start of the transaction.
    _set_lock_timeout(f"{wait_seconds}s")
    # Only the response of this key, because deleting others would block other requests of the user until this one ends.
    StoredResponse.objects.filter(user=user, key=key, created_at__lte=now - RETENTION).delete()
    found = StoredResponse.objects.get_or_create(
        user=user, key=key, defaults={"request_digest": request_digest, "created_at": now}
    )
    limit = current_time_limit()
    _set_lock_timeout(f"{int(limit.lock_seconds * 1000)}ms" if limit else "0")
    return found


def _set_lock_timeout(value: str) -> None:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('lock_timeout', %s, true)", [value])
