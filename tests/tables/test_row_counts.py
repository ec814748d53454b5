"""The stored row count of each version of a table."""
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


def stored_count(table: Table) -> int | None:
    """Return the stored row count after checking it."""
    found = Table.objects.get(pk=table.pk)
    assert found.known_rows in (None, found.rows.filter(deleted_at=None).count())
    return found.known_rows


def write(table: Table, **fields: Any) -> None:
    """Update a table without the services."""
    Table.objects.filter(pk=table.pk).update(**fields)


def test_the_count_is_stored_after_each_kind_of_change(api: Api, user: User, jobs: Table) -> None:
    url = f"/api/tables/{jobs.pk}/"
    counts = [stored_count(jobs)]
    added = api.post(f"{url}rows/", {"rows": ROWS}).json()["rows"]
    counts.append(stored_count(jobs))
    api.patch(f"{url}rows/{added[0]['id']}/", {"data": {"Note": "again"}})
    counts.append(stored_count(jobs))
    api.post(f"{url}rows/delete/", {"ids": [row["id"] for row in added]})
    counts.append(stored_count(jobs))
    change = api.get(f"{url}changes/").json()["changes"][0]["id"]
    for action in ("undo", "redo", "undo"):
        assert api.post(f"{url}changes/{change}/{action}/").status_code == 200
        counts.append(stored_count(jobs))
    operations = [{"action": "add", "data": {"Company": "Fir"}}, {"action": "delete", "row_id": added[0]["id"]}]
    assert api.post(f"{url}proposals/data/", {"operations": operations}).status_code == 200
    counts.append(stored_count(jobs))
    assert counts == [3, 5, 5, 3, 5, 3, 5, 5]
    assert stored_count(duplicate_table(user=user, table_id=jobs.pk, origin=Origin("api"))) == 5


def test_the_stored_count_is_used_without_counting(api: Api, user: User, jobs: Table) -> None:
    api.post(f"/api/tables/{jobs.pk}/rows/", {"rows": ROWS})
    with CaptureQueriesContext(connection) as sent:
        assert api.get(f"/api/tables/{jobs.pk}/rows/").json()["count"] == 5
        assert api.get(f"/api/tables/{jobs.pk}/").json()["row_count"] == 5
        assert "5 rows" in " ".join(api.get(f"/tables/{jobs.pk}/").content.decode().split())
    # Option counts are stored separately.
    counting = [one["sql"] for one in sent.captured_queries if "COUNT(" in one["sql"] and "GROUP BY" not in one["sql"]]
    assert [sql for sql in counting if "tables_row" in sql] == []
    write(jobs, counted_rows=77)
    assert [table.row_count for table in tables_for(user)] == [77]


def test_a_count_of_another_version_is_not_used(api: Api, user: User, jobs: Table) -> None:
    """A server of an earlier release increments only the version."""
    write(jobs, counted_rows=77, counted_version=0)
    assert [table.row_count for table in tables_for(user)] == [3]
    assert api.get(f"/api/tables/{jobs.pk}/rows/").json()["count"] == 3
    assert api.post(f"/api/tables/{jobs.pk}/rows/", {"rows": ROWS}).status_code == 201
    assert stored_count(jobs) is None
    write(jobs, next_position=LARGE)
    assert api.post(f"/api/tables/{jobs.pk}/rows/", {"rows": ROWS}).status_code == 201
    assert stored_count(jobs) == 7


def test_a_refused_change_leaves_the_count_unchanged(api: Api, jobs: Table, apply_rows: Callable[..., Any]) -> None:
    refused = api.post(f"/api/tables/{jobs.pk}/rows/", {"rows": [*ROWS, {"Salary": "many"}]})
    assert (refused.status_code, stored_count(jobs)) == (422, 3)
    apply_rows({"action": "add", "data": {"Company": "Gum"}})
    assert stored_count(jobs) == 4
