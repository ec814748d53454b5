"""Tables from a described need."""

from __future__ import annotations

import pytest

from tests.chat.demo.asking import ask
from tests.chat.demo.proposed import creation

JOBS = {"Company": "text", "Position": "text", "Status": "select", "Date Applied": "date"}
DESCRIBED = [
    ("Track my job applications with company, position, status and date applied", "Job Applications", JOBS),
    ("Please track my job applications: company, position, status, date applied.", "Job Applications", JOBS),
    ("Track company, position, status and date applied for my job applications", "Job Applications", JOBS),
    (
        "Create a job application tracker with columns: Company, Position, Status, Date Applied",
        "Job Applications",
        JOBS,
    ),
    (
        "I'm applying for jobs and want to keep track of company, position, status and when I applied",
        "Job Applications",
        JOBS,
    ),
    ("Track my job applications with\n- company\n- position\n- status\n- date applied", "Job Applications", JOBS),
    (
        "Track my job applications with status and follow-up dates",
        "Job Applications",
        {"Company": "text", "Position": "text", "Status": "select", "Follow-up Date": "date"},
    ),
    (
        "create a table called Book Club with title, author, rating and finished?",
        "Book Club",
        {"Title": "text", "Author": "text", "Rating": "number", "Finished": "boolean"},
    ),
    (
        "Can you make me a reading list with title, author, pages and whether I finished it?",
        "Reading List",
        {"Title": "text", "Author": "text", "Pages": "number", "Finished": "boolean"},
    ),
    (
        "make a list of leads with name, email and status (new, contacted, won, lost)",
        "Leads",
        {"Name": "text", "Email": "text", "Status": "select"},
    ),
    (
        "Set up a simple inventory with item, quantity, price and location",
        "Inventory",
        {"Item": "text", "Quantity": "number", "Price": "number", "Location": "text"},
    ),
    (
        "build a spreadsheet for apartments I am looking at, with address, rent, rooms and pets allowed",
        "Apartments",
        {"Address": "text", "Rent": "number", "Rooms": "number", "Pets Allowed": "boolean"},
    ),
    (
        "project tasks with task, owner, due date, priority high/medium/low",
        "Project Tasks",
        {"Task": "text", "Owner": "text", "Due Date": "date", "Priority": "select"},
    ),
    (
        "Help me organize my wedding guests: name, email, RSVP, number of guests",
        "Wedding Guests",
        {"Name": "text", "Email": "text", "RSVP": "boolean", "Number of Guests": "number"},
    ),
    (
        'Start a table named "Household budget" with description, amount, category, paid on',
        "Household budget",
        {"Description": "text", "Amount": "number", "Category": "select", "Paid On": "date"},
    ),
    (
        "Table of events with name, date (date), attendees (number), public (yes/no)",
        "Events",
        {"Name": "text", "Date": "date", "Attendees": "number", "Public": "boolean"},
    ),
    (
        "track invoices with invoice number, customer, amount, due date and paid",
        "Invoices",
        {"Invoice Number": "text", "Customer": "text", "Amount": "number", "Due Date": "date", "Paid": "boolean"},
    ),
    (
        "new table: Pets with name, species, age, vaccinated?, next checkup date",
        "Pets",
        {"Name": "text", "Species": "text", "Age": "number", "Vaccinated": "boolean", "Next Checkup Date": "date"},
    ),
    (
        "A table for household expenses with description, amount, category and whether it was paid back",
        "Household Expenses",
        {"Description": "text", "Amount": "number", "Category": "select", "Paid Back": "boolean"},
    ),
]


@pytest.mark.parametrize(("words", "name", "columns"), DESCRIBED, ids=[words[:40] for words, _, _ in DESCRIBED])
def test_a_described_table_is_proposed_with_typed_columns(words: str, name: str, columns: dict[str, str]) -> None:
    proposal = creation(ask(words, page="tables_list"))

    assert proposal["mode"] == "create"
    assert proposal["table_name"] == name
    assert {title: column["type"] for title, column in proposal["columns"].items()} == columns


