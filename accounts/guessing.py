"""How often may be tried what could be guessed (passwords, whether a name is taken), or what takes long."""
from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any

from django.http import HttpRequest

from accounts.addresses import address_of
from accounts.exceptions import TooMany
from accounts.rates import Rates

# In a minute: a name from one address, a name from anywhere, any name from one address.
NAME_HERE, NAME, HERE = 10, 30, 60
NEW_NAMES_HERE = 10
DOWNLOADS = 3
RATES = Rates()


def count_try(request: HttpRequest, *, name: str, now: datetime) -> None:
    """Counts a password that is tried for this name, whoever it is. Raises TooMany, for what is right as well."""
    here = address_of(request)
    _count({_key("try", name, here): NAME_HERE, _key("try", name): NAME, _key("try here", here): HERE}, now=now)


def count_new_name(request: HttpRequest, *, now: datetime) -> None:
    """Counts a name that somebody wants to sign up with. Raises TooMany."""
    _count({_key("new name", address_of(request)): NEW_NAMES_HERE}, now=now)


def count_download(user: Any, *, now: datetime) -> None:
    """Counts an archive that a person asks for. Raises TooMany."""
    _count({_key("download", str(user.pk)): DOWNLOADS}, now=now)


def _count(limits: dict[str, int], *, now: datetime) -> None:
    rate = RATES.take(limits, now=now)
    if rate.exceeded:
        detail = f"That was tried too often. Wait {rate.reset} seconds, then try again."
        raise TooMany(detail, extra={"retry_after": rate.reset})


def _key(*parts: str) -> str:
    """Names are as long as people like; the key of a count is not."""
    return "guess:" + hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:48]
