"""The demo model and a proposal for columns that is open: what is said about its columns changes it."""
from __future__ import annotations

from typing import Any

import pytest

from chat.demo.mind import answer
from chat.demo.reply import Reply
from chat.demo.request import read_turn
from tests.chat.demo.asking import element
from tests.chat.demo.revising import body_with, read_again

Json = dict[str, Any]
CREATE: Json = {
    "mode": "create", "reasoning": "To keep track", "table_name": "Books", "table_description": "Books to read.",
    "operations": [
        {"action": "add", "column": {"name": "Title", "type": "text", "required": True}},
        {"action": "add", "column": {"name": "Priority", "type": "text", "required": False}},
        {"action": "add", "column": {"name": "Notes", "type": "text", "required": False}},
    ],
    "sample_rows": [{"Title": "Emma", "Priority": "soon", "Notes": "lent"}, {"Title": "Persuasion"}],
}  # fmt: skip
UPDATE: Json = {
    "mode": "update", "reasoning": "Add Phase", "next": "Fill it",
    "operations": [{"action": "add", "column": {"name": "Phase", "type": "text", "required": False}}],
}  # fmt: skip


def revised(words: str, *, proposal: Json = CREATE, status: str = "pending") -> Reply:
    """The reply once the model has read the open proposal again."""
    page = "tables_list" if proposal["mode"] == "create" else "table_view"
    body = body_with(words, kind="schema_proposal", page=page)
    return answer(read_turn(read_again(body, kind="schema_proposal", data=proposal, status=status)))


def columns(reply: Reply) -> list[str]:
    return [f"{one['column']['name']} ({one['column']['type']})" for one in _proposal(reply)["operations"]]


def _proposal(reply: Reply) -> Json:
    proposal: Json = element(reply, "SCHEMA_PROPOSAL")
    return proposal


WISHES = [
    ("drop the Notes column", ["Title (text)", "Priority (text)"]),
    ("remove Notes", ["Title (text)", "Priority (text)"]),
    ("leave out the notes column", ["Title (text)", "Priority (text)"]),
    ("no Notes column", ["Title (text)", "Priority (text)"]),
    ("drop Priority and Notes", ["Title (text)"]),
    ("drop the Title and Notes columns", ["Priority (text)"]),
    ("make Priority a select", ["Title (text)", "Priority (select)", "Notes (text)"]),
    ("Priority should be a select with High, Low", ["Title (text)", "Priority (select)", "Notes (text)"]),
    ("make Priority a number", ["Title (text)", "Priority (number)", "Notes (text)"]),
    ("rename Notes to Comments", ["Title (text)", "Priority (text)", "Comments (text)"]),
    ("rename the column Notes to Comments", ["Title (text)", "Priority (text)", "Comments (text)"]),
    ("call Notes Comments instead", ["Title (text)", "Priority (text)", "Comments (text)"]),
    ("add a Rating column", ["Title (text)", "Priority (text)", "Notes (text)", "Rating (number)"]),
    ("add a Rating column after Title", ["Title (text)", "Rating (number)", "Priority (text)", "Notes (text)"]),
    ("move Notes to the start", ["Notes (text)", "Title (text)", "Priority (text)"]),
    ("move Title after Priority", ["Priority (text)", "Title (text)", "Notes (text)"]),
    ("make Notes required", ["Title (text)", "Priority (text)", "Notes (text)"]),
    ("call it Library instead", ["Title (text)", "Priority (text)", "Notes (text)"]),
]


@pytest.mark.parametrize(("words", "wanted"), WISHES, ids=[words for words, _ in WISHES])
def test_what_is_said_about_its_columns_changes_the_proposal(words: str, wanted: list[str]) -> None:
    assert columns(revised(words)) == wanted


def test_rows_to_begin_with_go_along() -> None:
    renamed, dropped = _proposal(revised("rename Notes to Comments")), _proposal(revised("drop the Notes column"))
    assert renamed["sample_rows"][0] == {"Title": "Emma", "Priority": "soon", "Comments": "lent"}
    assert dropped["sample_rows"][0] == {"Title": "Emma", "Priority": "soon"}
    chosen = _proposal(revised("make Priority a select with High, Low"))
    options = chosen["operations"][1]["column"]["options"]
    assert options == ["High", "Low"]
    assert all(row["Priority"] in options for row in chosen["sample_rows"] if "Priority" in row)


def test_the_table_gets_another_name_and_a_column_becomes_required() -> None:
    assert _proposal(revised("call it Library instead"))["table_name"] == "Library"
    assert _proposal(revised("make Notes required"))["operations"][2]["column"]["required"] is True


def test_the_one_column_that_is_to_be_added_is_called_something_else() -> None:
    proposal = _proposal(revised("call it Stage instead", proposal=UPDATE))
    assert proposal["operations"] == [
        {"action": "add", "column": {"name": "Stage", "type": "text", "required": False}}
    ]
    assert proposal["next"] == "Fill it"


def test_a_column_that_the_proposal_does_not_have_is_one_of_the_table() -> None:
    proposal = _proposal(revised("drop the Notes column", proposal=UPDATE))
    assert proposal["operations"] == [{"action": "remove", "column_id": "col_notes001"}]


RENAMES = [
    "Rename the column City to URL",
    "Rename City to URL",
    "Call the column City URL",
    "Benenne die Spalte City in URL um",
    "Die Spalte City soll URL heißen",
]


@pytest.mark.parametrize("proposed", ["URL", "City Checked", "Cities", "Phase"])
@pytest.mark.parametrize("words", RENAMES)
def test_a_column_of_the_table_is_renamed_and_not_a_proposed_one_of_another_name(words: str, proposed: str) -> None:
    adds = {**UPDATE, "operations": [{"action": "add", "column": {"name": proposed, "type": "text"}}]}
    beside_rows = answer(read_turn(body_with(words)))
    for reply in (revised(words, proposal=adds), beside_rows):
        assert _proposal(reply)["operations"] == [
            {"action": "modify", "column_id": "col_city0001", "changes": {"name": "URL"}}
        ]


@pytest.mark.parametrize("words", ["Rename the column to City Code", "Call it City Code"])
def test_a_new_name_may_begin_with_the_name_of_a_column_of_the_table(words: str) -> None:
    assert columns(revised(words, proposal=UPDATE)) == ["City Code (text)"]


def test_a_column_that_a_new_table_does_not_have_is_said_to_be_missing() -> None:
    reply = revised("drop the Colour column")
    assert "no column" in reply.text
    assert reply.element == ""


def test_a_proposal_that_waits_for_nobody_is_left_alone() -> None:
    assert "proposal again" not in revised("drop the Notes column", status="dismissed").text


@pytest.mark.parametrize("words", ["Track my vendors", "What tables do I have?", "Create a table for my plants"])
def test_another_wish_does_not_read_the_proposal(words: str) -> None:
    assert answer(read_turn(body_with(words, kind="schema_proposal", page="tables_list"))).tool_use is None
