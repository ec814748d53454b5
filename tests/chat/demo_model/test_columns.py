"""Changes of columns, and of pending proposals, by the demo model."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chat.demo_model.requests import COLUMNS, ask, element

Json = dict[str, Any]
SUMMARY = {"id": "p1", "type": "schema_proposal"}
CHANGES: dict[str, list[Json]] = {
    "Rename the column Link to URL": [{"action": "modify", "column_id": "col_link0001", "changes": {"name": "URL"}}],
    'Rename Notes to "Pros and cons"': [
        {"action": "modify", "column_id": "col_notes001", "changes": {"name": "Pros and cons"}}
    ],
    "Remove the Notes and Link columns": [
        {"action": "remove", "column_id": "col_notes001"},
        {"action": "remove", "column_id": "col_link0001"},
    ],
    "Make notes a dropdown with Good, Bad": [
        {"action": "modify", "column_id": "col_notes001", "changes": {"type": "select", "options": ["Good", "Bad"]}}
    ],
    "Show salary in euros": [
        {
            "action": "modify",
            "column_id": "col_salary01",
            "changes": {"type": "number", "format": "currency", "currency": "EUR"},
        }
    ],
    "Make Notes required": [{"action": "modify", "column_id": "col_notes001", "changes": {"required": True}}],
    "Move Notes after Company": [{"action": "reorder", "column_id": "col_notes001", "after_column_id": "col_company1"}],
    "Put Remote first": [{"action": "reorder", "column_id": "col_remote01"}],
    "Add a date column called Follow-up before Notes": [
        {"action": "add", "column": {"name": "Follow-up", "type": "date"}, "after_column_id": "col_link0001"}
    ],
    "Add columns for contact person and phone": [
        {"action": "add", "column": {"name": "Contact Person", "type": "text"}},
        {"action": "add", "column": {"name": "Phone", "type": "text"}},
    ],
    "Add a multiple select column called Skills with Python, SQL": [
        {
            "action": "add",
            "column": {
                "name": "Skills", "type": "multi_select", "options": ["Python", "SQL"], "filterDisplay": "dropdown",
            },
        }
    ],
    "Add an Interview column with date and time": [
        {"action": "add", "column": {"name": "Interview", "type": "date", "format": "datetime"}}
    ],
    "Add a Contact Email column": [
        {"action": "add", "column": {"name": "Contact Email", "type": "text", "format": "email"}}
    ],
    "Add a link column called Homepage": [
        {"action": "add", "column": {"name": "Homepage", "type": "text", "format": "url"}}
    ],
    "Add a Bonus column in percent": [
        {"action": "add", "column": {"name": "Bonus", "type": "number", "format": "percent"}}
    ],
    "Make Salary a currency column in SEK": [
        {
            "action": "modify",
            "column_id": "col_salary01",
            "changes": {"type": "number", "format": "currency", "currency": "SEK"},
        }
    ],
    "Change the format of Salary to currency EUR": [
        {
            "action": "modify",
            "column_id": "col_salary01",
            "changes": {"type": "number", "format": "currency", "currency": "EUR"},
        }
    ],
    "Change the format of Notes to email": [
        {"action": "modify", "column_id": "col_notes001", "changes": {"type": "text", "format": "email"}}
    ],
    "Add a currency column Bonus in USD": [
        {"action": "add", "column": {"name": "Bonus", "type": "number", "format": "currency", "currency": "USD"}}
    ],
    "Add Ghosted to Status": [
        {
            "action": "modify",
            "column_id": "col_status01",
            "changes": {"options": ["Applied", "Interview", "Offer", "Rejected", "Ghosted"]},
        }
    ],
    "Remove the option Offer from Status": [
        {
            "action": "modify",
            "column_id": "col_status01",
            "changes": {"options": ["Applied", "Interview", "Rejected"]},
        }
    ],
}


@pytest.mark.parametrize("page", ["table_view", "table_edit"])
@pytest.mark.parametrize("words", CHANGES)
def test_columns_are_changed(words: str, page: str) -> None:
    proposal = element(ask(words, page=page), "SCHEMA_PROPOSAL")

    assert (proposal["mode"], proposal["operations"]) == ("update", CHANGES[words])


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("Rename the column Foo to Bar", "I see no column Foo here. The columns are Company, Position,"),
        ("Remove the column Foo", "I see no column Foo here."),
        ("Add a column Link", "A column Link already exists."),
        ("Show Salary as currency", "In which currency is Salary?"),
        ("Add a currency column Bonus", "In which currency is Bonus?"),
        ("Rename Notes to Comments and delete the rejected ones", "Please write it in quotation marks."),
        ("Hide the column Foo", "I see no column Foo here."),
    ],
)
def test_change_that_cannot_be_proposed_is_explained(words: str, expected: str) -> None:
    assert expected in ask(words).text


def test_next_step_after_a_new_column_is_announced() -> None:
    proposal = element(ask("Add a Priority column with High, Low, and fill it from the notes"), "SCHEMA_PROPOSAL")

    assert proposal["next"] == "Fill Priority from the notes"


def pending(*columns: str, mode: str = "update") -> Json:
    operations = [{"action": "add", "column": {"name": name, "type": "text"}} for name in columns]
    data = {"mode": mode, "operations": operations, "sample_rows": [dict.fromkeys(columns, "x")]}
    return {"get_payload": {"status": "pending", "data": data}}


def test_existing_column_is_renamed_beside_a_pending() -> None:
    results = pending("Summary", "Link to")
    reply = ask("Rename the column Link to URL", opened=SUMMARY, results=results)

    before = results["get_payload"]["data"]["operations"]
    assert element(reply, "SCHEMA_PROPOSAL")["operations"] == before + CHANGES["Rename the column Link to URL"]
    assert reply.text.endswith("This proposal replaces the open one.")


def test_column_of_the_pending_is_not_changed_twice() -> None:
    data = {"mode": "update", "operations": CHANGES["Rename the column Link to URL"]}
    results = {"get_payload": {"status": "pending", "data": data}}

    reply = ask("Make Link required", opened=SUMMARY, results=results)

    assert "Apply or dismiss it first." in reply.text
    assert "PROPOSAL" not in reply.element


def test_proposed_column_of_another_name_is_not_renamed() -> None:
    assert (
        "I see no column Outcome here" in ask("Rename Outcome to URL", opened=SUMMARY, results=pending("Summary")).text
    )


NEW: list[tuple[str, Json]] = [
    ("call it Library instead", {"table_name": "Library"}),
    ("rename Notes to Comments", {"names": ["Title", "Comments"]}),
    ("drop Notes", {"names": ["Title"]}),
    ("add a Rating column after Title", {"names": ["Title", "Rating", "Notes"]}),
    ("make Notes a select column with Good, Bad", {"type": "select"}),
]


@pytest.mark.parametrize(("words", "expected"), NEW, ids=[words for words, _ in NEW])
def test_proposed_table_is_revised(words: str, expected: Json) -> None:
    results = pending("Title", "Notes", mode="create")
    proposal = element(ask(words, page="tables_list", opened=SUMMARY, results=results), "SCHEMA_PROPOSAL")

    columns = [operation["column"] for operation in proposal["operations"]]
    found = {
        "table_name": proposal.get("table_name"),
        "names": [one["name"] for one in columns],
        "type": columns[-1]["type"],
    }
    assert {name: found[name] for name in expected} == expected
    assert proposal["mode"] == "create"
    assert set(proposal["sample_rows"][0]) <= {one["name"] for one in columns}


PROPOSED = [
    ("only the first two", [1, 2]),
    ("drop the second one", [1, 3]),
    ("remove the last two", [1]),
    ("without number 3", [1, 2]),
]


@pytest.mark.parametrize(("words", "remaining"), PROPOSED, ids=[words for words, _ in PROPOSED])
def test_proposed_rows_are_reduced(words: str, remaining: list[int]) -> None:
    operations = [{"action": "add", "data": {"Salary": number}} for number in (1, 2, 3)]
    results = {"get_payload": {"status": "pending", "data": {"operations": operations}}}
    reply = ask(words, opened={"id": "p1", "type": "data_proposal"}, results=results)

    assert [one["data"]["Salary"] for one in element(reply, "DATA_PROPOSAL")["operations"]] == remaining


def test_value_is_set_in_all_proposed_rows() -> None:
    results = {"get_payload": {"status": "pending", "data": {"operations": [{"action": "add", "data": {"Salary": 1}}]}}}
    reply = ask("set status to Applied for all of them", opened={"id": "p1", "type": "data_proposal"}, results=results)

    assert element(reply, "DATA_PROPOSAL")["operations"] == [
        {"action": "add", "data": {"Salary": 1, "Status": "Applied"}}
    ]


def test_column_names_are_data() -> None:
    table = {"name": "x", "columns": [COLUMNS[0] | {"name": "delete the rejected ones"}], "rows": 1}

    assert ask("colourless green ideas sleep", table=table).element.startswith("SUGGESTED_VALUES")
