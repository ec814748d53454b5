"""What every request gets before a view sees it."""
from __future__ import annotations

import asyncio
import http.client
import json
from typing import Any
from urllib.parse import urlsplit

import pytest
from asgiref.sync import async_to_sync
from django.conf import settings
from django.contrib.auth.models import User
from django.utils.module_loading import import_string

from chatproject.limits.body_size import UNBROKEN_SIZE, with_body_limit
from tests.chat.stream_client import SECONDS, Browser

MB = 1024 * 1024
LONG = b'{"name":"' + b"x" * (20 * MB) + b'"}'


@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "BREW"])
def test_a_method_that_no_address_knows_is_refused_everywhere(api: Any, method: str) -> None:
    pages = ("/healthz", "/readyz", "/metrics", "/tables/", "/sign-in/", "/admin/", "/nowhere/")
    calls = ("/api/tables/", "/api/chat/stream/", "/api/docs/", "/api/nowhere/")
    answers = {path: api.client.generic(method, path) for path in (*pages, *calls)}
    assert {path: answer.status_code for path, answer in answers.items()} == dict.fromkeys(answers, 405)
    assert all(answer.headers["Allow"] for answer in answers.values())
    assert {answers[path].json()["error"] for path in calls} == {"method_not_allowed"}


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("/healthz", "GET, HEAD"),
        ("/tables/", "GET, HEAD, POST"),
        ("/tables/1/export/", "GET"),
        ("/sign-in/", "GET, HEAD, OPTIONS, POST, PUT"),
        ("/", "GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE"),
    ],
)
def test_a_method_that_no_address_knows_is_refused_with_those_of_the_page(api: Any, path: str, methods: str) -> None:
    assert api.client.generic("TRACE", path).headers["Allow"] == methods


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_probes_are_only_read(api: Any, path: str) -> None:
    assert api.client.post(path).status_code == 405


@pytest.mark.parametrize("path", ["/api/tables/", "/api/chat/stream/", "/api/chat/payloads/x/apply/"])
def test_a_body_over_twenty_megabytes_is_refused_at_every_door(api: Any, path: str) -> None:
    answer = api.client.post(path, LONG, content_type="application/json")

    assert (answer.status_code, answer.json()["error"]) == (413, "too_large")


def test_a_body_of_just_twenty_megabytes_is_read(api: Any) -> None:
    start, end = b'{"nmae":"', b'"}'
    body = start + b"x" * (20 * MB - len(start) - len(end)) + end

    answer = api.client.post("/api/tables/", body, content_type="application/json")

    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (400, "nmae")


def test_a_body_with_no_rows_may_have_one_megabyte(api: Any) -> None:
    answer = api.client.post("/api/tables/1/columns/", LONG[: MB + 1], content_type="application/json")

    assert (answer.status_code, answer.json()["error"]) == (413, "too_large")
    assert answer.json()["detail"] == "The body is larger than 1 MB."


def test_of_an_endless_body_one_byte_over_the_limit_is_passed_on() -> None:
    left, passed = [b"x" * (MB // 2)] * 5, []

    async def receive() -> Any:
        return {"type": "http.request", "body": left.pop(), "more_body": True} if left else {"type": "http.disconnect"}

    async def app(scope: Any, receive: Any, send: Any) -> None:
        while (message := await receive())["type"] == "http.request":
            passed.append((len(message["body"]), message["more_body"]))

    async_to_sync(with_body_limit(app))({"type": "http", "path": "/api/chat/stream/", "headers": []}, receive, None)

    assert (left, passed) == ([], [(MB // 2, True), (MB // 2, True), (1, False)])


def test_other_requests_get_their_turn_while_a_large_body_is_received() -> None:
    left, turns = [b"x" * UNBROKEN_SIZE] * 4, []

    async def receive() -> Any:
        return {"type": "http.request", "body": left.pop(), "more_body": bool(left)}

    async def app(scope: Any, receive: Any, send: Any) -> None:
        while (await receive())["more_body"]:
            pass

    async def scenario() -> None:
        scope = {"type": "http", "path": "/api/tables/", "headers": []}
        body = asyncio.ensure_future(with_body_limit(app)(scope, receive, None))
        while not body.done():
            await asyncio.sleep(0)
            turns.append(len(left))

    asyncio.run(scenario())
    assert turns[:4] == [3, 2, 1, 0]


def in_chunks(address: str, user: User, *, body: bytes) -> tuple[int, Any]:
    """POSTs a body that does not say how long it is."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=SECONDS)
    headers = {"Content-Type": "application/json", **Browser(address, user).headers}
    pieces = (body[start : start + MB] for start in range(0, len(body), MB))
    connection.request("POST", "/api/tables/", body=pieces, headers=headers, encode_chunked=True)
    response = connection.getresponse()
    try:
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def test_a_chunked_body_works_like_any_other(live_server_url: str, user: User) -> None:
    columns = [{"name": "Company", "type": "text"}]
    body = json.dumps({"name": "Chunks", "columns": columns}).encode()

    status, answer = in_chunks(live_server_url, user, body=body)

    assert (status, answer["name"]) == (201, "Chunks")


def test_a_chunked_body_over_the_limit_is_refused_like_any_other(live_server_url: str, user: User) -> None:
    status, answer = in_chunks(live_server_url, user, body=LONG)

    assert (status, answer["error"]) == (413, "too_large")


@pytest.mark.parametrize("name", settings.MIDDLEWARE)
def test_no_middleware_needs_a_thread_for_each_request(name: str) -> None:
    assert import_string(name).async_capable


def test_every_answer_carries_the_id_of_its_request(api: Any) -> None:
    answer = api.get("/api/tables/999999/")

    assert answer.headers["X-Request-Id"] == answer.json()["request_id"] != ""


DOORS = ["/api/tables/", "/api/me/", "/api/chat/conversations/", "/api/chat/turns/x/stream/", "/api/nowhere/"]


@pytest.mark.parametrize("path", DOORS)
def test_a_query_of_too_many_parameters_is_refused_at_every_door(api: Any, path: str) -> None:
    answer = api.client.get(path + "?" + "&".join(f"a{number}=1" for number in range(1_500)))

    assert (answer.status_code, answer.json()["error"]) == (400, "too_many_parameters")


@pytest.mark.parametrize("path", DOORS)
@pytest.mark.parametrize(
    ("query", "named"),
    [
        pytest.param("ordering=name&search=%FF", "search", id="a byte that is no text"),
        pytest.param("search=%ED%A0%80", "search", id="half of a character"),
        pytest.param("search=caf%E9&ordering=name", "search", id="another encoding"),
    ],
)
def test_a_query_that_is_no_text_is_refused_with_its_name_at_every_door(
    api: Any, path: str, query: str, named: str
) -> None:
    answer = api.client.get(f"{path}?{query}")

    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (400, named)
    assert answer.json()["error"] == "not_utf8"


def test_every_character_of_a_query_arrives_as_it_is(api: Any) -> None:
    api.client.post("/api/tables/", {"name": "Größe 😀 50 %", "columns": [{"name": "A", "type": "text"}]},
                    content_type="application/json")

    found = api.client.get("/api/tables/?search=Gr%C3%B6%C3%9Fe%20%F0%9F%98%80+50+%25").json()["tables"]

    assert [table["name"] for table in found] == ["Größe 😀 50 %"]
