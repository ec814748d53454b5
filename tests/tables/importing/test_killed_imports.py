"""kill −9 of a worker or a server at any instant of an import: never a part, and it says what became of it."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import timedelta
from http.client import HTTPException
from random import SystemRandom
from threading import Event
from time import monotonic
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import transaction
from django.utils import timezone

from chatproject.workers import requeue_abandoned_tasks
from tables.models import Change, Import, ImportPiece, Row, StagedRows, Table
from tables.tasks import read_import
from tests.background_worker import work
from tests.chat.stream_client import Browser
from tests.conftest import Api
from tests.tables.concurrency.processes import ServerProcess, WorkerProcess
from tests.tables.concurrency.threads import SECONDS
from tests.tables.importing.files import DOOR, uploaded

pytestmark = pytest.mark.django_db(transaction=True)
Json = dict[str, Any]
ROWS = 20_000
FILE = "Company,Salary\n" + "".join(f"Firm {number},{number}\n" for number in range(ROWS))
LOST = (OSError, HTTPException)
UNDER_WAY = ("queued", "reading", "writing")
MARKS: dict[str, Callable[[int], bool]] = {
    "half of the rows wait": lambda pk: StagedRows.objects.filter(imported_id=pk, index=ROWS // 2_000).exists()
    or has_ended(pk),
    "they are written": lambda pk: Import.objects.filter(pk=pk, state="writing").exists() or has_ended(pk),
}


def has_begun(pk: int) -> bool:
    return StagedRows.objects.filter(imported_id=pk).exists() or has_ended(pk)


def has_ended(pk: int) -> bool:
    return Import.objects.filter(pk=pk, state="done").exists()


def comes_true(claim: Callable[[], bool]) -> bool:
    """Whether another process makes it true; nothing is measured with this."""
    given_up = monotonic() + SECONDS
    while not claim():
        if monotonic() > given_up:
            return False
        Event().wait(0.01)
    return True


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as threads:
        yield threads


def begun(api: Api, table: Table) -> int:
    """An import into the table that waits for a worker."""
    imported = uploaded(api, FILE, table=table.pk)
    assert api.post(f"{DOOR}{imported['id']}/run/").status_code == 202
    return int(imported["id"])


def live_rows(table: Table) -> int:
    # A killed worker's transaction may still be ending in the database; whoever gets the lock comes after it.
    with transaction.atomic():
        Table.objects.select_for_update().get(pk=table.pk)
        return Row.objects.filter(table=table, deleted_at=None).count()


def check_after_the_kill(api: Api, table: Table, *, imported: int, before: int) -> None:
    """Nothing or all is there, the import says which, and another worker brings it to its end once."""
    rows, said = live_rows(table), api.get(f"{DOOR}{imported}/").json()
    assert (rows, said["state"] in UNDER_WAY, said["error"]) in [(before, True, None), (before + ROWS, False, None)]
    requeue_abandoned_tasks(now=timezone.now() + timedelta(minutes=3))
    work()
    done = api.get(f"{DOOR}{imported}/").json()
    assert (done["state"], done["counts"]["added"], live_rows(table)) == ("done", ROWS, before + ROWS)
    assert Change.objects.filter(table=table, source="import", pk=done["change"]).count() == 1
    assert StagedRows.objects.filter(imported_id=imported).count() == 0


@pytest.mark.parametrize("mark", MARKS)
def test_an_import_whose_worker_is_killed_is_brought_to_its_end_by_another(api: Api, jobs: Table, mark: str) -> None:
    imported, worker = begun(api, jobs), WorkerProcess()
    try:
        assert comes_true(lambda: MARKS[mark](imported) or not worker.lives())
    finally:
        worker.kill()
    check_after_the_kill(api, jobs, imported=imported, before=3)


def test_what_waited_is_let_go_of_though_the_worker_was_killed_when_all_was_written(api: Api, jobs: Table) -> None:
    imported = uploaded(api, "Company\nDune\n", table=jobs.pk)["id"]
    assert api.post(f"{DOOR}{imported}/run/").status_code == 202
    work()
    # As it stands between the last two steps, and the task is taken up by another.
    StagedRows.objects.create(imported_id=imported, index=0, rows="[]")
    read_import.enqueue(imported, str(Import.objects.get(pk=imported).run))
    work()
    assert (has_ended(imported), live_rows(jobs), StagedRows.objects.count()) == (True, 4, 0)


def send(browser: Browser, content: bytes) -> tuple[int, Json]:
    lines = [b"--x", b'Content-Disposition: form-data; name="file"; filename="jobs.csv"', b"", content, b"--x--", b""]
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    return browser.request("POST", DOOR, b"\r\n".join(lines), **kind)[:2]


def check_after_the_upload(api: Api) -> None:
    """Each import is wholly there and can be begun, or says that it is not; none is anything else."""
    for kept in Import.objects.all():
        said = api.get(f"{DOOR}{kept.pk}/").json()
        run = api.post(f"{DOOR}{kept.pk}/run/")
        if said["state"] == "ready":
            stored = sum(len(piece.content) for piece in ImportPiece.objects.filter(imported=kept))
            assert (stored, said["size"], run.status_code) == (len(FILE), len(FILE), 202)
        else:
            assert (said["state"], run.status_code, run.json()["error"]) == ("uploading", 409, "uploading")
        assert api.delete(f"{DOOR}{kept.pk}/").status_code == 200
    assert ImportPiece.objects.count() == 0
    Import.objects.all().delete()


def test_a_file_whose_server_is_killed_while_it_comes_is_whole_or_says_that_it_is_not(
    api: Api, pool: ThreadPoolExecutor
) -> None:
    server = ServerProcess().wait()
    try:
        sent = pool.submit(send, Browser(server.address, api.user), FILE.encode())
        assert comes_true(lambda: ImportPiece.objects.exists() or sent.done())
    finally:
        server.kill()
    assert sent.exception(timeout=SECONDS) is None or isinstance(sent.exception(), LOST)
    assert Import.objects.count() == 1
    check_after_the_upload(api)


@pytest.mark.soak
def test_no_kill_of_a_worker_at_any_instant_leaves_a_part_of_an_import(api: Api, jobs: Table) -> None:
    random = SystemRandom()
    imported, worker, before = begun(api, jobs), WorkerProcess(), 3
    assert comes_true(lambda: has_begun(imported))
    began = monotonic()
    assert comes_true(lambda: has_ended(imported))
    seconds = monotonic() - began
    worker.kill()
    for number in range(12):
        before += ROWS
        imported, worker = begun(api, jobs), WorkerProcess()
        assert comes_true(lambda each=imported: has_begun(each))
        # An instant somewhere in each part of the time an import takes, and a little beyond.
        Event().wait(1.2 * seconds * (number + random.random()) / 12)
        worker.kill()
        check_after_the_kill(api, jobs, imported=imported, before=before)


@pytest.mark.soak
def test_no_kill_of_a_server_at_any_instant_leaves_a_part_of_a_file(
    api: Api, pool: ThreadPoolExecutor, settings: LazySettings
) -> None:
    # On a fast computer this asks more in a minute than one person may.
    settings.API_CALLS_A_MINUTE = 1_000_000
    random = SystemRandom()
    seconds = 0.0
    for number in range(-1, 8):
        server = ServerProcess().wait()
        began = monotonic()
        sent: Future[tuple[int, Json]] = pool.submit(send, Browser(server.address, api.user), FILE.encode())
        # The first is not disturbed; it says how long the others take.
        wait([sent], timeout=1.2 * seconds * (number + random.random()) / 8 if seconds else SECONDS)
        seconds = seconds or monotonic() - began
        server.kill()
        assert sent.exception(timeout=SECONDS) is None or isinstance(sent.exception(), LOST)
        check_after_the_upload(api)
