"""What every request gets before a view sees it."""
from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User

from tests.chat.browserlike import Browser

MB = 1024 * 1024
LONG = b'{"name":"' + b"x" * (20 * MB) + b'"}'


@pytest.mark.parametrize("path", ["/api/tables/", "/api/chat/stream/", "/api/chat/payloads/x/apply/"])
def test_a_body_over_twenty_megabytes_is_refused_at_every_door(api: Any, path: str) -> None:
    answer = api.client.post(path, LONG, content_type="application/json")

    assert (answer.status_code, answer.json()["error"]) == (413, "too_large")


def in_chunks(address: str, user: User, *, body: bytes) -> tuple[int, Any]:
    """POSTs a body that does not say how long it is."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=20)
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


def test_every_answer_carries_the_id_of_its_request(api: Any) -> None:
    answer = api.get("/api/tables/999999/")

    assert answer.headers["X-Request-Id"] == answer.json()["request_id"] != ""
