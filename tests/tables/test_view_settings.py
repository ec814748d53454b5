"""How one person looks at a table: widths and hidden columns, theirs alone, kept over reloads and renames."""
from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User

from tables.models import Change, PersonalView, Table
from tables.operations.queries.view_settings import MAX_WIDTH
from tables.selectors import table_shape
from tests.conftest import Api
from tests.tables.shared_table import make_member


def address(table: Table) -> str:
    return f"/api/tables/{table.pk}/view/"


def put(api: Api, table: Table, body: Any, **headers: str) -> Any:
    """Says both fields: what the body leaves out is as usual."""
    whole = {"widths": {}, "hidden": [], **body} if isinstance(body, dict) else body
    return send(api, table, whole, **headers)


def send(api: Api, table: Table, body: Any, **headers: str) -> Any:
    return api.client.put(address(table), body, content_type="application/json", headers=headers)


@pytest.fixture
def ids(jobs: Table) -> dict[str, str]:
    """Column ids by name."""
    return {column.name: column.id for column in table_shape(jobs).columns}


def test_who_has_changed_nothing_sees_everything_as_usual(api: Api, jobs: Table) -> None:
    assert api.get(address(jobs)).json() == {"widths": {}, "hidden": []}


def test_what_is_put_is_kept_by_id_whole(api: Api, jobs: Table, ids: dict[str, str]) -> None:
    put(api, jobs, {"widths": {"Status": 300}, "hidden": ["Note"]})
    answer = put(api, jobs, {"widths": {"company": 200}, "hidden": [ids["Salary"]]})
    kept = {"widths": {ids["Company"]: 200}, "hidden": [ids["Salary"]]}
    assert (answer.status_code, answer.json(), api.get(address(jobs)).json()) == (200, kept, kept)


def test_it_is_no_change_of_the_table(api: Api, jobs: Table) -> None:
    before = (Change.objects.count(), Table.objects.get(pk=jobs.pk).version)
    put(api, jobs, {"hidden": ["Note"]})
    assert (Change.objects.count(), Table.objects.get(pk=jobs.pk).version) == before


def test_a_viewer_has_a_look_of_their_own(api: Api, other_api: Api, other_user: User, user: User, jobs: Table) -> None:
    make_member(jobs, other_user, role="viewer")
    assert put(other_api, jobs, {"widths": {"Note": 400}}).status_code == 200
    assert api.get(address(jobs)).json()["widths"] == {}
    assert list(other_api.get(address(jobs)).json()["widths"].values()) == [400]


def test_not_yours_is_as_not_there(other_api: Api, jobs: Table) -> None:
    answers = [other_api.get(address(jobs)), put(other_api, jobs, {"hidden": []})]
    assert ([answer.status_code for answer in answers], PersonalView.objects.count()) == ([404, 404], 0)


BAD: dict[str, tuple[Any, int, str, str]] = {
    "a list": ([], 400, "", "not_an_object"),
    "an unknown field": ({"width": {}}, 400, "width", "unknown_field"),
    "widths as a list": ({"widths": []}, 400, "widths", "not_an_object"),
    "a width as a text": ({"widths": {"Note": "200"}}, 400, "widths.Note", "not_a_width"),
    "a width as true": ({"widths": {"Note": True}}, 400, "widths.Note", "not_a_width"),
    "a width of a half": ({"widths": {"Note": 200.5}}, 400, "widths.Note", "not_a_width"),
    "a width that is too small": ({"widths": {"Note": 1}}, 400, "widths.Note", "not_a_width"),
    "a width that is too large": ({"widths": {"Note": MAX_WIDTH + 1}}, 400, "widths.Note", "not_a_width"),
    "hidden as a text": ({"hidden": "Note"}, 400, "hidden", "not_a_list"),
    "a hidden number": ({"hidden": [5]}, 400, "hidden[0]", "not_text"),
    "an unknown hidden column": ({"hidden": ["Note", "Salery"]}, 422, "hidden[1]", "unknown_column"),
    "an unknown wide column": ({"widths": {"Salery": 100}}, 422, "widths.Salery", "unknown_column"),
    "nothing shown": ({"hidden": ["Note", "Salary", "Company", "Status"]}, 422, "hidden", "too_many"),
}


@pytest.mark.parametrize(("body", "status", "path", "code"), BAD.values(), ids=BAD.keys())
def test_what_cannot_be_is_refused_with_its_path(
    api: Api, jobs: Table, body: Any, status: int, path: str, code: str
) -> None:
    put(api, jobs, {"hidden": ["Note"]})
    before = api.get(address(jobs)).json()
    answer = put(api, jobs, body)
    fault = answer.json()["errors"][0]
    assert (answer.status_code, fault["path"], fault["code"]) == (status, path, code)
    assert ("Salary" in fault["detail"]) == (code == "unknown_column")
    assert api.get(address(jobs)).json() == before


