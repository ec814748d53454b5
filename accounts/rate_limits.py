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

from accounts.clients import address_of, known_browser
from accounts.exceptions import TooMany
from accounts.models import RequestCount

SECONDS = 60
MAX_HELD = 10_000
# A process claims this many calls in one statement, and grants them without further statements.
CLAIMS_A_MINUTE = 500


@dataclass(frozen=True)
class Rate:
    """The state of a caller: `remaining` calls until the count restarts in `reset` seconds."""

    limit: int
    remaining: int
    reset: int
    exceeded: bool = False


@dataclass
class _Held:
    """Calls that this process has claimed and not granted; `count` is the number that all processes have claimed."""

    minute: int
    left: int
    count: int


class Rates:
    """The counts of one process. All processes together grant a caller at most its limit in a minute."""

    def __init__(self) -> None:
        self._held: dict[tuple[str, int], _Held] = {}
        self._lock = threading.Lock()

    def take(self, limits: dict[str, int], *, now: datetime) -> Rate:
        """Count a call under each key of `limits` (key → calls a minute) and return the rate nearest to its limit.

        A call that the first key refuses is not counted under the next, so that a token cannot use up its user's calls.
        """
        minute, second = divmod(int(now.timestamp()), SECONDS)
        left: dict[str, int] = {}
        for key, limit in limits.items():
            left[key] = self._take(key, limit=limit, minute=minute)
            if left[key] < 0:
                break
        nearest = min(left, key=lambda key: left[key])
        exceeded = left[nearest] < 0
        return Rate(limits[nearest], max(0, left[nearest]), SECONDS - second, exceeded=exceeded)

    def _take(self, key: str, *, limit: int, minute: int) -> int:
        """Return the remaining calls after this one, or −1 if there was none left."""
        with self._lock:
            held = self._held.get((key, limit))
            if held and held.minute == minute and held.left:
                held.left -= 1
                return limit - held.count + held.left
        step = max(1, limit // CLAIMS_A_MINUTE)
        count = _claim(key, minute=minute, calls=step)
        granted = min(step, limit - count + step)
        if granted <= 0:
            return -1
        count = min(count, limit)
        with self._lock:
            held = self._held.get((key, limit))
            over = held.left if held and held.minute == minute else 0
            self._forget(before=minute)
            self._held[key, limit] = _Held(minute, left=over + granted - 1, count=count)
            return limit - count + over + granted - 1

    def _forget(self, *, before: int) -> None:
        if len(self._held) > MAX_HELD:
            self._held = {key: held for key, held in self._held.items() if held.minute >= before}


def _claim(key: str, *, minute: int, calls: int) -> int:
    """Add calls to a caller's minute and return their number. The first ones of a minute delete old counts."""
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
        RequestCount.objects.filter(minute__lt=minute - SECONDS).delete()
    return count


# In a minute: a name from one address, a name from anywhere, any name from one address.
NAME_HERE, NAME, HERE = 10, 30, 60
# In a minute, from one address: sign-ins that are started by passkey or single sign-on. Each stores a session.
PASSKEYS = SINGLE_SIGN_ONS = 20
DOWNLOADS = 3
# In an hour: invitations of one user, those of them by mail, and mails of all users that invite one address. The last
# is counted where mail is sent: refusing would tell that others have invited this address.
INVITATIONS, INVITATION_MAILS, INVITATIONS_TO_ADDRESS = 100, 30, 5
RATES = Rates()


def count_try(request: HttpRequest, *, name: str, now: datetime) -> None:
    """Count a password attempt for this name, known or not. Raises TooMany, also for the right password.

    A browser in which the user has signed in before is counted separately, so that attackers cannot block it.
    """
    if not _count_in_known_browser(request, name=name, now=now):
        here = address_of(request)
        written = unicodedata.normalize("NFKC", name).lower()
        limits = {_key("try", written, here): NAME_HERE, _key("try", written): NAME, _key("try here", here): HERE}
        _count(limits, now=now)


def count_sign_in(request: HttpRequest, *, typed: str, person: Any, now: datetime) -> None:
    """Count a password attempt for a name or address; `person` is the user with this confirmed address, if any.

    Raises TooMany like `count_try`, based only on the typed text, so that known and unknown addresses behave the same.
    Attempts by address are not counted for the user's name: that would reveal whose address it is.
    """
    if person is None or not _count_in_known_browser(request, name=person.get_username(), now=now):
        count_try(request, name=typed, now=now)


def _count_in_known_browser(request: HttpRequest, *, name: str, now: datetime) -> bool:
    browser = known_browser(request, name=name)
    if browser:
        _count({_key("try in", name, browser): NAME_HERE}, now=now)
    return bool(browser)


def count_passkey(request: HttpRequest, *, now: datetime) -> None:
    """Count the beginning of a sign-in by passkey. Raises TooMany."""
    _count({_key("passkey", address_of(request)): PASSKEYS}, now=now)


def count_single_sign_on(request: HttpRequest, *, now: datetime) -> None:
    """Count the beginning of a single sign-on. Raises TooMany."""
    _count({_key("single sign-on", address_of(request)): SINGLE_SIGN_ONS}, now=now)


def count_download(user: Any, *, now: datetime) -> None:
    """Count a download of a user's data. Raises TooMany."""
    _count({_key("download", str(user.pk)): DOWNLOADS}, now=now)


def count_invitation(user: Any, *, by_mail: bool, now: datetime) -> None:
    """Count an invitation to a table. Raises TooMany."""
    limits = {_key("invitation", str(user.pk)): INVITATIONS}
    if by_mail:
        limits[_key("invitation mail", str(user.pk))] = INVITATION_MAILS
    _count_in_hour(limits, now=now)


def count_mailed_invitation(*, address: str, now: datetime) -> bool:
    """Count a mail that invites this address; return whether it may be sent."""
    return not RATES.take({_key("invited", address.lower()): INVITATIONS_TO_ADDRESS}, now=_hour_of(now)).exceeded


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
