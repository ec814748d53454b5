"""The form to add, change and delete a row without scripts."""
from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from tables.column_types import ColumnSpec
from tables.column_types.display_locale import ENGLISH, display_locale
from tables.models import Change, Row, Table
from tables.operations import Origin
from tables.selectors import table_shape
from tables.services import create_table, update_rows
from tables.views.row_form import data_text, form_text
from tests.conftest import Api
from tests.tables.shared_table import make_member

FORM = Origin("form")
HOSTILE = "</textarea><img src=x onerror=alert(1)>"
COLUMNS: list[dict[str, Any]] = [
    {"name": "Company", "type": "text", "required": True},
    {"name": "Status", "type": "select", "options": ["Open", "Done"], "default": "Open"},
    {"name": "Salary", "type": "number"},
    {"name": "Due", "type": "date"},
    {"name": "Remote", "type": "boolean"},
]


@pytest.fixture
def offers(user: User) -> Table:
    rows = [{"Company": "Acme", "Status": "Open", "Salary": 0.1, "Due": "2027-03-04", "Remote": False}]
    return create_table(user=user, name="Offers", columns=COLUMNS, rows=rows, origin=FORM)


def cells(table: Table, **values: str) -> dict[str, str]:
    """Return fields of the form by the names of their columns."""
    ids = {column.name: column.id for column in table_shape(table).columns}
    return {f"cell-{ids[name]}": value for name, value in values.items()}


def row_of(table: Table) -> Row:
    return Row.objects.filter(table=table, deleted_at=None).order_by("position")[0]


def data_of(table: Table) -> list[dict[str, Any]]:
    names = {column.id: column.name for column in table_shape(table).columns}
    rows = Row.objects.filter(table=table, deleted_at=None).order_by("position")
    return [{names[key]: value for key, value in row.data.items()} for row in rows]


def form_of(page: str) -> dict[str, str]:
    """Return the fields that a browser would send for the unchanged form."""
    sent = {"was": unescape(found[1])} if (found := re.search(r'name="was" value="([^"]*)"', page)) else {}
    for name, value in re.findall(r'<input class="input"[^>]* name="(cell-[^"]+)"[^>]* value="([^"]*)"', page):
        sent[name] = unescape(value)
    for name, text in re.findall(r'<textarea [^>]*name="(cell-[^"]+)"[^>]*>\n([^<]*)</textarea>', page):
        sent[name] = unescape(text).replace("\n", "\r\n")
    for name, inner in re.findall(r'<select [^>]*name="(cell-[^"]+)"[^>]*>(.*?)</select>', page):
        chosen = re.search(r'<option value="([^"]*)" selected>', inner)
        sent[name] = unescape(chosen[1]) if chosen else ""
    return sent


def open_form(api: Api, table: Table, row: Row | None = None) -> tuple[str, dict[str, str]]:
    """Open the form and return its URL and fields."""
    where = f"/tables/{table.pk}/rows/{row.pk if row else 'new'}/"
    answer = api.get(where)
    assert answer.status_code == 200
    return where, form_of(answer.content.decode())


def test_the_table_page_links_to_the_form(api: Api, offers: Table) -> None:
    page = api.get(f"/tables/{offers.pk}/").content.decode()
    ways = re.findall(r'<noscript><a [^>]*href="(/tables/[^"]+)"', page)
    assert ways == [f"/tables/{offers.pk}/rows/new/", f"/tables/{offers.pk}/rows/{row_of(offers).pk}/"]


def test_an_unchanged_form_changes_nothing(api: Api, offers: Table) -> None:
    before = Change.objects.count()
    where, sent = open_form(api, offers, row_of(offers))
    assert len(sent) == len(COLUMNS) + 1
    answer = api.client.post(where, sent)
    assert (answer.status_code, answer["Location"]) == (302, f"/tables/{offers.pk}/")
    assert Change.objects.count() == before


def test_only_changed_cells_are_written_in_one_change(api: Api, offers: Table) -> None:
    before = data_of(offers)
    where, sent = open_form(api, offers, row_of(offers))
    answer = api.client.post(where, sent | cells(offers, Salary="1,200.5", Remote="", Company="Bolt"))
    assert answer.status_code == 302
    changed = {"Company": "Bolt", "Status": "Open", "Salary": 1200.5, "Due": "2027-03-04"}
    assert data_of(offers) == [changed]
    change = Change.objects.filter(table=offers).latest("version")
    assert change.source == "form"
    api.client.post(f"/tables/{offers.pk}/history/", {"change": change.pk})
    assert data_of(offers) == before


