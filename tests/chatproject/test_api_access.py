"""Rate limits of the API: shared by all processes, with headers in every response."""
from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.models import RequestCount
from accounts.rate_limits import Rates
from accounts.tokens import create_token
from tests.chat.stream_client import STREAM, Browser, turn_body
from tests.conftest import Api
from tests.tables.shared_table import make_table

NOON = datetime(2026, 11, 21, 12, 0, 15, tzinfo=UTC)
HEADERS = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")


def statuses(call: Callable[[], Any], *, times: int) -> list[int]:
    return [call().status_code for _ in range(times)]


def test_calls_beyond_the_limit_are_refused_until_the_minute_is_over(api: Api, settings: Any) -> None:
    settings.API_CALLS_A_MINUTE = 3
    # Seven calls, because a new minute may begin between them.
    responses = [api.get("/api/tables/") for _ in range(7)]
    refused = next(response for response in responses if response.status_code != 200)
    assert (refused.status_code, refused.json()["error"]) == (429, "too_many_requests")
    assert refused.headers["Retry-After"] == refused.headers["X-RateLimit-Reset"]
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert refused.headers["X-RateLimit-Remaining"] == "0"


def test_two_processes_share_one_limit(user: User) -> None:
    one, other = Rates(), Rates()
    rates = [process.take({"user:1": 5}, now=NOON) for process in (one, other) * 4]
    assert [rate.exceeded for rate in rates] == [False] * 5 + [True] * 3
    assert [rate.remaining for rate in rates] == [4, 3, 2, 1, 0, 0, 0, 0]


def test_all_processes_together_never_grant_more_than_the_limit(user: User) -> None:
    """Each process claims several calls at once."""
    processes = [Rates() for _ in range(4)]
    rates = [processes[number % 4].take({"user:1": 1_000}, now=NOON) for number in range(1_500)]
    assert sum(not rate.exceeded for rate in rates) == 1_000


def test_counting_rarely_needs_a_query(user: User, django_assert_max_num_queries: Callable[[int], Any]) -> None:
    rates = Rates()
    rates.take({"user:1": 5_000}, now=NOON)
    with django_assert_max_num_queries(2):
        for _ in range(20):
            rates.take({"user:1": 5_000}, now=NOON)


def test_a_new_minute_starts_at_zero_and_old_counts_are_deleted(user: User) -> None:
    rates = Rates()
    assert [rates.take({"user:1": 1}, now=NOON).exceeded for _ in range(2)] == [False, True]
    later = rates.take({"user:1": 1}, now=NOON + timedelta(minutes=1))
    assert (later.exceeded, later.reset) == (False, 45)
    rates.take({"user:2": 1}, now=NOON + timedelta(hours=3))
    assert list(RequestCount.objects.values_list("key", flat=True)) == ["user:2"]


def test_a_slow_clock_does_not_raise_the_limit(user: User) -> None:
    ahead, behind = Rates(), Rates()
    ahead.take({"user:1": 1}, now=NOON + timedelta(minutes=1))
    assert behind.take({"user:1": 1}, now=NOON).exceeded


def test_each_token_has_its_own_limit(user: User, settings: Any) -> None:
    settings.API_TOKEN_CALLS_A_MINUTE = 1
    tokens = [create_token(user=user, name="script", now=timezone.now())[1] for _ in range(2)]
    clients = [Client(headers={"Authorization": f"Bearer {token}"}) for token in tokens]
    assert 429 in statuses(lambda: clients[0].get("/api/tables/"), times=3)
    other = clients[1].get("/api/tables/")
    assert (other.status_code, other.headers["X-RateLimit-Limit"]) == (200, "1")


def test_an_exceeded_token_limit_leaves_the_user_calls(user: User, api: Api, settings: Any) -> None:
    settings.API_TOKEN_CALLS_A_MINUTE, settings.API_CALLS_A_MINUTE = 1, 6
    script = Client(headers={"Authorization": f"Bearer {create_token(user=user, name='wild', now=timezone.now())[1]}"})
    assert 429 in statuses(lambda: script.get("/api/tables/"), times=12)
    assert api.get("/api/tables/").status_code == 200


def test_all_tokens_share_the_limit_of_their_user(user: User, settings: Any) -> None:
    settings.API_CALLS_A_MINUTE = 2
    tokens = [create_token(user=user, name="script", now=timezone.now())[1] for _ in range(5)]
    clients = [Client(headers={"Authorization": f"Bearer {token}"}) for token in tokens]
    assert 429 in [client.get("/api/tables/").status_code for client in clients]


def test_users_have_separate_limits(api: Api, other_api: Api, settings: Any) -> None:
    settings.API_CALLS_A_MINUTE = 2
    assert 429 in statuses(lambda: api.get("/api/tables/"), times=5)
    assert other_api.get("/api/tables/").status_code == 200


def test_visitors_of_shared_tables_are_counted_by_address(client: Client, api: Api, settings: Any) -> None:
    link = api.post(f"{make_table(api)}link/").json()["url"]
    settings.API_CALLS_A_MINUTE = 2
    assert 429 in statuses(lambda: client.get(link), times=5)
    assert api.client.get(link).status_code == 200


def test_wrong_tokens_are_counted_by_address(client: Client, db: None, settings: Any) -> None:
    settings.API_CALLS_A_MINUTE = 2
    headers = {"Authorization": "Bearer tc_guess"}
    assert 429 in statuses(lambda: client.get("/api/tables/", headers=headers), times=5)


RESPONSES = {
    "200": ("GET", "/api/tables/", b"", 200),
    "404": ("GET", "/api/tables/999999/", b"", 404),
    "unknown URL": ("GET", "/api/nothing/", b"", 404),
    "405": ("PUT", "/api/tables/1/stats/", b"", 405),
    "400": ("POST", "/api/tables/", b"{", 400),
    "413": ("POST", "/api/tables/", b" " * (20 * 1024 * 1024 + 1), 413),
    "404 of a plain view": ("GET", "/api/chat/turns/x/stream/", b"", 404),
}


@pytest.mark.parametrize(("method", "path", "body", "status"), RESPONSES.values(), ids=RESPONSES.keys())
def test_every_response_has_the_rate_limit_headers(api: Api, method: str, path: str, body: bytes, status: int) -> None:
    response = api.client.generic(method, path, body, "application/json")
    assert response.status_code == status
    assert [name for name in HEADERS if name not in response.headers] == []


def test_anonymous_responses_have_the_headers(anonymous_api: Api) -> None:
    response = anonymous_api.get("/api/tables/")
    assert (response.status_code, "X-RateLimit-Remaining" in response.headers) == (401, True)


def test_pages_and_liveness_are_not_counted(api: Api) -> None:
    assert "X-RateLimit-Limit" not in api.get("/healthz").headers
    assert not RequestCount.objects.exists()


def test_streams_are_counted_and_have_the_headers(live_server_url: str, user: User) -> None:
    status, _, headers = Browser(live_server_url, user).request("POST", STREAM, {**turn_body(), "message": ""})
    assert (status, "x-ratelimit-remaining" in {name.lower() for name in headers}) == (400, True)


def test_concurrent_calls_do_not_exceed_the_limit(transactional_db: None) -> None:
    def call(_: int) -> bool:
        try:
            return Rates().take({"user:1": 20}, now=NOON).exceeded
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert sum(not exceeded for exceeded in pool.map(call, range(40))) == 20


def test_browsers_do_not_store_responses_of_the_api(api: Api) -> None:
    assert api.get("/api/me/").headers["Cache-Control"] == "no-store"
