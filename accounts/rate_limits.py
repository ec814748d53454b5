"""Limits of calls, counted in the database for all processes: of the API, of sign-ins, downloads and invitations."""
from __future__ import annotations

import hashlib
import threading
import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.http import HttpRequest
from django.utils.translation import gettext as _

from accounts.clients import client_network, known_browser
from accounts.exceptions import TooMany
from accounts.models import RequestCount

WINDOW_SECONDS = 60
MAX_CLAIMS = 10_000
# A process claims a 500th of the limit in one statement, and grants these calls without further statements.
MAX_STATEMENTS_PER_MINUTE = 500
# Password attempts a minute.
MAX_TRIES_PER_NAME_AND_ADDRESS, MAX_TRIES_PER_NAME, MAX_TRIES_PER_ADDRESS = 10, 30, 60
# Sign-ins a minute from one address that start with a passkey or single sign-on. Each stores a session.
MAX_PASSKEY_STARTS = MAX_SINGLE_SIGN_ON_STARTS = 20
# Downloads of a user's data a minute.
MAX_DOWNLOADS = 3
# In an hour: invitations of one user, those of them by mail, and mails of all users that invite one address. The last
# is counted when the mail is sent: an error would reveal that others have invited this address.
MAX_INVITATIONS, MAX_INVITATION_MAILS, MAX_INVITATIONS_TO_ADDRESS = 100, 30, 5


@dataclass(frozen=True)
class Rate:
    """The rate of a client: `remaining` calls until the count restarts in `reset` seconds."""

    limit: int
    remaining: int
    reset: int
    exceeded: bool = False


@dataclass
class _Claim:
    """Calls that this process has claimed and not granted; `count` is the number that all processes have claimed."""

    minute: int
    left: int
    count: int


