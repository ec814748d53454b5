"""Where applied values come from: shown while cells hold them, exported, and deleted with their rows."""
from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from fills.models import Fill, Origin
from fills.selectors import has_fills
from tables.selectors import Table
from tables.services.retention import clear_changes, clear_rows
from tests.captured_queries import CapturedQueries
from tests.conftest import Api
from tests.fills.conftest import Workers, record
from tests.tables.exporting.conftest import content_of

pytestmark = pytest.mark.django_db(transaction=True)
Json = dict[str, Any]


def test_origins_are_shown_while_cells_hold_the_applied_values(
    api: Api, people: Table, draft: Callable[..., str], workers: Callable[..., Workers], settings: Any
) -> None:
    table = f"/api/tables/{people.pk}/"
    ids = [row["id"] for row in api.get(f"{table}rows/").json()["rows"]]
    page = "https://firm0.example/about"
    api.patch(f"{table}rows/{ids[0]}/", {"data": {"E-mail": page}})
    source = {"url": page, "title": "About", "quote": ""}
    url = draft()
    api.post(f"{url}run/", {})
    workers(lambda request: record(request, "firm0.example", sources=[source])).work(url, limit=1)
    edits = {str(ids[1]): {"Domain": "corrected.example"}}
    api.post(f"{url}apply/", {"rows": ids[:3], "edits": edits})

    def shown(**query: Any) -> list[Any]:
        rows = api.get(f"{table}rows/", origins="true", **query).json()["rows"]
        return [sorted(row["origins"]) for row in rows]

    # The corrected value is a person's own.
    assert shown() == [["Domain"], [], ["Domain"], [], [], []]
    origin = api.get(f"{table}rows/{ids[0]}/origins/").json()["origins"]["Domain"]
    assert (origin["confidence"], origin["note"], origin["sources"]) == ("high", "From the address.", [source])
    assert api.get(f"{table}rows/{ids[0]}/", origins="true").json()["origins"] == {"Domain": origin}
    assert api.get(f"{table}rows/999999999/origins/").status_code == 404

    edit = api.patch(f"{table}rows/{ids[0]}/", {"data": {"Domain": "mine"}}).json()["change"]
    assert shown(limit=2) == [[], []]
    api.post(f"{table}changes/{edit}/undo/")
    with CapturedQueries() as two:
        assert shown(limit=2) == [["Domain"], []]
    with CapturedQueries() as six:
        shown()
    assert len(two) == len(six)

    # Origins outlive their fill, and end with their row.
    Fill.objects.all().delete()
    assert has_fills(people.pk)
    answer = api.get(f"{table}export/", format="csv", origins="true", columns="Name,Domain")
    file = content_of(answer).decode()
    header, first, second, *_ = file.lstrip("\ufeff").splitlines()
    assert header == "Name,Domain,Domain confidence,Domain sources"
    assert first == f"Person 0,firm0.example,high,{page}"
    assert second == "Person 1,corrected.example,,"
    assert Origin.objects.count() == 3
    api.delete(f"{table}rows/{ids[0]}/")
    later = timezone.now() + timedelta(days=settings.TABLES_CHANGES_DAYS + 3)
    assert sum(clear_changes(now=later)) > 0
    assert sum(clear_rows(now=later)) > 0
    assert set(Origin.objects.values_list("row_id", flat=True)) == set(ids[1:3])
