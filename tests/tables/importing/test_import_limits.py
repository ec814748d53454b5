"""How much of one person is kept and under way, however many ask at the same moment."""
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
from tests.tables.importing.files import DOOR, send, uploaded

pytestmark = pytest.mark.django_db(transaction=True)
FILE = "Company\nAcme\n"
MB = 1024 * 1024


def begin(at: Any, imported: dict[str, Any]) -> Any:
    return at.post(f"{DOOR}{imported['id']}/run/")


def test_three_run_and_the_next_when_one_of_them_has_ended(api: Api, jobs: Table) -> None:
    files = [uploaded(api, FILE, table=jobs.pk) for _ in range(4)]
    answers = [begin(api, each) for each in files]
    assert [each.status_code for each in answers] == [202, 202, 202, 409]
    assert answers[3].json()["error"] == "too_many_running"
    work()
    assert begin(api, files[3]).status_code == 202


def test_three_run_of_many_that_are_begun_at_once_at_whichever_process(api: Api, user: User, jobs: Table) -> None:
    files = [uploaded(api, FILE, table=jobs.pk) for _ in range(8)]
    servers = ServerProcess(), ServerProcess()
    try:
        doors = [Browser(server.wait().address, user) for server in servers]

        def run(number: int) -> int:
            return doors[number % 2].request("POST", f"{DOOR}{files[number]['id']}/run/", {})[0]

        assert Counter(together(len(files), run)) == {202: 3, 409: 5}
    finally:
        for server in servers:
            server.kill()


def test_of_somebody_who_has_five_large_files_none_more_is_taken(api: Api, jobs: Table, settings: LazySettings) -> None:
    settings.IMPORT_MAX_MB = 1
    line = "x" * 999 + "\n"
    for _ in range(5):
        uploaded(api, "Company\n" + line * 1_048, table=jobs.pk)
    # What is left of the last.
    assert send(api, "Company\n" + line * 3).status_code == 201
    refused = send(api, FILE)
    assert (refused.status_code, refused.json()["error"]) == (422, "too_many_uploads")
    api.delete(f"{DOOR}{Import.objects.order_by('pk')[0].pk}/")
    assert send(api, FILE).status_code == 201


def test_of_files_that_come_at_once_no_more_is_kept_than_of_others(user: User, settings: LazySettings) -> None:
    settings.IMPORT_MAX_MB = 16
    line = b"Company\n"
    others = [Import.objects.create(user=user, name="large.csv", size=0) for _ in range(6)]
    for other in others:
        ImportPiece.objects.create(imported=other, index=0, content=line)

    def chunks() -> Any:
        yield line
        for _ in range(8):
            yield b"x" * MB
        # Meanwhile the others have grown.
        Import.objects.filter(pk__in=[other.pk for other in others]).update(size=16 * MB)
        for _ in range(7):
            yield b"x" * MB

    with pytest.raises(Invalid) as refused:
        receive_file(user=user, name="large.csv", chunks=chunks())
    assert refused.value.code == "too_many_uploads"
    assert (Import.objects.count(), ImportPiece.objects.count()) == (6, 6)
