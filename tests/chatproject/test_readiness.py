"""Liveness and readiness, for whoever asks."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from chat.models import Override
from chatproject.config.environment import channel_layers
from tests.conftest import Api


def test_a_server_with_all_it_needs_is_ready(anonymous_api: Api) -> None:
    answer = anonymous_api.get("/readyz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def test_a_server_whose_database_lacks_a_migration_is_not_ready_and_says_no_more(anonymous_api: Api) -> None:
    MigrationRecorder.Migration.objects.filter(app="tables").order_by("-id")[:1].get().delete()
    answer = anonymous_api.get("/readyz")
    assert (answer.status_code, answer.json()) == (503, {"status": "unavailable"})


def test_a_server_whose_database_does_not_answer_is_not_ready_but_alive(anonymous_api: Api) -> None:
    def fail(*_: object) -> None:
        raise OSError("the database is away")

    with connection.execute_wrapper(fail):
        assert anonymous_api.get("/readyz").status_code == 503
        assert anonymous_api.get("/healthz").status_code == 200


def test_a_server_whose_channel_layer_does_not_answer_is_not_ready_but_alive(
    anonymous_api: Api, settings: Any
) -> None:
    # Nobody listens at the first port.
    settings.CHANNEL_LAYERS = channel_layers("redis://127.0.0.1:1/0")
    answer = anonymous_api.get("/readyz")
    assert (answer.status_code, answer.json()) == (503, {"status": "unavailable"})
    assert anonymous_api.get("/healthz").status_code == 200


def test_a_server_whose_data_folder_cannot_be_written_is_not_ready_but_alive(
    anonymous_api: Api, settings: Any, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path / "missing"
    answer = anonymous_api.get("/readyz")
    assert (answer.status_code, answer.json()) == (503, {"status": "unavailable"})
    assert anonymous_api.get("/healthz").status_code == 200


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_they_need_no_sign_in_and_give_no_details(anonymous_api: Api, path: str) -> None:
    assert set(anonymous_api.get(path).json()) == {"status"}


def test_a_broken_change_of_the_configuration_is_said_and_keeps_nobody_from_working(anonymous_api: Api) -> None:
    Override.objects.create(kind="tool", name="get_rows", field="description", value=7)
    answer = anonymous_api.get("/readyz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok", "config": "degraded"})
