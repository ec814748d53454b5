"""Requests that the stream endpoints refuse before a turn starts."""
from __future__ import annotations

from uuid import uuid4

import pytest
from django.contrib.auth.models import User

from chat.models import Turn
from tables.operations import Origin
from tables.services import create_table
from tests.chat.stream_client import STREAM, Browser, turn_body
from tests.conftest import Api
from tests.scripted_model import ScriptedModel, say

pytestmark = pytest.mark.usefixtures("notes")

BAD_BODIES = {
    "no JSON": (b"{", 400),
    "doubled key": (b'{"message": "a", "message": "b"}', 400),
    "NaN": (b'{"message": NaN}', 400),
    "NUL": (b'{"message": "\\u0000"}', 400),
    "half a surrogate": (b'{"message": "\\ud800"}', 400),
    "no UTF-8": (b'{"message": "\xff"}', 400),
    "empty": (b"", 400),
    "a list": (b"[]", 400),
}


@pytest.mark.parametrize("case", BAD_BODIES)
def test_invalid_json_is_refused(browser: Browser, case: str) -> None:
    body, expected = BAD_BODIES[case]

    status, answer, _ = browser.request("POST", STREAM, body)

    assert status == expected
    assert {"error", "detail", "request_id"} <= set(answer)
    assert not Turn.objects.exists()


def test_too_large_body_is_refused(browser: Browser) -> None:
    status, answer, _ = browser.request("POST", STREAM, b" " * (20 * 1024 * 1024 + 1))

    assert (status, answer["error"]) == (413, "too_large")


API_ERRORS = {
    "form data": ("POST", STREAM, {"Content-Type": "text/plain"}, 415, "unsupported_media_type"),
    "wrong method": ("GET", STREAM, {}, 405, "method_not_allowed"),
    "unknown turn": ("GET", "/api/chat/turns/x/stream/", {}, 404, "not_found"),
    "unknown turn to stop": ("POST", "/api/chat/turns/x/cancel/", {}, 404, "not_found"),
    "no number": ("GET", "/api/chat/turns/x/stream/?after=-1", {}, 400, "not_whole"),
    "unknown parameter": ("GET", "/api/chat/turns/x/stream/?afer=1", {}, 400, "unknown_parameter"),
}


@pytest.mark.parametrize("case", API_ERRORS)
def test_invalid_requests_have_the_error_format(browser: Browser, case: str) -> None:
    method, path, headers, expected, code = API_ERRORS[case]

    body = turn_body() if (method, path) == ("POST", STREAM) else None
    status, answer, _ = browser.request(method, path, body, **headers)

    assert (status, answer["error"]) == (expected, code)


def test_inaccessible_object_is_a_404_without_a_turn(browser: Browser) -> None:
    body = {**turn_body(), "context": {"current_page": "notes", "note_id": "secret"}}

    status, answer, _ = browser.request("POST", STREAM, body)

    assert (status, answer["error"]) == (404, "not_found")
    assert not Turn.objects.exists()


def test_turn_of_another_user_is_neither_read_nor_cancelled(
    browser: Browser, live_server_url: str, other_user: User, script: ScriptedModel
) -> None:
    script.add(say("Mine"))
    with browser.open("POST", STREAM, turn_body()) as stream:
        turn_id = list(stream)[-1]["payload"]["turn_id"]
    other = Browser(live_server_url, other_user)

    answers = [
        other.request("GET", f"/api/chat/turns/{turn_id}/stream/"),
        other.request("POST", f"/api/chat/turns/{turn_id}/cancel/", {}),
        other.request("GET", f"/api/chat/turns/{turn_id}/"),
    ]

    assert [status for status, _, _ in answers] == [404, 404, 404]


def test_stream_requires_sign_in(live_server_url: str) -> None:
    status, answer, _ = Browser(live_server_url).request("POST", STREAM, turn_body())

    assert (status, answer["error"]) == (401, "not_authenticated")


def test_cross_site_request_is_refused(live_server_url: str, user: User) -> None:
    status, answer, _ = Browser(live_server_url, user, csrf=False).request("POST", STREAM, turn_body())

    assert (status, answer["error"]) == (403, "forbidden")


@pytest.mark.parametrize("page", ["table_view", "table_edit"])
def test_table_of_another_user_is_refused_like_a_missing_one(
    browser: Browser, other_user: User, page: str
) -> None:
    columns = [{"name": "Company", "type": "text"}]
    table = create_table(user=other_user, name="Theirs", columns=columns, origin=Origin("api"))

    answers = [
        browser.request("POST", STREAM, {**turn_body(), "context": {"current_page": page, "table_id": number}})
        for number in (table.pk, 999_999, 2**70)
    ]

    assert [status for status, _, _ in answers] == [404] * 3
    assert len({body["detail"] for _, body, _ in answers}) == 1
    assert not Turn.objects.exists()


@pytest.mark.parametrize(
    ("accept", "expected"),
    [("text/html", 406), ("application/json, text/plain", 406), ("text/event-stream;q=0", 406),
     (None, 400), ("*/*", 400), ("text/*", 400), ("text/html, text/event-stream;q=0.1", 400)],
)  # fmt: skip
def test_client_that_does_not_accept_event_streams_is_refused_before_its_body_is_read(
    api: Api, accept: str | None, expected: int
) -> None:
    headers = {} if accept is None else {"Accept": accept}
    paths = {"POST": STREAM, "GET": f"/api/chat/turns/{uuid4()}/stream/?after=x"}
    answers = [
        api.client.generic(method, path, b"{", content_type="application/json", headers=headers)
        for method, path in paths.items()
    ]
    assert [answer.status_code for answer in answers] == [expected, expected]
    assert [answer.json()["error"] == "not_acceptable" for answer in answers] == [expected == 406] * 2
