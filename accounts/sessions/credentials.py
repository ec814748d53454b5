"""Checks of the credentials of open sockets, streams and turns."""
from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import Any

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from accounts.exceptions import NotAuthenticated
from accounts.models import ApiToken
from accounts.sessions.store import SessionStore
from accounts.sessions.user_sessions import PREVIOUS_KEY
from accounts.tokens import token_from_header
from shared.websockets.credentials import Credential, set_authority

# A session is decoded once, not at each check, as long as its data and the user's password are the same.
MAX_CACHED_SESSIONS = 10_000


class AccountsAuthority:
    """The accounts of this installation, as `shared.websockets.credentials.Authority`."""

    def valid(self, credentials: Collection[Credential]) -> set[Credential]:
        """Return those that are still valid, with at most five queries."""
        passwords = _active_users({each.user_id for each in credentials})
        sessions = _open_sessions({each.session_key for each in credentials} - {""}, user_ids=set(passwords))
        tokens = _open_tokens({each.token_id for each in credentials if each.token_id is not None})

        def is_valid(credential: Credential) -> bool:
            password = passwords.get(credential.user_id)
            if password is None:
                return False
            if credential.token_id is not None:
                return tokens.get(credential.token_id) == (credential.user_id, credential.token_scope)
            if not credential.session_key:
                return True
            stored = sessions.get(credential.session_key)
            return stored is not None and _signs_in(stored, credential.user_id, password)

        return {each for each in credentials if is_valid(each)}

    def user_of_token(self, authorization: str) -> tuple[Any, Credential] | None:
        """Return the user of a valid bearer token and its credential; None for any other header."""
        try:
            token = token_from_header(authorization, now=timezone.now())
        except NotAuthenticated:
            return None
        if token is None:
            return None
        return token.user, Credential(token.user_id, token_id=token.pk, token_scope=token.scope)


def connect() -> None:
    """Register this app as the authority for credentials."""
    set_authority(AccountsAuthority())


def _active_users(user_ids: set[int]) -> dict[int, str]:
    return dict(User.objects.filter(pk__in=user_ids, is_active=True).values_list("pk", "password"))


def _open_sessions(keys: set[str], *, user_ids: set[int]) -> dict[str, str]:
    """Return the data of each open session, including those whose key has been replaced since."""
    found = _session_data(keys)
    if missing := keys - found.keys():
        renewed = UserSession.objects.filter(user_id__in=user_ids, **{f"data__{PREVIOUS_KEY}__in": list(missing)})
        new_keys = dict(renewed.values_list("session_key", f"data__{PREVIOUS_KEY}"))
        found |= {new_keys[key]: text for key, text in _session_data(set(new_keys)).items()}
    return found


def _session_data(keys: set[str]) -> dict[str, str]:
    if not keys:
        return {}
    sessions = Session.objects.filter(pk__in=keys, expire_date__gt=timezone.now())
    return dict(sessions.values_list("session_key", "session_data"))


def _open_tokens(ids: set[int]) -> dict[int, tuple[int, str]]:
    if not ids:
        return {}
    found = ApiToken.objects.filter(pk__in=ids, expires_at__gt=timezone.now())
    return {pk: (user_id, scope) for pk, user_id, scope in found.values_list("pk", "user_id", "scope")}


@lru_cache(MAX_CACHED_SESSIONS)
def _signs_in(session_data: str, user_id: int, password: str) -> bool:
    """Return whether a stored session signs this user in, by the rules of `django.contrib.auth.get_user`."""
    content = SessionStore().decode(session_data)
    if content.get(SESSION_KEY) != str(user_id):
        return False
    if content.get(BACKEND_SESSION_KEY) not in settings.AUTHENTICATION_BACKENDS:
        return False
    user = User(pk=user_id, password=password)
    known = (user.get_session_auth_hash(), *user.get_session_auth_fallback_hash())
    given = content.get(HASH_SESSION_KEY, "")
    return any(constant_time_compare(given, each) for each in known)
