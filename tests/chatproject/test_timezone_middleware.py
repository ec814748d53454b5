"""The current time zone is that of the user during a request, in sync and async views."""
from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.template import Context, Template
from django.test import AsyncClient, Client
from django.urls import path
from django.utils import timezone

from accounts.models import Profile
from chatproject.middleware.localization import LazyTimeZone

TOKYO = ZoneInfo("Asia/Tokyo")
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def local_noon() -> str:
    return timezone.localtime(NOON).strftime("%H:%M %z")


def plain(request: HttpRequest) -> HttpResponse:
    return HttpResponse(local_noon())


async def async_view(request: HttpRequest) -> HttpResponse:
    return HttpResponse(await sync_to_async(local_noon)())


urlpatterns = [path("plain/", plain), path("later/", async_view)]


@pytest.fixture(autouse=True)
def _addresses(settings: Any) -> None:
    settings.ROOT_URLCONF = __name__


@pytest.mark.parametrize("path", ["/plain/", "/later/"])
def test_times_are_in_the_zone_of_the_user(user: User, path: str) -> None:
    Profile.objects.create(user=user, time_zone="Asia/Tokyo")

    async def get_page() -> str:
        client = AsyncClient()
        await client.aforce_login(user)
        return (await client.get(path)).content.decode()

    assert async_to_sync(get_page)() == "21:00 +0900"
    client = Client()
    client.force_login(user)
    assert client.get(path).content.decode() == "21:00 +0900"
    assert timezone.get_current_timezone_name() == "UTC"


def test_visitors_and_users_without_a_zone_get_utc(user: User) -> None:
    client = Client()
    assert client.get("/plain/").content.decode() == "12:00 +0000"
    client.force_login(user)
    assert client.get("/plain/").content.decode() == "12:00 +0000"


def test_the_zone_is_looked_up_lazily_and_once() -> None:
    lookups = []

    def find() -> ZoneInfo:
        lookups.append(1)
        return TOKYO

    zone = LazyTimeZone(find)
    with timezone.override(zone):
        assert lookups == []
        local = timezone.localtime(NOON)
        assert (local.hour, local.utcoffset(), local.dst(), local.tzname()) == (
            21, NOON.astimezone(TOKYO).utcoffset(), NOON.astimezone(TOKYO).dst(), "JST",
        )  # fmt: skip
        assert local == NOON
    assert lookups == [1]


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York"])
@pytest.mark.parametrize("moment", [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)])
def test_datetimes_outside_the_local_calendar_are_shown_in_utc(zone: str, moment: datetime) -> None:
    with timezone.override(LazyTimeZone(lambda: ZoneInfo(zone))):
        page = Template("{{ moment|date:'Y-m-d' }} {{ moment|date:'c' }}").render(Context({"moment": moment}))
    assert page.startswith(f"{moment.date().isoformat()} ")


def test_the_zone_is_converted_to_its_name() -> None:
    assert str(LazyTimeZone(lambda: TOKYO)) == "Asia/Tokyo"
    assert str(LazyTimeZone(lambda: None)) == "UTC"
