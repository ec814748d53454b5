"""Import runs write all or nothing when they are cancelled, interrupted or the table changes."""
from __future__ import annotations

from datetime import timedelta
from typing import Any, ClassVar

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.files.uploadhandler import MemoryFileUploadHandler
from django.db import DatabaseError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from chatproject.retention import delete_expired
from tables.models import POSITION_STEP, Change, Import, ImportPiece, Member, RefusedCells, Row, StagedRows, Table
from tables.selectors import table_shape
from tests.background_worker import work
from tests.conftest import Api
from tests.tables.importing.files import IMPORTS_URL, decide, rows_of, run, send, uploaded
from tests.tables.shared_table import share

pytestmark = pytest.mark.django_db(transaction=True)
# The beginnings of statements of each batch while a file is read, and while its rows are written. Wrappers of
# statements do not see COPY, which writes the rows and the undo on PostgreSQL.
STAGING = 'INSERT INTO "tables_stagedrows"'
WRITING = {"sqlite": "INSERT INTO tables_changepiece", "postgresql": "SELECT min(id), max(id)"}
MANY = "Company,Salary\n" + "".join(f"Ärzte {number},{number}\n" for number in range(2_100))


def start(api: Api, imported: dict[str, Any]) -> None:
    assert api.post(f"{IMPORTS_URL}{imported['id']}/run/").status_code == 202


def state(api: Api, imported: dict[str, Any]) -> str:
    return str(api.get(f"{IMPORTS_URL}{imported['id']}/").json()["state"])


def test_many_rows_are_imported_in_order_and_can_be_undone(api: Api, jobs: Table) -> None:
    done = run(api, uploaded(api, MANY, table=jobs.pk))
    assert (done["counts"]["added"], Row.objects.filter(table=jobs, deleted_at=None).count()) == (2_100, 2_103)
    rows = Row.objects.filter(table=jobs).order_by("position").values_list("position", "search_text")
    assert list(rows[3:]) == [((3 + number) * POSITION_STEP, f"ärzte {number}\n{number}") for number in range(2_100)]
    if connection.vendor == "sqlite":
        last = Row.objects.filter(table=jobs).latest("position")
        assert last.folded_cells == f'{{"{table_shape(jobs).columns[0].id}":"ärzte 2099"}}'
    api.post(f"/api/tables/{jobs.pk}/changes/{done['change']}/undo/")
    assert Row.objects.filter(table=jobs, deleted_at=None).count() == 3
    again = api.post(f"/api/tables/{jobs.pk}/changes/{done['change']}/redo/")
    assert (again.status_code, Row.objects.filter(table=jobs, deleted_at=None).count()) == (200, 2_103)


def test_a_cancelled_run_writes_and_stores_nothing(api: Api, jobs: Table) -> None:
    imported = uploaded(api, MANY, table=jobs.pk)
    start(api, imported)
    assert api.delete(f"{IMPORTS_URL}{imported['id']}/").json()["state"] == "cancelled"
    work()
    assert (state(api, imported), len(rows_of(api, jobs.pk))) == ("cancelled", 3)
    assert (ImportPiece.objects.count(), StagedRows.objects.count()) == (0, 0)


class Interrupted(BaseException):
    """The end of a worker in the middle of its work."""


