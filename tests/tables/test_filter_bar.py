"""Filters, order and search as a table's page says them: addresses and a plain form, for readers with a link, too."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import User
from hypothesis import given
from hypothesis import strategies as st

from tables.column_types import COLUMN_TYPES, ColumnSpec
from tables.models import Table
from tables.operations import Origin
from tables.services import create_table
from tables.views.grid.cells import marked_pieces
from tables.views.grid.filter_words import fill_gaps, operator_label, operator_words, sentence
from tests.conftest import Api

COLUMNS = [
    {"name": "Company", "type": "text"},
    {"name": "Stage", "type": "select", "options": ["Open", "Won"]},
    {"name": "Salary", "type": "number"},
    {"name": "Due", "type": "date"},
    {"name": "Remote", "type": "boolean"},
]
ROWS: list[dict[str, Any]] = [
    {"Company": "Acme", "Stage": "Open", "Salary": 1000, "Due": "2026-03-15", "Remote": True},
    {"Company": "Bolt", "Stage": "Won", "Salary": 2000, "Remote": False},
    {"Company": "Crux", "Stage": "Open"},
]


@pytest.fixture
def deals(user: User) -> Table:
    return create_table(user=user, name="Deals", columns=COLUMNS, rows=ROWS, origin=Origin("form"))


@pytest.fixture(params=["page", "link"])
def place(request: pytest.FixtureRequest, api: Api, deals: Table) -> str:
    """Where the table is read: its own page, and the one a link opens for anybody."""
    if request.param == "page":
        return f"/tables/{deals.pk}/"
    return str(api.post(f"/api/tables/{deals.pk}/link/", {}).json()["url"]).removeprefix("http://testserver")


def col(table: Table, name: str) -> str:
    return str(table.columns.get(name=name).pk)


def companies(page: str) -> list[str]:
    drawn = re.findall(r'<td class="cell is-primary[^>]*><span class="val"[^>]*>(.*?)</span></td>', page)
    return [re.sub("</?mark>", "", text) for text in drawn]


def read(api: Api, place: str, **query: str) -> str:
    answer = api.get(place, **query)
    assert answer.status_code == 200
    return str(answer.content.decode())


def asked(href: str) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs(urlsplit(unescape(href)).query).items()}


def link(page: str, label: str) -> dict[str, str]:
    """Where the link with this accessible name leads."""
    found = re.search(rf'<a[^>]*href="([^"]*)"[^>]*aria-label="{re.escape(label)}"', page)
    assert found, label
    return asked(found[1])


def added(api: Api, place: str, **fields: str) -> Any:
    """What the plain form of the filters leads to."""
    return api.get(place, **{f"add_{name}": value for name, value in fields.items()})


def test_the_plain_form_adds_a_condition_and_leads_to_its_address(api: Api, deals: Table, place: str) -> None:
    answer = added(api, place, column=col(deals, "Salary"), op="gte", value="2,000", to="")
    assert answer.status_code == 302
    page = read(api, place, **asked(answer["Location"]))
    assert companies(page) == ["Bolt"]
    assert "Salary is at least 2000" in page
    assert "1 of 3" in page


CONDITIONS = [
    ({"column": "Company", "op": "contains", "value": "CM"}, "Company contains CM", ["Acme"]),
    ({"column": "Salary", "op": "between", "value": "1", "to": "1500"}, "Salary is between 1 and 1500", ["Acme"]),
    ({"column": "Due", "op": "lte", "value": "2026-03-15"}, "Due is on or before Mar 15, 2026", ["Acme"]),
    ({"column": "Due", "op": "last_n_days", "value": "7"}, "Due is in the last 7 days", []),
    ({"column": "Due", "op": "empty"}, "Due is empty", ["Bolt", "Crux"]),
    ({"column": "Stage", "op": "none_of", "value": "open"}, "Stage is not Open", ["Bolt"]),
    ({"column": "Remote", "op": "not_empty"}, "Remote is not empty", ["Acme", "Bolt"]),
]


@pytest.mark.parametrize(("fields", "chip", "found"), CONDITIONS, ids=[chip for _, chip, _ in CONDITIONS])
def test_every_kind_of_condition_can_be_added_without_scripts(
    api: Api, deals: Table, fields: dict[str, str], chip: str, found: list[str]
) -> None:
    place = f"/tables/{deals.pk}/"
    page = read(api, place, **asked(added(api, place, **fields)["Location"]))
    assert chip in page
    assert companies(page) == found
    assert companies(read(api, place, **link(page, f"Remove: {chip}"))) == ["Acme", "Bolt", "Crux"]


def test_another_choice_stands_beside_the_last_condition(api: Api, deals: Table, place: str) -> None:
    first = asked(added(api, place, column="Company", op="eq", value="Acme")["Location"])
    fields = {"add_column": "Salary", "add_op": "gt", "add_value": "1500", "add_or": "yes"}
    answer = api.get(place, **first, **fields, search="", sort=f"-{col(deals, 'Company')}")
    page = read(api, place, **asked(answer["Location"]))
    assert companies(page) == ["Bolt", "Acme"]
    left = link(page, "Remove: Company is Acme")
    assert companies(read(api, place, **left)) == ["Bolt"]
    assert left["sort"] == f"-{col(deals, 'Company')}"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"column": "", "op": "eq"}, "Choose a column first."),
        ({"column": "Salary", "op": "contains", "value": "1"}, "Salary allows “is”, “is not”"),
        ({"column": "Salary", "op": "eq", "value": "lots"}, "“lots” is not a number"),
        ({"column": "Salary", "op": "eq"}, "needs a value"),
        ({"column": "Due", "op": "last_n_days", "value": "٣"}, "Enter a number of days between 1 and 36,525."),
    ],
)
def test_a_condition_that_cannot_be_is_not_added_and_the_rest_stays(
    api: Api, deals: Table, place: str, fields: dict[str, str], said: str
) -> None:
    before = json.dumps({"and": [{"column": col(deals, "Company"), "op": "eq", "value": "Acme"}]})
    page = read(api, place, filter=before, **{f"add_{name}": value for name, value in fields.items()})
    assert "Filter not added." in page
    assert said in page
    assert companies(page) == ["Acme"]


STALE = [
    ({"filter": '{"column":"Gone","op":"empty"}'}, "There is no column “Gone”."),
    ({"filter": '{"column":"Salary","op":"contains","value":"1"}'}, "Operators for number columns:"),
    ({"filter": '{"column":"Stage","op":"any_of","value":["Lost"]}'}, "is not an option"),
    ({"filter": '{"column"'}, "Part of the link may be missing."),
    ({"sort": "Gone"}, "There is no column “Gone”."),
]


@pytest.mark.parametrize(("query", "said"), STALE, ids=[said for _, said in STALE])
def test_what_no_longer_fits_is_told_with_a_way_on_and_the_rest_is_followed(
    api: Api, deals: Table, place: str, query: dict[str, str], said: str
) -> None:
    page = read(api, place, search="acme", **query)
    assert said in unescape(page)
    assert companies(page) == ["Acme"]
    way = re.search(r'href="([^"]*)"[^>]*>Clear it', page)
    assert way is not None
    assert asked(way[1]) == {"search": "acme"}


def test_a_good_order_stays_when_the_filter_does_not_fit(api: Api, deals: Table, place: str) -> None:
    assert companies(read(api, place, sort="-Company", filter="{")) == ["Crux", "Bolt", "Acme"]


def test_an_address_by_names_becomes_one_by_ids(api: Api, deals: Table) -> None:
    query = {"sort": "-company", "filter": '{"column":"salary","op":"empty"}'}
    page = unescape(read(api, f"/tables/{deals.pk}/", **query))
    assert f'data-sort="-{col(deals, "Company")}"' in page
    assert json.dumps({"column": col(deals, "Salary"), "op": "empty"}, separators=(",", ":")) in page


def test_several_columns_are_sorted_by_links(api: Api, deals: Table, place: str) -> None:
    stage, salary = col(deals, "Stage"), col(deals, "Salary")
    page = read(api, place, sort=f"{stage},-{salary}")
    assert re.findall(r'class="col__order">(\d)<', page) == ["1", "2"]
    assert link(page, "Salary: descending, reverse") == {"sort": f"{stage},{salary}"}
    assert link(page, "Move Salary up") == {"sort": f"-{salary},{stage}"}
    assert link(page, "Remove sort by Stage") == {"sort": f"-{salary}"}
    offered = re.search(rf'href="([^"]*)" data-choice="by {col(deals, "Due")}"', page)
    assert offered is not None
    assert asked(offered[1]) == {"sort": f"{stage},-{salary},{col(deals, 'Due')}"}


def test_a_boolean_goes_from_all_to_yes_to_no_and_back(api: Api, deals: Table, place: str) -> None:
    found, query = [], {}
    for _ in range(4):
        page = read(api, place, **query)
        chip = re.search(rf'href="([^"]*)" data-choice="{col(deals, "Remote")}"[^>]*>(.*?)</a>', page)
        assert chip is not None
        found.append((re.sub("<[^>]*>", "", chip[2]), companies(page)))
        query = asked(chip[1])
    assert [label for label, _ in found] == ["Remote", "Remote: Yes", "Remote: No", "Remote"]
    assert [rows for _, rows in found[1:3]] == [["Acme"], ["Bolt"]]


def test_what_is_searched_for_is_marked_and_stays_text(api: Api, user: User) -> None:
    rows = [{"Note": "<b>Über</b> ÜBER", "Day": "2026-03-15"}]
    columns = [{"name": "Note", "type": "text"}, {"name": "Day", "type": "date"}]
    table = create_table(user=user, name="Notes", columns=columns, rows=rows, origin=Origin("form"))
    page = read(api, f"/tables/{table.pk}/", search="über <b> 2026-03")
    assert "<mark>&lt;b&gt;Über</mark>&lt;/b&gt; <mark>ÜBER</mark>" in page
    assert "<mark>Mar 15, 2026</mark>" in page


def test_an_empty_table_is_not_an_empty_result(api: Api, user: User, deals: Table) -> None:
    empty = create_table(user=user, name="Empty", columns=COLUMNS, origin=Origin("form"))
    assert "No rows yet" in read(api, f"/tables/{empty.pk}/", search="zebra")
    assert "No matching rows" in read(api, f"/tables/{deals.pk}/", search="zebra")


TEXTS = st.text(alphabet="aAbßéÉ <1", max_size=12)


@given(shown=TEXTS, stored=TEXTS, words=st.lists(TEXTS, max_size=3))
def test_marking_changes_no_letter(shown: str, stored: str, words: list[str]) -> None:
    assert "".join(piece for piece, _ in marked_pieces(shown, stored=stored, words=words)) == shown


@given(before=TEXTS, word=TEXTS.filter(lambda text: text.strip() == text != ""), after=TEXTS)
def test_a_word_is_marked_wherever_it_stands(before: str, word: str, after: str) -> None:
    text = before + word + after
    marked = "".join(piece for piece, found in marked_pieces(text, stored=text, words=[word.upper()]) if found)
    assert word.casefold() in marked.casefold()


def test_every_operator_of_every_type_is_said_in_words() -> None:
    for name, kind in COLUMN_TYPES.items():
        column = ColumnSpec(id="col_aaaaaaaa", name="X", type=name, options=("A",) if kind.has_options else ())
        said = [operator_words(op, type_name=name) for op in kind.operators]
        assert len(set(said)) == len(said)
        assert not any("_" in words for words in said)
        assert sentence({"column": column.id, "op": "empty"}, column=column) == "X is empty"


@given(values=st.lists(st.text(max_size=5), max_size=3))
def test_what_stands_in_a_value_is_no_gap(values: list[str]) -> None:
    said = fill_gaps("is between {} and {}", values=["{}", *values][:2])
    assert said.startswith("is between {} and")
    assert operator_label("between", type_name="number") == "is between … and …"
    assert operator_label("lt", type_name="number") == "is less than"