class Rates:
    """The counts of one process. All processes together grant a client at most its limit in a minute."""

    def __init__(self) -> None:
        self._claims: dict[tuple[str, int], _Claim] = {}
        self._lock = threading.Lock()

    def take(self, limits: dict[str, int], *, now: datetime) -> Rate:
        """Count a call under each key of `limits` (key → calls a minute) and return the rate nearest to its limit.

        A call that the first key refuses is not counted under the next, so that a token cannot use up its user's calls.
        """
        minute, second = divmod(int(now.timestamp()), WINDOW_SECONDS)
        left: dict[str, int] = {}
        for key, limit in limits.items():
            left[key] = self._take(key, limit=limit, minute=minute)
            if left[key] < 0:
                break
        nearest = min(left, key=lambda key: left[key])
        exceeded = left[nearest] < 0
        return Rate(limits[nearest], max(0, left[nearest]), WINDOW_SECONDS - second, exceeded=exceeded)

    def _take(self, key: str, *, limit: int, minute: int) -> int:
        """Return the remaining calls after this one, or −1 if there was none left."""
        with self._lock:
            claim = self._claims.get((key, limit))
            if claim and claim.minute == minute and claim.left:
                claim.left -= 1
                return limit - claim.count + claim.left
        step = max(1, limit // MAX_STATEMENTS_PER_MINUTE)
        count = _add_calls(key, minute=minute, calls=step)
        granted = min(step, limit - count + step)
        if granted <= 0:
            return -1
        count = min(count, limit)
        with self._lock:
            claim = self._claims.get((key, limit))
            over = claim.left if claim and claim.minute == minute else 0
            self._delete_old_claims(before=minute)
            self._claims[key, limit] = _Claim(minute, left=over + granted - 1, count=count)
            return limit - count + over + granted - 1

    def _delete_old_claims(self, *, before: int) -> None:
        if len(self._claims) > MAX_CLAIMS:
            self._claims = {key: claim for key, claim in self._claims.items() if claim.minute >= before}


def _add_calls(key: str, *, minute: int, calls: int) -> int:
    """Add calls to the count of a minute and return it. The first calls of a minute delete old counts."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO accounts_requestcount AS c (key, minute, calls) VALUES (%s, %s, %s)"
            " ON CONFLICT (key) DO UPDATE"
            # The clock of another process may be behind: count in the later minute.
            " SET calls = CASE WHEN excluded.minute > c.minute THEN 0 ELSE c.calls END + excluded.calls,"
            " minute = CASE WHEN excluded.minute > c.minute THEN excluded.minute ELSE c.minute END"
            " RETURNING calls",
            [key, minute, calls],
        )
        count: int = cursor.fetchone()[0]
    if count == calls:
        RequestCount.objects.filter(minute__lt=minute - WINDOW_SECONDS).delete()
    return count


RATES = Rates()


def count_password_attempt(request: HttpRequest, *, name: str, now: datetime) -> None:
    """Count a password attempt for this name, known or not. Raises TooMany, also for the right password.

    A browser in which the user has signed in before is counted separately, so that attackers cannot block it.
    """
    if not _count_in_known_browser(request, name=name, now=now):
        network = client_network(request)
        normalized = unicodedata.normalize("NFKC", name).lower()
        limits = {
            _key("try", normalized, network): MAX_TRIES_PER_NAME_AND_ADDRESS,
            _key("try", normalized): MAX_TRIES_PER_NAME,
            _key("try here", network): MAX_TRIES_PER_ADDRESS,
        }
        _count(limits, now=now)


def count_sign_in_attempt(request: HttpRequest, *, name_or_address: str, user: Any, now: datetime) -> None:
    """Count a password attempt for a name or address; `user` is the user with this confirmed address, if any.

    Raises TooMany like `count_password_attempt`, based only on the entered text, so that known and unknown addresses
    behave the same. Attempts by address are not counted for the user's name, because that would reveal whose address it
    is.
    """
    if user is None or not _count_in_known_browser(request, name=user.get_username(), now=now):
        count_password_attempt(request, name=name_or_address, now=now)


def _count_in_known_browser(request: HttpRequest, *, name: str, now: datetime) -> bool:
    browser = known_browser(request, name=name)
    if browser:
        _count({_key("try in", name, browser): MAX_TRIES_PER_NAME_AND_ADDRESS}, now=now)
    return bool(browser)


def count_passkey(request: HttpRequest, *, now: datetime) -> None:
    """Count the beginning of a sign-in by passkey. Raises TooMany."""
    _count({_key("passkey", client_network(request)): MAX_PASSKEY_STARTS}, now=now)


def count_single_sign_on(request: HttpRequest, *, now: datetime) -> None:
    """Count the beginning of a single sign-on. Raises TooMany."""
    _count({_key("single sign-on", client_network(request)): MAX_SINGLE_SIGN_ON_STARTS}, now=now)


def count_download(user: Any, *, now: datetime) -> None:
    """Count a download of a user's data. Raises TooMany."""
    _count({_key("download", str(user.pk)): MAX_DOWNLOADS}, now=now)


def count_invitation(user: Any, *, by_mail: bool, now: datetime) -> None:
    """Count an invitation to a table. Raises TooMany."""
    limits = {_key("invitation", str(user.pk)): MAX_INVITATIONS}
    if by_mail:
        limits[_key("invitation mail", str(user.pk))] = MAX_INVITATION_MAILS
    _count_in_hour(limits, now=now)


def count_mailed_invitation(*, address: str, now: datetime) -> bool:
    """Count a mail that invites this address; return whether it may be sent."""
    return not RATES.take({_key("invited", address.lower()): MAX_INVITATIONS_TO_ADDRESS}, now=_hour_of(now)).exceeded


def _count_in_hour(limits: dict[str, int], *, now: datetime) -> None:
    hour = _hour_of(now)
    if RATES.take(limits, now=hour).exceeded:
        wait = int((hour + timedelta(hours=1) - now).total_seconds()) + 1
        detail = _("Too many requests. Wait %(minutes)s minutes, then try again.")
        raise TooMany(detail % {"minutes": -(-wait // 60)}, extra={"retry_after": wait})


def _hour_of(now: datetime) -> datetime:
    """Return the first minute of the hour, under which the hour is counted."""
    return now.replace(minute=0, second=0, microsecond=0)


def _count(limits: dict[str, int], *, now: datetime) -> None:
    rate = RATES.take(limits, now=now)
    if rate.exceeded:
        detail = _("Too many attempts. Wait %(seconds)s seconds, then try again.") % {"seconds": rate.reset}
        raise TooMany(detail, extra={"retry_after": rate.reset})


def _key(*parts: str) -> str:
    """Return a key of bounded length; names can be long."""
    return "guess:" + hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:48]
