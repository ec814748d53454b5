"""Moving rows: order, undo, history and errors."""
from __future__ import annotations

from typing import Any

import pytest

from tables.models import POSITION_STEP, Row
from tests.conftest import Api
from tests.tables.test_row_positions import insert, names, row_id, table

__all__ = ["table"]


@pytest.fixture
def letters(api: Api, table: str) -> str:
    """Create a table with the rows A to F and return its URL."""
    api.post(f"{table}rows/", {"rows": [{"Name": name} for name in "DEF"]})
    return table


def move(api: Api, table: str, moved: str, **beside: Any) -> Any:
    """Move the rows with these letters beside the row with another letter."""
    ids = [row_id(api, table, name) for name in moved]
    beside = {key: row_id(api, table, name) for key, name in beside.items()}
    return api.post(f"{table}rows/move/", {"ids": ids, **beside})


def undo(api: Api, table: str, change: int, **body: Any) -> Any:
    return api.post(f"{table}changes/{change}/undo/", body)


@pytest.mark.parametrize(
    ("moved", "beside", "expected"),
    [
        pytest.param("F", {"before_row_id": "A"}, "FABCDE", id="to the top"),
        pytest.param("A", {"after_row_id": "F"}, "BCDEFA", id="to the bottom", marks=pytest.mark.sqlite_only),
        pytest.param("B", {"after_row_id": "C"}, "ACBDEF", id="down by one", marks=pytest.mark.sqlite_only),
        pytest.param("EB", {"after_row_id": "C"}, "ACBEDF", id="from both sides"),
        pytest.param("CA", {"before_row_id": "D"}, "BACDEF", id="one is there already", marks=pytest.mark.sqlite_only),
        pytest.param("FDB", {"before_row_id": "A"}, "BDFACE", id="in their own order", marks=pytest.mark.sqlite_only),
    ],
)
def test_rows_are_moved_in_order_and_moved_back_by_undo(
    api: Api, letters: str, moved: str, beside: dict[str, str], expected: str
) -> None:
    positions = Row.objects.filter(table_id=letters.split("/")[3]).order_by("pk").values_list("pk", "position")
    before = dict(positions)
    answer = move(api, letters, moved, **beside)
    assert answer.status_code == 200
    assert names(api, letters) == list(expected)
    change = answer.json()["change"]
    assert undo(api, letters, change).status_code == 200
    assert dict(positions.all()) == before
    assert api.post(f"{letters}changes/{change}/redo/").status_code == 200
    assert names(api, letters) == list(expected)


def test_only_the_moved_rows_are_written(api: Api, letters: str) -> None:
    versions = Row.objects.filter(table_id=letters.split("/")[3]).order_by("position").values_list("pk", "version")
    before = dict(versions)
    answer = move(api, letters, "BC", after_row_id="E").json()
    changed = [pk for pk, version in versions.all() if version != before[pk]]
    assert changed == answer["moved"] == [row_id(api, letters, name) for name in "BC"]
    assert api.get(letters).json()["version"] == answer["version"]


@pytest.mark.sqlite_only
def test_a_move_without_effect_is_no_change(api: Api, letters: str) -> None:
    version = api.get(letters).json()["version"]
    api.delete(f"{letters}rows/{row_id(api, letters, 'D')}/")
    for moved, beside in (("BC", {"after_row_id": "A"}), ("C", {"before_row_id": "E"})):
        answer = move(api, letters, moved, **beside).json()
        assert (answer["change"], answer["version"]) == (None, version + 1)


def test_undo_works_after_deleted_neighbours_and_spread_positions(
    api: Api, letters: str
) -> None:
    change = move(api, letters, "C", after_row_id="F").json()["change"]
    deleted = [api.delete(f"{letters}rows/{row_id(api, letters, name)}/").json()["change"] for name in "BD"]
    inserted = [insert(api, letters, "X", after_row_id=row_id(api, letters, "A")).json()["change"] for _ in range(25)]
    last = Row.objects.get(pk=row_id(api, letters, "E"))
    assert last.position != 4 * POSITION_STEP, "no positions were spread"
    for each in reversed(inserted):
        undo(api, letters, each)
    assert undo(api, letters, change).status_code == 200
    assert names(api, letters) == list("ACEF")
    for each in deleted:
        undo(api, letters, each)
    assert names(api, letters) == list("ABCDEF")


@pytest.mark.sqlite_only
def test_undo_after_a_later_move_needs_a_decision(api: Api, letters: str) -> None:
    change = move(api, letters, "CD", after_row_id="F").json()["change"]
    move(api, letters, "D", before_row_id="A")
    refused = undo(api, letters, change)
    assert refused.status_code == 409
    path = f"rows[{row_id(api, letters, 'D')}].position"
    assert [(fault["path"], fault["code"]) for fault in refused.json()["errors"]] == [(path, "row_moved")]
    assert undo(api, letters, change, on_conflict={path: "skip"}).status_code == 200
    assert names(api, letters) == list("DABCEF")


