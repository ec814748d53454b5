"""The filter bar without scripts: filters, order and search by links and a form, also for shared links."""

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
from tables.column_types.people import People, Person
from tables.models import Table
from tables.operations import Origin
from tables.services import create_table
from tables.views.grid.cells import marked_pieces
from tables.views.grid.filter_words import fill_gaps, operator_label, operator_words, sentence
from tables.views.grid.filters import draw_conditions, draw_filters
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
def url(request: pytest.FixtureRequest, api: Api, deals: Table) -> str:
    """The URL of the table's page, and of its shared link."""
    if request.param == "page":
        return f"/tables/{deals.pk}/"
    return str(api.post(f"/api/tables/{deals.pk}/link/", {}).json()["url"]).removeprefix("http://testserver")


def col(table: Table, name: str) -> str:
    return str(table.columns.get(name=name).pk)


def companies(page: str) -> list[str]:
    drawn = re.findall(r'<td class="cell is-primary[^>]*><span class="val"[^>]*>(.*?)</span></td>', page)
    return [re.sub("</?mark>", "", text) for text in drawn]


def read(api: Api, url: str, **query: str) -> str:
    answer = api.get(url, **query)
    assert answer.status_code == 200
    return str(answer.content.decode())


def query_of(href: str) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs(urlsplit(unescape(href)).query).items()}


def link(page: str, label: str) -> dict[str, str]:
    """Return the query of the link with this accessible name."""
    found = re.search(rf'<a[^>]*href="([^"]*)"[^>]*aria-label="{re.escape(label)}"', page)
    assert found, label
    return query_of(found[1])


def submit(api: Api, url: str, **fields: str) -> Any:
    """Submit the filter form and return the response."""
    return api.get(url, **{f"add_{name}": value for name, value in fields.items()})


def test_the_form_adds_a_condition_to_the_url(api: Api, deals: Table, url: str) -> None:
    answer = submit(api, url, column=col(deals, "Salary"), op="gte", value="2,000", to="")
    assert answer.status_code == 302
    page = read(api, url, **query_of(answer["Location"]))
    assert companies(page) == ["Bolt"]
    assert "Salary is at least 2000" in page
    assert "1 of 3" in page


CONDITIONS = [
    ({"column": "Company", "op": "contains", "value": "CM"}, "Company contains CM", ["Acme"]),
    ({"column": "Salary", "op": "between", "value": "1", "to": "1500"}, "Salary is between 1 and 1500", ["Acme"]),
    ({"column": "Due", "op": "lte", "value": "2026-03-15"}, "Due is on or before Mar 15, 2026", ["Acme"]),
    ({"column": "Due", "op": "last_n_days", "value": "7"}, "Due is in the last 7 days", []),
    ({"column": "Due", "op": "empty"}, "Due is empty", ["Bolt", "Crux"]),
    ({"column": "Stage", "op": "none_of", "value": "won"}, "Stage is not Won", ["Acme", "Crux"]),
    ({"column": "Stage", "op": "none_of", "value": "won; OPEN"}, "Stage is none of Won, Open", []),
    ({"column": "Remote", "op": "not_empty"}, "Remote is not empty", ["Acme", "Bolt"]),
]


@pytest.mark.parametrize(("fields", "chip", "found"), CONDITIONS, ids=[chip for _, chip, _ in CONDITIONS])
def test_every_kind_of_condition_can_be_added_without_scripts(
    api: Api, deals: Table, fields: dict[str, str], chip: str, found: list[str]
) -> None:
    url = f"/tables/{deals.pk}/"
    page = read(api, url, **query_of(submit(api, url, **fields)["Location"]))
    assert chip in page
    assert companies(page) == found
    assert companies(read(api, url, **link(page, f"Remove: {chip}"))) == ["Acme", "Bolt", "Crux"]


def test_a_second_condition_is_added_to_the_first(api: Api, deals: Table, url: str) -> None:
    first = query_of(submit(api, url, column="Company", op="eq", value="Acme")["Location"])
    fields = {"add_column": "Salary", "add_op": "gt", "add_value": "1500", "add_or": "yes"}
    answer = api.get(url, **first, **fields, search="", sort=f"-{col(deals, 'Company')}")
    page = read(api, url, **query_of(answer["Location"]))
    assert companies(page) == ["Bolt", "Acme"]
    remaining = link(page, "Remove: Company is Acme")
    assert companies(read(api, url, **remaining)) == ["Bolt"]
    assert remaining["sort"] == f"-{col(deals, 'Company')}"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"column": "", "op": "eq"}, "Choose a column first."),
        ({"column": "Salary", "op": "contains", "value": "1"}, "Salary allows “is”, “is not”"),
        ({"column": "Salary", "op": "eq", "value": "lots"}, "“lots” is not a number"),
        ({"column": "Salary", "op": "eq", "asked": "yes"}, "Enter a value."),
        ({"column": "Due", "op": "last_n_days", "value": "٣"}, "Enter a number of days between 1 and 36,525."),
    ],
)
def test_invalid_conditions_are_refused_and_others_kept(
    api: Api, deals: Table, url: str, fields: dict[str, str], message: str
) -> None:
    before = json.dumps({"and": [{"column": col(deals, "Company"), "op": "eq", "value": "Acme"}]})
    page = read(api, url, filter=before, **{f"add_{name}": value for name, value in fields.items()})
    fault = re.search('id="new-fault"[^>]*>(.*?)<', page)
    assert fault is not None
    assert message in fault[1]
    assert 'aria-invalid="true" aria-describedby="new-fault"' in page
    assert companies(page) == ["Acme"]


