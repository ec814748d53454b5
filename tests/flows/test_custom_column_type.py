"""A column type in one file: once registered, it works at every endpoint without other changes."""
from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.payload_types import get_llm_instructions
from chatproject.openapi.document import document
from tests.conftest import Api
from tests.flows.test_value_entries import ALWAYS_CAST, OF_BOTH_MODES, TOOLS, Entry, comparable, expected
from tests.flows.value_entries import ValueEntries
from tests.stored_proposals import apply_url, columns_proposal
from tests.tables import value_cases
from tests.tables.column_types.email_type import registered_email_type
from tests.tables.value_cases import Case, Refused

Json = dict[str, Any]
BAD = Refused("not_an_email")
VALUES: list[tuple[Any, Any, Any]] = [
    ("ada@lovelace.org", "ada@lovelace.org", "ada@lovelace.org"),
    ("mailto:mailto:a@b.org", BAD, BAD),
    (" mailto:Grace@Navy.MIL ", BAD, "grace@navy.mil"),
    ("ada", BAD, BAD),
    (5, BAD, BAD),
    ("", None, None),
]
CASES = [Case(f"email {given!r}", "email", given, strict, cast) for given, strict, cast in VALUES]
ROWS = [{"Name": "Ada", "Mail": "ada@lovelace.org"}, {"Name": "Grace", "Mail": "grace@navy.mil"}, {"Name": "Nobody"}]


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(value_cases.DEFINITIONS, "email", {"name": "Mail", "type": "email"})
    with registered_email_type():
        yield


@pytest.fixture
def people(api: Api) -> str:
    columns = [{"name": "Name", "type": "text"}, {"name": "Mail", "type": "email"}]
    created = api.post("/api/tables/", {"name": "People", "columns": columns, "rows": ROWS})
    assert created.status_code == 201, created.json()
    return f"/api/tables/{created.json()['id']}/"


def column_id(api: Api, people: str, name: str = "Mail") -> str:
    columns = api.get(f"{people}columns/").json()["columns"]
    return str(next(column["id"] for column in columns if column["name"] == name))


@pytest.mark.parametrize("entry", OF_BOTH_MODES.values(), ids=OF_BOTH_MODES)
@pytest.mark.parametrize("typecast", [False, True], ids=["strict", "typecast"])
def test_values_are_read_by_every_endpoint(api: Api, user: User, entry: Entry, typecast: bool) -> None:
    entries = ValueEntries(api, user=user, cases=CASES, query="?typecast=true" if typecast else "")
    assert comparable(entry(entries)) == expected(CASES, typecast=typecast)


@pytest.mark.parametrize("entry", ALWAYS_CAST.values(), ids=ALWAYS_CAST)
def test_values_are_read_in_proposals(api: Api, user: User, entry: Entry) -> None:
    assert comparable(entry(ValueEntries(api, user=user, cases=CASES))) == expected(CASES, typecast=True)


@pytest.mark.parametrize("entry", TOOLS.values(), ids=TOOLS)
def test_values_are_read_by_tools(api: Api, user: User, entry: Entry) -> None:
    found = comparable(entry(ValueEntries(api, user=user, cases=CASES)))
    assert found == expected(CASES, typecast=True, refused="refused")


def test_defaults_and_conversions_use_the_type(api: Api, user: User) -> None:
    assert comparable(ValueEntries(api, user=user, cases=CASES).defaulted()) == expected(CASES, typecast=True)
    texts = [case for case in CASES if isinstance(case.given, str)]
    wanted = {case.id: None if isinstance(case.cast, Refused) else case.cast for case in texts}
    assert comparable(ValueEntries(api, user=user, cases=texts).converted()) == comparable(wanted)