@pytest.mark.parametrize(("fails", "after"), [(Interrupted, 1), (Interrupted, 3), (DatabaseError, 2)])
def test_an_interrupted_run_leaves_no_rows_and_can_be_restarted(
    api: Api, jobs: Table, after: int, fails: type[BaseException]
) -> None:
    from tables.services import run_import

    imported = uploaded(api, MANY, table=jobs.pk)
    start(api, imported)
    stored_import = Import.objects.get(pk=imported["id"])
    seen = 0

    def break_off(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        nonlocal seen
        # First while the file is read, then while its rows are written.
        is_step = sql.startswith((STAGING, WRITING[connection.vendor]))
        seen += is_step
        if seen == after * 2 and is_step:
            raise fails
        return execute(sql, params, many, context)

    assert stored_import.run is not None
    with connection.execute_wrapper(break_off), pytest.raises(fails):
        run_import(import_id=stored_import.pk, run=stored_import.run)
    assert len(rows_of(api, jobs.pk)) == 3
    if fails is DatabaseError:
        assert state(api, imported) == "failed"
        start(api, imported)
    work()
    assert (state(api, imported), len(rows_of(api, jobs.pk))) == ("done", 1000)
    assert Row.objects.filter(table=jobs, deleted_at=None).count() == 2_103
    assert Change.objects.filter(table=jobs, source="import").count() == 1


def test_a_repeated_task_writes_once(api: Api, jobs: Table) -> None:
    done = run(api, uploaded(api, "Company\nDune\n", table=jobs.pk))
    DBTaskResult.objects.update(status="READY", started_at=None, finished_at=None)
    work()
    assert (state(api, done), len(rows_of(api, jobs.pk))) == ("done", 4)


@pytest.mark.sqlite_only
def test_column_changes_during_a_run_have_the_file_read_again(api: Api, jobs: Table) -> None:
    waiting = run(api, uploaded(api, "Company,Salary\nDune,much\n", table=jobs.pk))
    columns = api.get(f"/api/tables/{jobs.pk}/columns/").json()["columns"]
    salary = next(column["id"] for column in columns if column["name"] == "Salary")
    api.patch(f"/api/tables/{jobs.pk}/columns/{salary}/", {"type": "text"})
    failed = run(api, waiting, on_refused="empty")
    assert (failed["state"], failed["error"]["code"], len(rows_of(api, jobs.pk))) == ("failed", "columns_changed", 3)
    assert run(api, failed)["state"] == "done"
    assert rows_of(api, jobs.pk)[3]["Salary"] == "much"


@pytest.mark.sqlite_only
def test_an_import_for_another_version_of_the_table_writes_nothing(api: Api, jobs: Table) -> None:
    imported = uploaded(api, "Company\nDune\n", table=jobs.pk)
    url, send = f"/api/imports/{imported['id']}/run/", {"content_type": "application/json"}
    assert api.client.post(url, {}, headers={"If-Match": f'"{jobs.version + 1}"'}, **send).status_code == 412
    version = api.get(f"/api/tables/{jobs.pk}/").json()["version"]
    assert api.client.post(url, {}, headers={"If-Match": f'"{version}"'}, **send).status_code == 202
    api.patch(f"/api/tables/{jobs.pk}/", {"name": "Work"})
    work()
    failed = api.get(f"/api/imports/{imported['id']}/").json()
    assert (failed["state"], failed["error"]["code"], len(rows_of(api, jobs.pk))) == ("failed", "version_moved", 3)
    assert run(api, failed)["state"] == "done"


@pytest.mark.sqlite_only
def test_permissions_are_checked_at_upload_start_and_write(
    api: Api, other_api: Api, jobs: Table
) -> None:
    table = f"/api/tables/{jobs.pk}/"
    assert send(other_api, "Company\nDune\n", table=jobs.pk).status_code == 404
    share(api, table, other_api, role="editor")
    imported = uploaded(other_api, "Company\nDune\n", table=jobs.pk)
    name = other_api.user.get_username() if other_api.user else ""
    api.patch(f"{table}members/{name}/", {"role": "viewer"})
    assert other_api.post(f"{IMPORTS_URL}{imported['id']}/run/").status_code == 403
    api.patch(f"{table}members/{name}/", {"role": "editor"})
    start(other_api, imported)
    api.patch(f"{table}members/{name}/", {"role": "viewer"})
    work()
    assert (state(other_api, imported), len(rows_of(api, jobs.pk))) == ("failed", 3)
    api.delete(f"{table}members/{name}/")
    assert other_api.get(f"{IMPORTS_URL}{imported['id']}/").status_code == 404
    assert other_api.delete(f"{IMPORTS_URL}{imported['id']}/").json()["state"] == "cancelled"


@pytest.mark.parametrize(
    ("step", "loss"),
    [
        ("staging", "removed"),
        ("writing", "removed"),
        *(
            pytest.param("writing", loss, marks=pytest.mark.sqlite_only)
            for loss in ("viewer", "deactivated", "trashed")
        ),
    ],
)
def test_losing_permission_during_a_run_ends_the_import(
    api: Api, other_api: Api, jobs: Table, step: str, loss: str
) -> None:
    from tables.services import run_import

    share(api, f"/api/tables/{jobs.pk}/", other_api, role="editor")
    imported = uploaded(other_api, MANY, table=jobs.pk)
    start(other_api, imported)
    stored = Import.objects.get(pk=imported["id"])
    statement = STAGING if step == "staging" else WRITING[connection.vendor]
    parts = 0

    def lose_right(execute: Any, sql: str, *rest: Any) -> Any:
        nonlocal parts
        parts += sql.startswith(statement)
        if parts == 2 and sql.startswith(statement):
            members = Member.objects.filter(table=jobs, user=stored.user)
            if loss == "viewer":
                members.update(role="viewer")
            elif loss == "removed":
                members.delete()
            elif loss == "deactivated":
                User.objects.filter(pk=stored.user_id).update(is_active=False)
            else:
                Table.objects.filter(pk=jobs.pk).update(deleted_at=timezone.now())
        return execute(sql, *rest)

    assert stored.run is not None
    with connection.execute_wrapper(lose_right):
        assert run_import(import_id=stored.pk, run=stored.run) == "failed"
    stored.refresh_from_db()
    assert (stored.state, stored.error["code"], parts) == ("failed", "access_ended", 2)
    assert (StagedRows.objects.count(), Row.objects.filter(table=jobs).count()) == (0, 3)


@pytest.mark.sqlite_only
def test_too_large_files_are_refused_and_not_stored(api: Api, settings: Any) -> None:
    settings.IMPORT_MAX_MB = 1
    answer = send(api, b"a,b\n" + b"1,2\n" * 400_000)
    assert (answer.status_code, answer.json()["error"]) == (413, "too_large")
    assert (Import.objects.count(), ImportPiece.objects.count()) == (0, 0)


def test_a_repeated_upload_with_a_key_is_stored_once(api: Api) -> None:
    def ask(content: bytes) -> Any:
        file = SimpleUploadedFile("a.csv", content)
        return api.client.post(IMPORTS_URL, {"file": file}, headers={"Idempotency-Key": "one"})

    first, second, other = ask(b"a,b\n1,2\n"), ask(b"a,b\n1,2\n"), ask(b"a,b\n1,3\n")
    assert (first.status_code, second.json(), Import.objects.count()) == (201, first.json(), 1)
    assert (other.status_code, other.json()["error"]) == (422, "idempotency_key_reused")


class Passes(MemoryFileUploadHandler):
    """Record for each read of a file whether it happens in a transaction."""

    in_transactions: ClassVar[list[bool]] = []

    def file_complete(self, file_size: int) -> Any:
        file = super().file_complete(file_size)
        assert file is not None, "it is small"
        bytes_of = file.chunks

        def chunks(*args: Any) -> Any:
            self.in_transactions.append(connection.in_atomic_block)
            return bytes_of(*args)

        file.chunks = chunks
        return file


@pytest.mark.parametrize("table", [False, True], ids=["a new table", "one that is there"])
def test_uploads_with_a_key_are_read_before_the_transaction(
    api: Api, jobs: Table, settings: Any, table: bool
) -> None:
    settings.FILE_UPLOAD_HANDLERS = [f"{__name__}.Passes"]
    Passes.in_transactions.clear()
    fields = {"file": SimpleUploadedFile("a.csv", b"Company,Salary\nDune,5\n"), **({"table": jobs.pk} if table else {})}
    with CaptureQueriesContext(connection) as captured:
        created = api.client.post(IMPORTS_URL, fields, headers={"Idempotency-Key": "one"})
    assert [column["into"] is not None for column in created.json()["columns"]] == [table] * 2
    # The file is hashed and read before the transaction, in which it is only stored.
    assert (Passes.in_transactions.count(True), Passes.in_transactions[-1]) == (1, True)
    assert len(Passes.in_transactions) > 2
    assert [query["sql"] for query in captured if "content" in query["sql"] and query["sql"].startswith("SELECT")] == []


@pytest.mark.parametrize("table", [False, True], ids=["a new table", "one that is there"])
def test_pasted_texts_are_read_before_the_transaction(api: Api, jobs: Table, table: bool) -> None:
    body = {"text": "Company,Salary\nDune,5\n", **({"table": jobs.pk} if table else {})}
    with CaptureQueriesContext(connection) as captured:
        headers = {"Idempotency-Key": "one"}
        created = api.client.post(IMPORTS_URL, body, content_type="application/json", headers=headers)
    assert [column["into"] is not None for column in created.json()["columns"]] == [table] * 2
    # The stored file is not read again.
    assert [query["sql"] for query in captured if "content" in query["sql"] and query["sql"].startswith("SELECT")] == []


@pytest.mark.postgres_only
def test_large_texts_use_lz4_if_available() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 'lz4' = ANY(enumvals) FROM pg_settings WHERE name = 'default_toast_compression'")
        known = cursor.fetchone()
        cursor.execute(
            "SELECT a.attname, a.attcompression FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid"
            " WHERE (c.relname, a.attname) IN (('tables_stagedrows', 'rows'), ('tables_importpiece', 'content'),"
            " ('tables_changepiece', 'steps'))"
        )
        packed = dict(cursor.fetchall())
    assert packed == dict.fromkeys(("rows", "content", "steps"), "l" if known and known[0] else "")


@pytest.mark.sqlite_only
def test_open_questions_are_listed_with_their_path_until_the_import_is_done(api: Api) -> None:
    imported = uploaded(api, "When\n03/04/2024\n05/06/2024\n")
    assert [question["code"] for question in imported["questions"]] == ["ambiguous_dates"]
    refused = api.post(f"{IMPORTS_URL}{imported['id']}/run/")
    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, "columns[0].form")
    decided = decide(api, imported, columns=[{"index": 0, "form": "dmy"}])
    done = run(api, decided)
    assert (decided["questions"], done["state"], done["questions"]) == ([], "done", [])