def test_a_percentage_is_typed_with_or_without_its_sign(api: Api, offers: Table) -> None:
    api.patch(f"/api/tables/{offers.pk}/columns/Salary/", {"format": "percent"})
    where = f"/tables/{offers.pk}/rows/{row_of(offers).pk}/"
    for typed, stored in (("5", 0.05), ("7.5 %", 0.075)):
        sent = form_of(api.client.get(where).content.decode())
        assert api.client.post(where, {**sent, **cells(offers, Salary=typed)}).status_code == 302
        assert data_of(offers)[0]["Salary"] == stored


def test_numbers_are_formatted_for_the_reader(api: Api, offers: Table) -> None:
    german = {"HTTP_ACCEPT_LANGUAGE": "de"}
    where = f"/tables/{offers.pk}/rows/{row_of(offers).pk}/"
    sent = form_of(api.client.get(where, **german).content.decode())
    assert cells(offers, Salary="0,1").items() <= sent.items()
    for typed, stored in (("1.200", 1200), ("1,234", 1.234), ("1.5", 1.5)):
        assert api.client.post(where, {**sent, **cells(offers, Salary=typed)}, **german).status_code == 302
        assert data_of(offers)[0]["Salary"] == stored
        sent = form_of(api.client.get(where, **german).content.decode())


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("12,50 €", "12.50 €"), ("-1.200,50 €", "-1200.50 €"), ("\u2212€1.234.567", "\u2212€1234567"),
        ("1.799 €", "1799 €"), ("1,799 €", "1.799 €"), ("12,5 %", "12.5 %"), ("1.20,5 €", "1.20,5 €"),
    ],
)  # fmt: skip
def test_an_amount_with_a_decimal_comma_is_converted_with_its_sign(text: str, data: str) -> None:
    number = ColumnSpec(id="col_1", name="Salary", type="number")
    assert data_text(number, text, locale=display_locale("de")) == data


# The scripts of the grid read them in the same way; see tests/js/tables/column_types.test.mjs.
@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("1.200", "1.200"), ("1.200 €", "1.200 €"), ("1.234,5", "1.234,5"), ("1234,5", "1234.5"), ("1 200", "1200"),
        ("-1\u202f234\u202f567,5 €", "-1234567.5 €"), ("1\u00a0234 567", "1\u00a0234 567"),
    ],
)  # fmt: skip
def test_a_dot_is_no_thousands_separator_in_french(text: str, data: str) -> None:
    assert data_text(ColumnSpec(id="col_1", name="Salary", type="number"), text, locale=display_locale("fr-FR")) == data


def test_an_ambiguous_decimal_comma_is_refused(api: Api, offers: Table) -> None:
    german = {"HTTP_ACCEPT_LANGUAGE": "de"}
    where, sent = open_form(api, offers, row_of(offers))
    answer = api.client.post(where, sent | cells(offers, Salary="1,799 €"), **german)
    assert (answer.status_code, data_of(offers)[0]["Salary"]) == (422, 0.1)


def test_a_new_row_has_typed_values_and_defaults(api: Api, offers: Table) -> None:
    where, sent = open_form(api, offers)
    assert "was" not in sent
    assert api.client.post(where, sent | cells(offers, Company="Crux", Due="2027-01-31")).status_code == 302
    assert api.client.post(where, sent | cells(offers, Company="Dune", Status="")).status_code == 302
    assert data_of(offers)[1:] == [{"Company": "Crux", "Status": "Open", "Due": "2027-01-31"}, {"Company": "Dune"}]


def test_a_row_is_deleted(api: Api, offers: Table) -> None:
    where, sent = open_form(api, offers, row_of(offers))
    assert api.client.post(where, sent | {"do": "delete"}).status_code == 302
    assert data_of(offers) == []
    assert api.get(where).status_code == 404


def test_errors_are_shown_at_their_field_and_input_is_kept(api: Api, offers: Table) -> None:
    before = data_of(offers)
    where, sent = open_form(api, offers, row_of(offers))
    answer = api.client.post(where, sent | cells(offers, Salary="a lot", Company="", Due="2027-02-30"))
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "See the errors below." in page
    assert "Edit Acme</h1>" in page
    for name in ("Salary", "Company", "Due"):
        [field] = cells(offers, **{name: ""})
        assert f'id="{field}-fault"' in page
    assert form_of(page) == sent | cells(offers, Salary="a lot", Company="", Due="2027-02-30")
    assert data_of(offers) == before


def test_concurrent_changes_are_overwritten_only_after_confirmation(
    api: Api, offers: Table, user: User
) -> None:
    row = row_of(offers)
    where, sent = open_form(api, offers, row)
    theirs = [{"id": row.pk, "data": {"Salary": 70, "Due": None}}]
    update_rows(user=user, table_id=offers.pk, rows=theirs, origin=FORM)

    answer = api.client.post(where, sent | cells(offers, Salary="5"))
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "this row was changed meanwhile" in page
    assert "-fault" in page
    assert data_of(offers)[0]["Salary"] == 70
    again = form_of(page)
    # The other user's cleared value replaces an unchanged field; typed values stay.
    assert [again[field] for field in cells(offers, Salary="", Due="")] == ["5", ""]
    assert api.client.post(where, again).status_code == 302
    assert data_of(offers) == [{"Company": "Acme", "Status": "Open", "Salary": 5, "Remote": False}]


