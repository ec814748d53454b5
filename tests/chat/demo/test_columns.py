"""Changes of the open table's columns."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chat.demo.asking import ACTIONS, STATUSES, ask, element
from tests.chat.demo.proposed import changes

Json = dict[str, Any]
HML = ("High", "Medium", "Low")
ADDED = [
    ("add a Priority column after Status with High, Medium, Low", "Priority", "select", HML, "col_status01"),
    ("add a Priority column with High, Medium and Low", "Priority", "select", HML, None),
    ("add priority as a dropdown column with high, medium or low", "Priority", "select", HML, None),
    ("add a column Priority with options High, Medium, Low after Company", "Priority", "select", HML, "col_company1"),
    ("new column: Priority (High, Medium, Low)", "Priority", "select", HML, None),
    ("add column Deadline", "Deadline", "date", (), None),
    ('add a column called "Next step"', "Next step", "text", (), None),
    ("add a yes/no column Favourite", "Favourite", "boolean", (), None),
    ("add a new date column called Follow-up before Notes", "Follow-up", "date", (), "col_remote01"),
    ("Add a number column Bonus after Salary", "Bonus", "number", (), "col_salary01"),
    ("I need a column for the recruiter's name", "Recruiter's Name", "text", (), None),
    ("add Location as a column", "Location", "text", (), None),
    ("add Rating after Salary", "Rating", "number", (), "col_salary01"),
    ("insert a field for interview date", "Interview Date", "date", (), None),
    ("add a checkbox column for referral", "Referral", "boolean", (), None),
    (
        "create a new column Source: Website, Referral, Event",
        "Source",
        "select",
        ("Website", "Referral", "Event"),
        None,
    ),
    ("please add a comments field", "Comments", "text", (), None),
    (
        'Add a "Contract type" select column: full-time, part-time',
        "Contract type",
        "select",
        ("Full-time", "Part-time"),
        None,
    ),
]


@pytest.mark.parametrize(("words", "name", "kind", "options", "after"), ADDED, ids=[case[0][:50] for case in ADDED])
@pytest.mark.parametrize("page", ["table_view", "table_edit"])
def test_a_column_is_added(words: str, name: str, kind: str, options: tuple[str, ...], after: str, page: str) -> None:
    (operation,) = changes(ask(words, page=page))

    assert operation["action"] == "add"
    assert (operation["column"]["name"], operation["column"]["type"]) == (name, kind)
    assert tuple(operation["column"].get("options", ())) == options
    assert operation.get("after_column_id") == after


BESIDE = [
    ("Add a Priority column with High, Medium, Low and a column Link", HML, None),
    ("add a column Priority with High, Medium, Low, and a text column called Link", HML, None),
    ("add a Priority column after Status with High, Medium, Low and a Link column", HML, "col_status01"),
]


@pytest.mark.parametrize(("words", "options", "after"), BESIDE, ids=[words for words, _, _ in BESIDE])
def test_a_column_after_the_options_of_another_is_one_more_column(
    words: str, options: tuple[str, ...], after: str | None
) -> None:
    first, second = changes(ask(words))

    assert (first["column"]["name"], tuple(first["column"]["options"])) == ("Priority", options)
    assert (second["column"]["name"], second["column"]["type"]) == ("Link", "text")
    assert [first.get("after_column_id"), second.get("after_column_id")] == [after, after]


@pytest.mark.parametrize(
    ("words", "changed"),
    [
        ("Add Ghosted to Status and a column Link", {"options": [*STATUSES, "Ghosted"]}),
        ("Make Position a select with Engineer, Designer and a column Link",
         {"type": "select", "options": ["Engineer", "Designer"]}),
    ],
)  # fmt: skip
def test_a_column_is_added_beside_a_change_of_options(words: str, changed: Json) -> None:
    reply = ask(words)
    first, second = changes(reply)

    assert first["changes"] == changed
    assert second["column"]["name"] == "Link"
    assert reply.text.endswith("This adds a column: Link (text). The rows that are there stay as they are.")


@pytest.mark.parametrize(
    "words",
    ["rename the column Link to URL", "remove the Link column", "sort by the column Link", "hide the Link column"],
)
def test_a_column_that_is_not_there_is_called_by_its_name(words: str) -> None:
    assert ask(words, actions=ACTIONS).text == "I see no column Link here."


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("add columns for contact person and phone", ["Contact Person", "Phone"]),
        ("create two new columns: city and country", ["City", "Country"]),
        ("add columns Contact, Email and Phone after Company", ["Contact", "Email", "Phone"]),
    ],
)
def test_several_columns_are_added(words: str, names: list[str]) -> None:
    assert [operation["column"]["name"] for operation in changes(ask(words))] == names


@pytest.mark.parametrize("words", ["insert a column Rating at the start", "add a Rating column before Company"])
def test_a_column_at_the_start_is_added_and_moved(words: str) -> None:
    first, second = changes(ask(words))

    assert (first["action"], second) == ("add", {"action": "reorder", "column_id": "Rating"})


def test_a_required_column_is_required() -> None:
    assert changes(ask("add a required column Location"))[0]["column"]["required"] is True


def test_what_is_to_follow_is_said_in_next() -> None:
    reply = ask("Add a Priority column after Status with High, Medium, Low, and fill it from the notes")

    assert element(reply, "SCHEMA_PROPOSAL")["next"] == "Fill Priority from the notes"


CHANGED: list[tuple[str, Json]] = [
    ("rename Position to Role", {"action": "modify", "column_id": "col_positio1", "changes": {"name": "Role"}}),
    (
        "rename the Position column to Role",
        {"action": "modify", "column_id": "col_positio1", "changes": {"name": "Role"}},
    ),
    ("call Position Role instead", {"action": "modify", "column_id": "col_positio1", "changes": {"name": "Role"}}),
    (
        "change the name of Position to Role",
        {"action": "modify", "column_id": "col_positio1", "changes": {"name": "Role"}},
    ),
    ("Position should be called Role", {"action": "modify", "column_id": "col_positio1", "changes": {"name": "Role"}}),
    ("remove Notes", {"action": "remove", "column_id": "col_notes001"}),
    ("delete the Notes column", {"action": "remove", "column_id": "col_notes001"}),
    ("I don't need the notes column any more", {"action": "remove", "column_id": "col_notes001"}),
    ("make Notes a number", {"action": "modify", "column_id": "col_notes001", "changes": {"type": "number"}}),
    ("change Salary to text", {"action": "modify", "column_id": "col_salary01", "changes": {"type": "text"}}),
    (
        "change the type of Salary to text",
        {"action": "modify", "column_id": "col_salary01", "changes": {"type": "text"}},
    ),
    ("convert notes into a date", {"action": "modify", "column_id": "col_notes001", "changes": {"type": "date"}}),
    ("Position should be a select", {"action": "modify", "column_id": "col_positio1", "changes": {"type": "select"}}),
    (
        "make notes a dropdown with Good, Bad",
        {"action": "modify", "column_id": "col_notes001", "changes": {"type": "select", "options": ["Good", "Bad"]}},
    ),
    ("make Notes required", {"action": "modify", "column_id": "col_notes001", "changes": {"required": True}}),
    ("make Company optional", {"action": "modify", "column_id": "col_company1", "changes": {"required": False}}),
    ("Notes must not be empty", {"action": "modify", "column_id": "col_notes001", "changes": {"required": True}}),
    ("move Notes to the start", {"action": "reorder", "column_id": "col_notes001"}),
    ("put Remote first", {"action": "reorder", "column_id": "col_remote01"}),
    ("move Notes after Company", {"action": "reorder", "column_id": "col_notes001", "after_column_id": "col_company1"}),
    ("put Salary before Status", {"action": "reorder", "column_id": "col_salary01", "after_column_id": "col_positio1"}),
    ("move Status to the end", {"action": "reorder", "column_id": "col_status01", "after_column_id": "col_notes001"}),
]


@pytest.mark.parametrize(("words", "operation"), CHANGED, ids=[words for words, _ in CHANGED])
def test_a_column_is_changed(words: str, operation: Json) -> None:
    assert changes(ask(words)) == [operation]


OPTIONS = [
    ("add Ghosted to Status", [*STATUSES, "Ghosted"]),
    ("add Ghosted as an option to Status", [*STATUSES, "Ghosted"]),
    ("add a Ghosted status", [*STATUSES, "Ghosted"]),
    ("add options Ghosted and Withdrawn to Status", [*STATUSES, "Ghosted", "Withdrawn"]),
    ("remove the option Offer from Status", ["Applied", "Interview", "Rejected"]),
    ("rename the option Offer to Accepted", ["Applied", "Interview", "Accepted", "Rejected"]),
]


@pytest.mark.parametrize(("words", "options"), OPTIONS, ids=[words for words, _ in OPTIONS])
def test_options_are_changed_as_a_whole_list(words: str, options: list[str]) -> None:
    assert changes(ask(words)) == [{"action": "modify", "column_id": "col_status01", "changes": {"options": options}}]


def test_the_table_is_renamed() -> None:
    reply = ask("rename the table to Applications 2027")

    assert changes(reply) == []
    assert element(reply, "SCHEMA_PROPOSAL")["table_name"] == "Applications 2027"


SAID = [
    ("add a Notes column", "already"),
    ("add a column", "called"),
    ("rename Foo to Bar", "no column Foo"),
    ("remove the Foo column", "no column Foo"),
    ("rename Notes to Status", "already"),
    ("make Salary a number", "already"),
    ("make Company required", "already"),
    ("add a column Bar after Foo", "no column Foo"),
    ("add Offer to Status", "already"),
    ("remove columns Company, Position, Status, Date Applied, Salary, Remote, Notes", "at least one"),
]


@pytest.mark.parametrize(("words", "said"), SAID, ids=[words for words, _ in SAID])
def test_what_cannot_be_done_is_said(words: str, said: str) -> None:
    reply = ask(words)

    assert said in reply.text
    assert "PROPOSAL" not in reply.element
