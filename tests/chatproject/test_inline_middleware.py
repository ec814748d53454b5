"""Under ASGI, middleware that waits for nothing costs no thread; what may ask the database gets one."""
from __future__ import annotations

import threading
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import AsyncClient, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.deprecation import MiddlewareMixin
from django.utils.module_loading import import_string

from chatproject.middleware.inline import InlineMiddleware


class Noting(InlineMiddleware):
    """Notes in which threads its hooks are called."""

    def __init__(self, get_response: Any, *, waits: bool) -> None:
        super().__init__(get_response)
        self.waits = waits
        self.threads: list[int] = []

    def request_needs_thread(self, request: HttpRequest) -> bool:
        return self.waits

    def response_needs_thread(self, request: HttpRequest) -> bool:
        return self.waits

    def view_needs_thread(self, request: HttpRequest) -> bool:
        return self.waits

    def process_request(self, request: HttpRequest) -> None:
        self.threads.append(threading.get_ident())

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> None:
        self.threads.append(threading.get_ident())

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        self.threads.append(threading.get_ident())
        return response


@pytest.mark.parametrize("waits", [True, False])
def test_only_what_waits_leaves_the_thread_of_the_loop(waits: bool) -> None:
    @async_to_sync
    async def scene() -> tuple[int, list[int]]:
        async def view(request: HttpRequest) -> HttpResponse:
            return HttpResponse("hello")

        middleware = Noting(view, waits=waits)
        request = RequestFactory().get("/")
        answer: Any = await middleware(request)  # type: ignore[misc]  # awaited under ASGI
        await middleware.process_view(request, view, (), {})  # type: ignore[func-returns-value]  # so is this
        assert answer.content == b"hello"
        return threading.get_ident(), middleware.threads

    here, threads = scene()

    assert len(threads) == 3
    assert all((thread != here) == waits for thread in threads)


@pytest.mark.parametrize("path", settings.MIDDLEWARE)
def test_none_is_sent_to_a_thread_and_back_by_the_framework(path: str) -> None:
    middleware = import_string(path)

    waits_by_itself = isinstance(middleware, type) and issubclass(middleware, MiddlewareMixin)
    assert not waits_by_itself or issubclass(middleware, InlineMiddleware)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("path", "body", "kind", "said"),
    [("/api/chat/stream/", "{}", "application/json", "did not come from this site"),
     ("/profile/", "do=change", "application/x-www-form-urlencoded", "<!doctype html>"),
     ("/profile/", "{}", "application/json", "<!doctype html>")],
)  # fmt: skip
def test_what_another_site_sends_is_refused_where_nothing_waits_too(
    user: User, path: str, body: str, kind: str, said: str
) -> None:
    client = AsyncClient(enforce_csrf_checks=True)
    client.force_login(user)

    answer = async_to_sync(client.post)(path, body, content_type=kind)

    assert answer.status_code == 403
    assert said in answer.content.decode()


@pytest.mark.django_db(transaction=True)
def test_a_session_that_changes_is_stored_and_a_message_is_told_once(user: User) -> None:
    user.set_password("correct horse")
    user.save()

    @async_to_sync
    async def scene() -> list[bool]:
        client = AsyncClient()
        await client.post(reverse("account_login"), {"login": user.username, "password": "correct horse"})
        said = {"do": "change", "name": "Ada", "theme": "dark", "time_zone": "", "locale": ""}
        await client.post(reverse("profile"), said)
        return ["Saved." in (await client.get(reverse("profile"))).content.decode() for _ in range(2)]

    assert scene() == [True, False]


@pytest.mark.django_db(transaction=True)
def test_who_asks_is_looked_up_once_for_an_async_view(user: User) -> None:
    client = AsyncClient()
    client.force_login(user)

    with CaptureQueriesContext(connection) as asked:
        post = async_to_sync(client.post)
        answer = post("/api/chat/turns/nothing/cancel/", content_type="application/json")

    assert answer.status_code == 404
    queries = [query["sql"] for query in asked.captured_queries]
    assert sum('"auth_user"' in sql for sql in queries) == 1
    assert sum('"django_session"' in sql for sql in queries) == 1