@pytest.mark.parametrize(
    ("fields", "inputs"),
    [
        ({"column": "Company", "op": "contains"}, ['<input class="input" id="new-value" name="add_value" dir="auto"']),
        ({"column": "Due", "op": "between"}, ['name="add_value" dir="auto" value="" type="date"', 'name="add_to"']),
        ({"column": "Due", "op": "last_n_days"}, ['inputmode="numeric"']),
        ({"column": "Stage", "op": "any_of", "value": "won; lost"}, ['name="add_value" value="Open"', 'value="Won"']),
        ({"column": "Remote", "op": "is"}, ['<option value="true">Yes</option>']),
    ],
)
def test_a_condition_without_a_value_asks_for_it_with_a_suitable_input(
    api: Api, deals: Table, fields: dict[str, str], inputs: list[str]
) -> None:
    page = submit(api, f"/tables/{deals.pk}/", **fields).content.decode()
    assert all(each in page for each in inputs)


GERMAN = [
    ({"column": "Salary", "op": "gt", "value": "1.000,5"}, ["Bolt"]),
    ({"column": "Salary", "op": "between", "value": "999,5", "to": "1.000"}, ["Acme"]),
    ({"column": "Due", "op": "eq", "value": "15.3.2026"}, ["Acme"]),
    ({"column": "Due", "op": "between", "value": "1. März 2026", "to": "2026-03-31"}, ["Acme"]),
    ({"column": "Remote", "op": "is", "value": "nein"}, ["Bolt"]),
]


@pytest.mark.parametrize(("fields", "found"), GERMAN)
def test_values_are_read_in_the_locale_of_the_user(
    api: Api, deals: Table, fields: dict[str, str], found: list[str]
) -> None:
    api.client.defaults["HTTP_ACCEPT_LANGUAGE"] = "de"
    url = f"/tables/{deals.pk}/"
    assert companies(read(api, url, **query_of(submit(api, url, **fields)["Location"]))) == found


STALE = [
    ({"filter": '{"column":"Gone","op":"empty"}'}, "There is no column “Gone”."),
    ({"filter": '{"column":"Salary","op":"contains","value":"1"}'}, "Operators for number columns:"),
    ({"filter": '{"column":"Stage","op":"any_of","value":["Lost"]}'}, "is not an option"),
    ({"filter": '{"column"'}, "Part of the link may be missing."),
    ({"sort": "Gone"}, "There is no column “Gone”."),
]


@pytest.mark.parametrize(("query", "message"), STALE, ids=[message for _, message in STALE])
def test_stale_queries_are_reported_and_the_rest_is_applied(
    api: Api, deals: Table, url: str, query: dict[str, str], message: str
) -> None:
    page = read(api, url, search="acme", **query)
    assert message in unescape(page)
    assert companies(page) == ["Acme"]
    link_match = re.search(r'href="([^"]*)"[^>]*>Clear it', page)
    assert link_match is not None
    assert query_of(link_match[1]) == {"search": "acme"}


def test_a_valid_order_is_applied_with_an_invalid_filter(api: Api, deals: Table, url: str) -> None:
    assert companies(read(api, url, sort="-Company", filter="{")) == ["Crux", "Bolt", "Acme"]


def test_urls_with_names_are_changed_to_ids(api: Api, deals: Table) -> None:
    query = {"sort": "-company", "filter": '{"column":"salary","op":"empty"}'}
    page = unescape(read(api, f"/tables/{deals.pk}/", **query))
    assert f'data-sort="-{col(deals, "Company")}"' in page
    assert json.dumps({"column": col(deals, "Salary"), "op": "empty"}, separators=(",", ":")) in page


def test_several_columns_are_sorted_by_links(api: Api, deals: Table, url: str) -> None:
    stage, salary = col(deals, "Stage"), col(deals, "Salary")
    page = read(api, url, sort=f"{stage},-{salary}")
    assert re.findall(r'class="col__order">(\d)<', page) == ["1", "2"]
    assert link(page, "Salary: highest first, reverse") == {"sort": f"{stage},{salary}"}
    assert link(page, "Move Salary up") == {"sort": f"-{salary},{stage}"}
    assert link(page, "Remove sort by Stage") == {"sort": f"-{salary}"}
    sort_link = re.search(rf'href="([^"]*)" data-choice="by {col(deals, "Due")}"', page)
    assert sort_link is not None
    assert query_of(sort_link[1]) == {"sort": f"{stage},-{salary},{col(deals, 'Due')}"}


