"""Limits of a request: database time, locks, memory and concurrent requests."""

from __future__ import annotations

import asyncio
import json
from threading import Thread
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chatproject.limits.memory import GROWTH_MB, MB, limit_growth
from chatproject.middleware.request_limits import RequestLimitMiddleware
from tables.models import Row, Table
from tests.conftest import Api
from tests.tables.shared_table import make_table


@pytest.mark.parametrize("url", ["/api/tables/", "/tables/"])
def test_a_read_over_its_limit_is_a_503_with_retry_after(api: Api, settings: Any, url: str) -> None:
    settings.DATABASE_READ_SECONDS = 0
    api.client.raise_request_exception = False

    response = api.client.get(url)

    assert (response.status_code, response.headers["Retry-After"]) == (503, "5")
    if url.startswith("/api/"):
        assert response.json()["error"] == "too_costly"
    settings.DATABASE_READ_SECONDS = 3_600
    assert api.client.get(url).status_code == 200


def test_changes_of_whole_tables_have_their_own_limit(api: Api, settings: Any) -> None:
    table = make_table(api)
    settings.DATABASE_WRITE_SECONDS = 0

    assert api.post(f"{table}columns/", {"name": "Notes", "type": "text"}).status_code == 201
    assert api.post(f"{table}rows/", {"Company": "Acme"}).json()["error"] == "too_costly"


def test_a_request_with_a_key_over_its_limit_is_not_a_conflict(api: Api, settings: Any) -> None:
    settings.DATABASE_WRITE_SECONDS = 0
    api.client.raise_request_exception = False
    body = {"name": "Jobs", "columns": [{"name": "Company", "type": "text"}]}

    response = api.client.post(
        "/api/tables/", body, content_type="application/json", headers={"Idempotency-Key": "a-key"}
    )

    assert (response.status_code, response.json()["error"]) == (503, "too_costly")


def test_a_write_over_its_limit_writes_nothing(api: Api, settings: Any) -> None:
    settings.DATABASE_WRITE_SECONDS = 0

    response = api.post("/api/tables/", {"name": "Jobs", "columns": [{"name": "Company", "type": "text"}]})

    assert (response.status_code, response.json()["error"]) == (503, "too_costly")
    assert not Table.objects.exists()


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "a-key"}], ids=["once", "with a key"])
def test_a_write_without_a_lock_is_a_503_with_retry_after(
    transactional_db: None, api: Api, settings: Any, headers: dict[str, str]
) -> None:
    settings.DATABASE_LOCK_SECONDS = 0.001
    api.client.raise_request_exception = False
    table = make_table(api)
    responses: list[HttpResponse] = []

    def write() -> None:
        path, body = f"{table}rows/", '{"Company": "Acme"}'
        responses.append(api.client.post(path, body, content_type="application/json", headers=headers))
        connection.close()

    with transaction.atomic():
        Table.objects.select_for_update().get()
        thread = Thread(target=write)
        thread.start()
        thread.join(timeout=15)  # without a limit, SQLite waits for 20 s
        assert responses

    assert (responses[0].status_code, responses[0].json()["error"]) == (503, "busy")
    assert "Retry-After" in responses[0].headers
    assert Row.objects.count() == 2


def test_large_bodies_are_refused_when_memory_is_low(api: Api, settings: Any) -> None:
    path, row = f"{make_table(api)}rows/", {"Company": "Acme"}
    large = json.dumps(row) + " " * MB
    settings.MEMORY_MAX_MB = 1

    response = api.client.post(path, large, content_type="application/json")

    assert (response.status_code, response.json()["error"], response.headers["Retry-After"]) == (503, "busy", "5")
    assert api.post(path, row).status_code == 201
    settings.MEMORY_MAX_MB = 100_000
    assert api.client.post(path, large, content_type="application/json").status_code == 201


@pytest.mark.postgres_only
def test_sessions_are_replaced_when_the_process_has_grown(transactional_db: None) -> None:
    limit_growth()
    connection.ensure_connection()
    session = connection.connection
    connection.close()
    assert not session.closed

    large = b"x" * (2 * GROWTH_MB * MB)
    limit_growth()

    assert session.closed
    assert large
    assert User.objects.count() == 0


