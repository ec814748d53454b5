"""Activates the language, locale and time zone of the user."""
from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cached_property

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation
from django.utils.cache import patch_vary_headers

from accounts.profiles import language_of, time_zone_of
from chatproject.middleware.inline import InlineMiddleware
from shared.locales import active
from shared.locales.tags import choose_tag
from shared.user_messages.request_language import requested_language

# URLs whose responses are in English for all users; API responses to pages are localized later.
ENGLISH_URLS = ("/api/", "/admin/", "/metrics", "/healthz", "/readyz")


class LanguageMiddleware(InlineMiddleware):
    """Activates the language of a page: the one that the user chose, else the best that the browser accepts.

    It activates the locale of numbers and dates as well, see `shared.locales.tags.choose_tag`.
    """

    def request_needs_thread(self, request: HttpRequest) -> bool:
        """Return whether the user must be loaded; visitors without a session have chosen no language."""
        return not request.path.startswith(ENGLISH_URLS) and settings.SESSION_COOKIE_NAME in request.COOKIES

    def process_request(self, request: HttpRequest) -> None:
        if request.path.startswith(ENGLISH_URLS):
            _activate(request, settings.LANGUAGE_CODE)
            return
        # Before the database is used, so that the error page is in this language if the database is unavailable.
        _activate(request, requested_language(request))
        chosen = language_of(request.user) if request.user.is_authenticated else ""
        if chosen:
            _activate(request, chosen)
        active.activate(
            choose_tag(
                chosen=getattr(request.user, "locale", ""),
                page=chosen or translation.get_language() or settings.LANGUAGE_CODE,
                accepted=request.headers.get("Accept-Language", ""),
            )
        )

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if not request.path.startswith(ENGLISH_URLS) and response.headers.get("Content-Type", "").startswith("text/"):
            response.headers.setdefault("Content-Language", translation.get_language() or settings.LANGUAGE_CODE)
            patch_vary_headers(response, ["Accept-Language", "Cookie"])
        translation.deactivate()
        active.deactivate()
        return response


def _activate(request: HttpRequest, language: str) -> None:
    translation.activate(language)
    # Django's LocaleMiddleware sets it too.
    request.LANGUAGE_CODE = language


class LazyTimeZone(tzinfo):
    """The time zone that `find` returns, called when it is first needed; UTC if it returns None."""

    def __init__(self, find: Callable[[], tzinfo | None]) -> None:
        self._find = find

    def __str__(self) -> str:
        # Queries that truncate to days use the name of the zone.
        return str(self.zone)

    @cached_property
    def zone(self) -> tzinfo:
        """The zone itself, loaded once."""
        return self._find() or UTC

    def utcoffset(self, dt: datetime | None) -> timedelta | None:
        return self.zone.utcoffset(dt)

    def dst(self, dt: datetime | None) -> timedelta | None:
        return self.zone.dst(dt)

    def tzname(self, dt: datetime | None) -> str | None:
        return self.zone.tzname(dt)

    def fromutc(self, dt: datetime) -> datetime:
        try:
            return self.zone.fromutc(dt.replace(tzinfo=self.zone)).replace(tzinfo=self)
        except OverflowError:
            # The local time is outside Python's calendar.
            return dt.replace(tzinfo=UTC)


class TimeZoneMiddleware(InlineMiddleware):
    """Activates the user's time zone for the request and the turn that it starts."""

    def process_request(self, request: HttpRequest) -> None:
        def find() -> tzinfo | None:
            return time_zone_of(request.user) if request.user.is_authenticated else None

        timezone.activate(LazyTimeZone(find))

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        timezone.deactivate()
        return response