@pytest.mark.parametrize(
    ("op", "value", "names"),
    [
        ("contains", "@NAVY", ["Grace"]), ("eq", "ADA@lovelace.org", ["Ada"]), ("starts_with", "a", ["Ada"]),
        ("ne", "ada@lovelace.org", ["Grace", "Nobody"]), ("empty", None, ["Nobody"]),
        ("not_empty", None, ["Ada", "Grace"]),
    ],
)  # fmt: skip
def test_rows_are_filtered_by_the_type(api: Api, people: str, op: str, value: Any, names: list[str]) -> None:
    condition = {"column": "Mail", "op": op} | ({} if value is None else {"value": value})
    found = api.get(f"{people}rows/", filter=json.dumps(condition)).json()["rows"]
    assert [row["data"]["Name"] for row in found] == names


def test_invalid_filter_is_refused(api: Api, people: str) -> None:
    answer = api.get(f"{people}rows/", filter=json.dumps({"column": "Mail", "op": "eq", "value": "ada"}))
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (422, "not_an_email")


def test_rows_are_sorted_searched_counted_and_merged(api: Api, people: str) -> None:
    def names(**query: Any) -> list[str]:
        return [row["data"]["Name"] for row in api.get(f"{people}rows/", **query).json()["rows"]]

    assert names(sort="-Mail") == ["Grace", "Ada", "Nobody"]
    assert names(search="navy") == ["Grace"]
    assert names(sort="Mail", limit=1) == ["Ada"]
    following = api.get(api.get(f"{people}rows/", sort="Mail", limit=1).json()["next"]).json()["rows"]
    assert [row["data"]["Name"] for row in following] == ["Grace"]
    assert api.get(f"{people}stats/").json()["columns"]["Mail"]["empty"] == 1
    merged = api.client.put(
        f"{people}rows/", {"merge_on": ["Mail"], "rows": [{"Mail": "ada@lovelace.org", "Name": "Countess"}]},
        content_type="application/json",
    ).json()  # fmt: skip
    assert (len(merged["updated"]), len(merged["created"])) == (1, 0)


def test_assistant_knows_the_type_and_may_propose_it(api: Api, user: User, people: str) -> None:
    assert "email (an e-mail address as a string)" in get_llm_instructions(["schema_proposal"])
    column = {"name": "Work", "type": "email", "default": "office@x.org"}
    table_id = int(people.split("/")[3])
    payload = columns_proposal(user, {"action": "add", "column": column}, table_id=table_id)
    assert api.post(apply_url(payload), {"operations": "all"}).status_code == 200
    assert api.get(f"{people}columns/").json()["columns"][2]["type"] == "email"


def test_type_is_shown_on_the_page_and_offered_by_the_editor(api: Api, people: str) -> None:
    page = api.get(people.removeprefix("/api")).content.decode()
    assert 'href="mailto:ada@lovelace.org"' in page
    assert "#i-share-2" in page
    assert "[&quot;email&quot;,&quot;E-mail&quot;]" in api.get(f"{people.removeprefix('/api')}edit/").content.decode()


def test_openapi_document_names_the_type_and_its_operators() -> None:
    described = document()
    assert described["components"]["schemas"]["ColumnType"]["enum"][-1] == "email"
    parameters = described["paths"]["/api/tables/{table_id}/export/"]["get"]["parameters"]
    filters = next(each["description"] for each in parameters if each["name"] == "filter")
    assert "| email | `contains`, `starts_with` | a part of the text |" in filters
    assert "| email | `eq`, `ne` | an e-mail address as a string |" in filters


def test_change_to_another_type_is_undone(api: Api, people: str) -> None:
    before = api.get(f"{people}rows/").json()["rows"]
    changed = api.patch(f"{people}columns/{column_id(api, people)}/", {"type": "select"}).json()
    assert changed["options"] == ["ada@lovelace.org", "grace@navy.mil"]
    assert api.post(f"{people}changes/{changed['change']}/undo/").status_code == 200
    after = api.get(f"{people}rows/").json()["rows"]
    assert [row["data"] for row in after] == [row["data"] for row in before]
    assert api.get(f"{people}columns/").json()["columns"][1]["type"] == "email"
