"""API tokens over HTTP: creation, use, limits, revocation."""
from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from accounts.models import ApiToken
from chat.turns.model_clients import use_transport
from tests.chat.entries import note_entries
from tests.chat.stream_client import STREAM, Browser, turn_body
from tests.conftest import Api
from tests.scripted_model import ScriptedModel, say

TABLE = {"name": "Jobs", "columns": [{"name": "Company", "type": "text"}]}


class Program:
    """An API client that sends JSON with a token; CSRF checks are on."""

    def __init__(self, secret: str) -> None:
        self._client = Client(enforce_csrf_checks=True)
        self._headers = {"Authorization": f"Bearer {secret}"}

    def request(self, method: str, path: str, body: Any = None) -> HttpResponse:
        data = "" if body is None else json.dumps(body)
        return self._client.generic(method, path, data, "application/json", headers=self._headers)


Make = Callable[..., Program]


@pytest.fixture
def program(api: Api) -> Make:
    """Return a function that creates a token of the user and returns its client: `program(scope="write")`."""

    def make(**fields: Any) -> Program:
        answer = api.post("/api/tokens/", {"name": "script", **fields})
        assert answer.status_code == 201, answer.json()
        return Program(answer.json()["token"])

    return make


def test_token_is_shown_once_and_stored_as_a_hash(api: Api) -> None:
    created = api.post("/api/tokens/", {"name": "script", "scope": "write", "days": 3}).json()
    listed = api.get("/api/tokens/").json()["tokens"]
    assert listed == [{name: value for name, value in created.items() if name != "token"}]
    assert created["token"] not in str(ApiToken.objects.values())
    assert ApiToken.objects.get().expires_at < timezone.now() + timedelta(days=3, seconds=1)


def test_token_reads_and_writes_for_its_user_without_session_and_csrf(program: Make, api: Api) -> None:
    created = program(scope="write").request("POST", "/api/tables/", TABLE)
    assert created.status_code == 201
    assert api.get(f"/api/tables/{created.json()['id']}/changes/").json()["changes"][0]["source"] == "api"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("path", ["/api/tables/", "/api/tables/1/rows/1/", "/api/chat/payloads/x/apply/", STREAM])
def test_read_token_is_refused_by_writing_endpoints(program: Make, method: str, path: str) -> None:
    answer = program(scope="read").request(method, path, {})
    assert (answer.status_code, answer.json()["error"]) == (403, "read_only_token")


def test_read_token_reads(program: Make) -> None:
    answer = program().request("GET", "/api/tables/")
    assert (answer.status_code, answer.json()["tables"]) == (200, [])


def test_token_does_not_reach_objects_of_others(program: Make, other_api: Api) -> None:
    other_table = other_api.post("/api/tables/", TABLE).json()["id"]
    writer = program(scope="write")
    path = f"/api/tables/{other_table}/"
    statuses = [writer.request(method, path, {}).status_code for method in ("GET", "PATCH", "DELETE")]
    assert statuses == [404, 404, 404]


@pytest.mark.parametrize(("method", "path"), [("GET", ""), ("POST", ""), ("DELETE", "1/")])
def test_tokens_do_not_manage_tokens(program: Make, method: str, path: str) -> None:
    answer = program(scope="write").request(method, f"/api/tokens/{path}", {"name": "another"})
    assert (answer.status_code, answer.json()["error"]) == (403, "not_with_a_token")
    assert ApiToken.objects.count() == 1


def test_revoked_token_is_refused_at_once(program: Make, api: Api) -> None:
    reader = program()
    token = api.get("/api/tokens/").json()["tokens"][0]["id"]
    assert api.delete(f"/api/tokens/{token}/").status_code == 204
    assert reader.request("GET", "/api/tables/").status_code == 401
    assert api.delete(f"/api/tokens/{token}/").status_code == 404


@pytest.mark.parametrize("change", ["expired", "user inactive"])
def test_token_ends_when_it_expires_and_when_its_user_is_deactivated(program: Make, change: str) -> None:
    reader = program()
    if change == "expired":
        ApiToken.objects.update(expires_at=timezone.now())
    else:
        User.objects.update(is_active=False)
    answer = reader.request("GET", "/api/tables/")
    assert (answer.status_code, answer.json()["error"]) == (401, "bad_token")


