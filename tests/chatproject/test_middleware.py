"""Middleware for all requests: methods, body sizes, query strings and request ids."""
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
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils.module_loading import import_string

from chatproject.limits.body_size import UNBROKEN_SIZE, with_body_limit
from tests.chat.stream_client import SECONDS, Browser

MB = 1024 * 1024
TOO_LONG = b'{"name":"' + b"x" * (20 * MB) + b'"}'


@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "BREW"])
def test_unknown_methods_are_refused_everywhere(api: Any, method: str) -> None:
    pages = ("/healthz", "/readyz", "/metrics", "/tables/", "/sign-in/", "/admin/", "/nowhere/")
    api_paths = ("/api/tables/", "/api/chat/stream/", "/api/docs/", "/api/nowhere/")
    responses = {path: api.client.generic(method, path) for path in (*pages, *api_paths)}
    assert {path: response.status_code for path, response in responses.items()} == dict.fromkeys(responses, 405)
    assert all(response.headers["Allow"] for response in responses.values())
    assert {responses[path].json()["error"] for path in api_paths} == {"method_not_allowed"}


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
def test_refused_methods_get_the_allowed_ones(api: Any, path: str, methods: str) -> None:
    assert api.client.generic("TRACE", path).headers["Allow"] == methods


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_probes_refuse_posts(api: Any, path: str) -> None:
    assert api.client.post(path).status_code == 405


@pytest.mark.parametrize("path", ["/api/tables/", "/api/chat/stream/", "/api/chat/payloads/x/apply/"])
def test_bodies_over_twenty_megabytes_are_refused(api: Any, path: str) -> None:
    response = api.client.post(path, TOO_LONG, content_type="application/json")

    assert (response.status_code, response.json()["error"]) == (413, "too_large")


def test_a_body_of_exactly_twenty_megabytes_is_read(api: Any) -> None:
    start, end = b'{"nmae":"', b'"}'
    body = start + b"x" * (20 * MB - len(start) - len(end)) + end

    response = api.client.post("/api/tables/", body, content_type="application/json")

    assert (response.status_code, response.json()["errors"][0]["path"]) == (400, "nmae")


def test_bodies_without_rows_are_limited_to_one_megabyte(api: Any) -> None:
    response = api.client.post("/api/tables/1/columns/", TOO_LONG[: MB + 1], content_type="application/json")

    assert (response.status_code, response.json()["error"]) == (413, "too_large")
    assert response.json()["detail"] == "The body is larger than 1 MB."
    file = SimpleUploadedFile("big.bin", bytes(27 * MB))
    refused = api.client.post("/api/tables/1/files/", {"file": file})
    assert (refused.status_code, refused.json()["detail"]) == (413, "A file can have at most 25 MB.")


def test_an_endless_body_is_cut_one_byte_over_the_limit() -> None:
    remaining, forwarded = [b"x" * (MB // 2)] * 5, []

    async def receive() -> Any:
        if not remaining:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": remaining.pop(), "more_body": True}

    async def app(scope: Any, receive: Any, send: Any) -> None:
        while (message := await receive())["type"] == "http.request":
            forwarded.append((len(message["body"]), message["more_body"]))

    async_to_sync(with_body_limit(app))({"type": "http", "path": "/api/chat/stream/", "headers": []}, receive, None)

    assert (remaining, forwarded) == ([], [(MB // 2, True), (MB // 2, True), (1, False)])


def test_other_tasks_run_while_a_large_body_is_received() -> None:
    remaining, turns = [b"x" * UNBROKEN_SIZE] * 4, []

    async def receive() -> Any:
        return {"type": "http.request", "body": remaining.pop(), "more_body": bool(remaining)}

    async def app(scope: Any, receive: Any, send: Any) -> None:
        while (await receive())["more_body"]:
            pass

    async def scenario() -> None:
        scope = {"type": "http", "path": "/api/tables/", "headers": []}
        body = asyncio.ensure_future(with_body_limit(app)(scope, receive, None))
        while not body.done():
            await asyncio.sleep(0)
            turns.append(len(remaining))

    asyncio.run(scenario())
    assert turns[:4] == [3, 2, 1, 0]


def post_chunked(url: str, user: User, *, body: bytes) -> tuple[int, Any]:
    """POST a chunked body without a Content-Length."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=SECONDS)
    headers = {"Content-Type": "application/json", **Browser(url, user).headers}
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

    status, response = post_chunked(live_server_url, user, body=body)

    assert (status, response["name"]) == (201, "Chunks")


def test_a_chunked_body_over_the_limit_is_refused_like_any_other(live_server_url: str, user: User) -> None:
    status, response = post_chunked(live_server_url, user, body=TOO_LONG)

    assert (status, response["error"]) == (413, "too_large")


@pytest.mark.parametrize("name", settings.MIDDLEWARE)
def test_all_middleware_is_async_capable(name: str) -> None:
    assert import_string(name).async_capable


def test_responses_have_the_request_id(api: Any) -> None:
    response = api.get("/api/tables/999999/")

    assert response.headers["X-Request-Id"] == response.json()["request_id"] != ""


API_PATHS = ["/api/tables/", "/api/me/", "/api/chat/conversations/", "/api/chat/turns/x/stream/", "/api/nowhere/"]


@pytest.mark.parametrize("path", API_PATHS)
def test_too_many_query_parameters_are_refused(api: Any, path: str) -> None:
    response = api.client.get(path + "?" + "&".join(f"a{number}=1" for number in range(1_500)))

    assert (response.status_code, response.json()["error"]) == (400, "too_many_parameters")


@pytest.mark.parametrize("path", API_PATHS)
@pytest.mark.parametrize(
    ("query", "name"),
    [
        pytest.param("ordering=name&search=%FF", "search", id="invalid byte"),
        pytest.param("search=%ED%A0%80", "search", id="lone surrogate"),
        pytest.param("search=caf%E9&ordering=name", "search", id="other encoding"),
    ],
)
def test_undecodable_query_parameters_are_refused_by_name(
    api: Any, path: str, query: str, name: str
) -> None:
    response = api.client.get(f"{path}?{query}")

    assert (response.status_code, response.json()["errors"][0]["path"]) == (400, name)
    assert response.json()["error"] == "not_utf8"


def test_query_parameters_are_decoded_unchanged(api: Any) -> None:
    api.client.post("/api/tables/", {"name": "Größe 😀 50 %", "columns": [{"name": "A", "type": "text"}]},
                    content_type="application/json")

    tables = api.client.get("/api/tables/?search=Gr%C3%B6%C3%9Fe%20%F0%9F%98%80+50+%25").json()["tables"]

    assert [table["name"] for table in tables] == ["Größe 😀 50 %"]
