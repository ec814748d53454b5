"""`Idempotency-Key` through the real doors: one effect, one answer, however often a request is sent."""
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
# When a test that waits for an answer that never comes is given up; nothing is measured with it.
SECONDS = 60.0


def send(api: Api, path: str, body: Any = None, *, key: str = KEY, method: str = "POST") -> HttpResponse:
    data = json.dumps({} if body is None else body)
    return api.client.generic(method, path, data, "application/json", headers={"Idempotency-Key": key})


@pytest.fixture
def table(api: Api) -> str:
    return f"/api/tables/{api.post('/api/tables/', TABLE).json()['id']}/"


def test_the_same_request_has_its_effect_once_and_the_same_answer_twice(api: Api, table: str) -> None:
    first = send(api, f"{table}rows/", {"Company": "Acme"})
    again = send(api, f"{table}rows/", {"Company": "Acme"})
    assert (first.status_code, first.content) == (again.status_code, again.content)
    assert (first.status_code, Row.objects.count()) == (201, 1)
    assert (again.headers["Content-Type"], again.headers["Idempotent-Replayed"]) == ("application/json", "true")


def test_without_a_key_or_with_another_the_effect_comes_again(api: Api, table: str) -> None:
    for key in ("one", "two"):
        send(api, f"{table}rows/", {"Company": "Acme"}, key=key)
    api.post(f"{table}rows/", {"Company": "Acme"})
    assert Row.objects.count() == 3


@pytest.mark.parametrize("other", ["body", "path", "query", "method"])
def test_a_key_stands_for_one_request_only(api: Api, table: str, other: str) -> None:
    send(api, f"{table}rows/", {"Company": "Acme"})
    path = f"{table}rows/delete/" if other == "path" else f"{table}rows/{'?keys=id' if other == 'query' else ''}"
    body = {"Company": "Bolt" if other == "body" else "Acme"}
    answer = send(api, path, body, method="PATCH" if other == "method" else "POST")
    assert (answer.status_code, answer.json()["error"]) == (422, "idempotency_key_reused")
    assert Row.objects.count() == 1


def test_a_refusal_is_the_same_twice_also_when_it_would_go_through_by_now(api: Api, table: str) -> None:
    refused = send(api, f"{table}rows/", {"Compny": "Acme"})
    column = {"name": "Compny", "type": "text"}
    api.post(f"{table}columns/", column)
    again = send(api, f"{table}rows/", {"Compny": "Acme"})
    assert (refused.status_code, refused.content) == (422, again.content)


def test_keys_are_each_persons_own(api: Api, other_api: Api) -> None:
    mine, theirs = send(api, "/api/tables/", TABLE), send(other_api, "/api/tables/", TABLE)
    assert mine.json()["id"] != theirs.json()["id"]


def test_for_a_day_a_key_stands_for_its_request(api: Api, table: str) -> None:
    first = send(api, f"{table}rows/", {"Company": "Acme"})
    StoredResponse.objects.update(created_at=timezone.now() - timedelta(hours=23, minutes=55))
    assert send(api, f"{table}rows/", {"Company": "Acme"}).content == first.content
    assert send(api, f"{table}rows/", {"Company": "Bolt"}).status_code == 422
    assert Row.objects.count() == 1


def test_after_a_day_a_key_is_free_again(api: Api, table: str) -> None:
    send(api, f"{table}rows/", {"Company": "Acme"})
    StoredResponse.objects.update(created_at=timezone.now() - timedelta(hours=24))
    assert send(api, f"{table}rows/", {"Company": "Bolt"}).status_code == 201
    assert StoredResponse.objects.count() == 1


def test_an_answer_that_held_a_secret_is_not_kept(api: Api) -> None:
    made = send(api, "/api/tokens/", {"name": "script"}).json()
    again = send(api, "/api/tokens/", {"name": "script"})
    assert (again.status_code, again.json()["error"]) == (409, "already_created")
    assert again.json()["id"] == made["id"]
    assert made["token"] not in str(StoredResponse.objects.values())
    assert ApiToken.objects.count() == 1


def test_a_request_that_was_not_allowed_in_leaves_its_key_free(api: Api, other_api: Api, table: str) -> None:
    stranger = api.client.__class__(enforce_csrf_checks=True)
    stranger.force_login(api.user)
    headers = {"Idempotency-Key": KEY}
    path, body = f"{table}rows/", json.dumps({"Company": "Acme"})
    assert stranger.post(path, body, content_type="application/json", headers=headers).status_code == 403
    assert send(api, path, {"Company": "Acme"}).status_code == 201


