"""Whoever works on an import may perish at any moment: the import then says so, and nobody waits for nothing."""
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
from tests.tables.importing.files import DOOR, decide, run, uploaded
from tests.tables.importing.workbooks import rows

pytestmark = pytest.mark.django_db(transaction=True)
LONG_AGO = timedelta(hours=1)


class Perished(BaseException):
    """A worker that gets no chance to say anything."""


def start(api: Api, imported: dict[str, Any]) -> int:
    return api.post(f"{DOOR}{imported['id']}/run/").status_code


def found(api: Api, imported_id: int) -> dict[str, Any]:
    return dict(api.get(f"{DOOR}{imported_id}/").json())


def test_a_worker_that_perishes_over_the_first_rows_is_missed(api: Api) -> None:
    imported = uploaded(api, "a,b\n1,2\n")
    start(api, imported)
    kept = Import.objects.get()

    def perish(execute: Any, sql: str, *rest: Any) -> Any:
        if "tables_importpiece" in sql:
            raise Perished
        return execute(sql, *rest)

    assert kept.run is not None
    with connection.execute_wrapper(perish), pytest.raises(Perished):
        run_import(import_id=kept.pk, run=kept.run)
    assert found(api, kept.pk)["state"] == "reading"
    # Three workers have perished over it: no other tries.
    DBTaskResult.objects.update(status="RUNNING", started_at=timezone.now() - LONG_AGO, worker_ids=["a", "b", "c"])
    assert requeue_abandoned_tasks(now=timezone.now()) == 0
    Import.objects.update(heartbeat_at=timezone.now() - LONG_AGO)
    assert (found(api, kept.pk)["state"], found(api, kept.pk)["error"]["code"]) == ("failed", "lost")


def test_imports_whose_workers_are_silent_keep_nobody_from_beginning(api: Api) -> None:
    imports = [uploaded(api, "a,b\n1,2\n") for _ in range(4)]
    assert [start(api, each) for each in imports] == [202, 202, 202, 409]
    Import.objects.filter(state="queued").update(state="reading", heartbeat_at=timezone.now() - LONG_AGO)
    assert [start(api, each) for each in reversed(imports)] == [202, 202, 202, 409]


def test_a_file_that_is_not_wholly_here_can_only_be_given_up(api: Api) -> None:
    imported = Import.objects.create(user=api.user, name="half.csv")
    ImportPiece.objects.create(imported=imported, index=0, content=b"a,b\n1")
    page, door = f"/tables/imports/{imported.pk}/", f"{DOOR}{imported.pk}/"
    assert (found(api, imported.pk)["state"], found(api, imported.pk)["questions"]) == ("uploading", [])
    assert [api.patch(door, {"header": True}).status_code, start(api, {"id": imported.pk})] == [409, 409]
    for do in ("decide", "read", "go_on", "reconsider"):
        assert api.client.post(page, {"do": do}, follow=True).status_code == 200
    assert b"This upload was interrupted." in api.client.get(page).content
    Import.objects.update(created_at=timezone.now() - LONG_AGO)
    assert found(api, imported.pk)["error"] == {
        "code": "lost", "detail": "The upload was interrupted. Upload the file again.",
        "message_code": "upload_interrupted", "params": {},
    }  # fmt: skip
    assert b"This upload was interrupted." in api.client.get(page).content
    assert (api.delete(door).json()["state"], ImportPiece.objects.count()) == ("cancelled", 0)


def test_nobody_who_writes_waits_while_a_file_is_looked_into_again(api: Api) -> None:
    imported = uploaded(api, rows(["Name"], ["Ada"]), name="one.xlsx")
    inside: list[bool] = []

    def watch(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith("SELECT") and '"tables_importpiece"."content"' in sql:
            inside.append(context["connection"].in_atomic_block)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(watch):
        again = decide(api, imported, header=False)
    assert (again["source"]["header"], set(inside)) == (False, {False})


def test_what_was_decided_while_a_file_was_looked_into_is_not_lost(api: Api) -> None:
    imported = uploaded(api, "a;b\n1;2\n")

    def meanwhile(execute: Any, sql: str, *rest: Any) -> Any:
        if sql.startswith("SELECT") and '"tables_importpiece"."content"' in sql:
            kept = Import.objects.get(pk=imported["id"])
            kept.sniffed["source"]["delimiter"] = "|"
            kept.save()
        return execute(sql, *rest)

    with connection.execute_wrapper(meanwhile):
        refused = api.patch(f"{DOOR}{imported['id']}/", {"header": False})
    assert (refused.status_code, refused.json()["error"]) == (409, "changed")
    assert found(api, imported["id"])["source"]["delimiter"] == "|"


@pytest.mark.parametrize("stands", ["queued", "reading", "waiting"])
def test_a_file_that_lay_there_for_days_is_not_let_go_of_while_it_is_imported(api: Api, stands: str) -> None:
    imported = uploaded(api, "a,b\n1,2\n")
    Import.objects.update(created_at=timezone.now() - timedelta(days=3))
    start(api, imported)
    Import.objects.update(state=stands)
    tidy_after(hours=1)
    assert (ImportPiece.objects.count(), Import.objects.get().state) == (1, stands)
    tidy_after(hours=25)
    assert not Import.objects.exists()


def test_what_is_begun_again_while_others_are_let_go_of_stays(api: Api) -> None:
    first, second = [uploaded(api, "a,b\n1,2\n") for _ in range(2)]
    for late in (second, first):  # written last, and let go of first
        Import.objects.filter(pk=late["id"]).update(created_at=timezone.now() - timedelta(days=3))
    going = clear_imports(now=timezone.now())
    next(going)
    start(api, second)
    for _ in going:
        pass
    work()
    assert [found(api, second["id"])["state"], *Import.objects.filter(pk=first["id"])] == ["done"]


def test_a_file_of_which_a_piece_is_gone_is_not_taken_for_the_whole(api: Api) -> None:
    imported = uploaded(api, "Name\n" + f"{'x' * 99}\n" * 3_000)
    assert ImportPiece.objects.count() == 2
    ImportPiece.objects.filter(index=1).delete()
    failed = run(api, imported)
    assert (failed["state"], failed["error"]["code"]) == ("failed", "file_gone")
    assert api.get("/api/tables/").json()["tables"] == []