# Choices for an import into a new table: body, status, and the paths of all faults.
INVALID_CHOICES: list[tuple[dict[str, Any], int, str]] = [
    ({"colums": []}, 400, "colums"),
    ({"columns": [{"index": 9}]}, 422, "columns[0].index"),
    ({"columns": [{"index": 0, "name": "a\nb"}]}, 400, "columns[0].name"),
    ({"columns": [{"index": 0, "into": "Company", "options": ["a"]}]}, 422, "columns[0].into"),
    ({"columns": [{"index": 0, "form": "dmy"}]}, 422, "columns[0].form"),
    ({"columns": [{"index": 0, "type": "colour", "form": "x", "options": [5]}]}, 400,
     "columns[0].type columns[0].form columns[0].options[0]"),
    ({"columns": [{"index": 9, "type": "colour", "include": 5}, 5]}, 400,
     "columns[0].index columns[0].type columns[0].include columns[1]"),
    ({"sheet": "x"}, 422, "sheet"),
    ({"merge_on": ["Company"]}, 422, "merge_on"),
    ({"on_refused": "guess"}, 400, "on_refused"),
    ({"encoding": "ebcdic", "columns": [{"index": 9, "name": ""}, {"index": "x"}], "merge_on": ["a"]}, 400,
     "encoding columns[0].name columns[1].index merge_on"),
    ({"table": "x", "table_name": "", "merge_on": 5, "columns": [{"index": 9, "into": "Zz"}]}, 400,
     "table table_name merge_on columns[0].index"),
    ({"table": 987_654, "on_refused": "guess", "merge_on": ["Zz"]}, 400, "on_refused"),
]  # fmt: skip