def test_a_restore_moves_back_changed_and_deleted_rows(api: Api, letters: str) -> None:
    restored = api.get(f"{letters}changes/").json()["changes"][0]["id"]
    move(api, letters, "BE", after_row_id="F")
    api.patch(f"{letters}rows/{row_id(api, letters, 'B')}/", {"data": {"Name": "Z"}})
    api.delete(f"{letters}rows/{row_id(api, letters, 'E')}/")
    move(api, letters, "C", before_row_id="A")
    after = names(api, letters)
    answer = api.post(f"{letters}changes/{restored}/restore/")
    assert answer.status_code == 200
    assert names(api, letters) == list("ABCDEF")
    assert undo(api, letters, answer.json()["change"]).status_code == 200
    assert names(api, letters) == after == list("CADFZ")


def test_a_restore_moves_back_rows_with_spread_positions(api: Api, letters: str) -> None:
    restored = api.get(f"{letters}changes/").json()["changes"][0]["id"]
    move(api, letters, "E", after_row_id="A")
    for _ in range(25):
        insert(api, letters, "X", after_row_id=row_id(api, letters, "A"))
    insert(api, letters, "X", after_row_id=row_id(api, letters, "E"))
    assert api.post(f"{letters}changes/{restored}/restore/").status_code == 200
    assert names(api, letters) == list("ABCDEF")


@pytest.mark.sqlite_only
def test_the_history_lists_moved_rows(api: Api, letters: str) -> None:
    change = move(api, letters, "CA", after_row_id="F").json()["change"]
    found = api.get(f"{letters}changes/{change}/").json()
    assert found["summary"] == "Moved 2 rows"
    rows = [(row["name"], row["action"], row["cells"]) for row in found["rows"]]
    assert rows == [("A", "move", {}), ("C", "move", {})]
    page = api.client.get(f"{letters.removeprefix('/api')}history/?row={row_id(api, letters, 'A')}")
    assert "Moved row" in page.content.decode()


@pytest.mark.sqlite_only
@pytest.mark.parametrize(
    ("body", "status", "faults"),
    [
        ({"ids": "A"}, 422, [("after_row_id", "beside_itself")]),
        ({"ids": "BCB"}, 422, [("ids[2]", "overlap")]),
        ({"ids": "B?"}, 422, [("ids[1]", "unknown_row")]),
        ({"ids": "B", "after_row_id": 10**12}, 422, [("after_row_id", "unknown_row")]),
        ({"ids": "B", "after_row_id": "first"}, 400, [("after_row_id", "not_a_row_id")]),
        ({"ids": "B", "after_row_id": None}, 400, [("after_row_id", "missing")]),
        ({"ids": "B", "before_row_id": 1}, 400, [("before_row_id", "after_and_before")]),
        ({"ids": ""}, 400, [("ids", "empty")]),
    ],
    ids=[
        "beside itself", "a row twice", "no such row", "no such place", "no id", "no place", "two places", "no rows",
    ],
)  # fmt: skip
def test_invalid_moves_are_refused_with_their_path(
    api: Api, letters: str, body: dict[str, Any], status: int, faults: list[tuple[str, str]]
) -> None:
    body["ids"] = [10**12 if name == "?" else row_id(api, letters, name) for name in body["ids"]]
    answer = api.post(f"{letters}rows/move/", {"after_row_id": row_id(api, letters, "A"), **body})
    assert answer.status_code == status
    assert [(fault["path"], fault["code"]) for fault in answer.json()["errors"]] == faults
    assert names(api, letters) == list("ABCDEF")


def test_a_deleted_row_cannot_move_but_can_be_a_target(api: Api, letters: str) -> None:
    deleted = row_id(api, letters, "C")
    api.delete(f"{letters}rows/{deleted}/")
    first = row_id(api, letters, "A")
    assert api.post(f"{letters}rows/move/", {"ids": [deleted], "after_row_id": first}).status_code == 422
    assert api.post(f"{letters}rows/move/", {"ids": [first], "after_row_id": deleted}).status_code == 200
    assert names(api, letters) == list("BADEF")


@pytest.mark.sqlite_only
def test_a_move_of_an_outdated_table_is_refused(api: Api, letters: str) -> None:
    ids = [row_id(api, letters, name) for name in "AB"]
    version = api.get(letters).json()["version"]
    body = {"ids": ids[:1], "after_row_id": ids[1]}
    for given, status in ((version - 1, 412), (version, 200)):
        headers = {"If-Match": f'"{given}"'}
        answer = api.client.post(f"{letters}rows/move/", body, content_type="application/json", headers=headers)
        assert answer.status_code == status
