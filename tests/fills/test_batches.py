"""Fills in batches: sent in pieces, looked at later, matched by id, never sent twice, and priced at half."""
from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django_tasks_db.models import DBTaskResult

from chat.demo_model import demo_transport
from chat.turns.model_clients import use_transport
from fills.batch_worker import end_deleted_batches
from fills.models import Batch, Fill, Result
from fills.tasks import continue_fills
from tests.conftest import Api
from tests.fills.conftest import Workers, domain_of_row, record
from tests.scripted_batches import ScriptedBatches
from tests.scripted_model import refuse

pytestmark = pytest.mark.django_db(transaction=True)
Json = dict[str, Any]
Draft = Callable[..., str]
DONE = {"waiting": 0, "working": 0, "found": 5, "empty": 0, "failed": 0, "discarded": 0}


@pytest.fixture
def workers(provider: Any) -> Workers:
    """Make workers of a provider with batches, which records the domains of rows."""
    provider.CHAT_PRICE_INPUT, provider.CHAT_PRICE_OUTPUT = Decimal(2), Decimal(10)
    made = Workers(ScriptedBatches(otherwise=domain_of_row))
    made.model.now = made.now
    return made


def provider_of(workers: Workers) -> ScriptedBatches:
    assert isinstance(workers.model, ScriptedBatches)
    return workers.model


