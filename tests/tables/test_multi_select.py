"""Lists of options over REST: options that are renamed, removed, moved and created, conversions, filters, groups."""
from __future__ import annotations

from html import unescape
from typing import Any

import pytest

from tests.conftest import Api

COLUMNS = [
    {"name": "Name", "type": "text"},
    {"name": "Tags", "type": "multi_select", "options": ["Red", "Green", "a, b"], "default": ["Red", "Green"]},
]
VALUES: list[Any] = [["Red", "Green"], ["Green", "a, b"], ["Red"], None]


class Things:
    """A table with a column of lists."""

    def __init__(self, api: Api) -> None:
        rows = [{"Name": str(number), "Tags": value} for number, value in enumerate(VALUES)]
        table = api.post("/api/tables/", {"name": "Things", "columns": COLUMNS, "rows": rows}).json()
        self.api, self.url = api, f"/api/tables/{table['id']}/"
        self.column_url = f"{self.url}columns/{table['columns'][1]['id']}/"

    @property
    def column(self) -> dict[str, Any]:
        return self.api.get(self.url).json()["columns"][1]

    @property
    def values(self) -> list[Any]:
        return [row["data"].get("Tags") for row in self.rows()]

    @property
    def state(self) -> list[Any]:
        column = self.column
        return [column[key] for key in ("type", "options", "optionColors", "default")] + [self.values]

    def rows(self, query: str = "") -> list[Any]:
        return self.api.get(f"{self.url}rows/{query}").json()["rows"]

    def change(self, body: dict[str, Any], query: str = "", status: int = 200) -> Any:
        response = self.api.patch(f"{self.column_url}{query}", body)
        assert response.status_code == status, response.content
        return response.json()

    def undo(self, change: int) -> None:
        assert self.api.post(f"{self.url}changes/{change}/undo/", {}).status_code == 200


@pytest.fixture
def things(api: Api) -> Things:
    return Things(api)


@pytest.mark.parametrize(
    ("body", "query", "values", "default"),
    [
        (
            {"options": ["Crimson", "Green", "a, b"]}, '?on_removed_option={"Red":"Crimson"}',
            [["Crimson", "Green"], ["Green", "a, b"], ["Crimson"], None], ["Crimson", "Green"],
        ),
        (
            {"options": ["Green", "a, b"]}, "?on_removed_option=clear",
            [["Green"], ["Green", "a, b"], None, None], ["Green"],
        ),
        (
            {"options": ["Red", "a, b"]}, '?on_removed_option={"Green":"Red"}',
            [["Red"], ["Red", "a, b"], ["Red"], None], ["Red"],
        ),
        (
            {"options": ["a, b", "Green", "Red"]}, "",
            [["Green", "Red"], ["a, b", "Green"], ["Red"], None], ["Green", "Red"],
        ),
        ({"type": "text"}, "", ["Red, Green", 'Green, "a, b"', "Red", None], "Red, Green"),
        ({"type": "select"}, "?on_unconvertible=clear", [None, None, "Red", None], None),
    ],
    ids=["rename", "remove", "replace", "move", "to text", "to select"],
)  # fmt: skip
def test_lists_follow_their_column_and_undo_restores_them(
    things: Things, body: dict[str, Any], query: str, values: list[Any], default: Any
) -> None:
    before = things.state
    change = things.change(body, query)["change"]
    assert (things.values, things.column["default"]) == (values, default)
    things.undo(change)
    assert things.state == before


def test_lists_that_lose_an_option_are_counted_before(things: Things) -> None:
    refused = things.change({"options": ["Green", "a, b"]}, status=422)
    assert [(fault["code"], fault["value"]) for fault in refused["errors"]] == [("option_in_use", 2)]
    modified = {"action": "modify", "column_id": things.column["id"], "changes": {"options": ["Green", "a, b"]}}
    proposal = {"mode": "update", "operations": [modified]}
    previewed = things.api.post(f"{things.url}proposals/schema/?dry_run=true", proposal)
    (operation,) = previewed.json()["operations"]
    assert operation["losses"]["cleared"] == 2
    assert [(one["from"], one["to"]) for one in operation["losses"]["examples"]] == [
        (["Red", "Green"], ["Green"]), (["Red"], None),
    ]  # fmt: skip
    unconvertible = things.change({"type": "select"}, status=422)
    assert [fault["value"] for fault in unconvertible["errors"]] == [2]


