"""Pages are in the language that their reader chose, else as the browser asks; programs read English."""
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


async def later(request: HttpRequest) -> HttpResponse:
    return HttpResponse(translation.get_language(), content_type="text/html")


urlpatterns = [
    path("plain/", plain),
    path("later/", later),
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
    ("asked", "given"),
    [("de", "de"), ("de-CH", "de"), ("DE", "de"), ("fr,de;q=0.5", "de"), ("en,de", "en"), ("fr", "en"), ("", "en"),
     ("*", "en"), ("de" * 5_000, "en"), ("\x00;q=x", "en")],
)  # fmt: skip
def test_a_visitor_gets_the_first_language_there_is_of_those_the_browser_asks_for(asked: str, given: str) -> None:
    answer = Client().get("/plain/", headers={"Accept-Language": asked})
    assert (answer.content.decode(), answer.headers["Content-Language"]) == (given, given)
    assert {"Accept-Language", "Cookie"} <= set(answer.headers["Vary"].split(", "))


@pytest.mark.parametrize("path", ["/plain/", "/later/"])
@pytest.mark.parametrize(("chosen", "given"), [("", "de"), ("en", "en"), ("de", "de"), ("xx", "de")])
def test_what_the_person_chose_goes_before_what_the_browser_asks_for(
    user: User, path: str, chosen: str, given: str
) -> None:
    Profile.objects.create(user=user, language=chosen)

    async def ask() -> str:
        client = AsyncClient()
        await client.aforce_login(user)
        return (await client.get(path, headers=GERMAN)).content.decode()

    assert async_to_sync(ask)() == given
    assert signed_in(user, language=chosen).get(path, headers=GERMAN).content.decode() == given
    assert translation.get_language() == "en"


@pytest.mark.parametrize("path", ["/api/plain/", "/admin/plain/"])
def test_what_programs_and_administrators_read_is_english_for_everybody(user: User, path: str) -> None:
    answer = signed_in(user, language="de").get(path, headers=GERMAN)
    assert (answer.content.decode(), "Content-Language" in answer.headers) == ("en", False)


def test_the_language_costs_no_statement_of_its_own(user: User) -> None:
    client = signed_in(user, language="de")
    with CaptureQueriesContext(connection) as asked:
        assert client.get("/plain/").content == b"de"
    assert len(asked) == 1
    with CaptureQueriesContext(connection) as asked:
        assert Client().get("/plain/", headers=GERMAN).content == b"de"
    assert len(asked) == 0


@pytest.mark.parametrize("path", ["/api/chat/stream/", "/healthz", "/plain/"])
def test_what_stays_english_and_a_visitor_cost_no_thread(path: str) -> None:
    @async_to_sync
    async def scene() -> set[int]:
        threads = {threading.get_ident()}

        async def view(request: HttpRequest) -> HttpResponse:
            threads.add(threading.get_ident())
            return HttpResponse()

        class Noting(LanguageMiddleware):
            def process_request(self, request: HttpRequest) -> None:
                threads.add(threading.get_ident())
                super().process_request(request)

        request = RequestFactory().get(path)
        request.user = User()  # type: ignore[assignment]  # looked at only where somebody has a session
        request.user.language = ""  # type: ignore[union-attr]  # so that nothing is looked up
        await Noting(view)(request)  # type: ignore[arg-type, misc]  # awaited under ASGI
        return threads

    assert len(scene()) == 1


def test_a_page_says_its_language_and_the_api_of_the_profile_keeps_the_choice(user: User) -> None:
    client = signed_in(user)
    assert '<html lang="en" dir="ltr"' in client.get("/tables/").content.decode()
    assert client.patch("/api/me/", {"language": "de"}, content_type="application/json").json()["language"] == "de"
    page = client.get("/tables/").content.decode()
    assert '<html lang="de" dir="ltr"' in page
    # Where files were collected before, the name has a hash in it.
    assert (words := re.search(r"languages/de(\.\w+)?\.js", page))
    assert words.start() < page.index('type="module"')
    assert "languages/" not in client.get("/sign-in/", headers={"Accept-Language": "fr"}).content.decode()
