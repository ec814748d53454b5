"""Refused requests of fills over REST name everything that is wrong, and store nothing."""
from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from fills.models import Fill, StandingFill
from tables.selectors import Table
from tests.conftest import Api

pytestmark = pytest.mark.django_db

# Method, path below the table (%fill: a draft), body, and the paths of all faults.
REFUSED: dict[str, tuple[str, str, dict[str, Any], str]] = {
    "a fill": ("POST", "fills/", {"columns": ["Nope"], "instruction": "{Zip}", "rows": "zz", "q": 1},
        "q columns[0] instruction rows"),
    "a fill without instruction": ("POST", "fills/", {"columns": ["Nope"], "q": 1}, "q columns[0] instruction"),
    "a change": ("PATCH", "%fill", {"columns": ["Nope"], "budget": -1, "q": 1}, "q columns[0] budget"),
    "a try": ("POST", "%filltry/", {"rows": [999999], "q": 1}, "q rows[0]"),
    "corrections": ("PATCH", "%fillresults/", {"edits": {"999999": {"Nope": 1}, "1": {"Name": "x"}}, "q": 1},
        "q edits.999999 edits.999999.Nope edits.1 edits.1.Name"),
    "a run": ("POST", "%fillrun/", {"mode": "zz", "q": 1}, "q mode"),
    "an apply": ("POST", "%fillapply/?x=1", {"rows": [999998], "edits": {"999999": {"Nope": 1}}, "q": 1},
        "x q rows[0] edits.999999 edits.999999.Nope"),
    "a standing fill": ("POST", "standing-fills/",
        {"columns": ["Nope"], "instruction": "{Zip}", "trigger": "zz", "filter": 5, "budget": -1, "q": 1},
        "q columns[0] instruction trigger filter budget"),
    "a standing fill without instruction": ("POST", "standing-fills/", {"columns": ["Domain"], "trigger": "zz"},
        "fill trigger"),
    "an unreadable standing fill": ("POST", "standing-fills/", {"fill": "zz", "trigger": "zz", "q": 1},
        "q fill trigger"),
    "an unknown standing fill": ("POST", "standing-fills/", {"fill": str(UUID(int=7)), "trigger": "zz", "q": 1},
        "q fill trigger"),
}  # fmt: skip


def test_all_faults_of_a_request_are_named(api: Api, people: Table, draft: Callable[..., str]) -> None:
    fill, table = draft(), f"/api/tables/{people.pk}/"
    before, found = Fill.objects.get(), {}
    for name, (method, path, body, paths) in REFUSED.items():
        address = path.replace("%fill", fill) if path.startswith("%") else table + path
        answer = api.client.generic(method, address, json.dumps(body), "application/json").json()
        if sorted(fault["path"] for fault in answer["errors"]) != sorted(paths.split()):
            found[name] = answer
    assert found == {}
    assert (Fill.objects.get().columns, StandingFill.objects.count()) == (before.columns, 0)
