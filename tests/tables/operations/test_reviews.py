"""The stored review of a proposal: its changes, and what a replacing proposal takes over."""
from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.exceptions import TablesError
from tables.operations import carry_over, revised_review

Json = dict[str, Any]
NAMES = ("Name", "City", "Notes")


def data_proposal(*operations: Json, **more: Any) -> Json:
    """Return a row proposal in its stored form."""
    numbered = [{"index": index, **operation} for index, operation in enumerate(operations)]
    return {"kind": "data", "operations": numbered, **more}


def add(**cells: Any) -> Json:
    return {"action": "add", "data": cells}


def update(row_id: int, **cells: Any) -> Json:
    return {"action": "update", "row_id": row_id, "changes": cells}


def delete(row_id: int) -> Json:
    return {"action": "delete", "row_id": row_id}


def new_column(name: str, *, column_id: str = "", **fields: Any) -> Json:
    column = {"id": column_id or f"col_{name}", "name": name, "type": "text", "required": False, **fields}
    return {"action": "add", "column": column}


def schema_proposal(*operations: Json, **more: Any) -> Json:
    """Return a column proposal in its stored form."""
    return data_proposal(*operations, **{"kind": "schema", **more})


def revise(review: Json, changes: Json) -> Json:
    proposal = data_proposal(add(Name="Acme"), update(5, City="Paris"), delete(7))
    return revised_review(proposal, review=review, changes=changes)


def test_changes_are_merged_into_the_stored_review() -> None:
    review = revise({}, {"unchecked": {"0": True, "2": True}, "edits": {"0": {"Name": "Acme Inc"}}})
    more = {"unchecked": {"2": None}, "edits": {"1": {"City": None}}, "skip_next": True}
    review = revise(review, more)
    assert review == {
        "unchecked": {"0": True}, "edits": {"0": {"Name": "Acme Inc"}, "1": {"City": None}}, "skip_next": True,
    }  # fmt: skip
    assert revise(review, {"unchecked": None, "edits": {"0": None, "1": {}}, "skip_next": None}) == {}


@pytest.mark.parametrize(
    ("changes", "path", "code"),
    [
        pytest.param({"ticks": {}}, "ticks", "unknown_field", id="unknown field"),
        pytest.param({"unchecked": [0]}, "unchecked", "not_an_object", id="a list of indexes"),
        pytest.param({"unchecked": {"first": True}}, "unchecked.first", "not_an_index", id="no index"),
        pytest.param({"unchecked": {"3": True}}, "unchecked.3", "unknown_operation", id="unknown operation"),
        pytest.param({"edits": {"3": None}}, "edits.3", "unknown_operation", id="removal of an unknown operation"),
        pytest.param({"unchecked": {"0": 1}}, "unchecked.0", "not_a_boolean", id="a number as a tick"),
        pytest.param({"edits": {"2": {"Name": "x"}}}, "edits.2", "not_editable", id="edit of a deletion"),
        pytest.param({"edits": {"0": "Acme"}}, "edits.0", "not_an_object", id="edit that is no object"),
        pytest.param({"edits": {"0": {"Name": {"a": 1}}}}, "edits.0.Name", "unknown_value", id="object as a value"),
        pytest.param({"edits": {"0": {"Name": "x" * 1_000_000}}}, "", "too_large", id="too large"),
        pytest.param({"table_name": "\n"}, "table_name", "empty_name", id="impossible name"),
        pytest.param({"skip_next": "no"}, "skip_next", "not_a_boolean", id="text as a setting"),
    ],
)
def test_invalid_changes_are_refused_with_their_path(changes: Json, path: str, code: str) -> None:
    with pytest.raises(TablesError) as caught:
        revise({}, changes)
    assert [(fault.path, fault.code) for fault in caught.value.faults] == [(path, code)]


ROWS = data_proposal(add(Name="Acme"), add(Name="Bolt"), update(5, City="Paris"), update(6, City="Paris"), delete(7))
LOST_UNTICK = {"edits": 0, "unchecked": 1, "examples": []}


