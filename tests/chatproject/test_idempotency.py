"""`Idempotency-Key`: repeated requests have one effect and get the same response."""
from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Thread
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.http import HttpResponse
from django.utils import timezone

from accounts.models import ApiToken, StoredResponse
from tables.models import Row, Table
from tests.chat.stream_client import Browser
from tests.conftest import Api
from tests.tables.shared_table import share

TABLE = {"name": "Jobs", "columns": [{"name": "Company", "type": "text", "required": True}]}
KEY = "a-key"
SECONDS = 60.0  # a missing response fails the test after this time


def send(api: Api, path: str, body: Any = None, *, key: str = KEY, method: str = "POST") -> HttpResponse:
    data = json.dumps({} if body is None else body)
    return api.client.generic(method, path, data, "application/json", headers={"Idempotency-Key": key})


@pytest.fixture
def table(api: Api) -> str:
    return f"/api/tables/{api.post('/api/tables/', TABLE).json()['id']}/"


def test_a_repeated_request_has_one_effect_and_the_same_response(api: Api, table: str) -> None:
    first = send(api, f"{table}rows/", {"Company": "Acme"})
    again = send(api, f"{table}rows/", {"Company": "Acme"})
    assert (first.status_code, first.content) == (again.status_code, again.content)
    assert (first.status_code, Row.objects.count()) == (201, 1)
    assert (again.headers["Content-Type"], again.headers["Idempotent-Replayed"]) == ("application/json", "true")


def test_requests_without_a_key_or_with_another_are_carried_out(api: Api, table: str) -> None:
    for key in ("one", "two"):
        send(api, f"{table}rows/", {"Company": "Acme"}, key=key)
    api.post(f"{table}rows/", {"Company": "Acme"})
    assert Row.objects.count() == 3


@pytest.mark.sqlite_only
@pytest.mark.parametrize("other", ["body", "path", "query", "method"])
def test_a_key_cannot_be_reused_for_another_request(api: Api, table: str, other: str) -> None:
    send(api, f"{table}rows/", {"Company": "Acme"})
    path = f"{table}rows/delete/" if other == "path" else f"{table}rows/{'?keys=id' if other == 'query' else ''}"
    body = {"Company": "Bolt" if other == "body" else "Acme"}
    response = send(api, path, body, method="PATCH" if other == "method" else "POST")
    assert (response.status_code, response.json()["error"]) == (422, "idempotency_key_reused")
    assert Row.objects.count() == 1


@pytest.mark.sqlite_only
@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("rows/", [1], 400),
        ("rows/", {"Compny": "Acme"}, 422),
        ("changes/1000000/undo/", {}, 404),
        ("proposals/data/", {"operations": [{"action": "delete", "row_id": 10**9}]}, 422),
    ],
    ids=["malformed", "invalid", "not found", "proposal"],
)
def test_a_refused_request_does_not_use_up_its_key(
    api: Api, table: str, path: str, body: Any, status: int
) -> None:
    assert send(api, f"{table}{path}", body).status_code == status
    assert send(api, f"{table}rows/", {"Company": "Acme"}).status_code == 201


def test_keys_belong_to_one_user(api: Api, other_api: Api) -> None:
    own, other = send(api, "/api/tables/", TABLE), send(other_api, "/api/tables/", TABLE)
    assert own.json()["id"] != other.json()["id"]


def test_responses_are_stored_for_a_day(api: Api, table: str) -> None:
    first = send(api, f"{table}rows/", {"Company": "Acme"})
    StoredResponse.objects.update(created_at=timezone.now() - timedelta(hours=23, minutes=55))
    assert send(api, f"{table}rows/", {"Company": "Acme"}).content == first.content
    assert send(api, f"{table}rows/", {"Company": "Bolt"}).status_code == 422
    assert Row.objects.count() == 1


def test_keys_are_free_after_a_day(api: Api, table: str) -> None:
    send(api, f"{table}rows/", {"Company": "Acme"})
    StoredResponse.objects.update(created_at=timezone.now() - timedelta(hours=24))
    assert send(api, f"{table}rows/", {"Company": "Bolt"}).status_code == 201
    assert StoredResponse.objects.count() == 1


@pytest.mark.sqlite_only
def test_responses_with_secrets_are_not_stored(api: Api) -> None:
    created = send(api, "/api/tokens/", {"name": "script"}).json()
    again = send(api, "/api/tokens/", {"name": "script"})
    assert (again.status_code, again.json()["error"]) == (409, "already_created")
    assert again.json()["id"] == created["id"]
    assert created["token"] not in str(StoredResponse.objects.values())
    assert ApiToken.objects.count() == 1


@pytest.mark.sqlite_only
def test_csrf_failures_leave_the_key_free(api: Api, other_api: Api, table: str) -> None:
    strict_client = api.client.__class__(enforce_csrf_checks=True)
    strict_client.force_login(api.user)
    headers = {"Idempotency-Key": KEY}
    path, body = f"{table}rows/", json.dumps({"Company": "Acme"})
    assert strict_client.post(path, body, content_type="application/json", headers=headers).status_code == 403
    assert send(api, path, {"Company": "Acme"}).status_code == 201