@pytest.mark.parametrize("header", ["Bearer", "Bearer ", "bearer tc_wrong", "Bearer \xff\xfe", "Bearer a b"])
def test_wrong_token_is_refused_even_with_a_session(api: Api, header: str) -> None:
    answer = api.client.get("/api/tables/", headers={"Authorization": header})
    assert (answer.status_code, answer.json()["error"]) == (401, "bad_token")
    assert answer.json()["request_id"] == answer.headers["X-Request-Id"]


def test_token_of_another_user_is_not_listed_and_not_revoked(program: Make, other_api: Api) -> None:
    program()
    token = ApiToken.objects.get().pk
    assert other_api.get("/api/tokens/").json() == {"tokens": []}
    answers = [other_api.delete(f"/api/tokens/{number}/") for number in (token, 10**9, 10**30)]
    assert [answer.status_code for answer in answers] == [404, 404, 404]


def test_last_use_of_a_token_is_recorded(program: Make, api: Api) -> None:
    reader = program()
    before = api.get("/api/tokens/").json()["tokens"][0]["last_used_at"]
    reader.request("GET", "/api/tables/")
    assert (before, api.get("/api/tokens/").json()["tokens"][0]["last_used_at"] is None) == (None, False)


BAD = {
    "no name": ({}, "name"),
    "empty name": ({"name": " "}, "name"),
    "name with a line break": ({"name": "a\nb"}, "name"),
    "unknown scope": ({"name": "a", "scope": "admin"}, "scope"),
    "a scope that is a list": ({"name": "a", "scope": []}, "scope"),
    "no days": ({"name": "a", "days": 0}, "days"),
    "too many days": ({"name": "a", "days": 367}, "days"),
    "days that are true": ({"name": "a", "days": True}, "days"),
    "unknown field": ({"name": "a", "day": 1}, "day"),
}


@pytest.mark.parametrize(("body", "path"), BAD.values(), ids=BAD.keys())
def test_invalid_token_request_is_refused_with_its_path(api: Api, body: Any, path: str) -> None:
    answer = api.post("/api/tokens/", body)
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (400, path)
    assert not ApiToken.objects.exists()


def test_user_has_at_most_fifty_tokens(api: Api) -> None:
    statuses = [api.post("/api/tokens/", {"name": str(number)}).status_code for number in range(51)]
    assert (statuses.count(201), statuses[-1]) == (50, 422)


def test_tokens_require_a_signed_in_user(anonymous_api: Api) -> None:
    assert anonymous_api.get("/api/tokens/").status_code == 401
    assert anonymous_api.post("/api/tokens/", {"name": "a"}).status_code == 401


def test_command_prints_a_working_token(user: User) -> None:
    out = StringIO()
    call_command("api_token", user.username, "--scope", "write", stdout=out)
    assert Program(out.getvalue().strip()).request("POST", "/api/tables/", TABLE).status_code == 201


def test_command_reports_invalid_arguments(user: User) -> None:
    with pytest.raises(CommandError, match="nobody"):
        call_command("api_token", "nobody")
    with pytest.raises(CommandError, match="days"):
        call_command("api_token", user.username, "--days", "1000")


def test_token_starts_and_reads_a_turn_on_a_real_server(live_server_url: str, user: User) -> None:
    out = StringIO()
    call_command("api_token", user.username, "--scope", "write", stdout=out)
    caller = Browser(live_server_url, csrf=False)
    caller.headers = {"Authorization": f"Bearer {out.getvalue().strip()}"}
    script = ScriptedModel(say("Hello there"))
    with note_entries(), use_transport(script.transport()), caller.open("POST", STREAM, turn_body()) as stream:
        events = list(stream)
    assert events[-1]["type"] == "complete"
    turn = events[-1]["payload"]["turn_id"]
    assert caller.request("GET", f"/api/chat/turns/{turn}/")[0] == 200


@pytest.mark.parametrize("request_line", [
    "GET /api/me/", "GET /api/chat/turns/00000000-0000-0000-0000-000000000000/stream/", "POST /api/chat/stream/",
])  # fmt: skip
@pytest.mark.parametrize("scheme", ["", "Token abc"])
def test_a_request_without_a_token_says_how_to_send_one(
    live_server_url: str, request_line: str, scheme: str
) -> None:
    sent = {"Authorization": scheme} if scheme else {}
    status, body, headers = Browser(live_server_url, csrf=False).request(*request_line.split(" "), **sent)
    assert (status, body["detail"]) == (401, "Send Authorization: Bearer <token>.")
    assert headers["WWW-Authenticate"] == "Bearer"