SUBJECTS = [
    ("I need a table for my vendors", "Vendors", "Vendor"),
    ("vendors", "Vendors", "Vendor"),
    ("set up a bug tracker", "Bugs", "Severity"),
    ("I want to keep track of my expenses", "Expenses", "Amount"),
    ("Keep track of customer feedback", "Customer Feedback", "Sentiment"),
    ("todo list", "Todo List", "Priority"),
    ("create a movie watchlist", "Movie Watchlist", "Genre"),
    ("track my subscriptions", "Subscriptions", "Next Renewal"),
    ("I need a CRM", "CRM", "Deal Value"),
    ("Make a table for research papers", "Research Papers", "Authors"),
    ("a table for my recipes", "Recipes", "Cuisine"),
    ("Monitor our sales pipeline", "Sales Pipeline", "Deal Value"),
    ("create a new table for tracking events", "Events", "Attendees"),
    ("could you set up an inventory for me?", "Inventory", "Quantity"),
    ("I'd like to log my workouts", "Workouts", "Exercise"),
    ("track my apartment viewings", "Apartment Viewings", "Rent"),
    ("make a habit tracker", "Habits", "Status"),
    ("I need a table", "New Table", "Notes"),
]


@pytest.mark.parametrize(("words", "name", "column"), SUBJECTS, ids=[words for words, _, _ in SUBJECTS])
def test_a_subject_without_columns_gets_its_usual_ones(words: str, name: str, column: str) -> None:
    proposal = creation(ask(words, page="tables_list"))

    assert proposal["table_name"] == name
    assert column in proposal["columns"]


def test_only_the_first_column_is_required() -> None:
    proposal = creation(ask("I need a table for my vendors", page="tables_list"))

    assert [column["required"] for column in proposal["columns"].values()] == [True] + [False] * 7


def test_a_status_has_the_options_of_its_subject_and_is_filtered_by_tabs() -> None:
    status = creation(ask(DESCRIBED[0][0], page="tables_list"))["columns"]["Status"]

    assert status["options"] == ["Applied", "Interview", "Offer", "Rejected"]
    assert status["filterDisplay"] == "tab"


def test_options_that_are_said_are_taken() -> None:
    proposal = creation(ask("track leads with name and status (new, contacted, won)", page="tables_list"))

    assert proposal["columns"]["Status"]["options"] == ["New", "Contacted", "Won"]


def test_sample_rows_are_made_up_for_every_column_and_the_message_says_so() -> None:
    reply = ask(DESCRIBED[0][0], page="tables_list")
    rows = creation(reply)["sample_rows"]

    assert len(rows) == 3
    assert len({row["Company"] for row in rows}) == 3
    assert all(set(row) == set(JOBS) for row in rows)
    assert "made up" in reply.text


def test_a_proposal_brings_no_suggestions() -> None:
    assert "SUGGESTED_VALUES" not in ask("vendors", page="tables_list").element


@pytest.mark.parametrize(
    "words", ["Create a table for my vendors", "track my expenses", "I need a new table for recipes"]
)
def test_on_an_open_table_a_new_one_is_sent_to_the_tables_page(words: str) -> None:
    reply = ask(words)

    assert "Tables page" in reply.text
    assert "PROPOSAL" not in reply.element


@pytest.mark.parametrize("words", ["add 8 sample rows", "give me some sample data", "add ten example rows"])
def test_on_the_list_of_tables_rows_need_an_open_table(words: str) -> None:
    reply = ask(words, page="tables_list")

    assert "open" in reply.text.casefold()
    assert "PROPOSAL" not in reply.element


def test_who_keeps_a_list_gets_a_table_of_that_name() -> None:
    words = "Keep a reading list with title, author, status, rating and finish date"
    assert creation(ask(words, page="tables_list"))["table_name"] == "Reading List"


def test_a_number_of_columns_is_no_name_of_one() -> None:
    reply = ask("a table with 30 columns", page="tables_list")

    assert reply.text.startswith("I do not make up that many columns.")
    assert reply.element == ""
