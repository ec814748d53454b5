"""Days and times are those of the person who asks; where they live is looked up only when a day or a time is needed."""
from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cached_property

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from accounts.profiles import time_zone_of
from chatproject.inline_middleware import InPlaceMiddleware


class OwnZone(tzinfo):
    """The zone that `find` finds, asked once; UTC for who has not said."""

    def __init__(self, find: Callable[[], tzinfo | None]) -> None:
        self._find = find

    def __str__(self) -> str:
        # Databases are told the zone by name when they count by the day.
        return str(self.zone)

    @cached_property
    def zone(self) -> tzinfo:
        """The zone itself."""
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
            # The local time is outside the calendar; UTC still tells the day.
            return dt.replace(tzinfo=UTC)


class OwnZoneMiddleware(InPlaceMiddleware):
    """Makes the person's zone Django's current one, for all that a request does and for the turn it starts."""

    def process_request(self, request: HttpRequest) -> None:
        def find() -> tzinfo | None:
            return time_zone_of(request.user) if request.user.is_authenticated else None

        timezone.activate(OwnZone(find))

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        timezone.deactivate()
        return response
