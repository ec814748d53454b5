"""View settings of a user for a table: widths and hidden columns."""
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


def url_of(table: Table) -> str:
    return f"/api/tables/{table.pk}/view/"


def put(api: Api, table: Table, body: Any, **headers: str) -> Any:
    """Put both fields, with defaults for those missing in the body."""
    whole = {"widths": {}, "hidden": [], **body} if isinstance(body, dict) else body
    return send(api, table, whole, **headers)


def send(api: Api, table: Table, body: Any, **headers: str) -> Any:
    return api.client.put(url_of(table), body, content_type="application/json", headers=headers)


@pytest.fixture
def ids(jobs: Table) -> dict[str, str]:
    """Return column ids by name."""
    return {column.name: column.id for column in table_shape(jobs).columns}


def test_defaults_without_stored_settings(api: Api, jobs: Table) -> None:
    assert api.get(url_of(jobs)).json() == {"widths": {}, "hidden": []}


def test_settings_are_replaced_and_stored_by_column_id(api: Api, jobs: Table, ids: dict[str, str]) -> None:
    put(api, jobs, {"widths": {"Status": 300}, "hidden": ["Note"]})
    answer = put(api, jobs, {"widths": {"company": 200}, "hidden": [ids["Salary"]]})
    settings = {"widths": {ids["Company"]: 200}, "hidden": [ids["Salary"]]}
    assert (answer.status_code, answer.json(), api.get(url_of(jobs)).json()) == (200, settings, settings)


def test_settings_are_no_change_of_the_table(api: Api, jobs: Table) -> None:
    before = (Change.objects.count(), Table.objects.get(pk=jobs.pk).version)
    put(api, jobs, {"hidden": ["Note"]})
    assert (Change.objects.count(), Table.objects.get(pk=jobs.pk).version) == before


def test_viewers_have_their_own_settings(api: Api, other_api: Api, other_user: User, user: User, jobs: Table) -> None:
    make_member(jobs, other_user, role="viewer")
    assert put(other_api, jobs, {"widths": {"Note": 400}}).status_code == 200
    assert api.get(url_of(jobs)).json()["widths"] == {}
    assert list(other_api.get(url_of(jobs)).json()["widths"].values()) == [400]


def test_tables_of_other_users_are_404(other_api: Api, jobs: Table) -> None:
    answers = [other_api.get(url_of(jobs)), put(other_api, jobs, {"hidden": []})]
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
def test_invalid_settings_are_refused_with_their_path(
    api: Api, jobs: Table, body: Any, status: int, path: str, code: str
) -> None:
    put(api, jobs, {"hidden": ["Note"]})
    before = api.get(url_of(jobs)).json()
    answer = put(api, jobs, body)
    fault = answer.json()["errors"][0]
    assert (answer.status_code, fault["path"], fault["code"]) == (status, path, code)
    assert ("Salary" in fault["detail"]) == (code == "unknown_column")
    assert api.get(url_of(jobs)).json() == before


@pytest.mark.parametrize(
    ("body", "missing"), [({}, ["widths", "hidden"]), ({"hidden": []}, ["widths"]), ({"widths": {}}, ["hidden"])]
)
def test_missing_fields_are_refused(api: Api, jobs: Table, body: Any, missing: list[str]) -> None:
    put(api, jobs, {"widths": {"Status": 300}, "hidden": ["Note"]})
    before = api.get(url_of(jobs)).json()
    answer = send(api, jobs, body)
    faults = [(fault["path"], fault["code"]) for fault in answer.json()["errors"]]
    assert (answer.status_code, faults) == (400, [(name, "missing") for name in missing])
    assert api.get(url_of(jobs)).json() == before


def test_a_repeated_request_with_a_key_is_applied_once(api: Api, jobs: Table) -> None:
    first = put(api, jobs, {"hidden": ["Note"]}, **{"Idempotency-Key": "k"})
    put(api, jobs, {"hidden": []})
    again = put(api, jobs, {"hidden": ["Note"]}, **{"Idempotency-Key": "k"})
    assert (again.json(), api.get(url_of(jobs)).json()["hidden"]) == (first.json(), [])
    other = put(api, jobs, {"hidden": []}, **{"Idempotency-Key": "k"})
    assert (other.status_code, other.json()["error"]) == (422, "idempotency_key_reused")


def test_settings_survive_renames_and_drop_deleted_columns(api: Api, jobs: Table, ids: dict[str, str]) -> None:
    put(api, jobs, {"widths": {"Status": 300, "Note": 90}, "hidden": ["Note", "Salary"]})
    api.patch(f"/api/tables/{jobs.pk}/columns/{ids['Salary']}/", {"name": "Pay"})
    api.delete(f"/api/tables/{jobs.pk}/columns/{ids['Note']}/")
    assert api.get(url_of(jobs)).json() == {"widths": {ids["Status"]: 300}, "hidden": [ids["Salary"]]}


def test_hidden_columns_are_shown_if_no_others_remain(api: Api, jobs: Table, ids: dict[str, str]) -> None:
    put(api, jobs, {"hidden": ["Note"]})
    for name in ("Company", "Status", "Salary"):
        api.delete(f"/api/tables/{jobs.pk}/columns/{ids[name]}/")
    assert f'<th scope="col" data-col="{ids["Note"]}"' in api.get(f"/tables/{jobs.pk}/").content.decode()


def test_the_page_uses_the_settings_of_the_user(api: Api, jobs: Table, ids: dict[str, str]) -> None:
    put(api, jobs, {"widths": {"Status": 321}, "hidden": ["Note"]})
    page = api.get(f"/tables/{jobs.pk}/").content.decode()
    heads = [name for name in ids if f'<th scope="col" data-col="{ids[name]}"' in page]
    assert heads == ["Company", "Status", "Salary"]
    assert f'<col width="321" data-col="{ids["Status"]}">' in page
    assert (re.search(r"\bsoon\b", page.split("<tbody")[2]), "1 hidden" in page) == (None, True)


def test_visitors_with_a_link_see_the_default_view(api: Api, jobs: Table, ids: dict[str, str]) -> None:
    put(api, jobs, {"hidden": ["Note"]})
    link = api.post(f"/api/tables/{jobs.pk}/link/").json()["url"]
    page = api.get(urlsplit(link).path).content.decode()
    assert f'<th scope="col" data-col="{ids["Note"]}"' in page


def test_columns_can_be_hidden_by_a_form(api: Api, jobs: Table, ids: dict[str, str]) -> None:
    put(api, jobs, {"widths": {"Status": 300}})
    form = {"shown": [ids["Company"], ids["Salary"]]}
    answer = api.client.post(f"/tables/{jobs.pk}/columns-shown/", form)
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/tables/{jobs.pk}/")
    hidden = sorted([ids["Status"], ids["Note"]])
    assert api.get(url_of(jobs)).json() == {"widths": {ids["Status"]: 300}, "hidden": hidden}


def test_hiding_all_columns_changes_nothing(api: Api, jobs: Table) -> None:
    api.client.post(f"/tables/{jobs.pk}/columns-shown/", {})
    assert api.get(url_of(jobs)).json()["hidden"] == []
