"""Django's database sessions, read together with their user: one statement for each request, not three."""
from __future__ import annotations

from datetime import datetime
from typing import Any

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, get_user
from django.contrib.auth.models import User
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db import connection
from django.db.models import OuterRef, QuerySet, Subquery
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from shared.db import CompiledQuery

# Sessions of other backends are loaded by Django.
BACKEND = "django.contrib.auth.backends.ModelBackend"
MIN_KEY_LENGTH = 8
USER_FIELDS = [field.attname for field in User._meta.concrete_fields]


class SessionStore(db.SessionStore):
    """Django's session store, which reads the user in the same query. `user` is None until then."""

    user: User | None = None

    def _validate_session_key(self, key: str | None) -> bool:
        """Return whether the key of a cookie can be one of ours. PostgreSQL accepts no NUL in a query."""
        return bool(key) and len(str(key)) >= MIN_KEY_LENGTH and str(key).isascii() and str(key).isalnum()

    def load(self) -> dict[str, Any]:
        """Return the data of the session, and read its user."""
        found = SESSION_WITH_USER.rows(session_key=self.session_key, now=timezone.now()) if self.session_key else []
        if not found or found[0][0] is None:
            return super().load()
        data, time_zone, language, locale, *values = found[0]
        self.user = User.from_db(connection.alias, USER_FIELDS, values)
        # For `time_zone_of` and `language_of` of `accounts.profiles`, and the locale, without further queries.
        self.user.time_zone = time_zone or ""  # type: ignore[attr-defined]  # not a field of Django's user
        self.user.language = language or ""  # type: ignore[attr-defined]  # not a field of Django's user
        self.user.locale = locale or ""  # type: ignore[attr-defined]  # not a field of Django's user
        return self._with_current_hash(self.decode(data))

    def _with_current_hash(self, content: dict[str, Any]) -> dict[str, Any]:
        """Replace a hash that was made with an earlier SECRET_KEY.

        Django would also give the session a new key, which WebSockets cannot send to the browser: it would be signed
        out.
        """
        if settings.SECRET_KEY_FALLBACKS and self.user is not None:
            stored, current = content.get(HASH_SESSION_KEY, ""), self.user.get_session_auth_hash()
            earlier = self.user.get_session_auth_fallback_hash()
            if stored != current and any(constant_time_compare(stored, each) for each in earlier):
                content[HASH_SESSION_KEY] = current
                self.modified = True
        return content


def user_of(request: Any) -> Any:
    """Return the signed-in user like Django's `get_user`, once for each request."""
    if not hasattr(request, "_cached_user"):
        request._cached_user = _valid_user(request.session) or get_user(request)
    return request._cached_user


def _valid_user(session: Any) -> User | None:
    """Return the user that was read with the session, or None if Django has to decide."""
    # Loads the session, and with it the user.
    user_id = session.get(SESSION_KEY)
    user: User | None = getattr(session, "user", None)
    if user is None or user_id != str(user.pk) or not user.is_active:
        return None
    if session.get(BACKEND_SESSION_KEY) != BACKEND:
        return None
    # A changed password ends the sessions with the previous one.
    valid = constant_time_compare(session.get(HASH_SESSION_KEY, ""), user.get_session_auth_hash())
    return user if valid else None


def _session_with_user(*, session_key: str, now: datetime) -> QuerySet[UserSession, tuple[Any, ...]]:
    stored = Session.objects.filter(session_key=OuterRef("session_key"), expire_date__gt=now).values("session_data")
    user_fields = (f"user__{name}" for name in USER_FIELDS)
    return UserSession.objects.filter(session_key=session_key).values_list(
        Subquery(stored),
        "user__profile__time_zone",
        "user__profile__language",
        "user__profile__locale",
        *user_fields,
    )


SESSION_WITH_USER = CompiledQuery(_session_with_user, session_key=str, now=datetime)
