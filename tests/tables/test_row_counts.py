"""How many rows a table has is known with each version, however they came and went; nobody counts them again."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tables.models import Table
from tables.operations import Origin
from tables.selectors import tables_for
from tables.services import duplicate_table
from tables.services.pipeline.commit import LARGE
from tests.conftest import Api

ROWS = [{"Company": "Dune"}, {"Company": "Elm"}]


def known(table: Table) -> int | None:
    """What is known, which has to be so."""
    found = Table.objects.get(pk=table.pk)
    assert found.known_rows in (None, found.rows.filter(deleted_at=None).count())
    return found.known_rows


def write(table: Table, **fields: Any) -> None:
    """Past all services."""
    Table.objects.filter(pk=table.pk).update(**fields)


def test_it_is_known_after_whatever_is_done_with_rows(api: Api, user: User, jobs: Table) -> None:
    door = f"/api/tables/{jobs.pk}/"
    seen = [known(jobs)]
    added = api.post(f"{door}rows/", {"rows": ROWS}).json()["rows"]
    seen.append(known(jobs))
    api.patch(f"{door}rows/{added[0]['id']}/", {"data": {"Note": "again"}})
    seen.append(known(jobs))
    api.post(f"{door}rows/delete/", {"ids": [row["id"] for row in added]})
    seen.append(known(jobs))
    change = api.get(f"{door}changes/").json()["changes"][0]["id"]
    for what in ("undo", "redo", "undo"):
        assert api.post(f"{door}changes/{change}/{what}/").status_code == 200
        seen.append(known(jobs))
    operations = [{"action": "add", "data": {"Company": "Fir"}}, {"action": "delete", "row_id": added[0]["id"]}]
    assert api.post(f"{door}proposals/data/", {"operations": operations}).status_code == 200
    seen.append(known(jobs))
    assert seen == [3, 5, 5, 3, 5, 3, 5, 5]
    assert known(duplicate_table(user=user, table_id=jobs.pk, origin=Origin("api"))) == 5


def test_what_is_known_is_told_and_nothing_is_counted(api: Api, user: User, jobs: Table) -> None:
    api.post(f"/api/tables/{jobs.pk}/rows/", {"rows": ROWS})
    with CaptureQueriesContext(connection) as sent:
        assert api.get(f"/api/tables/{jobs.pk}/rows/").json()["count"] == 5
        assert api.get(f"/api/tables/{jobs.pk}/").json()["row_count"] == 5
        assert "5 rows" in " ".join(api.get(f"/tables/{jobs.pk}/").content.decode().split())
    # How many rows each option has is another question.
    counting = [one["sql"] for one in sent.captured_queries if "COUNT(" in one["sql"] and "GROUP BY" not in one["sql"]]
    assert [sql for sql in counting if "tables_row" in sql] == []
    write(jobs, counted_rows=77)
    assert [table.row_count for table in tables_for(user)] == [77]


def test_what_was_counted_at_another_version_is_counted_again(api: Api, user: User, jobs: Table) -> None:
    """A server of an earlier release knows nothing of the number, and moves only the version on."""
    write(jobs, counted_rows=77, counted_version=0)
    assert [table.row_count for table in tables_for(user)] == [3]
    assert api.get(f"/api/tables/{jobs.pk}/rows/").json()["count"] == 3
    assert api.post(f"/api/tables/{jobs.pk}/rows/", {"rows": ROWS}).status_code == 201
    assert known(jobs) is None
    write(jobs, next_position=LARGE)
    assert api.post(f"/api/tables/{jobs.pk}/rows/", {"rows": ROWS}).status_code == 201
    assert known(jobs) == 7


def test_a_change_that_is_refused_leaves_it_as_it_was(api: Api, jobs: Table, apply_rows: Callable[..., Any]) -> None:
    refused = api.post(f"/api/tables/{jobs.pk}/rows/", {"rows": [*ROWS, {"Salary": "many"}]})
    assert (refused.status_code, known(jobs)) == (422, 3)
    apply_rows({"action": "add", "data": {"Company": "Gum"}})
    assert known(jobs) == 4
