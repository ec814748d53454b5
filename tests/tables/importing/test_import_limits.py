"""Limits of a user's stored and running imports, also for concurrent requests."""
from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User

from tables.exceptions import Invalid
from tables.models import Import, ImportPiece, Table
from tables.services import receive_file
from tests.background_worker import work
from tests.chat.stream_client import Browser
from tests.conftest import Api
from tests.tables.concurrency.processes import ServerProcess
from tests.tables.concurrency.threads import together
from tests.tables.importing.files import IMPORTS_URL, send, uploaded

pytestmark = pytest.mark.django_db(transaction=True)
FILE = "Company\nAcme\n"
MB = 1024 * 1024


def start(api: Any, imported: dict[str, Any]) -> Any:
    return api.post(f"{IMPORTS_URL}{imported['id']}/run/")


@pytest.mark.sqlite_only
def test_three_imports_can_run_at_a_time(api: Api, jobs: Table) -> None:
    files = [uploaded(api, FILE, table=jobs.pk) for _ in range(4)]
    responses = [start(api, file) for file in files]
    assert [response.status_code for response in responses] == [202, 202, 202, 409]
    assert responses[3].json()["error"] == "too_many_running"
    work()
    assert start(api, files[3]).status_code == 202


@pytest.mark.postgres_only
def test_three_of_many_concurrently_started_imports_run(api: Api, user: User, jobs: Table) -> None:
    files = [uploaded(api, FILE, table=jobs.pk) for _ in range(8)]
    servers = ServerProcess(), ServerProcess()
    try:
        browsers = [Browser(server.wait().address, user) for server in servers]

        def run(number: int) -> int:
            return browsers[number % 2].request("POST", f"{IMPORTS_URL}{files[number]['id']}/run/", {})[0]

        assert Counter(together(len(files), run)) == {202: 3, 409: 5}
    finally:
        for server in servers:
            server.kill()


@pytest.mark.sqlite_only
def test_uploads_over_the_total_size_are_refused(api: Api, jobs: Table, settings: LazySettings) -> None:
    settings.IMPORT_MAX_MB = 1
    line = "x" * 999 + "\n"
    for _ in range(5):
        uploaded(api, "Company\n" + line * 1_048, table=jobs.pk)
    # The rest of the space.
    assert send(api, "Company\n" + line * 3).status_code == 201
    refusal = send(api, FILE)
    assert (refusal.status_code, refusal.json()["error"]) == (422, "too_many_uploads")
    api.delete(f"{IMPORTS_URL}{Import.objects.order_by('pk')[0].pk}/")
    assert send(api, FILE).status_code == 201


def test_concurrent_uploads_count_for_the_total_size(user: User, settings: LazySettings) -> None:
    settings.IMPORT_MAX_MB = 16
    line = b"Company\n"
    others = [Import.objects.create(user=user, name="large.csv", size=0) for _ in range(6)]
    for other in others:
        ImportPiece.objects.create(imported=other, index=0, content=line)

    def chunks() -> Any:
        yield line
        for _ in range(8):
            yield b"x" * MB
        # The other uploads have grown in the meantime.
        Import.objects.filter(pk__in=[other.pk for other in others]).update(size=16 * MB)
        for _ in range(7):
            yield b"x" * MB

    with pytest.raises(Invalid) as refusal:
        receive_file(user=user, name="large.csv", chunks=chunks())
    assert refusal.value.code == "too_many_uploads"
    assert (Import.objects.count(), ImportPiece.objects.count()) == (6, 6)
