"""Under ASGI, middleware runs in the event loop unless it may query the database."""
from __future__ import annotations

import threading
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.core.handlers.exception import convert_exception_to_response
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import AsyncClient, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.deprecation import MiddlewareMixin
from django.utils.module_loading import import_string

from chatproject.middleware.inline import InlineMiddleware


class RecordingMiddleware(InlineMiddleware):
    """Middleware that records the threads in which its hooks are called."""

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
def test_only_waiting_hooks_run_in_another_thread(waits: bool) -> None:
    @async_to_sync
    async def scenario() -> tuple[int, list[int]]:
        async def view(request: HttpRequest) -> HttpResponse:
            return HttpResponse("hello")

        middleware = RecordingMiddleware(view, waits=waits)
        request = RequestFactory().get("/")
        response: Any = await middleware(request)  # type: ignore[misc]  # awaited under ASGI
        await middleware.process_view(request, view, (), {})  # type: ignore[func-returns-value]  # awaited too
        assert response.content == b"hello"
        return threading.get_ident(), middleware.threads

    loop_thread, threads = scenario()

    assert len(threads) == 3
    assert all((thread != loop_thread) == waits for thread in threads)


class Layer(InlineMiddleware):
    """Middleware that notes its name, and answers or fails on the way in if the query has `name=answer` or `=fail`."""

    name = ""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        wanted = request.GET.get(self.name)
        if wanted == "fail":
            raise PermissionDenied
        return HttpResponse(f"{self.name}:") if wanted == "answer" else None

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        response.write(self.name)
        if request.GET.get(self.name) == "fail late":
            raise PermissionDenied
        return response


@pytest.mark.parametrize("query", ["", "b=answer", "b=fail", "c=answer", "c=fail late", "a=fail", "view=fail"])
def test_layers_in_one_coroutine_do_what_they_do_in_several(query: str) -> None:
    async def view(request: HttpRequest) -> HttpResponse:
        if request.GET.get("view") == "fail":
            raise PermissionDenied
        return HttpResponse("view:")

    def chain(*, together: bool) -> Any:
        handler = convert_exception_to_response(view)
        for name in ("c", "b", "a"):
            layer = type(name, (Layer,), {"name": name})(handler)
            if not together:
                layer._layers, layer._surrounded = (layer,), handler
            handler = convert_exception_to_response(layer)
        return handler

    together, apart = (
        async_to_sync(chain(together=together))(RequestFactory().get(f"/?{query}")) for together in (True, False)
    )

    assert (together.status_code, together.content) == (apart.status_code, apart.content)


@pytest.mark.parametrize("path", settings.MIDDLEWARE)
def test_no_middleware_is_moved_to_a_thread_by_django(path: str) -> None:
    middleware = import_string(path)

    waits_by_itself = isinstance(middleware, type) and issubclass(middleware, MiddlewareMixin)
    assert not waits_by_itself or issubclass(middleware, InlineMiddleware)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("path", "body", "content_type", "expected"),
    [("/api/chat/stream/", "{}", "application/json", "did not come from this site"),
     ("/profile/", "do=change", "application/x-www-form-urlencoded", "<!doctype html>"),
     ("/profile/", "{}", "application/json", "<!doctype html>")],
)  # fmt: skip
def test_cross_site_requests_are_refused(
    user: User, path: str, body: str, content_type: str, expected: str
) -> None:
    client = AsyncClient(enforce_csrf_checks=True)
    client.force_login(user)

    response = async_to_sync(client.post)(path, body, content_type=content_type)

    assert response.status_code == 403
    assert expected in response.content.decode()


@pytest.mark.django_db(transaction=True)
def test_changed_sessions_are_stored_and_messages_shown_once(user: User) -> None:
    user.set_password("correct horse")
    user.save()

    @async_to_sync
    async def scenario() -> list[bool]:
        client = AsyncClient()
        await client.post(reverse("account_login"), {"login": user.username, "password": "correct horse"})
        expected = {"do": "change", "name": "Ada", "theme": "dark", "time_zone": "", "locale": ""}
        await client.post(reverse("profile"), expected)
        return ["Saved." in (await client.get(reverse("profile"))).content.decode() for _ in range(2)]

    assert scenario() == [True, False]


@pytest.mark.django_db(transaction=True)
def test_async_views_load_the_user_once(user: User) -> None:
    client = AsyncClient()
    client.force_login(user)

    with CaptureQueriesContext(connection) as captured:
        post = async_to_sync(client.post)
        response = post("/api/chat/turns/nothing/cancel/", content_type="application/json")

    assert response.status_code == 404
    queries = [query["sql"] for query in captured.captured_queries]
    assert sum('"auth_user"' in sql for sql in queries) == 1
    assert sum('"django_session"' in sql for sql in queries) == 1