@pytest.mark.parametrize(
    ("review", "new", "expected", "lost"),
    [
        pytest.param(
            {"unchecked": {"1": True, "3": True}},
            data_proposal(update(6, City="Paris", Notes="expired"), update(5, City="Paris", Notes="expired"),
                          add(Name="Bolt", Notes="expired"), add(Name="Acme", Notes="expired")),
            {"unchecked": {"0": True, "2": True}}, {}, id="unticked operations that are extended",
        ),
        pytest.param(
            {"unchecked": {"2": True, "4": True}}, data_proposal(delete(7), update(5, City="Rome")),
            {"unchecked": {"0": True}}, LOST_UNTICK, id="another value for the same row",
        ),
        pytest.param(
            {"unchecked": {"2": True, "4": True}}, data_proposal(add(Name="Acme")),
            {}, {}, id="unticked operations that are not proposed any more",
        ),
        pytest.param(
            {"unchecked": {"4": True}}, data_proposal(update(7, City="Paris")), {}, {}, id="another action on the row",
        ),
        pytest.param(
            {"unchecked": {"0": True}}, data_proposal(add(Name="Acme Inc")), {}, LOST_UNTICK, id="another row to add",
        ),
        pytest.param(
            {"edits": {"0": {"Name": "Acme Inc", "Notes": "call"}}}, data_proposal(add(Name="Acme", City="Berlin")),
            {"edits": {"0": {"Name": "Acme Inc", "Notes": "call"}}}, {}, id="edited row that is extended",
        ),
        pytest.param(
            {"edits": {"0": {"Name": "Acme Inc"}, "2": {"City": "Nice"}}},
            data_proposal(add(Name="Acme Inc", City="Berlin"), update(5, City="Nice")),
            {}, {}, id="edits that the new proposal makes itself",
        ),
        pytest.param(
            {"edits": {"2": {"City": "Nice"}, "0": {"Name": "Acme Inc"}}}, data_proposal(update(5, City="Rome")), {},
            {"edits": 2, "unchecked": 0, "examples": [
                {"action": "add", "cells": {"Name": "Acme Inc"}},
                {"action": "update", "row_id": 5, "cells": {"City": "Nice"}},
            ]}, id="edits of what is proposed otherwise",
        ),
        pytest.param(
            {"overwrites": {"2": {"City": "Rome"}}}, ROWS, {}, {}, id="checked conflicts, resolved by a new proposal",
        ),
        pytest.param(
            {"edits": {"0": {"Name": "Firm"}}, "unchecked": {"1": True}}, schema_proposal(new_column("Name")), {},
            {"edits": 1, "unchecked": 0, "examples": [{"action": "add", "cells": {"Name": "Firm"}}]},
            id="a proposal of another kind",
        ),
    ],
)  # fmt: skip
def test_a_new_proposal_for_rows(review: Json, new: Json, expected: Json, lost: Json) -> None:
    assert carry_over(ROWS, review=review, new=new) == (expected, lost)


COLUMNS = schema_proposal(
    new_column("Company"), new_column("Phone"), {"action": "remove", "column_id": "col_1"},
    {"action": "reorder", "column_id": "col_Phone", "after_column_id": "col_Company"},
    table_name="Jobs", sample_rows=[{}], next="Fill it",
)  # fmt: skip


@pytest.mark.parametrize(
    ("review", "new", "expected", "lost"),
    [
        pytest.param(
            {"edits": {"0": {"name": "Firm"}}, "unchecked": {"1": True, "2": True, "3": True}},
            schema_proposal({"action": "remove", "column_id": "col_1"}, new_column("phone ", column_id="col_x"),
                            new_column("Company", column_id="col_y"),
                            {"action": "reorder", "column_id": "col_x", "after_column_id": "col_y"}),
            {"unchecked": {"0": True, "3": True}, "edits": {"2": {"name": "Firm"}}}, LOST_UNTICK,
            id="columns by name, whatever their new ids",
        ),
        pytest.param(
            {"edits": {"0": {"name": "Firm"}}}, schema_proposal(new_column("Firm")), {}, {}, id="a name taken over",
        ),
        pytest.param(
            {"unchecked": {"1": True}}, schema_proposal(new_column("Phone", required=True)), {}, LOST_UNTICK,
            id="another definition",
        ),
        pytest.param(
            {"table_name": "Work", "include_sample_rows": False, "skip_next": True},
            schema_proposal(new_column("Company"), table_name="Jobs", sample_rows=[{}], next="Fill it"),
            {"table_name": "Work", "include_sample_rows": False, "skip_next": True}, {}, id="settings",
        ),
        pytest.param(
            {"table_name": "Work", "skip_next": True}, schema_proposal(table_name="Leads", next="Sort it"), {},
            {"edits": 1, "unchecked": 0, "examples": [{"action": "name", "cells": {"name": "Work"}}]},
            id="settings about something else",
        ),
    ],
)  # fmt: skip
def test_a_new_proposal_for_columns(review: Json, new: Json, expected: Json, lost: Json) -> None:
    assert carry_over(COLUMNS, review=review, new=new) == (expected, lost)