def assert_failure_is_not_stored(api: Api, table: str, *, failing: tuple[str, str]) -> None:
    """Send a row while this statement on this table fails, and again when it succeeds."""
    statement, table_name = failing

    def fail(execute: Any, sql: str, *rest: Any) -> Any:
        if sql.startswith(statement) and table_name in sql:
            raise OSError("the disk is full")
        return execute(sql, *rest)

    api.client.raise_request_exception = False
    with connection.execute_wrapper(fail):
        failed = send(api, f"{table}rows/", {"Company": "Acme"})
    assert (failed.status_code, Row.objects.count(), StoredResponse.objects.count()) == (500, 0, 0)
    assert send(api, f"{table}rows/", {"Company": "Acme"}).status_code == 201
    assert Row.objects.count() == 1


@pytest.mark.sqlite_only
def test_server_errors_are_not_stored(api: Api, table: str) -> None:
    """The same request may succeed a moment later."""
    assert_failure_is_not_stored(api, table, failing=("INSERT", "tables_change"))


@pytest.mark.sqlite_only
def test_missing_permissions_are_not_stored(api: Api, other_api: Api, table: str) -> None:
    for role, status in (("viewer", 403), ("editor", 201)):
        share(api, table, other_api, role=role)
        assert send(other_api, f"{table}rows/", {"Company": "Acme"}).status_code == status


@pytest.mark.sqlite_only
def test_rate_limit_refusals_are_not_stored(api: Api, table: str, settings: Any) -> None:
    settings.API_CALLS_A_MINUTE = 1
    # Four keys, because a new minute may begin between them.
    statuses = {key: send(api, f"{table}rows/", {"Company": key}, key=key).status_code for key in "abcd"}
    refused = next(key for key, status in statuses.items() if status == 429)
    settings.API_CALLS_A_MINUTE = 1_000
    assert send(api, f"{table}rows/", {"Company": refused}, key=refused).status_code == 201


@pytest.mark.sqlite_only
@pytest.mark.parametrize("key", ["", "x" * 256, "ä", "a\tb"])
def test_invalid_keys_are_refused(api: Api, key: str) -> None:
    response = send(api, "/api/tables/", TABLE, key=key)
    assert (response.status_code, response.json()["error"]) == (400, "bad_idempotency_key")
    assert not Table.objects.exists()


@pytest.mark.sqlite_only
def test_reads_ignore_the_key(api: Api, table: str) -> None:
    responses = [api.client.get(table, headers={"Idempotency-Key": KEY}) for _ in range(2)]
    assert [response.status_code for response in responses] == [200, 200]
    assert not StoredResponse.objects.exists()


def test_a_response_that_cannot_be_stored_undoes_its_effect(api: Api, table: str) -> None:
    """The statement that stores the response fails, so the effect is rolled back and the key stays free."""
    assert_failure_is_not_stored(api, table, failing=("UPDATE", "accounts_storedresponse"))


def test_concurrent_requests_have_one_effect_and_one_response(live_server_url: str, user: User) -> None:
    browser = Browser(live_server_url, user)

    def post(number: int) -> tuple[int, Any, dict[str, str]]:
        return browser.request("POST", "/api/tables/", TABLE, **{"Idempotency-Key": KEY})

    with ThreadPoolExecutor(16) as pool:
        responses = list(pool.map(post, range(16)))
    assert {(status, body["id"]) for status, body, _ in responses} == {(201, Table.objects.get().pk)}


@pytest.fixture
def held_key(transactional_db: None, user: User) -> Iterator[None]:
    """Hold the key in another transaction that has not ended."""
    digest = uuid4().hex
    with transaction.atomic():
        StoredResponse.objects.create(user=user, key=KEY, request_digest=digest, created_at=timezone.now())
        yield


@pytest.mark.postgres_only  # on SQLite all writers wait for each other, longer than a test may take
def test_waiting_too_long_for_the_first_request_is_a_conflict(api: Api, held_key: None, settings: Any) -> None:
    settings.IDEMPOTENCY_WAIT_SECONDS = 1
    responses: list[HttpResponse] = []

    def second() -> None:
        try:
            responses.append(send(api, "/api/tables/", TABLE))
        finally:
            connection.close()

    thread = Thread(target=second)
    thread.start()
    thread.join()
    assert (responses[0].status_code, responses[0].json()["error"]) == (409, "in_progress")
    assert responses[0].headers["Retry-After"] == "1"


@pytest.mark.postgres_only  # on SQLite all writers wait for each other
def test_requests_with_different_keys_do_not_wait_for_each_other(
    transactional_db: None, api: Api, user: User
) -> None:
    """Not even when an older response has expired: a request deletes only the response of its own key."""
    old = timezone.now() - timedelta(days=2)
    StoredResponse.objects.create(user=user, key="old", request_digest=uuid4().hex, created_at=old)
    assert api.get("/api/me/").status_code == 200

    def second() -> int:
        try:
            return send(api, "/api/tables/", {**TABLE, "name": "Second"}, key="second").status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        assert send(api, "/api/tables/", TABLE, key="first").status_code == 201
        assert pool.submit(second).result(SECONDS) == 201


def test_a_repeated_request_waits_up_to_twenty_seconds(settings: Any) -> None:
    assert settings.IDEMPOTENCY_WAIT_SECONDS == 20
    assert connection.vendor == "postgresql" or settings.DATABASES["default"]["OPTIONS"]["timeout"] == 20
