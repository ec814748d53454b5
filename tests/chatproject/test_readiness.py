"""The liveness and readiness probes."""
from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from chat.models import Override
from chatproject.config.environment import channel_layers
from chatproject.models import WorkerHeartbeat
from chatproject.tasks import tidy_up
from chatproject.workers import task_queue
from tests.conftest import Api


def test_a_working_server_is_ready(anonymous_api: Api) -> None:
    response = anonymous_api.get("/readyz")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


def test_a_missing_migration_makes_the_server_unready(anonymous_api: Api) -> None:
    MigrationRecorder.Migration.objects.filter(app="tables").order_by("-id")[:1].get().delete()
    response = anonymous_api.get("/readyz")
    assert (response.status_code, response.json()) == (503, {"status": "unavailable"})


def test_an_unavailable_database_makes_the_server_unready_but_alive(
    anonymous_api: Api, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise OSError("the database is away")

    anonymous_api.get("/readyz")
    caplog.clear()
    with connection.execute_wrapper(fail):
        assert [anonymous_api.get("/readyz").status_code for _ in range(3)] == [503] * 3
        assert anonymous_api.get("/healthz").status_code == 200
    for _ in range(2):
        anonymous_api.get("/readyz")
    # The beginning and the end are logged, however many probes there are.
    lines = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    reason = "not ready: the database is not available"
    assert lines == [f"{reason}: the database is away", f"ended: {reason}"]


def test_unavailable_redis_is_reported_as_degraded(anonymous_api: Api, settings: Any) -> None:
    # No server listens on port 1.
    settings.CHANNEL_LAYERS = channel_layers("redis://127.0.0.1:1/0")
    response = anonymous_api.get("/readyz")
    assert (response.status_code, response.json()) == (200, {"status": "ok", "redis": "degraded"})
    assert "tablechat_redis_down 1.0" in anonymous_api.get("/metrics").text


def test_an_unwritable_data_folder_makes_the_server_unready_but_alive(
    anonymous_api: Api, settings: Any, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path / "missing"
    response = anonymous_api.get("/readyz")
    assert (response.status_code, response.json()) == (503, {"status": "unavailable"})
    assert anonymous_api.get("/healthz").status_code == 200


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_probes_need_no_sign_in_and_give_no_details(anonymous_api: Api, path: str) -> None:
    assert set(anonymous_api.get(path).json()) == {"status"}


def test_waiting_tasks_without_a_worker_are_reported_as_degraded(anonymous_api: Api) -> None:
    result = DBTaskResult.objects.get(pk=tidy_up.enqueue().id)
    assert anonymous_api.get("/readyz").json() == {"status": "ok", "workers": "degraded"}
    worker = WorkerHeartbeat.objects.create(worker_id="alive", heartbeat_at=timezone.now())
    assert anonymous_api.get("/readyz").json() == {"status": "ok"}
    # The task of a worker that was killed waits for another one.
    result.status, result.worker_ids, result.started_at = "RUNNING", ["alive"], timezone.now()
    result.save()
    assert task_queue(now=timezone.now()).waiting == 0
    worker.delete()
    assert anonymous_api.get("/readyz").json() == {"status": "ok", "workers": "degraded"}


def test_an_invalid_override_is_reported_as_degraded(anonymous_api: Api) -> None:
    Override.objects.create(kind="tool", name="get_rows", field="description", value=7)
    response = anonymous_api.get("/readyz")
    assert (response.status_code, response.json()) == (200, {"status": "ok", "config": "degraded"})