def test_text_and_select_become_lists(things: Things) -> None:
    things.undo(things.change({"type": "text"})["change"])
    things.change({"type": "text"})
    things.change({"type": "multi_select"})
    assert things.values == VALUES
    assert things.column["options"] == ["Red", "Green", "a, b"]
    things.change({"type": "select"}, "?on_unconvertible=clear")
    things.change({"type": "multi_select"})
    assert (things.values, things.column["options"]) == ([None, None, ["Red"], None], ["Red", "Green", "a, b"])


def test_a_restored_list_has_the_order_of_the_options(things: Things) -> None:
    first = things.rows()[0]["id"]
    changed = things.api.patch(f"{things.url}rows/{first}/", {"data": {"Tags": None}}).json()["change"]
    things.change({"options": ["a, b", "Green", "Red"]})
    things.undo(changed)
    assert things.values[0] == ["Green", "Red"]


def test_new_names_in_a_list_become_options(things: Things) -> None:
    first = things.rows()[0]["id"]
    for value, stored in ((["Red", "x; y"], ["Red", "x; y"]), ('red; "x; y", New', ["Red", "x; y", "New"])):
        response = things.api.patch(
            f"{things.url}rows/{first}/?create_options=true&typecast=true", {"data": {"Tags": value}}
        )
        assert (response.status_code, response.json()["data"]["Tags"]) == (200, stored)
    assert things.column["options"] == ["Red", "Green", "a, b", "x; y", "New"]


def test_rows_are_filtered_grouped_counted_and_merged_by_lists(things: Things) -> None:
    found = things.rows('?filter={"column":"Tags","op":"has_all","value":["green","a, b"]}&sort=-Tags')
    assert [row["data"]["Name"] for row in found] == ["1"]
    grouped = things.api.get(f'{things.url}aggregate/?group_by=[{{"column":"Tags"}}]').json()
    assert grouped["row_count"] == len(things.rows())
    assert [(each["group"]["Tags"], each["rows"]) for each in grouped["groups"]] == [
        ("Red", 2), ("Green", 2), ("a, b", 1), (None, 1),
    ]  # fmt: skip
    body = {"merge_on": ["Tags"], "rows": [{"Tags": ["Red"], "Name": "new"}]}
    merged = things.api.client.put(f"{things.url}rows/", body, content_type="application/json")
    assert merged.status_code == 200
    assert [row["data"]["Name"] for row in things.rows()] == ["0", "1", "new", "3"]


@pytest.mark.parametrize("count", [5, 60])
def test_long_lists_sort_by_option_after_option(things: Things, count: int) -> None:
    options = [f"o{number}" for number in range(count)]
    things.change({"options": ["Red", "Green", "a, b", *options], "default": None})
    lists = [options[:3], options[:4], [*options[:3], options[4]], options[:5], [*options[:2], options[-1]], options]
    for number, value in enumerate(lists):
        things.api.post(f"{things.url}rows/", {"data": {"Name": f"n{number}", "Tags": value}})
    expected = sorted(range(len(lists)), key=lambda at: [options.index(each) for each in lists[at]])
    for sort, order in (("Tags", expected), ("-Tags", expected[::-1])):
        rows = things.rows(f'?sort={sort}&filter={{"column":"Name","op":"contains","value":"n"}}')
        names = [row["data"]["Name"] for row in rows]
        assert [lists[int(name[1:])] for name in names] == [lists[at] for at in order]


def test_the_form_without_scripts_has_check_boxes(things: Things) -> None:
    row = things.rows()[1]["id"]
    url, name = f"{things.url.removeprefix('/api')}rows/{row}/", f"cell-{things.column['id']}"
    page = things.api.get(url).content.decode()
    checked = [option for option in ("Red", "Green", "a, b") if f'value="{option}" checked' in page]
    assert checked == ["Green", "a, b"]
    was = unescape(page.partition('name="was" value="')[2].partition('"')[0])
    for given, stored in ((["", "Red", "a, b"], ["Red", "a, b"]), ([""], None)):
        assert things.api.client.post(url, {name: given, "was": was}).status_code == 302
        assert things.values[1] == stored
        was = was.replace('Green, \\"a, b\\"', 'Red, \\"a, b\\"')
