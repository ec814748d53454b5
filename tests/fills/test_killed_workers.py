"""Worker processes that are killed while calls are in flight: each row gets one result."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from fills.models import Result
from fills.tasks import continue_fills
from tables.selectors import Table
from tests.conftest import Api
from tests.fills.conftest import Workers, domain_of_row, row_text
from tests.scripted_model import Gate, Reply, ScriptedModel
from tests.tables.concurrency.processes import ProjectProcess

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres_only]
CONCURRENCY, SECONDS = 2, 150.0


def held_back(gate: Gate) -> Callable[[dict[str, Any]], Reply]:
    """Return a reply that the provider does not send before the gate is opened."""

    def reply(request: dict[str, Any]) -> Reply:
        return Reply(**vars(domain_of_row(request)) | {"gate": gate})

    return reply


def test_rows_have_one_result_after_workers_were_killed(
    api: Api, people: Table, draft: Callable[..., str], workers: Callable[..., Workers]
) -> None:
    url, model = draft(rows="all"), ScriptedModel()
    api.post(f"{url}run/", {})
    with model.serve() as base_url:
        for answered in (0, 2, 1):
            gates = [Gate() for _ in range(CONCURRENCY)]
            model.add(*[domain_of_row] * answered, *[held_back(gate) for gate in gates])
            DBTaskResult.objects.all().delete()
            continue_fills.call()
            process = ProjectProcess(
                *("worker", "--no-reload", "--no-startup-delay", "--interval", "0.05", "--until-stdin-ends"),
                ANTHROPIC_BASE_URL=base_url, ANTHROPIC_API_KEY="a-key-for-tests",
                FILL_CONCURRENCY=str(CONCURRENCY), FILL_WORKERS="1",
            )  # fmt: skip
            try:
                assert all(gate.reached.wait(SECONDS) for gate in gates)
            finally:
                process.kill()
            for gate in gates:
                gate.open()
            # As after the time for which the killed worker held its rows.
            Result.objects.filter(state="working").update(lease_until=timezone.now())
    assert api.get(url).json()["counts"]["found"] == 3
    last = workers()
    last.work(url)
    counts = api.get(url).json()["counts"]
    assert (counts["found"], sum(counts.values())) == (6, 6)
    asked = [row_text(request).partition("@")[2].partition('"')[0] for request in model.requests + last.model.requests]
    assert (len(set(asked)), len(asked)) == (6, 6 + 3 * CONCURRENCY)
    assert model.problems == []
