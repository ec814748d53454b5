"""Profiles of users: name, theme, time zone, locale, language."""
from __future__ import annotations

import re
from functools import lru_cache, partial
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django.conf import settings
from django.db import transaction

from accounts.exceptions import Malformed
from accounts.models import Profile
from shared.user_messages import declare, read_all
from shared.user_messages.request_messages import ONE_OF, TEXT_NEEDED

NAME_UP_TO = declare("profile_name_up_to", "Enter a name of at most {count} visible characters.")
ONE_OF_OR_NOTHING = declare("profile_one_of_or_nothing", "This must be one of {names}, or empty.")
TIME_ZONE_NEEDED = declare("time_zone_needed", "Enter an IANA time zone like Europe/Paris.")
LANGUAGE_TAG_NEEDED = declare("language_tag_needed", "Enter a language tag like en or pt-BR.")

THEMES = tuple(Profile.Theme.values)
FIELDS = ("name", "theme", "time_zone", "locale", "language")
MAX_NAME_LENGTH = 150
COOKIE_SECONDS = 31_536_000
LOCALE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}")


def profile_of(user: Any) -> Profile:
    """Return the user's profile, or an empty one that is not stored."""
    return Profile.objects.filter(user_id=user.pk).first() or Profile(user=user)


def change_profile(*, user: Any, data: dict[str, Any]) -> Profile:
    """Change these fields. Raises Malformed with all faults."""
    check_profile(data)
    with transaction.atomic():
        profile, _ = Profile.objects.get_or_create(user=user)
        for name, value in data.items():
            setattr(profile, name, value.strip())
        profile.save(update_fields=list(data))
    # Discard the values that were read with the session.
    user.time_zone, user.language, user.locale = profile.time_zone, profile.language, profile.locale
    return profile


def check_profile(data: dict[str, Any]) -> None:
    """Raise Malformed with all faults of these fields."""
    read_all(*(partial(_check, name, value) for name, value in data.items()), errors=Malformed, most=len(FIELDS))


def time_zones() -> list[str]:
    """Return the names of all time zones."""
    return sorted(_zones())


def remember_theme(response: Any, *, theme: str) -> None:
    """Set the theme for this browser, replacing a choice made in it."""
    if theme == Profile.Theme.SYSTEM:
        response.delete_cookie("theme", samesite="Lax")
    else:
        response.set_cookie("theme", theme, max_age=COOKIE_SECONDS, samesite="Lax")


def time_zone_of(user: Any) -> ZoneInfo | None:
    """Return the user's time zone, or None."""
    name = getattr(user, "time_zone", None)
    if name is None:
        name = profile_of(user).time_zone
    return ZoneInfo(name) if name in _zones() else None


def language_of(user: Any) -> str:
    """Return the user's language for pages, or "" for that of the browser. It is read with the session."""
    chosen = getattr(user, "language", None)
    if chosen is None:
        chosen = profile_of(user).language
    return chosen if chosen in dict(settings.LANGUAGES) else ""


def _check(name: str, value: Any) -> None:
    if not isinstance(value, str):
        raise Malformed(TEXT_NEEDED(), code="not_text", path=name)
    if name == "name" and not (len(value) <= MAX_NAME_LENGTH and value.isprintable()):
        raise Malformed(NAME_UP_TO(count=MAX_NAME_LENGTH), code="not_a_name", path=name)
    if name == "theme" and value not in THEMES:
        raise Malformed(ONE_OF(names=tuple(THEMES)), code="unknown_value", path=name)
    if name == "time_zone" and value and value not in _zones():
        raise Malformed(TIME_ZONE_NEEDED(), code="unknown_time_zone", path=name)
    if name == "locale" and value and not LOCALE.fullmatch(value):
        raise Malformed(LANGUAGE_TAG_NEEDED(), code="unknown_value", path=name)
    if name == "language" and value and value not in dict(settings.LANGUAGES):
        raise Malformed(ONE_OF_OR_NOTHING(names=tuple(dict(settings.LANGUAGES))), code="unknown_value", path=name)


@lru_cache(maxsize=1)
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())
