"""Rows inserted between others: order, undo and redo, and repeated use of one gap."""
from __future__ import annotations

from typing import Any

import pytest

from tables.models import POSITION_STEP, Row
from tests.captured_queries import CapturedQueries
from tests.conftest import Api


@pytest.fixture
def table(api: Api) -> str:
    """Create a table with the rows A, B and C and return its URL."""
    columns = [{"name": "Name", "type": "text"}]
    body = {"name": "Letters", "columns": columns, "rows": [{"Name": name} for name in "ABC"]}
    return f"/api/tables/{api.post('/api/tables/', body).json()['id']}/"


def names(api: Api, table: str) -> list[str]:
    return [row["data"]["Name"] for row in api.get(f"{table}rows/?limit=1000").json()["rows"]]


def row_id(api: Api, table: str, name: str) -> int:
    found: int = api.get(f"{table}rows/?search={name}").json()["rows"][0]["id"]
    return found


def insert(api: Api, table: str, *new: str, **anchor: int) -> Any:
    return api.post(f"{table}rows/", {"rows": [{"Name": name} for name in new], **anchor})


def test_rows_are_inserted_beside_another_and_removed_by_undo(api: Api, table: str) -> None:
    first, last = row_id(api, table, "A"), row_id(api, table, "C")
    answer = insert(api, table, "D", "E", before_row_id=first)
    assert answer.status_code == 201
    assert [row["data"]["Name"] for row in answer.json()["rows"]] == ["D", "E"]
    assert insert(api, table, "F", after_row_id=first).status_code == 201
    assert insert(api, table, "G", after_row_id=last).status_code == 201
    assert insert(api, table, "H").status_code == 201
    assert names(api, table) == list("DEAFBCGH")
    change = answer.json()["change"]
    assert api.post(f"{table}changes/{change}/undo/").status_code == 200
    assert names(api, table) == list("AFBCGH")
    assert api.post(f"{table}changes/{change}/redo/").status_code == 200
    assert names(api, table) == list("DEAFBCGH")


def test_rows_are_inserted_beside_a_deleted_one(api: Api, table: str) -> None:
    middle = row_id(api, table, "B")
    api.delete(f"{table}rows/{middle}/")
    assert insert(api, table, "D", after_row_id=middle).status_code == 201
    assert names(api, table) == list("ADC")


def test_rows_are_inserted_beside_a_restored_one(api: Api, table: str) -> None:
    deleted = api.delete(f"{table}rows/{row_id(api, table, 'B')}/").json()["change"]
    assert insert(api, table, "N", after_row_id=row_id(api, table, "A")).status_code == 201
    assert api.post(f"{table}changes/{deleted}/undo/").status_code == 200
    assert names(api, table) == list("ANBC")
    insert_on_both_sides(api, table)


def test_rows_are_inserted_beside_rows_with_equal_positions(api: Api, table: str) -> None:
    Row.objects.filter(table_id=table.split("/")[3]).update(position=0)
    insert_on_both_sides(api, table)


def insert_on_both_sides(api: Api, table: str) -> None:
    """Insert a row before and after each row and check the order."""
    expected = names(api, table)
    for name, row in [(name, row_id(api, table, name)) for name in expected]:
        assert insert(api, table, f"before {name}", before_row_id=row).status_code == 201
        assert insert(api, table, f"after {name}", after_row_id=row).status_code == 201
        anchor = expected.index(name)
        expected[anchor : anchor + 1] = [f"before {name}", name, f"after {name}"]
        assert names(api, table) == expected


def test_a_gap_between_deleted_rows_is_widened_with_few_writes(api: Api, table: str) -> None:
    first, many = row_id(api, table, "A"), [f"X{number}" for number in range(300)]
    added = insert(api, table, *many, after_row_id=first).json()
    positions = Row.objects.filter(pk__in=[row["id"] for row in added["rows"]]).values_list("pk", "position")
    before = dict(positions)
    assert api.post(f"{table}changes/{added['change']}/undo/").status_code == 200
    new = [f"N{number}" for number in range(25)]
    for name in new:
        assert insert(api, table, name, after_row_id=first).status_code == 201
    moved = [pk for pk, position in positions.all() if before[pk] != position]
    assert 0 < len(moved) < len(many)
    assert api.post(f"{table}changes/{added['change']}/redo/").status_code == 200
    assert names(api, table) == ["A", *reversed(new), *many, "B", "C"]


