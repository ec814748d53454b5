"""Workers that are killed at twenty random instants: no row is lost, and only calls in flight are made twice."""
from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from asgiref.sync import async_to_sync
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from chat.agent.clock import SystemClock
from chat.provider.chat_models import ChatModel
from fills.batch_worker import work_on_batches
from fills.models import Batch, Fill, Result
from fills.tasks import continue_fills
from fills.worker import work
from tables.selectors import Table
from tests.conftest import Api
from tests.fills.conftest import domain_of_row, row_text
from tests.scripted_batches import ScriptedBatches
from tests.scripted_model import Reply
from tests.tables.concurrency.processes import ProjectProcess

pytestmark = [pytest.mark.soak, pytest.mark.django_db(transaction=True)]
Json = dict[str, Any]
KILLS, CONCURRENCY, ROWS, SECONDS = 20, 4, 400, 150.0
BATCHES = '[{"model": "scripted", "batches": true}]'


class Provider(ScriptedBatches):
    """Answers after a random time below 40 ms. `arrived` is set when `awaited` further requests have arrived."""

    def __init__(self, choices: random.Random) -> None:
        super().__init__(otherwise=self._answer)
        self._choices = choices
        self._lock = threading.Lock()
        self._awaited = 0
        self.arrived = threading.Event()

    def await_requests(self, count: int) -> None:
        with self._lock:
            self._awaited = count
            self.arrived.clear()

    def other(self, method: str, path: str, body: bytes) -> Any:
        found = super().other(method, path, body)
        if found is not None:
            self._count()
        return found

    def _answer(self, request: Json) -> Reply:
        self._count()
        return Reply(**vars(domain_of_row(request)) | {"delay": self._choices.random() * 0.04})

    def _count(self) -> None:
        with self._lock:
            self._awaited -= 1
            if self._awaited <= 0:
                self.arrived.set()


@pytest.fixture
def choices() -> random.Random:
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    return random.Random(seed)


def killed_worker(provider: Provider, *, base_url: str, choices: random.Random, requests: int) -> None:
    """Have a worker process work, and kill it at a random instant after the provider got some of its requests."""
    DBTaskResult.objects.all().delete()
    continue_fills.call()
    provider.await_requests(choices.randint(1, requests))
    process = ProjectProcess(
        *("worker", "--no-reload", "--no-startup-delay", "--interval", "0.05", "--until-stdin-ends"),
        ANTHROPIC_BASE_URL=base_url, ANTHROPIC_API_KEY="a-key-for-tests", CHAT_MODELS=BATCHES,
        FILL_CONCURRENCY=str(CONCURRENCY), FILL_WORKERS="1",
    )  # fmt: skip
    try:
        assert provider.arrived.wait(SECONDS)
        threading.Event().wait(choices.random() * 0.06)
    finally:
        process.kill()


def served(base_url: str) -> tuple[ChatModel, ...]:
    return (ChatModel("scripted", "Scripted", "scripted", base_url, "a-key-for-tests", batches=True),)


@pytest.fixture
def many(api: Api, people: Table) -> None:
    """Add rows to the table until it has ROWS."""
    rows = [{"Name": f"Person {n}", "E-mail": f"p{n}@firm{n}.example"} for n in range(6, ROWS)]
    api.post(f"/api/tables/{people.pk}/rows/", {"rows": rows})


def finish(url: str) -> None:
    """Work on a fill in this process until nothing is left, or a batch has to be waited for."""
    fill_id = UUID(url.rstrip("/").rpartition("/")[2])
    async_to_sync(work_on_batches)(fill_id, clock=SystemClock(), now=timezone.now)
    async_to_sync(work)(fill_id, seconds=SECONDS, clock=SystemClock(), now=timezone.now)


def test_only_calls_in_flight_are_made_twice(
    api: Api, many: None, draft: Callable[..., str], choices: random.Random, settings: Any
) -> None:
    url, provider = draft(rows="all"), Provider(choices)
    api.post(f"{url}run/", {})
    with provider.serve() as base_url:
        for _ in range(KILLS):
            killed_worker(provider, base_url=base_url, choices=choices, requests=16)
            # As after the time for which the killed worker held its rows.
            Result.objects.filter(state="working").update(lease_until=timezone.now())
        done_by_killed = Result.objects.filter(state="found").count()
        settings.CHAT_MODELS = served(base_url)
        finish(url)
    asked = Counter(row_text(request).partition("@")[2].partition('"')[0] for request in provider.requests)
    twice = sum(asked.values()) - len(asked)
    print(f"{KILLS} kills, {done_by_killed} of {ROWS} rows answered by killed workers, {twice} calls made twice")
    assert Result.objects.filter(state="found").count() == Result.objects.count() == len(asked) == ROWS
    assert twice <= KILLS * CONCURRENCY
    assert Fill.objects.get().calls >= ROWS
    assert provider.problems == []


def test_no_batch_is_sent_twice(
    api: Api, people: Table, draft: Callable[..., str], choices: random.Random, settings: Any
) -> None:
    provider, rounds = Provider(choices), []
    with provider.serve() as base_url:
        settings.CHAT_MODELS = served(base_url)
        for _ in range(KILLS):
            url = draft(rows="all")
            assert api.post(f"{url}run/", {"mode": "batch"}).status_code == 202
            killed_worker(provider, base_url=base_url, choices=choices, requests=1)
            rounds.append(Batch.objects.exclude(state="ended").values_list("state", flat=True).first())
            provider.finish()
            while api.get(url).json()["state"] == "running":
                Batch.objects.exclude(state="ended").update(check_at=timezone.now() - timedelta(seconds=1))
                finish(url)
                provider.finish()
    print(f"{KILLS} kills; batches afterwards: {dict(Counter(rounds))}")
    assert sum(len(batch.requests) for batch in provider.batches) == KILLS * 6
    assert Result.objects.filter(state="found").count() == len(provider.requests) == KILLS * 6
