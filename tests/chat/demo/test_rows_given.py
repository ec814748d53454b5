"""Rows that a person gives: one by name, many by pasting."""

from __future__ import annotations

from typing import Any

import pytest

from chat.demo.mind import answer
from chat.demo.request import read_turn
from tests.chat.demo.asking import answered, ask, request_body
from tests.chat.demo.proposed import creation, data

Json = dict[str, Any]
ROWS = [
    ("add a row: Acme, Engineer, Applied", {"Company": "Acme", "Position": "Engineer", "Status": "Applied"}),
    ("add Acme as Engineer", {"Company": "Acme", "Position": "Engineer"}),
    ("Please add Initech.", {"Company": "Initech"}),
    ("add a new application: company Acme, position Engineer", {"Company": "Acme", "Position": "Engineer"}),
    ("add an entry for Acme with status applied", {"Company": "Acme", "Status": "Applied"}),
    ("add a row for Acme", {"Company": "Acme"}),
    (
        "Add Acme with position Engineer and status Offer",
        {"Company": "Acme", "Position": "Engineer", "Status": "Offer"},
    ),
    ("add row company = Acme, status = Offer, salary = 80k", {"Company": "Acme", "Status": "Offer", "Salary": 80000}),
    (
        "add Hooli as Designer, Applied, 95000, remote",
        {"Company": "Hooli", "Position": "Designer", "Status": "Applied", "Salary": 95000, "Remote": True},
    ),
    (
        "Add a new application at Initech as Backend Engineer, applied yesterday",
        {"Company": "Initech", "Position": "Backend Engineer", "Date Applied": "2026-11-20"},
    ),
    ("new row: Initech / Engineer", {"Company": "Initech", "Position": "Engineer"}),
    (
        "insert Acme Corp, Data Analyst, Interview, 2026-11-01",
        {"Company": "Acme Corp", "Position": "Data Analyst", "Status": "Interview", "Date Applied": "2026-11-01"},
    ),
    ("create an entry: Acme, Engineer", {"Company": "Acme", "Position": "Engineer"}),
    ("add Acme to the table", {"Company": "Acme"}),
    ("add a row: Max, max@example.org", {"Company": "Max", "Position": "max@example.org"}),
    ("add a row: Sample Records, Engineer", {"Company": "Sample Records", "Position": "Engineer"}),
    ('add "the old mill" as Engineer', {"Company": "the old mill", "Position": "Engineer"}),
]


@pytest.mark.parametrize(("words", "row"), ROWS, ids=[words for words, _ in ROWS])
def test_one_plainly_asked_row_is_written_with_the_tool(words: str, row: Json) -> None:
    used = ask(words).tool_use

    assert used is not None
    assert used.name == "create_row"
    assert used.input == {"data": row}


def test_without_the_tool_the_row_is_proposed() -> None:
    assert data(ask("add Acme as Engineer", tools=("get_rows",))) == [
        {"action": "add", "data": {"Company": "Acme", "Position": "Engineer"}}
    ]


@pytest.mark.parametrize(
    ("result", "is_error", "said"),
    [
        ("Added row 7.", False, "Added one row: Company Acme"),
        ("Company: too long", True, "not added: Company: too long"),
    ],
)
def test_what_the_tool_did_is_told(result: str, is_error: bool, said: str) -> None:
    body = request_body("add Acme as Engineer")
    reply = answer(read_turn(answered(body, reply=answer(read_turn(body)), result=result, is_error=is_error)))

    assert said in reply.text
    assert reply.tool_use is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("add a row", "Tell me"),
        ("add an application: Acme, Engineer, Ghosted", "Status takes"),
        ("add a row: position Engineer", "needs Company"),
    ],
)
def test_a_row_that_cannot_be_is_asked_back(words: str, said: str) -> None:
    reply = ask(words)

    assert said in reply.text
    assert reply.tool_use is None


