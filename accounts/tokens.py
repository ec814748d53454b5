"""Personal API tokens: creation, lookup, listing, revocation."""
from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from accounts.exceptions import Invalid, Malformed, NotAuthenticated, NotFound
from accounts.models import ApiToken
from shared.user_messages import declare, read_all
from shared.user_messages.request_messages import NOT_WHOLE, ONE_OF, OUT_OF_RANGE

PREFIX = "tc_"
SCOPES = tuple(ApiToken.Scope.values)
DEFAULT_DAYS = 90
MAX_DAYS = 366
MAX_NAME_LENGTH = 100
MAX_TOKENS = 50
# The time of the last use is written at most this often.
LAST_USE_INTERVAL = timedelta(minutes=1)
MAX_ID = 2**63 - 1
TOKEN_NAME = declare("token_name_between", "Enter a name of 1 to {count} characters.")
BAD_TOKEN = declare("bad_token", "This token is not valid or has expired.")
NO_SUCH_TOKEN = declare("no_such_token", "Token not found.")
TOO_MANY_TOKENS = declare("too_many_tokens", "You already have {count} tokens. Revoke one first.")


def create_token(
    *, user: Any, name: str, now: datetime, scope: str = "read", days: int = DEFAULT_DAYS
) -> tuple[ApiToken, str]:
    """Create a token and return it with its secret, which is not stored.

    Raises Malformed, and Invalid if the user has 50 tokens.
    """
    check_new_token(name=name, scope=scope, days=days)
    secret = PREFIX + secrets.token_urlsafe(32)
    with transaction.atomic():
        # Locked, or two requests at the same moment could both create the last one.
        User.objects.select_for_update().get(pk=user.pk)
        ApiToken.objects.filter(user=user, expires_at__lte=now).delete()
        if ApiToken.objects.filter(user=user).count() >= MAX_TOKENS:
            raise Invalid(TOO_MANY_TOKENS(count=MAX_TOKENS), code="too_many_tokens")
        token = ApiToken.objects.create(
            user=user, name=name.strip(), scope=scope, digest=_digest(secret), expires_at=now + timedelta(days=days)
        )
    return token, secret


def check_new_token(*, name: Any, scope: Any = "read", days: Any = DEFAULT_DAYS) -> None:
    """Raise Malformed with all faults of a token to create."""
    read_all(
        lambda: _check_name(name), lambda: _check_scope(scope), lambda: _check_days(days), errors=Malformed, most=3
    )


def _check_name(name: Any) -> None:
    if not isinstance(name, str) or not name.isprintable() or not 0 < len(name.strip()) <= MAX_NAME_LENGTH:
        raise Malformed(TOKEN_NAME(count=MAX_NAME_LENGTH), path="name")


def _check_scope(scope: Any) -> None:
    if scope not in SCOPES:
        raise Malformed(ONE_OF(names=SCOPES), path="scope")


def _check_days(days: Any) -> None:
    if not isinstance(days, int) or isinstance(days, bool):
        raise Malformed(NOT_WHOLE(name="days"), code="not_whole", path="days")
    if not 1 <= days <= MAX_DAYS:
        raise Malformed(OUT_OF_RANGE(name="days", least=1, most=MAX_DAYS), code="out_of_range", path="days")


def token_from_header(authorization: str, *, now: datetime) -> ApiToken | None:
    """Return the token of an `Authorization` header with its user, or None for another scheme.

    Raises NotAuthenticated.
    """
    kind, _, secret = authorization.strip().partition(" ")
    if kind.lower() != "bearer":
        return None
    found = ApiToken.objects.filter(digest=_digest(secret.strip()), expires_at__gt=now, user__is_active=True)
    token = found.select_related("user").first()
    if token is None:
        raise NotAuthenticated(BAD_TOKEN(), code="bad_token")
    if token.last_used_at is None or now - token.last_used_at > LAST_USE_INTERVAL:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return token


def tokens_for(user: Any, *, now: datetime) -> list[ApiToken]:
    """Return the user's valid tokens, the newest first."""
    return list(ApiToken.objects.filter(user=user, expires_at__gt=now).order_by("-created_at", "-pk"))


def revoke_token(*, user: Any, token_id: int) -> None:
    """Delete a token. Raises NotFound."""
    possible = 0 < token_id <= MAX_ID
    if not possible or not ApiToken.objects.filter(user=user, pk=token_id).delete()[0]:
        raise NotFound(NO_SUCH_TOKEN())


def _digest(secret: str) -> str:
    # The secret has as much entropy as the hash, so salt and key stretching would add nothing.
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