@pytest.mark.sqlite_only
def test_invalid_choices_are_refused_with_the_paths_of_all_faults(api: Api) -> None:
    imported = uploaded(api, "a,b\n1,2\n")
    for body, status, paths in INVALID_CHOICES:
        refused = api.patch(f"{IMPORTS_URL}{imported['id']}/?x=1", body)
        named = {fault["path"] for fault in refused.json()["errors"]}
        assert (refused.status_code, named) == (400, {"x", *paths.split()}), body
        refused = api.patch(f"{IMPORTS_URL}{imported['id']}/", body)
        named = {fault["path"] for fault in refused.json()["errors"]}
        assert (refused.status_code, named) == (status, set(paths.split())), body


@pytest.mark.sqlite_only
def test_a_requested_header_stays_when_other_options_change(api: Api) -> None:
    pasted = api.post(IMPORTS_URL, {"text": "a;b\n1;2\n", "header": False}).json()
    file = SimpleUploadedFile("jobs.csv", b"a;b\n1;2\n")
    sent = api.client.post(IMPORTS_URL, {"file": file, "header": "false"}).json()
    assert [each["source"]["header_reason"] for each in (pasted, sent)] == ["requested"] * 2
    assert [column["name"] for column in decide(api, sent, delimiter=",")["columns"]] == ["Column 1"]
    found = decide(api, sent, header=True, delimiter=";")
    assert [column["name"] for column in found["columns"]] == ["a", "b"]
    file.seek(0)
    refused = api.client.post(IMPORTS_URL, {"file": file, "header": "no"})
    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (400, "header")


