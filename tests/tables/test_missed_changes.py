"""A page that was away reads what it missed; when that is no longer kept, it is told to read everything."""
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
    """Made, then changed three times: versions 1 to 4."""
    table = create_table(user=user, name="Jobs", columns=[{"name": "Company", "type": "text"}], origin=API)
    for _ in range(3):
        add_rows(user=user, table_id=table.pk, rows=[{"Company": "Acme"}], origin=API)
    table.refresh_from_db()
    return table


@pytest.mark.parametrize(
    ("after", "missed"), [(0, [4, 3, 2, 1]), (2, [4, 3]), (4, []), (90, [])], ids=["all", "some", "none", "the future"]
)
def test_what_was_missed_is_told(api: Any, jobs: Table, after: int, missed: list[int]) -> None:
    body = api.get(f"/api/tables/{jobs.pk}/changes/", after_version=after).json()
    assert [change["version"] for change in body["changes"]] == missed


@pytest.mark.parametrize(("after", "status"), [(0, 410), (1, 410), (2, 200)], ids=["both", "one", "none"])
def test_changes_that_were_cleared_away_are_a_410(api: Any, jobs: Table, after: int, status: int) -> None:
    Change.objects.filter(table=jobs, version__lte=2).delete()
    answer = api.get(f"/api/tables/{jobs.pk}/changes/", after_version=after)
    assert answer.status_code == status
    assert status == 200 or answer.json()["error"] == "no_longer_kept"


def test_when_nothing_is_kept_that_is_told_too(api: Any, jobs: Table) -> None:
    Change.objects.filter(table=jobs).delete()
    assert api.get(f"/api/tables/{jobs.pk}/changes/", after_version=3).status_code == 410
