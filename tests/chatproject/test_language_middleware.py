"""The language of a page: chosen by the user, else by the browser; the API and the admin are in English."""
from __future__ import annotations

import re
import threading
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import AsyncClient, Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import include, path
from django.utils import translation

from accounts.models import Profile
from chatproject.middleware.localization import LanguageMiddleware

GERMAN = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}


def plain(request: HttpRequest) -> HttpResponse:
    return HttpResponse(translation.get_language(), content_type="text/html")


async def async_view(request: HttpRequest) -> HttpResponse:
    return HttpResponse(translation.get_language(), content_type="text/html")


urlpatterns = [
    path("plain/", plain),
    path("later/", async_view),
    path("api/plain/", plain),
    path("admin/plain/", plain),
    path("", include("chatproject.urls")),
]


@pytest.fixture(autouse=True)
def _addresses(settings: Any) -> None:
    settings.ROOT_URLCONF = __name__


def signed_in(user: User, *, language: str = "") -> Client:
    Profile.objects.update_or_create(user=user, defaults={"language": language})
    client = Client()
    client.force_login(user)
    return client


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("accepted", "expected"),
    [("de", "de"), ("de-CH", "de"), ("DE", "de"), ("fr,de;q=0.5", "de"), ("en,de", "en"), ("fr", "en"), ("", "en"),
     ("*", "en"), ("de" * 5_000, "en"), ("\x00;q=x", "en")],
)  # fmt: skip
def test_visitors_get_the_first_available_language_of_the_browser(accepted: str, expected: str) -> None:
    response = Client().get("/plain/", headers={"Accept-Language": accepted})
    assert (response.content.decode(), response.headers["Content-Language"]) == (expected, expected)
    assert {"Accept-Language", "Cookie"} <= set(response.headers["Vary"].split(", "))


@pytest.mark.parametrize("path", ["/plain/", "/later/"])
@pytest.mark.parametrize(("language", "expected"), [("", "de"), ("en", "en"), ("de", "de"), ("xx", "de")])
def test_the_language_of_the_profile_overrides_the_browser(
    user: User, path: str, language: str, expected: str
) -> None:
    Profile.objects.create(user=user, language=language)

    async def get_page() -> str:
        client = AsyncClient()
        await client.aforce_login(user)
        return (await client.get(path, headers=GERMAN)).content.decode()

    assert async_to_sync(get_page)() == expected
    assert signed_in(user, language=language).get(path, headers=GERMAN).content.decode() == expected
    assert translation.get_language() == "en"


@pytest.mark.parametrize("path", ["/api/plain/", "/admin/plain/"])
def test_the_api_and_the_admin_are_in_english(user: User, path: str) -> None:
    response = signed_in(user, language="de").get(path, headers=GERMAN)
    assert (response.content.decode(), "Content-Language" in response.headers) == ("en", False)


def test_the_language_needs_no_query(user: User) -> None:
    client = signed_in(user, language="de")
    with CaptureQueriesContext(connection) as accepted:
        assert client.get("/plain/").content == b"de"
    assert len(accepted) == 1
    with CaptureQueriesContext(connection) as accepted:
        assert Client().get("/plain/", headers=GERMAN).content == b"de"
    assert len(accepted) == 0


@pytest.mark.parametrize("path", ["/api/chat/stream/", "/healthz", "/plain/"])
def test_english_responses_and_visitors_need_no_thread(path: str) -> None:
    @async_to_sync
    async def scenario() -> set[int]:
        threads = {threading.get_ident()}

        async def view(request: HttpRequest) -> HttpResponse:
            threads.add(threading.get_ident())
            return HttpResponse()

        class RecordingMiddleware(LanguageMiddleware):
            def process_request(self, request: HttpRequest) -> None:
                threads.add(threading.get_ident())
                super().process_request(request)

        request = RequestFactory().get(path)
        request.user = User()  # type: ignore[assignment]  # only used with a session
        request.user.language = ""  # type: ignore[union-attr]  # so that no query is needed
        await RecordingMiddleware(view)(request)  # type: ignore[arg-type, misc]  # awaited under ASGI
        return threads

    assert len(scenario()) == 1


def test_pages_declare_the_language_set_through_the_profile_api(user: User) -> None:
    client = signed_in(user)
    assert '<html lang="en" dir="ltr"' in client.get("/tables/").content.decode()
    assert client.patch("/api/me/", {"language": "de"}, content_type="application/json").json()["language"] == "de"
    page = client.get("/tables/").content.decode()
    assert '<html lang="de" dir="ltr"' in page
    # The name contains a hash if static files were collected before.
    assert (script := re.search(r"languages/de(\.\w+)?\.js", page))
    assert script.start() < page.index('type="module"')
    assert "languages/" not in client.get("/sign-in/", headers={"Accept-Language": "fr"}).content.decode()