def test_concurrent_changes_of_other_cells_are_kept(api: Api, offers: Table, user: User) -> None:
    row = row_of(offers)
    where, sent = open_form(api, offers, row)
    update_rows(user=user, table_id=offers.pk, rows=[{"id": row.pk, "data": {"Salary": 70}}], origin=FORM)
    assert api.client.post(where, sent | cells(offers, Company="Bolt")).status_code == 302
    assert (data_of(offers)[0]["Company"], data_of(offers)[0]["Salary"]) == ("Bolt", 70)


@pytest.mark.parametrize("text", ["two\nlines", "\n begins empty", HOSTILE, "&amp; \u202e x"])
def test_any_text_is_stored_unchanged(api: Api, offers: Table, user: User, text: str) -> None:
    row = row_of(offers)
    update_rows(user=user, table_id=offers.pk, rows=[{"id": row.pk, "data": {"Company": text}}], origin=FORM)
    before = Change.objects.count()
    where, sent = open_form(api, offers, row)
    assert api.client.post(where, sent).status_code == 302
    assert (data_of(offers)[0]["Company"], Change.objects.count()) == (text, before)
    assert api.client.post(where, sent | cells(offers, Company=f"{text}!")).status_code == 302
    assert data_of(offers)[0]["Company"] == f"{text}!"
    assert HOSTILE not in api.get(where).content.decode()


@pytest.mark.parametrize("was", ["", "no JSON", "[]", "7", '{"x": 1}', json.dumps({"col_nothing": "y"})])
def test_a_form_without_original_values_is_written_completely(
    api: Api, offers: Table, was: str
) -> None:
    before = Change.objects.count()
    where, sent = open_form(api, offers, row_of(offers))
    assert api.client.post(where, {**sent, "was": was}).status_code == 302
    assert Change.objects.count() == before


def test_formats_of_text_have_their_inputs_and_links(api: Api, user: User) -> None:
    columns = [{"name": name, "type": "text", "format": name} for name in ("url", "long")]
    row = {"url": "https://a.com/?b&c", "long": "one\ntwo"}
    table = create_table(user=user, name="Sites", columns=columns, rows=[row], origin=FORM)
    page = api.get(f"/tables/{table.pk}/").content.decode()
    assert '<a href="https://a.com/?b&amp;c" rel="noopener noreferrer nofollow" target="_blank">' in page
    assert '<span class="lines">one\ntwo</span>' in page
    form = api.get(f"/tables/{table.pk}/rows/{row_of(table).pk}/").content.decode()
    assert re.search(r'<input [^>]*inputmode="url"[^>]* value="https://a.com/\?b&amp;c"', form)
    assert re.search(r'<textarea [^>]*rows="6"', form)


def test_viewers_have_no_form(api: Api, offers: Table, make_user: Any) -> None:
    other = make_user("bob")
    make_member(offers, other, role="viewer")
    looker = Client()
    looker.force_login(other)
    assert looker.get(f"/tables/{offers.pk}/rows/{row_of(offers).pk}/").status_code == 403
    assert looker.post(f"/tables/{offers.pk}/rows/new/", cells(offers, Company="x")).status_code == 403
    assert "rows/new/" not in looker.get(f"/tables/{offers.pk}/").content.decode()
    assert len(data_of(offers)) == 1


def test_rows_of_other_tables_are_404(api: Api, offers: Table, jobs: Table) -> None:
    assert api.get(f"/tables/{jobs.pk}/rows/{row_of(offers).pk}/").status_code == 404


def test_queries_do_not_grow_with_rows_and_columns(api: Api, user: User) -> None:
    counts = []
    for many in (1, 60):
        columns = [{"name": f"Column {number}", "type": "text"} for number in range(many)]
        rows = [{"Column 0": f"{number}"} for number in range(many)]
        table = create_table(user=user, name=f"{many}", columns=columns, rows=rows, origin=FORM)
        with CaptureQueriesContext(connection) as captured:
            open_form(api, table, row_of(table))
        counts.append(len(captured))
    assert counts[0] == counts[1]


@given(st.text())
def test_the_text_of_the_form_survives_a_browser(text: str) -> None:
    drawn = form_text(ColumnSpec(id="c", name="C", type="text"), text, locale=ENGLISH)
    assert drawn.replace("\n", "\r\n").replace("\r\n", "\n") == drawn
