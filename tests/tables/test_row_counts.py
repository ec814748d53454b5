"""The stored row count of each version of a table."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from tables.models import POSITION_STEP, Table
from tables.operations import Origin
from tables.selectors import tables_for
from tables.selectors.statistics.row_counts import rounded
from tables.services import duplicate_table
from tables.services.pipeline.commit import LARGE
from tests.conftest import Api
from tests.tables.sample_tables import write_copies

ESTIMATE = {"count": "estimate"}
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
        assert api.get(f"/api/tables/{jobs.pk}/rows/").json()["count"] == {"value": 5, "exact": True}
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
    assert api.get(f"/api/tables/{jobs.pk}/rows/").json()["count"] == {"value": 3, "exact": True}
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


@pytest.fixture
def large(jobs: Table) -> Table:
    """Make the table large, as if its rows had been added by the services: the second half are of Hooli."""
    jobs.rows.update(position=F("position") / POSITION_STEP)
    for company in ("Acme", "Hooli"):
        write_copies(jobs, {"Company": company}, count=LARGE)
    jobs.rows.update(position=F("position") * POSITION_STEP)
    write(jobs, next_position=2 * LARGE + 3, counted_rows=2 * LARGE + 3, counted_version=F("version"))
    return jobs


def test_rows_of_large_tables_are_counted_only_on_request(api: Api, large: Table) -> None:
    """Estimates are from a sample, and an answer without a count has null."""
    url, view = f"/api/tables/{large.pk}/rows/", {"search": "hooli", "limit": "5"}
    with CaptureQueriesContext(connection) as sent:
        default, estimate, none = (api.get(url, **view, **more).json() for more in ({}, ESTIMATE, {"count": "none"}))
        page = api.get(f"/tables/{large.pk}/", search="hooli").content.decode()
    assert "about 10,000 matching rows" in page
    assert default["count"] == estimate["count"] == {"value": LARGE, "exact": False}
    assert (none["count"], none["rows"], "count=none" in none["next"]) == (None, default["rows"], True)
    # A search on PostgreSQL counts what it has read for the page.
    statements = [one["sql"] for one in sent.captured_queries if "AS page ON true" not in one["sql"]]
    assert [each for each in statements if "COUNT(" in each.upper()] == []
    exact = api.get(url, **view, count="exact").json()["count"]
    assert exact == api.get(url, **view).json()["count"] == {"value": LARGE, "exact": True}


def test_an_estimate_is_not_less_than_the_rows_that_are_known(api: Api, large: Table) -> None:
    pks = list(large.rows.order_by("position").values_list("pk", flat=True)[100:104])
    large.rows.filter(pk__in=pks).update(search_text="rare")
    url, view = f"/api/tables/{large.pk}/rows/", {"search": "rare"}
    assert api.get(url, **view, offset="1", limit="2").json()["count"] == {"value": 4, "exact": False}
    assert api.get(url, **view).json()["count"] == {"value": 4, "exact": True}


def test_an_estimate_of_a_small_table_is_exact(api: Api, jobs: Table) -> None:
    url = f"/api/tables/{jobs.pk}/rows/"
    assert api.get(url, search="cru", limit="1", **ESTIMATE).json()["count"] == {"value": 1, "exact": True}
    assert api.get(url, count="some").json()["errors"][0]["path"] == "count"


def test_an_estimate_has_only_the_digits_that_a_sample_justifies() -> None:
    estimates = [rounded(matching, sampled=300, rows=100_000) for matching in (0, 60, 199, 300)]
    assert estimates == [0, 20_000, 65_000, 100_000]
