"""Examples are rows with values in the columns to fill: they are shown to the model, and not filled themselves."""
from __future__ import annotations

from collections.abc import Callable

import pytest

from fills.models import Fill
from tables.selectors import Table
from tests.conftest import Api

pytestmark = pytest.mark.django_db


def test_rows_without_values_are_no_examples_and_examples_are_not_filled(
    api: Api, people: Table, url: str, draft: Callable[..., str]
) -> None:
    rows = [row["id"] for row in api.get(f"/api/tables/{people.pk}/rows/").json()["rows"]]
    body = {"columns": ["Domain"], "instruction": "Take the domain out of {E-mail}."}
    refused = api.post(url, {**body, "examples": [rows[5], rows[0]]})
    faults = [(each["path"], each["code"]) for each in refused.json()["errors"]]
    assert (refused.status_code, faults) == (422, [("examples[1]", "empty_example")])
    for choice, chosen in (("all", 5), ({"ids": rows[4:]}, 1), ("empty", 5)):
        fill = draft(rows=choice, examples=[rows[5]])
        assert api.get(fill).json()["estimate"]["rows"] == chosen
    fill = draft(rows="all", examples=[rows[5]])
    assert "firm5.example" in str(Fill.objects.get(pk=fill.split("/")[-2]).prompt["system"])
    # A row that was emptied since is no example any more.
    api.patch(f"/api/tables/{people.pk}/rows/{rows[5]}/", {"data": {"Domain": None}})
    assert api.post(f"{fill}run/", {}).status_code == 202
    ran = Fill.objects.get(pk=fill.split("/")[-2])
    assert ("firm5.example" in str(ran.prompt["system"]), ran.results.count()) == (False, 6)
