"""What the stream's doors refuse, in the one shape, before there is any turn."""
from __future__ import annotations

from uuid import uuid4

import pytest
from django.contrib.auth.models import User

from chat.models import Turn
from tables.operations import Origin
from tables.services import create_table
from tests.chat.stream_client import STREAM, Browser, wish
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
def test_a_body_that_is_no_strict_json_is_refused(browser: Browser, case: str) -> None:
    body, expected = BAD_BODIES[case]

    status, answer, _ = browser.ask("POST", STREAM, body)

    assert status == expected
    assert {"error", "detail", "request_id"} <= set(answer)
    assert not Turn.objects.exists()


def test_a_body_beyond_all_bounds_is_refused(browser: Browser) -> None:
    status, answer, _ = browser.ask("POST", STREAM, b" " * (20 * 1024 * 1024 + 1))

    assert (status, answer["error"]) == (413, "too_large")


API_ERRORS = {
    "form data": ("POST", STREAM, {"Content-Type": "text/plain"}, 415, "unsupported_media_type"),
    "wrong method": ("GET", STREAM, {}, 405, "method_not_allowed"),
    "unknown turn": ("GET", "/api/chat/turns/x/stream/", {}, 404, "not_found"),
    "unknown turn to stop": ("POST", "/api/chat/turns/x/cancel/", {}, 404, "not_found"),
    "no number": ("GET", "/api/chat/turns/x/stream/?after=-1", {}, 400, "malformed"),
    "unknown parameter": ("GET", "/api/chat/turns/x/stream/?afer=1", {}, 400, "unknown_field"),
}


@pytest.mark.parametrize("case", API_ERRORS)
def test_other_calls_that_do_not_fit_are_refused_in_the_one_shape(browser: Browser, case: str) -> None:
    method, path, headers, expected, code = API_ERRORS[case]

    status, answer, _ = browser.ask(method, path, wish() if (method, path) == ("POST", STREAM) else None, **headers)

    assert (status, answer["error"]) == (expected, code)


def test_an_object_that_is_not_ones_own_is_a_404_before_there_is_a_turn(browser: Browser) -> None:
    body = {**wish(), "context": {"current_page": "notes", "note_id": "secret"}}

    status, answer, _ = browser.ask("POST", STREAM, body)

    assert (status, answer["error"]) == (404, "not_found")
    assert not Turn.objects.exists()


def test_somebody_elses_turn_is_neither_read_nor_stopped(
    browser: Browser, live_server_url: str, other_user: User, script: ScriptedModel
) -> None:
    script.add(say("Mine"))
    with browser.open("POST", STREAM, wish()) as stream:
        turn_id = list(stream)[-1]["payload"]["turn_id"]
    other = Browser(live_server_url, other_user)

    answers = [
        other.ask("GET", f"/api/chat/turns/{turn_id}/stream/"),
        other.ask("POST", f"/api/chat/turns/{turn_id}/cancel/", {}),
        other.ask("GET", f"/api/chat/turns/{turn_id}/"),
    ]

    assert [status for status, _, _ in answers] == [404, 404, 404]


def test_nobody_talks_without_signing_in(live_server_url: str) -> None:
    status, answer, _ = Browser(live_server_url).ask("POST", STREAM, wish())

    assert (status, answer["error"]) == (401, "not_authenticated")


def test_a_call_from_a_foreign_page_is_refused(live_server_url: str, user: User) -> None:
    status, answer, _ = Browser(live_server_url, user, csrf=False).ask("POST", STREAM, wish())

    assert (status, answer["error"]) == (403, "forbidden")


@pytest.mark.parametrize("page", ["table_view", "table_edit"])
def test_the_chat_beside_somebody_elses_table_reads_like_that_beside_a_missing_one(
    browser: Browser, other_user: User, page: str
) -> None:
    columns = [{"name": "Company", "type": "text"}]
    table = create_table(user=other_user, name="Theirs", columns=columns, origin=Origin("api"))

    answers = [
        browser.ask("POST", STREAM, {**wish(), "context": {"current_page": page, "table_id": number}})
        for number in (table.pk, 999_999, 2**70, "x", "-1")
    ]

    assert [status for status, _, _ in answers] == [404] * 5
    assert len({body["detail"] for _, body, _ in answers}) == 1
    assert not Turn.objects.exists()


@pytest.mark.parametrize(
    ("accept", "expected"),
    [("text/html", 406), ("application/json, text/plain", 406), ("text/event-stream;q=0", 406),
     (None, 400), ("*/*", 400), ("text/*", 400), ("text/html, text/event-stream;q=0.1", 400)],
)  # fmt: skip
def test_a_client_that_accepts_no_event_stream_is_refused_before_its_body_is_read(
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
