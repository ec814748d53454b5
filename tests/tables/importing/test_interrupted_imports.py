"""Imports whose workers or uploads were interrupted."""
from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from chatproject.workers import requeue_abandoned_tasks
from tables.models import Import, ImportPiece
from tables.services import run_import
from tables.services.retention import clear_imports
from tests.background_worker import work
from tests.conftest import Api
from tests.retention_clock import tidy_after
from tests.tables.importing.files import IMPORTS_URL, decide, run, uploaded
from tests.tables.importing.workbooks import rows

pytestmark = pytest.mark.django_db(transaction=True)
LONG_AGO = timedelta(hours=1)


class WorkerKilled(BaseException):
    """The end of a worker that cannot report anything."""


def start(api: Api, imported: dict[str, Any]) -> int:
    return api.post(f"{IMPORTS_URL}{imported['id']}/run/").status_code


def import_state(api: Api, imported_id: int) -> dict[str, Any]:
    return dict(api.get(f"{IMPORTS_URL}{imported_id}/").json())


def test_an_import_of_a_dead_worker_fails(api: Api) -> None:
    imported = uploaded(api, "a,b\n1,2\n")
    start(api, imported)
    stored_import = Import.objects.get()

    def kill(execute: Any, sql: str, *rest: Any) -> Any:
        if "tables_importpiece" in sql:
            raise WorkerKilled
        return execute(sql, *rest)

    assert stored_import.run is not None
    with connection.execute_wrapper(kill), pytest.raises(WorkerKilled):
        run_import(import_id=stored_import.pk, run=stored_import.run)
    assert import_state(api, stored_import.pk)["state"] == "reading"
    # After three failed workers the task is not tried again.
    DBTaskResult.objects.update(status="RUNNING", started_at=timezone.now() - LONG_AGO, worker_ids=["a", "b", "c"])
    assert requeue_abandoned_tasks(now=timezone.now()) == 0
    Import.objects.update(heartbeat_at=timezone.now() - LONG_AGO)
    failed = import_state(api, stored_import.pk)
    assert (failed["state"], failed["error"]["code"]) == ("failed", "lost")


@pytest.mark.sqlite_only
def test_imports_of_silent_workers_do_not_count_as_running(api: Api) -> None:
    imports = [uploaded(api, "a,b\n1,2\n") for _ in range(4)]
    assert [start(api, import_id) for import_id in imports] == [202, 202, 202, 409]
    Import.objects.filter(state="queued").update(state="reading", heartbeat_at=timezone.now() - LONG_AGO)
    assert [start(api, import_id) for import_id in reversed(imports)] == [202, 202, 202, 409]


@pytest.mark.sqlite_only
def test_an_interrupted_upload_can_only_be_cancelled(api: Api) -> None:
    imported = Import.objects.create(user=api.user, name="half.csv")
    ImportPiece.objects.create(imported=imported, index=0, content=b"a,b\n1")
    page, url = f"/tables/imports/{imported.pk}/", f"{IMPORTS_URL}{imported.pk}/"
    assert (import_state(api, imported.pk)["state"], import_state(api, imported.pk)["questions"]) == ("uploading", [])
    assert [api.patch(url, {"header": True}).status_code, start(api, {"id": imported.pk})] == [409, 409]
    for action in ("decide", "read", "go_on", "reconsider"):
        assert api.client.post(page, {"do": action}, follow=True).status_code == 200
    assert b"This upload was interrupted." in api.client.get(page).content
    Import.objects.update(created_at=timezone.now() - LONG_AGO)
    assert import_state(api, imported.pk)["error"] == {
        "code": "lost", "detail": "The upload was interrupted. Upload the file again.",
        "message_code": "upload_interrupted", "params": {},
    }  # fmt: skip
    assert b"This upload was interrupted." in api.client.get(page).content
    assert (api.delete(url).json()["state"], ImportPiece.objects.count()) == ("cancelled", 0)


def test_reading_a_file_again_blocks_no_writers(api: Api) -> None:
    imported = uploaded(api, rows(["Name"], ["Ada"]), name="one.xlsx")
    inside: list[bool] = []

    def watch(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith("SELECT") and '"tables_importpiece"."content"' in sql:
            inside.append(context["connection"].in_atomic_block)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(watch):
        changed = decide(api, imported, header=False)
    assert (changed["source"]["header"], set(inside)) == (False, {False})


def test_choices_made_while_a_file_is_read_are_not_overwritten(api: Api) -> None:
    imported = uploaded(api, "a;b\n1;2\n")

    def change_delimiter(execute: Any, sql: str, *rest: Any) -> Any:
        if sql.startswith("SELECT") and '"tables_importpiece"."content"' in sql:
            stored_import = Import.objects.get(pk=imported["id"])
            stored_import.sniffed["source"]["delimiter"] = "|"
            stored_import.save()
        return execute(sql, *rest)

    with connection.execute_wrapper(change_delimiter):
        response = api.patch(f"{IMPORTS_URL}{imported['id']}/", {"header": False})
    assert (response.status_code, response.json()["error"]) == (409, "changed")
    assert import_state(api, imported["id"])["source"]["delimiter"] == "|"


@pytest.mark.sqlite_only
@pytest.mark.parametrize("state", ["queued", "reading", "waiting"])
def test_old_files_are_not_deleted_during_their_import(api: Api, state: str) -> None:
    imported = uploaded(api, "a,b\n1,2\n")
    Import.objects.update(created_at=timezone.now() - timedelta(days=3))
    start(api, imported)
    Import.objects.update(state=state)
    tidy_after(hours=1)
    assert (ImportPiece.objects.count(), Import.objects.get().state) == (1, state)
    tidy_after(hours=25)
    assert not Import.objects.exists()


def test_an_import_started_during_the_cleanup_is_not_deleted(api: Api) -> None:
    first, second = [uploaded(api, "a,b\n1,2\n") for _ in range(2)]
    for imported in (second, first):  # written last, deleted first
        Import.objects.filter(pk=imported["id"]).update(created_at=timezone.now() - timedelta(days=3))
    deletion = clear_imports(now=timezone.now())
    next(deletion)
    start(api, second)
    for _ in deletion:
        pass
    work()
    assert [import_state(api, second["id"])["state"], *Import.objects.filter(pk=first["id"])] == ["done"]


@pytest.mark.sqlite_only
def test_an_import_with_a_missing_piece_fails(api: Api) -> None:
    imported = uploaded(api, "Name\n" + f"{'x' * 99}\n" * 3_000)
    assert ImportPiece.objects.count() == 2
    ImportPiece.objects.filter(index=1).delete()
    failed = run(api, imported)
    assert (failed["state"], failed["error"]["code"]) == ("failed", "file_gone")
    assert api.get("/api/tables/").json()["tables"] == []
