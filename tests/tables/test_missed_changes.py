"""Missed changes of a page after a reconnect, or a 410 if they are no longer stored."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from tables.models import Change, Table
from tables.operations import Origin
from tables.services import add_rows, create_table

API = Origin("api")


@pytest.fixture
def jobs(user: User) -> Table:
    """Create a table and change it three times: versions 1 to 4."""
    table = create_table(user=user, name="Jobs", columns=[{"name": "Company", "type": "text"}], origin=API)
    for _ in range(3):
        add_rows(user=user, table_id=table.pk, rows=[{"Company": "Acme"}], origin=API)
    table.refresh_from_db()
    return table


@pytest.mark.parametrize(
    ("after", "missed"), [(0, [4, 3, 2, 1]), (2, [4, 3]), (4, [])], ids=["all", "some", "none"]
)
def test_missed_changes_are_listed(api: Any, jobs: Table, after: int, missed: list[int]) -> None:
    body = api.get(f"/api/tables/{jobs.pk}/changes/", after_version=after).json()
    assert [change["version"] for change in body["changes"]] == missed


@pytest.mark.parametrize(
    ("after", "status", "error"),
    [
        (0, 410, "no_longer_kept"), (1, 410, "no_longer_kept"), (2, 200, None), (4, 200, None),
        (5, 422, "unknown_version"),
    ],
    ids=["both", "one", "none", "the current version", "a later version"],
)  # fmt: skip
def test_changes_that_are_not_stored_are_an_error(
    api: Any, jobs: Table, after: int, status: int, error: str | None
) -> None:
    Change.objects.filter(table=jobs, version__lte=2).delete()
    answer = api.get(f"/api/tables/{jobs.pk}/changes/", after_version=after)
    assert (answer.status_code, answer.json().get("error")) == (status, error)
    assert status != 422 or answer.json()["version"] == 4


def test_missing_history_is_a_410(api: Any, jobs: Table) -> None:
    Change.objects.filter(table=jobs).delete()
    assert api.get(f"/api/tables/{jobs.pk}/changes/", after_version=3).status_code == 410