VALUES = st.sampled_from(["a", "b", 1, True])
CELLS = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=3)
ROW_IDS = st.integers(1, 3)
OPERATIONS = st.lists(
    st.one_of(
        CELLS.map(lambda cells: add(**cells)),
        st.tuples(ROW_IDS, CELLS).map(lambda drawn: update(drawn[0], **drawn[1])),
        ROW_IDS.map(delete),
    ),
    max_size=8,
)


@st.composite
def reviewed(draw: Any) -> tuple[Json, Json]:
    """Draw a proposal and a review of it."""
    proposal = data_proposal(*draw(OPERATIONS))
    indexes = [each["index"] for each in proposal["operations"]]
    unchecked = [index for index in indexes if draw(st.booleans())]
    edits = {}
    for operation in proposal["operations"]:
        proposed = sorted(operation.get("changes", {})) if operation["action"] == "update" else NAMES
        if operation["action"] != "delete" and proposed and draw(st.booleans()):
            edits[str(operation["index"])] = draw(st.dictionaries(st.sampled_from(proposed), VALUES, min_size=1))
    changes = {"unchecked": {str(index): True for index in unchecked}, "edits": edits}
    return proposal, revised_review(proposal, review={}, changes=changes)


def of(operation: Json) -> tuple[Any, ...]:
    return operation["action"], operation.get("row_id")


def typed(value: Any) -> tuple[type, Any]:
    return type(value), value


@given(reviewed(), OPERATIONS)
def test_a_review_is_applied_only_to_its_operations(old: tuple[Json, Json], operations: list[Json]) -> None:
    proposal, review = old
    new = data_proposal(*operations)
    result, lost = carry_over(proposal, review=review, new=new)
    assert revised_review(new, review={}, changes=result) == result
    for index in result.get("unchecked", {}):
        after = new["operations"][int(index)]
        sources = [proposal["operations"][int(each)] for each in review["unchecked"]]
        assert any(
            of(before) == of(after)
            and all(name in content and typed(content[name]) == typed(value) for name, value in cells.items())
            for before in sources
            for cells, content in [(cells_of(before), cells_of(after))]
        )
    edited = sum(map(len, review.get("edits", {}).values()))
    assert sum(map(len, result.get("edits", {}).values())) + lost.get("edits", 0) <= edited
    for index, cells in result.get("edits", {}).items():
        after = new["operations"][int(index)]
        for name, value in cells.items():
            sources = [(proposal["operations"][int(each)], edit) for each, edit in review["edits"].items()]
            assert any(
                of(before) == of(after) and name in edit and typed(edit[name]) == typed(value)
                for before, edit in sources
            )


def cells_of(operation: Json) -> Json:
    return operation.get("data", operation.get("changes", {}))


@given(reviewed(), st.data())
def test_the_same_operations_in_any_order_lose_nothing(old: tuple[Json, Json], data: Any) -> None:
    proposal, review = old
    # Of equal operations, and of several for one row, the first one is used.
    indexes = list({identity(operation): operation["index"] for operation in reversed(proposal["operations"])}.values())
    order = data.draw(st.permutations(indexes))
    review = {name: {key: entries[key] for key in entries if int(key) in indexes} for name, entries in review.items()}
    new = data_proposal(*({**proposal["operations"][index], "index": at} for at, index in enumerate(order)))

    result, lost = carry_over(proposal, review=review, new=new)

    assert lost == {}
    assert {order[int(at)] for at in result.get("unchecked", {})} == set(map(int, review.get("unchecked", {})))
    for key, edit in review.get("edits", {}).items():
        proposed = cells_of(proposal["operations"][int(key)])
        changed = {name: value for name, value in edit.items() if typed(proposed.get(name)) != typed(value)}
        assert result.get("edits", {}).get(str(order.index(int(key))), {}) == changed


def identity(operation: Json) -> Any:
    cells = operation.get("data", {}).items()
    return of(operation), tuple(sorted((name, repr(value)) for name, value in cells))