class DemoProvider:
    """The demo model with batches in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.now = folder, 0.0

    def transport(self) -> Any:
        return demo_transport(batches=self.folder, now=lambda: self.now)


@pytest.mark.sqlite_only
def test_the_demo_model_has_batches_which_can_be_cancelled(
    api: Api, draft: Draft, tmp_path: Path, settings: Any
) -> None:
    demo = DemoProvider(tmp_path / "batches")
    workers = Workers(demo)  # type: ignore[arg-type]  # it has a transport
    urls = draft(), draft()
    assert [api.post(f"{url}run/", {"mode": "batch"}).status_code for url in urls] == [202] * 2
    moments = [workers.work_on_batches(url) for url in urls]
    assert api.post(f"{urls[1]}cancel/").status_code == 200
    demo.now = 5.0
    workers.wait_until(moments[0])
    later = [workers.work_on_batches(url) for url in urls]
    assert [each is None for each in later] == [False, True]
    demo.now = 10.0
    workers.wait_until(later[0])
    assert workers.work_on_batches(urls[0]) is None
    done, cancelled = (api.get(url).json() for url in urls)
    assert (done["state"], done["counts"], cancelled["counts"]["waiting"]) == ("done", DONE, 5)
    assert done["usage"]["calls"] == 5
    assert {file.stat().st_mode & 0o077 for file in demo.folder.iterdir()} == {0}
    settings.ANTHROPIC_BASE_URL = "http://127.0.0.1:9"  # its server is not declared to have batches
    assert api.post(f"{draft()}run/", {"mode": "batch"}).json()["errors"][0]["code"] == "not_offered"


@pytest.mark.sqlite_only
def test_rows_are_answered_in_a_batch_for_half_the_price(api: Api, draft: Draft, workers: Workers) -> None:
    url, provider = draft(), provider_of(workers)
    estimate = api.get(url).json()["estimate"]
    assert estimate["modes"] == ["live", "batch"]
    assert Decimal(estimate["batch_cost"]) * 2 == Decimal(estimate["cost"])
    assert api.post(f"{url}run/", {"mode": "batch"}).json()["mode"] == "batch"
    moment = workers.work_on_batches(url)
    sent = api.get(url).json()
    assert (sent["counts"]["working"], sent["batches"]["rows"], len(provider.batches)) == (5, 5, 1)
    assert moment == workers.now() + timedelta(seconds=60)
    workers.wait_until(moment)
    later = workers.work_on_batches(url)
    assert later == workers.now() + timedelta(seconds=90)

    provider.add(lambda request: record(request, 7))
    provider.finish("errored", "expired")
    workers.wait_until(later)
    assert workers.work_on_batches(url) is None
    done = api.get(url).json()
    assert (done["state"], done["counts"], done["batches"]) == ("done", DONE, None)
    # Three rows in the batch, one of them with an answer that is not accepted, and three calls.
    assert (done["usage"]["calls"], len(provider.requests), provider.problems) == (6, 6, [])
    fill = Fill.objects.get()
    assert fill.batched["input_tokens"] == 300
    whole = (fill.input_tokens * 2 + fill.output_tokens * 10) / Decimal(1_000_000)
    in_batch = (fill.batched["input_tokens"] * 2 + fill.batched["output_tokens"] * 10) / Decimal(1_000_000)
    assert Decimal(done["usage"]["cost"]) == whole - in_batch / 2
    assert api.post(f"{url}apply/", {"rows": "all"}).status_code == 200


def test_a_batch_is_sent_once_whatever_was_lost(api: Api, draft: Draft, workers: Workers) -> None:
    url, provider = draft(), provider_of(workers)
    other = [{"custom_id": f"other-{n}", "params": {}} for n in range(5)]
    provider.losses = ["before", "after"]
    api.post(f"{url}run/", {"mode": "batch"})
    # The request was lost: it is sent again, but not before it is certain.
    lost = workers.work_on_batches(url)
    assert (len(provider.batches), workers.work_on_batches(url)) == (0, lost)
    workers.wait_until(lost)
    # The response was lost. Another program has sent as many requests at the same time.
    in_doubt = workers.work_on_batches(url)
    provider.add_batch(other)
    provider.batches.reverse()
    workers.wait_until(in_doubt)
    moment = workers.work_on_batches(url)
    guessed = Batch.objects.get()
    assert (guessed.is_guessed, guessed.provider_id) == (True, "msgbatch_2")
    provider.finish()
    # What is not ours is recognised by its answers, and the right one is found.
    provider.batches[-1].ends = ["expired"] * 5
    for _ in range(3):
        workers.wait_until(moment)
        moment = workers.work_on_batches(url) or workers.now()
    ours = [batch for batch in provider.batches if batch.requests is not other]
    assert (len(ours), api.get(url).json()["counts"], len(provider.requests)) == (1, DONE, 5)
    assert Batch.objects.get().not_ours == ["msgbatch_2"]


@pytest.mark.sqlite_only
def test_answers_that_are_read_twice_count_once(api: Api, draft: Draft, workers: Workers, settings: Any) -> None:
    settings.FILL_BATCH_RETRIES = False
    url, provider = draft(), provider_of(workers)
    page = url.removeprefix("/api")
    assert b'value="run_batch"' in api.client.get(page).content
    assert api.client.post(page, {"do": "run_batch"}).status_code == 302
    workers.wait_until(workers.work_on_batches(url))
    assert b"within 24 hours" in api.client.get(page).content
    provider.finish("errored")
    workers.work_on_batches(url)
    tokens = api.get(url).json()["usage"]["tokens"]
    assert api.get(url).json()["counts"] == {**DONE, "found": 4, "failed": 1, "discarded": 0}
    # As after a worker that was killed before the end of the batch was stored.
    Batch.objects.update(state="sent", check_at=workers.now())
    DBTaskResult.objects.all().delete()
    assert continue_fills.call() == 1
    workers.work_on_batches(url)
    assert api.get(url).json()["usage"]["tokens"] == tokens
    assert (Batch.objects.get().state, api.get(url).json()["counts"]["found"]) == ("ended", 4)


@pytest.mark.sqlite_only
def test_budgets_and_the_end_of_a_fill_hold_for_batches(api: Api, draft: Draft, workers: Workers) -> None:
    url, provider = draft(), provider_of(workers)
    a_row = api.get(url).json()["estimate"]["tokens"] // 5
    api.patch(url, {"budget": 2 * a_row})
    api.post(f"{url}run/", {"mode": "batch"})
    workers.wait_until(workers.work_on_batches(url))
    assert [len(batch.requests) for batch in provider.batches] == [2]
    api.patch(url, {"budget": 100})
    provider.finish()
    assert workers.work_on_batches(url) is None
    assert (api.get(url).json()["state"], len(provider.batches)) == ("paused", 1)
    api.patch(url, {"budget": 100_000})
    api.post(f"{url}resume/", {})
    workers.work_on_batches(url)
    row = Result.objects.filter(state="working").order_by("position").values_list("row_id", flat=True)[0]
    api.post(f"{url}refill/", {"ids": [row], "remark": "Again."})
    workers.work_on_batches(url)
    assert api.get(url).json()["counts"] == {**DONE, "working": 2, "found": 3}
    assert api.post(f"{url}cancel/", {}).json()["state"] == "cancelled"
    workers.clock.now += 3600
    Batch.objects.filter(state="sent").update(check_at=workers.now())
    workers.work_on_batches(url)
    assert provider.batches[0].is_cancelled
    provider.finish("succeeded", "succeeded")
    Batch.objects.filter(state="sent").update(check_at=workers.now())
    assert workers.work_on_batches(url) is None
    # Of three rows one was called for meanwhile, one was answered before the end, and one waits for ever.
    assert api.get(url).json()["counts"] == {**DONE, "waiting": 1, "found": 4}


def test_refusals_wait_or_pause_and_deleted_fills_end_their_batches(
    api: Api, draft: Draft, workers: Workers
) -> None:
    url, provider = draft(), provider_of(workers)
    provider.losses = [
        refuse(429, kind="rate_limit_error", retry_after=90), refuse(404, kind="not_found_error"),
    ]  # fmt: skip
    api.post(f"{url}run/", {"mode": "batch"})
    moment = workers.work_on_batches(url)
    assert moment == workers.now() + timedelta(seconds=90)
    workers.wait_until(moment)
    workers.work_on_batches(url)
    paused = api.get(url).json()
    assert (paused["state"], paused["counts"]["waiting"]) == ("paused", 5)
    assert "does not accept batches" in paused["reason"]["detail"]
    api.post(f"{url}resume/", {})
    workers.work_on_batches(url)
    api.post(f"{url}pause/", {})
    assert api.client.delete(url).status_code == 204
    with use_transport(provider.transport()):
        assert async_to_sync(end_deleted_batches)(clock=workers.clock) == 1
    assert (provider.batches[0].is_cancelled, Batch.objects.count()) == (True, 0)
