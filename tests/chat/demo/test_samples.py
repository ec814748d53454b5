"""Made-up rows."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from tests.chat.demo.asking import TODAY, ask, context
from tests.chat.demo.proposed import data

COUNTED = [
    ("add 8 sample applications", 8),
    ("add ten example rows", 10),
    ("give me some sample data", 5),
    ("Add 10 sample companies", 10),
    ("generate 20 rows", 20),
    ("fill the table with test data", 5),
    ("populate with 12 rows", 12),
    ("another 3 samples", 3),
    ("3 more examples please", 3),
    ("add a sample row", 1),
    ("add a couple of dummy applications", 2),
    ("make up 15 entries", 15),
    ("insert five fake records", 5),
    ("Can you add twenty-five made-up rows?", 25),
    ("create a dozen example applications", 12),
    ("please add 200 sample rows", 200),
    ("sample data", 5),
    ("Put 6 random rows in the table", 6),
    ("I need 7 test rows", 7),
]


@pytest.mark.parametrize(("words", "count"), COUNTED, ids=[words for words, _ in COUNTED])
def test_so_many_rows_are_proposed(words: str, count: int) -> None:
    operations = data(ask(words))

    assert [operation["action"] for operation in operations] == ["add"] * count


def test_the_message_says_that_they_are_invented() -> None:
    assert "invented" in ask("add 8 sample rows").text


def test_they_differ_from_one_another_and_from_the_rows_that_are_shown() -> None:
    names = [operation["data"]["Company"] for operation in data(ask("add 200 sample rows"))]

    assert len(set(names)) == 200
    assert not {"Acme", "Globex"} & set(names)


def test_each_value_is_of_its_columns_type() -> None:
    for operation in data(ask("add 50 sample rows")):
        row = operation["data"]
        assert row["Status"] in ("Applied", "Interview", "Offer", "Rejected")
        assert isinstance(row["Salary"], int)
        assert isinstance(row["Remote"], bool)
        assert date.fromisoformat(row["Date Applied"]) < date.fromisoformat(TODAY)


def test_a_due_date_lies_ahead() -> None:
    columns = [
        {"id": "col_task0001", "name": "Task", "type": "text"},
        {"id": "col_due00001", "name": "Due", "type": "date"},
    ]
    table = {"id": 5, "name": "Tasks", "description": "", "columns": columns, "rows": 0}
    operations = data(ask("add 9 sample rows", table=table, sample_rows=[]), columns=columns)

    assert all(operation["data"]["Due"] > TODAY for operation in operations)


def test_names_and_e_mails_of_a_row_belong_together() -> None:
    columns = [
        {"id": "col_name0001", "name": "Name", "type": "text"},
        {"id": "col_email001", "name": "Email", "type": "text"},
    ]
    table = {"id": 5, "name": "Contacts", "description": "", "columns": columns, "rows": 0}
    row = data(ask("add a sample row", table=table, sample_rows=[]), columns=columns)[0]["data"]

    assert row["Email"] == row["Name"].casefold().replace(" ", ".") + "@example.com"


@pytest.mark.parametrize("words", ["add 300 rows", "add 1,000 sample rows"])
def test_more_than_two_hundred_are_not_made(words: str) -> None:
    reply = ask(words)

    assert "200" in reply.text
    assert "PROPOSAL" not in reply.element


def test_another_wish_gives_other_rows_the_same_wish_the_same() -> None:
    first, again, other = (data(ask(words)) for words in ("add 3 samples", "add 3 samples", "add 3 sample rows"))

    assert first == again != other


def test_a_table_without_rows_is_filled_too() -> None:
    known: dict[str, Any] = context()["table"] | {"rows": 0}

    assert len(data(ask("add 4 sample rows", table=known, sample_rows=[]))) == 4
