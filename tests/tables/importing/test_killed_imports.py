"""SIGKILL of a worker or a server at any moment of an import leaves all or nothing, and a truthful state."""
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
from tests.tables.importing.files import IMPORTS_URL, uploaded

pytestmark = pytest.mark.django_db(transaction=True)
Json = dict[str, Any]
ROWS = 20_000
FILE = "Company,Salary\n" + "".join(f"Firm {number},{number}\n" for number in range(ROWS))
CONNECTION_ERRORS = (OSError, HTTPException)
RUNNING_STATES = ("queued", "reading", "writing")
MARKS: dict[str, Callable[[int], bool]] = {
    "half of the rows wait": lambda pk: StagedRows.objects.filter(imported_id=pk, index=ROWS // 2_000).exists()
    or has_ended(pk),
    "they are written": lambda pk: Import.objects.filter(pk=pk, state="writing").exists() or has_ended(pk),
}


def has_begun(pk: int) -> bool:
    return StagedRows.objects.filter(imported_id=pk).exists() or has_ended(pk)


def has_ended(pk: int) -> bool:
    return Import.objects.filter(pk=pk, state="done").exists()


def becomes_true(condition: Callable[[], bool]) -> bool:
    """Return whether the condition becomes true within SECONDS."""
    deadline = monotonic() + SECONDS
    while not condition():
        if monotonic() > deadline:
            return False
        Event().wait(0.01)
    return True


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as threads:
        yield threads


def start_import(api: Api, table: Table) -> int:
    """Start an import into the table, which then waits for a worker."""
    imported = uploaded(api, FILE, table=table.pk)
    assert api.post(f"{IMPORTS_URL}{imported['id']}/run/").status_code == 202
    return int(imported["id"])


def live_rows(table: Table) -> int:
    # The transaction of a killed worker may still be ending; the lock waits for it.
    with transaction.atomic():
        Table.objects.select_for_update().get(pk=table.pk)
        return Row.objects.filter(table=table, deleted_at=None).count()


def check_after_kill(api: Api, table: Table, *, imported: int, before: int) -> None:
    """Assert that all or no rows exist, that the state agrees, and that another worker finishes the import once."""
    rows, state = live_rows(table), api.get(f"{IMPORTS_URL}{imported}/").json()
    is_running = state["state"] in RUNNING_STATES
    assert (rows, is_running, state["error"]) in [(before, True, None), (before + ROWS, False, None)]
    requeue_abandoned_tasks(now=timezone.now() + timedelta(minutes=3))
    work()
    done = api.get(f"{IMPORTS_URL}{imported}/").json()
    assert (done["state"], done["counts"]["added"], live_rows(table)) == ("done", ROWS, before + ROWS)
    assert Change.objects.filter(table=table, source="import", pk=done["change"]).count() == 1
    assert StagedRows.objects.filter(imported_id=imported).count() == 0


@pytest.mark.parametrize(
    "mark",
    [
        pytest.param("half of the rows wait", marks=pytest.mark.sqlite_only),
        pytest.param("they are written", marks=pytest.mark.postgres_only),
    ],
)
def test_an_import_of_a_killed_worker_is_finished_by_another(api: Api, jobs: Table, mark: str) -> None:
    imported, worker = start_import(api, jobs), WorkerProcess()
    try:
        assert becomes_true(lambda: MARKS[mark](imported) or not worker.is_alive())
    finally:
        worker.kill()
    check_after_kill(api, jobs, imported=imported, before=3)


def test_staged_rows_are_deleted_when_a_finished_task_runs_again(api: Api, jobs: Table) -> None:
    imported = uploaded(api, "Company\nDune\n", table=jobs.pk)["id"]
    assert api.post(f"{IMPORTS_URL}{imported}/run/").status_code == 202
    work()
    # The state between the last two steps, when the task runs again.
    StagedRows.objects.create(table_id=jobs.pk, imported_id=imported, index=0, rows="[]")
    read_import.enqueue(imported, str(Import.objects.get(pk=imported).run))
    work()
    assert (has_ended(imported), live_rows(jobs), StagedRows.objects.count()) == (True, 4, 0)


def send(browser: Browser, content: bytes) -> tuple[int, Json]:
    lines = [b"--x", b'Content-Disposition: form-data; name="file"; filename="jobs.csv"', b"", content, b"--x--", b""]
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    return browser.request("POST", IMPORTS_URL, b"\r\n".join(lines), **headers)[:2]


def check_after_upload(api: Api) -> None:
    """Assert that each import is complete and can be started, or is an interrupted upload."""
    for stored_import in Import.objects.all():
        state = api.get(f"{IMPORTS_URL}{stored_import.pk}/").json()
        run = api.post(f"{IMPORTS_URL}{stored_import.pk}/run/")
        if state["state"] == "ready":
            stored = sum(len(piece.content) for piece in ImportPiece.objects.filter(imported=stored_import))
            assert (stored, state["size"], run.status_code) == (len(FILE), len(FILE), 202)
        else:
            assert (state["state"], run.status_code, run.json()["error"]) == ("uploading", 409, "uploading")
        assert api.delete(f"{IMPORTS_URL}{stored_import.pk}/").status_code == 200
    assert ImportPiece.objects.count() == 0
    Import.objects.all().delete()


@pytest.mark.sqlite_only
def test_an_upload_to_a_killed_server_is_complete_or_interrupted(
    api: Api, pool: ThreadPoolExecutor
) -> None:
    server = ServerProcess().wait()
    try:
        sent = pool.submit(send, Browser(server.address, api.user), FILE.encode())
        assert becomes_true(lambda: ImportPiece.objects.exists() or sent.done())
    finally:
        server.kill()
    assert sent.exception(timeout=SECONDS) is None or isinstance(sent.exception(), CONNECTION_ERRORS)
    assert Import.objects.count() == 1
    check_after_upload(api)


@pytest.mark.soak
def test_killed_workers_never_leave_a_partial_import(api: Api, jobs: Table) -> None:
    random = SystemRandom()
    imported, worker, before = start_import(api, jobs), WorkerProcess(), 3
    assert becomes_true(lambda: has_begun(imported))
    started = monotonic()
    assert becomes_true(lambda: has_ended(imported))
    seconds = monotonic() - started
    worker.kill()
    for number in range(12):
        before += ROWS
        imported, worker = start_import(api, jobs), WorkerProcess()
        assert becomes_true(lambda each=imported: has_begun(each))
        # A random moment in each part of the duration of an import, and slightly beyond.
        Event().wait(1.2 * seconds * (number + random.random()) / 12)
        worker.kill()
        check_after_kill(api, jobs, imported=imported, before=before)


@pytest.mark.soak
def test_killed_servers_never_leave_a_partial_file(
    api: Api, pool: ThreadPoolExecutor, settings: LazySettings
) -> None:
    # A fast machine sends more requests in a minute than a user may.
    settings.API_CALLS_A_MINUTE = 1_000_000
    random = SystemRandom()
    seconds = 0.0
    for number in range(-1, 8):
        server = ServerProcess().wait()
        started = monotonic()
        sent: Future[tuple[int, Json]] = pool.submit(send, Browser(server.address, api.user), FILE.encode())
        # The first upload is not killed; it measures the duration of the others.
        wait([sent], timeout=1.2 * seconds * (number + random.random()) / 8 if seconds else SECONDS)
        seconds = seconds or monotonic() - started
        server.kill()
        assert sent.exception(timeout=SECONDS) is None or isinstance(sent.exception(), CONNECTION_ERRORS)
        check_after_upload(api)