CSV = "name,email,amount,paid\nAnn,ann@x.org,12.50,yes\nBob,bob@x.org,7,no"
PASTED = [
    (CSV, {"Name": "text", "Email": "text", "Amount": "number", "Paid": "boolean"}, "Pasted List", 2),
    (
        "Make a table from this:\n" + CSV,
        {"Name": "text", "Email": "text", "Amount": "number", "Paid": "boolean"},
        "Pasted List",
        2,
    ),
    (
        CSV.replace(",", "\t"),
        {"Name": "text", "Email": "text", "Amount": "number", "Paid": "boolean"},
        "Pasted List",
        2,
    ),
    (CSV.replace(",", ";"), {"Name": "text", "Email": "text", "Amount": "number", "Paid": "boolean"}, "Pasted List", 2),
    (
        "```\n" + CSV + "\n```",
        {"Name": "text", "Email": "text", "Amount": "number", "Paid": "boolean"},
        "Pasted List",
        2,
    ),
    (
        "| Task | Due |\n|---|---|\n| Write | 2026-12-01 |\n| Send | 2026-12-02 |",
        {"Task": "text", "Due": "date"},
        "Tasks",
        2,
    ),
    ("- milk\n- bread\n- eggs", {"Name": "text"}, "Pasted List", 3),
    ("* milk\n* bread", {"Name": "text"}, "Pasted List", 2),
    ("create a table called Suppliers from these\n1. Acme\n2. Globex", {"Vendor": "text"}, "Suppliers", 2),
    (
        "Here is my reading list:\n- Dune, Frank Herbert\n- Emma, Jane Austen",
        {"Title": "text", "Author": "text"},
        "Reading List",
        2,
    ),
    ("my vendors\nVendor,Since\nAcme,2020-01-31\nGlobex,2021-02-28", {"Vendor": "text", "Since": "date"}, "Vendors", 2),
    ("Code,City\n007,Bonn\n008,Ulm", {"Code": "text", "City": "text"}, "Pasted List", 2),
    ('Name,Note\n"Smith, Ann",x\nBob,"y, z"', {"Name": "text", "Note": "text"}, "Pasted List", 2),
    ("Task,Status\na,Open\nb,Done\nc,Open", {"Task": "text", "Status": "select"}, "Tasks", 3),
    ("Ann,3\nBob,4\nCy,5", {"Name": "text", "Column 2": "number"}, "Pasted List", 3),
]


@pytest.mark.parametrize(("words", "columns", "name", "rows"), PASTED, ids=[repr(case[0][:40]) for case in PASTED])
def test_a_pasted_list_becomes_a_table(words: str, columns: dict[str, str], name: str, rows: int) -> None:
    proposal = creation(ask(words, page="tables_list"))

    assert proposal["table_name"] == name
    assert {title: column["type"] for title, column in proposal["columns"].items()} == columns
    assert len(proposal["sample_rows"]) == rows


def test_values_are_taken_as_what_they_are() -> None:
    rows = creation(ask(CSV, page="tables_list"))["sample_rows"]

    assert rows[0] == {"Name": "Ann", "Email": "ann@x.org", "Amount": 12.5, "Paid": True}


def test_names_that_repeat_stay_texts() -> None:
    names = "\n".join(f"{name},{team}" for name, team in (("Ada", "North"), ("Bo", "South")) * 4)
    columns = creation(ask(f"First name,Team\n{names}", page="tables_list"))["columns"]

    assert [column["type"] for column in columns.values()] == ["text", "select"]


@pytest.mark.parametrize("words", ["Hi there, please help\nand thanks, bye", "First, delete Acme.\nThen, add Globex."])
@pytest.mark.parametrize("page", ["tables_list", "table_view"])
def test_two_sentences_with_commas_are_no_list(words: str, page: str) -> None:
    assert "I read" not in ask(words, page=page).text


def test_of_a_long_list_five_rows_are_taken_and_the_rest_is_told() -> None:
    reply = ask("Name,Age\n" + "\n".join(f"P{n},{n}" for n in range(12)), page="tables_list")

    assert len(creation(reply)["sample_rows"]) == 5
    assert "other 7 can be added after creating" in reply.text


def test_rows_pasted_beside_an_open_table_go_to_its_columns() -> None:
    pasted = "Company,Status,Date Applied,Foo\nInitech,applied,2026-01-02,x\nHooli,Offer,2026-01-03,y"
    reply = ask(pasted)

    assert data(reply) == [
        {"action": "add", "data": {"Company": "Initech", "Status": "Applied", "Date Applied": "2026-01-02"}},
        {"action": "add", "data": {"Company": "Hooli", "Status": "Offer", "Date Applied": "2026-01-03"}},
    ]
    assert "no column for Foo" in reply.text