@pytest.mark.sqlite_only
def test_a_new_select_column_gets_the_imported_values_as_options(api: Api) -> None:
    imported = uploaded(api, "State,Sum\nOpen,1\n open ,2\nDone,3\n")
    done = run(api, decide(api, imported, columns=[{"index": 0, "type": "select"}]))
    assert [row["State"] for row in rows_of(api, done["table"])] == ["Open", "Open", "Done"]


@pytest.mark.sqlite_only
def test_cells_without_a_column_are_reported(api: Api) -> None:
    waiting = run(api, uploaded(api, "a,b\n1,2\n3,4,5\n6,7\n8\n"))
    assert (waiting["state"], waiting["counts"]["refused_cells"]) == ("waiting", 1)
    assert api.get(f"{IMPORTS_URL}{waiting['id']}/report/").json()["cells"][0] == {
        "row": 3, "column": "Column 3", "code": "extra_cell", "value": "5",
        "detail": "There is no column for this cell.", "message_code": "no_column_for_cell", "params": {},
    }  # fmt: skip


@pytest.mark.sqlite_only
def test_refused_cells_can_stop_the_import(api: Api) -> None:
    imported = uploaded(api, "a\n" + "1\n" * 30 + "x\n")
    failed = run(api, decide(api, imported, on_refused="stop"))
    assert (failed["state"], failed["error"]["code"], Table.objects.count()) == ("failed", "refused_cells", 0)


@pytest.mark.sqlite_only
def test_files_are_deleted_a_day_after_the_end(api: Api) -> None:
    done = run(api, uploaded(api, "a,b\n1,2\n"))
    waiting = run(api, uploaded(api, "a\n" + "1\n" * 30 + "x\n"))
    delete_expired(now=timezone.now() + timedelta(hours=23), pause=lambda seconds: None)
    assert {each["id"] for each in (done, waiting)} == set(Import.objects.values_list("pk", flat=True))
    delete_expired(now=timezone.now() + timedelta(hours=49), pause=lambda seconds: None)
    left = [model.objects.count() for model in (Import, ImportPiece, StagedRows, RefusedCells)]
    assert (left, len(rows_of(api, done["table"]))) == ([0, 0, 0, 0], 1)


@pytest.mark.sqlite_only
def test_a_lost_worker_is_reported_as_a_failure(api: Api) -> None:
    imported = uploaded(api, "a,b\n1,2\n")
    start(api, imported)
    Import.objects.update(state="reading", heartbeat_at=timezone.now() - timedelta(hours=1))
    assert state(api, imported) == "failed"
    start(api, imported)
    work()
    assert state(api, imported) == "done"
