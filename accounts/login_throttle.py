"""Limits of password attempts, passkey and single sign-on starts, downloads and invitations."""
from __future__ import annotations

import hashlib
import unicodedata
from datetime import datetime, timedelta
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _

from accounts.addresses import address_of
from accounts.exceptions import TooMany
from accounts.rate_limits import Rates
from accounts.trusted_devices import known_browser

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
