"""Corrections of found values are stored with the fill, for all who review it, and applied in place of them."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from fills.selectors import RETENTION, Fill, old_fills
from tables.selectors import Table
from tests.conftest import Api
from tests.fills.conftest import Workers, domain_of_row, record
from tests.fills.test_running import domains, results

pytestmark = pytest.mark.django_db(transaction=True)


def test_corrections_are_checked_stored_applied_and_forgotten(
    api: Api, people: Table, draft: Callable[..., str], workers: Callable[..., Workers]
) -> None:
    url = draft(columns=["Domain", "Kind"])
    api.post(f"{url}run/", {})
    workers(lambda request: record(request, None)).work(url, limit=1)
    workers().work(url)
    found = results(api, url, status="found")
    first, second = [str(each["row"]) for each in found[:2]]
    empty = str(results(api, url, status="empty")[0]["row"])

    wrong = api.patch(f"{url}results/", {"edits": {first: {"kind": "Shop", "Site": "x"}}})
    assert (wrong.status_code, {each["path"] for each in wrong.json()["errors"]}) == (
        422, {f"edits.{first}.kind", f"edits.{first}.Site"},
    )  # fmt: skip
    unfound = {"edits": {empty: {"Domain": "x"}, "999999": {"Domain": "x"}}}
    for answer in (api.patch(f"{url}results/", unfound), api.post(f"{url}apply/", {**unfound, "rows": "all"})):
        assert answer.json()["error"] == "no_result"
        assert _faults(answer) == [(f"edits.{row}", "no_result") for row in (empty, "999999")]
    other = {"edits": {first: {"name": "x"}}}
    for answer in (api.patch(f"{url}results/", other), api.post(f"{url}apply/", {**other, "rows": "all"})):
        assert _faults(answer) == [(f"edits.{first}.name", "not_filled")]
    # The found value itself is no correction.
    edits = {first: {"domain": "right.example", "Kind": "Firm"}, second: found[1]["values"]}
    assert api.patch(f"{url}results/", {"edits": edits}).status_code == 204
    assert [each["corrections"] for each in results(api, url, status="found")[:2]] == [
        {"Domain": "right.example", "Kind": "Firm"}, {},
    ]  # fmt: skip

    Fill.objects.update(updated_at=timezone.now() - RETENTION)
    api.patch(f"{url}results/", {"edits": {second: {"Domain": "other.example"}}})
    assert not old_fills(now=timezone.now()).exists()
    Fill.objects.update(updated_at=timezone.now() - RETENTION)
    api.post(f"{url}apply/", {"rows": [int(first), int(second)], "edits": {second: {"Domain": "last.example"}}})
    assert not old_fills(now=timezone.now()).exists()
    assert domains(api, people)[1:3] == ["right.example", "last.example"]
    assert [each["review"] for each in results(api, url, status="found")[:2]] == ["applied", "edited"]
    # The row has what was applied: another value is no longer one of the fill.
    late = {"edits": {first: {"Domain": "late.example"}}}
    for answer in (api.patch(f"{url}results/", late), api.post(f"{url}apply/", {**late, "rows": [int(first)]})):
        assert _faults(answer) == [(f"edits.{first}", "already_applied")]
    rows = api.get(f"/api/tables/{people.pk}/rows/", origins="true").json()["rows"]
    assert [list(row["origins"]) for row in rows[1:3]] == [[], []]
    api.post(f"{url}refill/", {"ids": [int(first)]})
    workers(domain_of_row).work(url)
    assert results(api, url, ids=first)[0]["corrections"] == {}


def test_a_correction_cannot_empty_a_required_cell(
    api: Api, people: Table, draft: Callable[..., str], workers: Callable[..., Workers]
) -> None:
    url = draft()
    api.post(f"{url}try/", {"rows": 2})
    workers(domain_of_row).work(url)
    api.patch(f"/api/tables/{people.pk}/columns/Domain/?on_empty_cells=keep", {"required": True})
    first, second = [str(each["row"]) for each in results(api, url, status="found")]
    for blank in (None, "  "):
        refused = api.patch(f"{url}results/", {"edits": {first: {"domain": blank}, second: {"zz": 1}}})
        faults = dict(_faults(refused))
        assert faults == {f"edits.{first}.domain": "required", f"edits.{second}.zz": "unknown_column"}


def _faults(answer: Any) -> list[tuple[str, str]]:
    return [(each["path"], each["code"]) for each in answer.json()["errors"]]