def view(request: HttpRequest) -> HttpResponse:
    return HttpResponse()


class Requests:
    """Requests by path; those admitted by the limits work until `go` is set."""

    def __init__(self) -> None:
        self.started: list[str] = []
        self.go = asyncio.Event()
        self._limits = RequestLimitMiddleware(self._respond)

    async def _respond(self, request: HttpRequest) -> HttpResponse:
        await self._limits.process_view(request, view, (), {})
        self.started.append(request.path)
        await self.go.wait()
        return view(request)

    def send(
        self, path: str, *, client: int, size: int = 0, content_type: str = "application/json"
    ) -> asyncio.Task[Any]:
        """Send a body of this size from the address of the client."""
        url = f"192.0.2.{client}"
        request = RequestFactory().post(path, b" " * size, content_type=content_type, REMOTE_ADDR=url)
        return asyncio.ensure_future(self._limits(request))


def test_more_requests_of_one_client_wait_until_the_first_ends(settings: Any) -> None:
    settings.REQUESTS_AT_ONCE = 1

    async def scenario() -> None:
        requests = Requests()
        first, second = requests.send("/first", client=1), requests.send("/second", client=1)
        other = requests.send("/other", client=2)
        await asyncio.sleep(0)
        assert requests.started == ["/first", "/other"]
        # The client of the first disconnects.
        first.cancel()
        await asyncio.wait({first})
        requests.go.set()
        await asyncio.gather(second, other)
        assert requests.started == ["/first", "/other", "/second"]

    asyncio.run(scenario())


def test_large_bodies_are_processed_one_at_a_time() -> None:
    async def scenario() -> None:
        requests = Requests()
        first, second = (requests.send(f"/large{n}", client=n, size=MB) for n in (1, 2))
        small = requests.send("/small", client=3, size=MB // 8)
        file = requests.send("/tables/import/", client=4, size=MB, content_type="multipart/form-data; boundary=x")
        await asyncio.sleep(0)
        assert requests.started == ["/large1", "/small", "/tables/import/"]
        # Its client disconnects.
        first.cancel()
        await asyncio.wait({first})
        requests.go.set()
        await asyncio.gather(second, small, file)
        assert requests.started == ["/large1", "/small", "/tables/import/", "/large2"]

    asyncio.run(scenario())


def test_a_waiting_large_body_holds_no_slot_of_its_client(settings: Any) -> None:
    settings.REQUESTS_AT_ONCE = 1

    async def scenario() -> None:
        requests = Requests()
        tasks = [requests.send("/large1", client=1, size=MB), requests.send("/large2", client=2, size=MB)]
        tasks += [requests.send("/small", client=2)]
        await asyncio.sleep(0)
        assert requests.started == ["/large1", "/small"]
        requests.go.set()
        await asyncio.gather(*tasks)
        assert requests.started == ["/large1", "/small", "/large2"]

    asyncio.run(scenario())


def test_large_bodies_of_other_clients_overtake_one_without_a_slot(settings: Any) -> None:
    settings.REQUESTS_AT_ONCE = 1

    async def scenario() -> None:
        requests = Requests()
        tasks = [requests.send("/small", client=1), requests.send("/large1", client=1, size=MB)]
        tasks += [requests.send("/large2", client=2, size=MB)]
        await asyncio.sleep(0)
        assert requests.started == ["/small", "/large2"]
        requests.go.set()
        await asyncio.gather(*tasks)
        assert requests.started == ["/small", "/large2", "/large1"]

    asyncio.run(scenario())


def test_rendered_responses_hold_neither_data_nor_the_parsed_body() -> None:
    class Rows(APIView):
        permission_classes = ()

        def post(self, request: Request) -> Response:
            return Response({"rows": request.data})

    async def respond(request: HttpRequest) -> HttpResponse:
        response: Response = Rows.as_view()(request)
        return response.render()

    request = RequestFactory().post("/rows/", b'[{"a":1}]', content_type="application/json")
    response = asyncio.run(RequestLimitMiddleware(respond)(request))

    assert response.content == b'{"rows":[{"a":1}]}'
    assert (response.data, response.renderer_context) == (None, {})
