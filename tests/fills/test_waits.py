"""Workers of fills obey waits of the provider and budgets, and answer each row once."""
from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from fills.models import Fill, Result
from fills.services.steps import extend_wait
from tables.selectors import Table
from tests.conftest import Api
from tests.fills.conftest import Workers, domain_of_row, record, row_text
from tests.fills.test_running import results
from tests.scripted_model import refuse
from tests.tables.concurrency.threads import together

pytestmark = pytest.mark.django_db(transaction=True)
Json = dict[str, Any]
Draft = Callable[..., str]
Make = Callable[..., Workers]


def test_all_workers_wait_for_a_provider_without_capacity(api: Api, draft: Draft, workers: Make) -> None:
    busy = refuse(429, kind="rate_limit_error", retry_after=30)
    worker = workers(busy, busy, domain_of_row, refuse(529, kind="overloaded_error"), refuse(500, kind="x"))
    url = draft()
    api.post(f"{url}run/", {})
    first = worker.work(url, seconds=5)
    assert first.limit < 4
    assert first.continue_at == worker.now() + timedelta(seconds=30)
    assert api.get(url).json()["wait"]["until"] == first.continue_at.isoformat()
    calls = len(worker.model.requests)
    # Another worker knows from the database that it has to wait.
    assert worker.work(url, seconds=5).continue_at == first.continue_at
    assert len(worker.model.requests) == calls
    worker.work(url)
    assert [each["state"] for each in results(api, url)] == ["found"] * 5


def test_the_next_call_about_a_row_waits_for_the_provider_and_the_budget(
    api: Api, draft: Draft, workers: Make
) -> None:
    asked: list[datetime] = []

    def right(request: Json) -> Any:
        asked.append(worker.now())
        return domain_of_row(request)

    def wrong_while_another_is_refused(request: Json) -> Any:
        now = worker.now()
        asked.append(now)
        together(1, lambda _: extend_wait(Fill.objects.values_list("model", flat=True)[0], retry_after=30, now=now))
        return record(request, 7)

    worker = workers(wrong_while_another_is_refused, right, wrong_while_another_is_refused, right)
    url, start = draft(), worker.now()
    api.post(f"{url}try/", {"rows": 1})
    worker.work(url)
    assert asked == [start, start + timedelta(seconds=30)]
    # It does not wait longer than the piece of work lasts: the row waits then.
    api.post(f"{url}run/", {})
    first = worker.work(url, limit=1, seconds=5)
    assert (len(asked), first.continue_at) == (3, start + timedelta(seconds=60))
    counts = api.get(url).json()["counts"]
    assert (counts["waiting"], counts["found"], counts["failed"]) == (4, 1, 0)
    worker.work(url)
    assert asked[3] == first.continue_at

    small, costly = draft(rows="all", budget=120), workers(lambda request: record(request, 7))
    api.post(f"{small}run/", {})
    costly.work(small, limit=1)
    assert len(costly.model.requests) == 1
    shown = api.get(small).json()
    assert (shown["state"], shown["counts"]["waiting"]) == ("paused", 6)


def test_two_workers_answer_all_rows_once_though_a_third_of_the_calls_is_refused(
    api: Api, people: Table, draft: Draft, workers: Make
) -> None:
    api.post(f"/api/tables/{people.pk}/rows/", {"rows": [{"E-mail": f"q@more{n}.example"} for n in range(19)]})
    not_before: dict[str, float] = {}
    answered: list[str] = []

    def busy_for_a_third(request: Json) -> Any:
        domain = row_text(request).partition("@")[2].partition('"')[0]
        assert worker.now().timestamp() >= not_before.get(domain, 0)
        number = len(worker.model.requests)
        if number % 3:
            answered.append(domain)
            return domain_of_row(request)
        if number % 2:
            not_before[domain] = worker.now().timestamp() + 30
            return refuse(429, kind="rate_limit_error", retry_after=30)
        return refuse(529, kind="overloaded_error")

    url, worker = draft(), workers(*[busy_for_a_third] * 500)
    api.post(f"{url}run/", {})
    worker.work_together(url, count=2)
    assert api.get(url).json()["counts"]["found"] == 24
    assert len(answered) == len(set(answered)) == Result.objects.count() == 24
    assert len(not_before) > 3