def leaves_no_trace_and_is_carried_out_then(api: Api, table: str, *, failing: tuple[str, str]) -> None:
    """A row is sent while this statement to this table fails, and again when it does not."""
    verb, named = failing

    def fail(execute: Any, sql: str, *rest: Any) -> Any:
        if sql.startswith(verb) and named in sql:
            raise OSError("the disk is full")
        return execute(sql, *rest)

    api.client.raise_request_exception = False
    with connection.execute_wrapper(fail):
        broken = send(api, f"{table}rows/", {"Company": "Acme"})
    assert (broken.status_code, Row.objects.count(), StoredResponse.objects.count()) == (500, 0, 0)
    assert send(api, f"{table}rows/", {"Company": "Acme"}).status_code == 201
    assert Row.objects.count() == 1


def test_a_failure_of_ours_is_not_kept(api: Api, table: str) -> None:
    """What cannot be written now may well be written in a moment: the same request is carried out then."""
    leaves_no_trace_and_is_carried_out_then(api, table, failing=("INSERT", "tables_change"))


def test_a_refusal_for_want_of_a_right_is_not_kept(api: Api, other_api: Api, table: str) -> None:
    for role, status in (("viewer", 403), ("editor", 201)):
        share(api, table, other_api, role=role)
        assert send(other_api, f"{table}rows/", {"Company": "Acme"}).status_code == status


def test_a_refusal_for_calling_too_often_is_not_kept(api: Api, table: str, settings: Any) -> None:
    settings.API_CALLS_A_MINUTE = 1
    # Four keys, for a new minute may begin among them.
    statuses = {key: send(api, f"{table}rows/", {"Company": key}, key=key).status_code for key in "abcd"}
    refused = next(key for key, status in statuses.items() if status == 429)
    settings.API_CALLS_A_MINUTE = 1_000
    assert send(api, f"{table}rows/", {"Company": refused}, key=refused).status_code == 201


@pytest.mark.parametrize("key", ["", "x" * 256, "ä", "a\tb"])
def test_a_key_that_is_none_is_refused(api: Api, key: str) -> None:
    answer = send(api, "/api/tables/", TABLE, key=key)
    assert (answer.status_code, answer.json()["error"]) == (400, "bad_idempotency_key")
    assert not Table.objects.exists()


def test_reading_takes_no_notice_of_a_key(api: Api, table: str) -> None:
    answers = [api.client.get(table, headers={"Idempotency-Key": KEY}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert not StoredResponse.objects.exists()


def test_what_cannot_be_written_whole_is_not_kept_either(api: Api, table: str) -> None:
    """The statement that keeps the answer fails: the effect is gone with it, and the key is free."""
    leaves_no_trace_and_is_carried_out_then(api, table, failing=("UPDATE", "accounts_storedresponse"))


def test_many_senders_at_the_same_moment_get_one_effect_and_one_answer(live_server_url: str, user: User) -> None:
    browser = Browser(live_server_url, user)

    def post(number: int) -> tuple[int, Any, dict[str, str]]:
        return browser.request("POST", "/api/tables/", TABLE, **{"Idempotency-Key": KEY})

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(post, range(16)))
    assert {(status, body["id"]) for status, body, _ in answers} == {(201, Table.objects.get().pk)}


@pytest.fixture
def long_apply(transactional_db: None, user: User) -> Iterator[None]:
    """Somebody else holds the key, in a transaction that has not ended."""
    digest = uuid4().hex
    with transaction.atomic():
        StoredResponse.objects.create(user=user, key=KEY, request_digest=digest, created_at=timezone.now())
        yield


@pytest.mark.postgres_only  # on SQLite every writer waits for every other, and longer than a test may
def test_who_waits_too_long_for_the_first_sender_is_told_so(api: Api, long_apply: None, settings: Any) -> None:
    settings.IDEMPOTENCY_WAIT_SECONDS = 1
    answers: list[HttpResponse] = []

    def second() -> None:
        try:
            answers.append(send(api, "/api/tables/", TABLE))
        finally:
            connection.close()

    thread = Thread(target=second)
    thread.start()
    thread.join()
    assert (answers[0].status_code, answers[0].json()["error"]) == (409, "in_progress")
    assert answers[0].headers["Retry-After"] == "1"


@pytest.mark.postgres_only  # on SQLite every writer waits for every other
def test_nobody_waits_for_an_earlier_request_of_theirs_with_another_key(
    transactional_db: None, api: Api, user: User
) -> None:
    """Not even where an answer has had its day: the first request clears away none but its own key's."""
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


def test_who_comes_second_is_waited_for_twenty_seconds(settings: Any) -> None:
    assert settings.IDEMPOTENCY_WAIT_SECONDS == 20
    assert connection.vendor == "postgresql" or settings.DATABASES["default"]["OPTIONS"]["timeout"] == 20
