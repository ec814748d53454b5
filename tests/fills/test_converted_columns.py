"""Found values that a column refuses by now, because it was converted or lost an option, are "invalid".

What was read of a column that is deleted has not changed.
"""
from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection

from tables.selectors import Table
from tests.conftest import Api
from tests.fills.conftest import Json, Workers, record
from tests.fills.test_running import results
from tests.scripted_model import Reply
from tests.tables.concurrency.threads import together

pytestmark = pytest.mark.django_db(transaction=True)


def test_rows_are_asked_for_with_the_options_that_a_column_has_got_meanwhile(
    api: Api, people: Table, draft: Callable[..., str], workers: Callable[..., Workers]
) -> None:
    def rename_options(_: int) -> None:
        try:
            api.patch(f"/api/tables/{people.pk}/columns/Kind/", {"options": ["Firm", "College"]})
        finally:
            connection.close()

    def renamed_meanwhile(request: Json) -> Reply:
        together(1, rename_options)
        return record(request, "Firm")

    url = draft(columns=["Kind"], instruction="Is it a firm or a school?")
    api.post(f"{url}run/", {})
    worker = workers(renamed_meanwhile, *[lambda request: record(request, "College")] * 5)
    assert worker.work(url, limit=1).continue_at == worker.now()
    assert api.get(url).json()["counts"]["found"] == 1
    worker.work(url, limit=1)
    assert [each["values"]["Kind"] for each in results(api, url)] == ["Firm"] + ["College"] * 5


def test_values_that_no_longer_fit_are_left_out_corrected_and_filled_again(
    api: Api, people: Table, draft: Callable[..., str], workers: Callable[..., Workers]
) -> None:
    url = draft(columns=["Kind"], instruction="Is it a firm or a school?")
    api.post(f"{url}run/", {})
    answers = [lambda request: record(request, "School")] * 3 + [lambda request: record(request, "Firm")] * 3
    workers(*answers).work(url, limit=1)
    rows = [each["row"] for each in results(api, url)]
    api.delete(f"/api/tables/{people.pk}/rows/{rows[5]}/")
    table = f"/api/tables/{people.pk}/"
    kind = api.get(table).json()["columns"][3]["id"]
    assert api.patch(f"{table}columns/{kind}/", {"options": ["Firm", "College"]}).status_code == 200
    counts = api.get(f"{url}review/", rows="invalid").json()
    assert {name: counts["counts"][name] for name in ("open", "invalid", "deleted")} == {
        "open": 2, "invalid": 3, "deleted": 1,
    }  # fmt: skip
    assert counts["rows"] == rows[:3]
    first = results(api, url)[0]
    assert (first["review"], "School" in first["fault"]["detail"]) == ("invalid", True)
    # They can be corrected and answered again, with the options of today.
    assert api.patch(f"{url}results/", {"edits": {str(rows[0]): {"Kind": "College"}}}).status_code == 204
    assert api.post(f"{url}refill/", {"ids": [rows[1]]}).status_code == 202
    again = workers(lambda request: record(request, "College"))
    again.work(url)
    [tool] = again.model.requests[0]["tools"]
    assert ["College" in str(tool), "School" in str(tool)] == [True, False]
    refused = api.post(f"{url}apply/", {"rows": rows[:3]})
    assert [each["path"] for each in refused.json()["errors"]] == [f"rows[{rows[2]}].data.Kind"]
    applied = api.post(f"{url}apply/", {"rows": "all"}).json()
    assert [each["row_id"] for each in applied["applied"]] == [rows[0], rows[1], rows[3], rows[4]]
    left = ["applied", "applied", "invalid", "applied", "applied", "deleted"]
    assert [each["review"] for each in results(api, url)] == left
    # A column that cannot be filled any more is refused before a model is called.
    converted = f"{table}columns/{kind}/?on_unconvertible=clear"
    assert api.patch(converted, {"type": "autonumber"}).status_code == 200
    assert api.post(f"{url}refill/", {"ids": [rows[2]]}).json()["error"] == "not_fillable"


def test_a_deleted_column_that_was_read_is_no_conflict(
    api: Api, people: Table, draft: Callable[..., str], workers: Callable[..., Workers]
) -> None:
    url = draft(columns=["Domain", "Kind"], instruction="Take the domain out of {E-mail}, and the kind.", rows="all")
    api.post(f"{url}run/", {})

    def both(request: Json) -> Reply:
        domain, kind = request["tools"][0]["input_schema"]["properties"]["values"]["properties"]
        return record(request, "x.example", values={domain: "x.example", kind: "Firm"})

    workers(*[both] * 6).work(url, limit=1)
    columns = {each["name"]: each["id"] for each in api.get(f"/api/tables/{people.pk}/").json()["columns"]}
    for name in ("E-mail", "Kind"):
        assert api.delete(f"/api/tables/{people.pk}/columns/{columns[name]}/").status_code in (200, 204)
    assert {each["review"] for each in results(api, url)} == {"open"}
    assert len(api.post(f"{url}apply/", {"rows": "all"}).json()["applied"]) == 6
    assert {each["review"] for each in results(api, url)} == {"applied"}
