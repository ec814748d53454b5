"""An apply of results does exactly what its dry run showed, or nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from tables.models import Table
from tables.operations import Origin
from tables.services import update_rows
from tests.conftest import Api
from tests.fills.conftest import Workers

pytestmark = pytest.mark.django_db(transaction=True)

def test_the_plan_of_a_dry_run_pins_results_corrections_and_rows(
    api: Api, user: User, people: Table, draft: Callable[..., str], workers: Callable[..., Workers]
) -> None:
    url, choice = draft(), {"rows": "all"}
    api.post(f"{url}run/", {})
    workers().work(url)
    rows = [each["row"] for each in api.get(f"{url}results/").json()["results"]]
    preview = api.post(f"{url}apply/?dry_run=true", choice).json()
    assert preview["operations"][0]["new"] == {"Domain": "firm0.example"}
    pinned = f"{url}apply/?plan={preview['plan']}"

    api.patch(f"{url}results/", {"edits": {str(rows[0]): {"Domain": "corrected.example"}}})
    assert api.post(pinned, choice).json()["message_code"] == "other_operations"
    api.patch(f"{url}results/", {"edits": {str(rows[0]): {}}})
    edited = [{"id": rows[1], "data": {"Name": "New"}}]
    update_rows(user=user, table_id=people.pk, rows=edited, origin=Origin("api"))
    refused = api.post(pinned, choice)
    assert (refused.status_code, refused.json()["error"]) == (409, "plan_changed")
    assert [each["path"] for each in refused.json()["errors"]] == [f"rows[{rows[1]}]"]
    stored = api.get(f"/api/tables/{people.pk}/rows/").json()["rows"]
    assert [row["data"].get("Domain") for row in stored[:5]] == [None] * 5

    plan = api.post(f"{url}apply/?dry_run=true", choice).json()["plan"]
    assert api.post(f"{url}apply/?plan={plan}", choice).status_code == 200
