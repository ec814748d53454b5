"""Sessions as Django keeps them, read together with whose they are: one statement for each request, not three."""
from __future__ import annotations

from datetime import datetime
from typing import Any

from allauth.usersessions.models import UserSession
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, get_user
from django.contrib.auth.models import User
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db import connection
from django.db.models import OuterRef, QuerySet, Subquery
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from shared.db import CompiledQuery

# The one way in; whoever comes by another is looked up by Django.
BACKEND = "django.contrib.auth.backends.ModelBackend"
LEAST_KEY = 8
PERSON = [field.attname for field in User._meta.concrete_fields]


class SessionStore(db.SessionStore):
    """Django's; `person` is whose it is, once it was read, as far as it is noted whose it is."""

    person: User | None = None

    def _validate_session_key(self, key: str | None) -> bool:
        """Whether it can be one of ours: a cookie may say anything, and PostgreSQL takes no question about a NUL."""
        return bool(key) and len(str(key)) >= LEAST_KEY and str(key).isascii() and str(key).isalnum()

    def load(self) -> dict[str, Any]:
        """What is in the session."""
        found = OPEN.rows(session_key=self.session_key, now=timezone.now()) if self.session_key else []
        if not found or found[0][0] is None:
            return super().load()
        said, time_zone, language, *values = found[0]
        self.person = User.from_db(connection.alias, PERSON, values)
        # What `time_zone_of` and `language_of` of `accounts.profiles` would have to look up.
        self.person.time_zone = time_zone or ""  # type: ignore[attr-defined]  # a person has no slot of its own for it
        self.person.language = language or ""  # type: ignore[attr-defined]  # nor for this
        return self.decode(said)


def person_of(request: Any) -> Any:
    """Who is signed in, as Django's `get_user` says, found once for each request."""
    if not hasattr(request, "_cached_user"):
        request._cached_user = _signed_in(request.session) or get_user(request)
    return request._cached_user


def _signed_in(session: Any) -> User | None:
    """Whoever was read with the session; None where anything is not as it always is, for Django to have its say."""
    said = session.get(SESSION_KEY)
    person: User | None = getattr(session, "person", None)
    if person is None or said != str(person.pk) or not person.is_active:
        return None
    if session.get(BACKEND_SESSION_KEY) != BACKEND:
        return None
    # A password that was changed ends what was signed in with the one before.
    known = constant_time_compare(session.get(HASH_SESSION_KEY, ""), person.get_session_auth_hash())
    return person if known else None


def _open(*, session_key: str, now: datetime) -> QuerySet[UserSession, tuple[Any, ...]]:
    stored = Session.objects.filter(session_key=OuterRef("session_key"), expire_date__gt=now).values("session_data")
    person = (f"user__{name}" for name in PERSON)
    return UserSession.objects.filter(session_key=session_key).values_list(
        Subquery(stored), "user__profile__time_zone", "user__profile__language", *person
    )


OPEN = CompiledQuery(_open, session_key=str, now=datetime)