def test_a_boolean_filter_cycles_through_all_yes_and_no(api: Api, deals: Table, url: str) -> None:
    found, query = [], {}
    for _ in range(4):
        page = read(api, url, **query)
        chip = re.search(rf'href="([^"]*)" data-choice="{col(deals, "Remote")}"[^>]*>(.*?)</a>', page)
        assert chip is not None
        found.append((re.sub("<[^>]*>", "", chip[2]), companies(page)))
        query = query_of(chip[1])
    assert [label for label, _ in found] == ["Remote", "Remote: Yes", "Remote: No", "Remote"]
    assert [rows for _, rows in found[1:3]] == [["Acme"], ["Bolt"]]


def test_search_matches_are_marked_and_escaped(api: Api, user: User) -> None:
    rows = [{"Note": "<b>Über</b> ÜBER", "Day": "2026-03-15"}]
    columns = [{"name": "Note", "type": "text"}, {"name": "Day", "type": "date"}]
    table = create_table(user=user, name="Notes", columns=columns, rows=rows, origin=Origin("form"))
    page = read(api, f"/tables/{table.pk}/", search="über <b> 2026-03")
    assert "<mark>&lt;b&gt;Über</mark>&lt;/b&gt; <mark>ÜBER</mark>" in page
    assert "<mark>Mar 15, 2026</mark>" in page


def test_empty_tables_and_empty_results_have_different_texts(api: Api, user: User, deals: Table) -> None:
    empty = create_table(user=user, name="Empty", columns=COLUMNS, origin=Origin("form"))
    assert "No rows yet" in read(api, f"/tables/{empty.pk}/", search="zebra")
    assert "No matching rows" in read(api, f"/tables/{deals.pk}/", search="zebra")


TEXTS = st.text(alphabet="aAbßéÉ <1", max_size=12)


@given(shown=TEXTS, stored=TEXTS, words=st.lists(TEXTS, max_size=3))
def test_marking_keeps_the_text(shown: str, stored: str, words: list[str]) -> None:
    assert "".join(piece for piece, _ in marked_pieces(shown, stored=stored, words=words)) == shown


@given(before=TEXTS, word=TEXTS.filter(lambda text: text.strip() == text != ""), after=TEXTS)
def test_words_are_marked_at_any_position(before: str, word: str, after: str) -> None:
    text = before + word + after
    marked = "".join(piece for piece, found in marked_pieces(text, stored=text, words=[word.upper()]) if found)
    assert word.casefold() in marked.casefold()


def test_every_operator_has_a_text() -> None:
    for name, kind in COLUMN_TYPES.items():
        column = ColumnSpec(id="col_aaaaaaaa", name="X", type=name, options=("A",) if kind.has_options else ())
        message = [operator_words(op, type_name=name) for op in kind.operators]
        assert len(set(message)) == len(message)
        assert not any("_" in words for words in message)
        assert sentence({"column": column.id, "op": "empty"}, column=column) == "X is empty"


@given(values=st.lists(st.text(max_size=5), max_size=3))
def test_placeholders_in_values_are_not_filled(values: list[str]) -> None:
    message = fill_gaps("is between {} and {}", values=["{}", *values][:2])
    assert message.startswith("is between {} and")
    assert operator_label("between", type_name="number") == "is between … and …"
    assert operator_label("lt", type_name="number") == "is less than"


@pytest.mark.parametrize(("type_name", "value", "op"), [("person", 7, "is_me"), ("created_by", "Grace", "any_of")])
def test_people_are_chosen_by_name(type_name: str, value: Any, op: str) -> None:
    people = [Person(3, "Ada"), Person(7, "Grace", has_left=True), Person(8, "Bob", has_left=True)]
    column = ColumnSpec("col_l", "Lead", type_name, people=People(lambda: people, me=3))
    condition = {"column": "col_l", "op": "any_of", "value": [value]}
    (group,) = draw_filters([column], filter_text=json.dumps({"and": [condition]}), query={})
    _all, *listed = group.choices
    me = ["Me"] if op == "is_me" else []
    assert ([each.label for each in listed], group.shown) == ([*me, "Ada", "Grace"], "Grace")
    assert [each.label for each in listed if each.chosen] == ["Grace"]
    assert query_of(listed[-1].href) == {}
    (chosen,) = json.loads(query_of(listed[0].href)["filter"])["and"]
    assert (chosen["op"], chosen.get("value", [])) == (op, [] if me else ["Ada", "Grace"])
    deleted = json.dumps({"and": [condition | {"value": [99 if type_name == "person" else "Eve"]}]})
    groups = draw_filters([column], filter_text=deleted, query={})
    assert [each.without for each in draw_conditions([column], filter_text=deleted, query={}, groups=groups)] == ["?"]
    guest = ColumnSpec("col_l", "Lead", type_name, people=People(lambda: people))
    assert [each.choices[1].label for each in draw_filters([guest], filter_text="", query={})] == ["Ada"] * len(me)