@pytest.mark.parametrize(
    ("body", "missing"), [({}, ["widths", "hidden"]), ({"hidden": []}, ["widths"]), ({"widths": {}}, ["hidden"])]
)
def test_what_is_left_out_is_not_taken_for_nothing(api: Api, jobs: Table, body: Any, missing: list[str]) -> None:
    put(api, jobs, {"widths": {"Status": 300}, "hidden": ["Note"]})
    before = api.get(address(jobs)).json()
    answer = send(api, jobs, body)
    told = [(fault["path"], fault["code"]) for fault in answer.json()["errors"]]
    assert (answer.status_code, told) == (400, [(name, "missing") for name in missing])
    assert api.get(address(jobs)).json() == before


def test_sent_twice_with_one_key_it_counts_once(api: Api, jobs: Table) -> None:
    first = put(api, jobs, {"hidden": ["Note"]}, **{"Idempotency-Key": "k"})
    put(api, jobs, {"hidden": []})
    again = put(api, jobs, {"hidden": ["Note"]}, **{"Idempotency-Key": "k"})
    assert (again.json(), api.get(address(jobs)).json()["hidden"]) == (first.json(), [])
    other = put(api, jobs, {"hidden": []}, **{"Idempotency-Key": "k"})
    assert (other.status_code, other.json()["error"]) == (422, "idempotency_key_reused")


def test_it_outlives_renames_and_forgets_columns_that_are_gone(api: Api, jobs: Table, ids: dict[str, str]) -> None:
    put(api, jobs, {"widths": {"Status": 300, "Note": 90}, "hidden": ["Note", "Salary"]})
    api.patch(f"/api/tables/{jobs.pk}/columns/{ids['Salary']}/", {"name": "Pay"})
    api.delete(f"/api/tables/{jobs.pk}/columns/{ids['Note']}/")
    assert api.get(address(jobs)).json() == {"widths": {ids["Status"]: 300}, "hidden": [ids["Salary"]]}


def test_when_only_hidden_columns_are_left_they_are_shown(api: Api, jobs: Table, ids: dict[str, str]) -> None:
    put(api, jobs, {"hidden": ["Note"]})
    for name in ("Company", "Status", "Salary"):
        api.delete(f"/api/tables/{jobs.pk}/columns/{ids[name]}/")
    assert f'<th scope="col" data-col="{ids["Note"]}"' in api.get(f"/tables/{jobs.pk}/").content.decode()


def test_the_page_is_drawn_as_the_person_looks_at_it(api: Api, jobs: Table, ids: dict[str, str]) -> None:
    put(api, jobs, {"widths": {"Status": 321}, "hidden": ["Note"]})
    page = api.get(f"/tables/{jobs.pk}/").content.decode()
    heads = [name for name in ids if f'<th scope="col" data-col="{ids[name]}"' in page]
    assert heads == ["Company", "Status", "Salary"]
    assert f'<col width="321" data-col="{ids["Status"]}">' in page
    assert (re.search(r"\bsoon\b", page.split("<tbody")[2]), "1 hidden" in page) == (None, True)


def test_who_reads_by_a_link_sees_the_usual_look(api: Api, jobs: Table, ids: dict[str, str]) -> None:
    put(api, jobs, {"hidden": ["Note"]})
    link = api.post(f"/api/tables/{jobs.pk}/link/").json()["url"]
    page = api.get(urlsplit(link).path).content.decode()
    assert f'<th scope="col" data-col="{ids["Note"]}"' in page


def test_columns_are_hidden_by_a_plain_form_too(api: Api, jobs: Table, ids: dict[str, str]) -> None:
    put(api, jobs, {"widths": {"Status": 300}})
    form = {"shown": [ids["Company"], ids["Salary"]]}
    answer = api.client.post(f"/tables/{jobs.pk}/columns-shown/", form)
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/tables/{jobs.pk}/")
    hidden = sorted([ids["Status"], ids["Note"]])
    assert api.get(address(jobs)).json() == {"widths": {ids["Status"]: 300}, "hidden": hidden}


def test_a_form_that_leaves_nothing_changes_nothing(api: Api, jobs: Table) -> None:
    api.client.post(f"/tables/{jobs.pk}/columns-shown/", {})
    assert api.get(address(jobs)).json()["hidden"] == []
