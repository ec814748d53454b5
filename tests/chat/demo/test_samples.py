"""Made-up rows."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from chat.demo.german.values import VALUES, german_value
from chat.demo.knowledge import pools
from chat.demo.knowledge.domains import DOMAINS
from chat.demo.knowledge.facts import FACTS
from tests.chat.demo.asking import TODAY, ask, context
from tests.chat.demo.proposed import creation, data

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


def test_no_made_up_text_is_the_name_of_its_column_with_a_number() -> None:
    wishes = [f"A table of {domain.name.lower()}" for domain in DOMAINS]
    wishes += ["Collect customer feedback: who said it, theme, severity and status", "A table of boats with name, rig"]
    for words in wishes:
        for row in creation(ask(words, page="tables_list"))["sample_rows"]:
            assert not [cell for name, cell in row.items() if str(cell).startswith(name) and str(cell)[-1:].isdigit()]


def test_the_cells_of_a_made_up_row_fit_together() -> None:
    expenses = creation(ask("Log my expenses with date, amount and category", page="tables_list"))["sample_rows"]
    for row in expenses:
        category, (least, most) = FACTS[row["Description"]]["category"], FACTS[row["Description"]]["amount"]
        assert (row["Category"], least <= row["Amount"] <= most) == (category, True)

    books = "Keep a reading list with title, author, status, rating and finish date"
    for row in creation(ask(books, page="tables_list"))["sample_rows"]:
        assert ({"Rating", "Finish Date"} <= set(row)) == (row["Status"] == "Finished")

    for row in creation(ask("A table of trips", page="tables_list"))["sample_rows"]:
        assert row["Start Date"] < row["End Date"]
        assert row["Booked"] or row["Status"] != "Booked"


def test_in_german_made_up_cells_are_german() -> None:
    words = "Kundenrückmeldungen sammeln: von wem, Thema, Schwere und Status"
    themes = {row["Thema"] for row in creation(ask(words, page="tables_list"))["sample_rows"]}
    english = set(pools.THEMES) - set(VALUES.values()) - {"Support", "Export"}

    assert themes.isdisjoint(english)
    german = {german_value(cell) for pool in (pools.EXPENSES, pools.TASKS, pools.BUGS) for cell in pool}
    assert len(german & {cell for pool in (pools.EXPENSES, pools.TASKS, pools.BUGS) for cell in pool}) == 0
    assert german_value("31 Mill Lane, Vienna") == "Mühlenweg 31, Wien"
    assert german_value("Anna Karenina, volume 2") == "Anna Karenina, volume 2"
    assert german_value("Little Women, volume 2") == "Betty und ihre Schwestern, Band 2"