def test_widening_a_gap_keeps_the_order(api: Api, table: str) -> None:
    first, second = row_id(api, table, "A"), row_id(api, table, "B")
    deleted = api.delete(f"{table}rows/{second}/").json()["change"]
    expected = ["A", "C"]
    for number in range(30):
        # Alternate between above the last row and below the first one, which halves the remaining gap.
        anchor = {"after_row_id": first} if number % 3 else {"before_row_id": row_id(api, table, expected[1])}
        assert insert(api, table, f"N{number}", **anchor).status_code == 201
        expected.insert(1, f"N{number}")
    assert names(api, table) == expected
    api.post(f"{table}changes/{deleted}/undo/")
    assert [name for name in names(api, table) if name != "B"] == expected
    # Later rows are still added at the end.
    insert(api, table, "Z")
    assert names(api, table)[-1] == "Z"
    assert Row.objects.latest("position").position % POSITION_STEP == 0


def test_operations_of_one_proposal_share_a_gap(api: Api, table: str) -> None:
    first, middle = row_id(api, table, "A"), row_id(api, table, "B")
    places = [("D", "after_row_id", first), ("E", "before_row_id", middle), ("F", "after_row_id", first)]
    operations = [{"action": "add", "data": {"Name": name}, key: value} for name, key, value in places]
    answer = api.post(f"{table}proposals/data/", {"operations": operations})
    assert answer.status_code == 200
    assert names(api, table) == list("ADFEBC")
    ids = [row_id(api, table, name) for name in "DEF"]
    assert [entry["row_id"] for entry in answer.json()["applied"]] == ids


def test_rows_after_the_last_one_stay_before_later_ones(api: Api, table: str) -> None:
    last = row_id(api, table, "C")
    places: list[dict[str, int]] = [{}, {"after_row_id": last}, {"after_row_id": last}, {}]
    operations = [
        {"action": "add", "data": {"Name": name}, **anchor} for name, anchor in zip("DEFG", places, strict=True)
    ]
    answer = api.post(f"{table}proposals/data/", {"operations": operations}).json()
    assert names(api, table) == list("ABCEFDG")
    assert [entry["row_id"] for entry in answer["applied"]] == [row_id(api, table, name) for name in "DEFG"]
    assert api.post(f"{table}changes/{answer['change']}/undo/").status_code == 200
    assert names(api, table) == list("ABC")


def test_a_gap_after_the_last_row_is_widened(api: Api, table: str) -> None:
    last = row_id(api, table, "C")
    Row.objects.filter(pk=last).update(position=3 * POSITION_STEP - 1)
    assert insert(api, table, "D", after_row_id=last).status_code == 201
    assert insert(api, table, "E").status_code == 201
    assert names(api, table) == list("ABCDE")


def test_queries_do_not_grow_with_the_anchors(api: Api, table: str) -> None:
    def queries(*beside: str) -> int:
        operations = [
            {"action": "add", "data": {"Name": "N"}, "after_row_id": row_id(api, table, name)} for name in beside
        ]
        with CapturedQueries() as captured:
            assert api.post(f"{table}proposals/data/", {"operations": operations}).status_code == 200
        return len(captured)

    assert queries("A", "B") == queries("A", "B", "C")


@pytest.mark.parametrize(
    ("anchor", "status", "path", "code"),
    [
        ({"after_row_id": 10**12}, 422, "after_row_id", "unknown_row"),
        ({"before_row_id": "first"}, 400, "before_row_id", "not_a_row_id"),
        ({"after_row_id": "A", "before_row_id": "A"}, 400, "before_row_id", "after_and_before"),
    ],
    ids=["no such row", "no id", "two places"],
)
def test_invalid_anchors_are_refused_once(
    api: Api, table: str, anchor: dict[str, Any], status: int, path: str, code: str
) -> None:
    anchor = {name: row_id(api, table, "A") if value == "A" else value for name, value in anchor.items()}
    answer = insert(api, table, "D", "E", **anchor)
    assert answer.status_code == status
    assert [(fault["path"], fault["code"]) for fault in answer.json()["errors"]] == [(path, code)]
    assert names(api, table) == list("ABC")


def test_rows_of_other_tables_are_no_anchors(api: Api, table: str) -> None:
    body = {"name": "Other", "columns": [{"name": "Name", "type": "text"}], "rows": [{"Name": "O"}]}
    other = api.post("/api/tables/", body)
    address = f"/api/tables/{other.json()['id']}/"
    assert insert(api, table, "D", after_row_id=row_id(api, address, "O")).status_code == 422
