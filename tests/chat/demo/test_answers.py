"""Questions: counted, grouped and looked up with tools; the answer comes from what they say."""

from __future__ import annotations

from typing import Any

import pytest

from chat.demo.mind import answer
from chat.demo.reply import Reply
from chat.demo.request import read_turn
from chat.links import without_links
from tests.chat.demo.asking import SAMPLES, answered, ask, element, request_body

Json = dict[str, Any]
DESCRIBED: Json = {
    "name": "Job Applications",
    "rows": 24,
    "columns": [],
    "counts": {"Status": {"Applied": 9, "Rejected": 12}, "Remote": {"true": 4, "false": 20}},
    "ranges": {"Salary": {"min": 40000, "max": 120000}},
}


def after(words: str, result: Any, *, is_error: bool = False) -> Reply:
    """What is said once the tool has answered."""
    body = request_body(words)
    first = answer(read_turn(body))
    return answer(read_turn(answered(body, reply=first, result=result, is_error=is_error)))


COUNTED = [
    ("how many rows?", None),
    ("How many rows are there?", None),
    ("how many applications do I have?", None),
    ("count the rows", None),
    ("what is the total number of applications", None),
    ("how many are Applied?", [{"column": "Status", "op": "any_of", "value": ["Applied"]}]),
    ("how many applications are rejected", [{"column": "Status", "op": "any_of", "value": ["Rejected"]}]),
    ("count the rejected ones", [{"column": "Status", "op": "any_of", "value": ["Rejected"]}]),
    ("how many remote applications?", [{"column": "Remote", "op": "is", "value": True}]),
    ("number of rows where salary is over 100k", [{"column": "Salary", "op": "gt", "value": 100000}]),
    ("how many did I apply to before June?", [{"column": "Date Applied", "op": "lt", "value": "2026-06-01"}]),
    ("how many at Acme", [{"column": "Company", "op": "eq", "value": "Acme"}]),
    ("how many have no notes?", [{"column": "Notes", "op": "empty"}]),
    ("how many are not rejected", [{"column": "Status", "op": "none_of", "value": ["Rejected"]}]),
    ("how many were applied this month?", [{"column": "Date Applied", "op": "this_month"}]),
    (
        "how many Applied or Offer?",
        [{"column": "Status", "op": "any_of", "value": ["Applied", "Offer"]}],
    ),
]


@pytest.mark.parametrize(("words", "clauses"), COUNTED, ids=[words for words, _ in COUNTED])
def test_rows_are_counted_with_a_tool(words: str, clauses: list[Json] | None) -> None:
    used = ask(words).tool_use

    assert used is not None
    assert used.name == ("get_rows" if clauses else "describe_table")
    assert used.input.get("filter") == ({"and": clauses} if clauses else None)


def test_the_number_is_the_tools() -> None:
    assert "417 rows match" in after("how many are Applied?", {"rows": [], "matching_rows": 417}).text


def test_the_number_of_all_rows_is_the_tools_not_the_contexts() -> None:
    assert "1,204 rows" in after("how many rows?", DESCRIBED | {"rows": 1204}).text


GROUPED = ["how many per status?", "count by status", "How many applications for each status", "breakdown by status"]


@pytest.mark.parametrize("words", [*GROUPED, "group by status", "status distribution", "show me the counts by status"])
def test_groups_are_told_from_the_tables_description(words: str) -> None:
    reply = after(words, DESCRIBED)

    assert "- Rejected: 12\n- Applied: 9\n- no value: 3" in reply.text


def test_a_yes_or_no_column_is_grouped_by_yes_and_no() -> None:
    assert "- no: 20\n- yes: 4" in after("how many per remote?", DESCRIBED).text


def test_a_text_column_is_grouped_by_reading_the_rows() -> None:
    rows = [{"row_id": number, "data": {"Company": "Acme" if number < 3 else "Globex"}} for number in range(5)]

    assert "- Acme: 3\n- Globex: 2" in after("how many per company?", {"rows": rows, "matching_rows": 5}).text


def test_a_long_table_is_read_page_by_page() -> None:
    rows = [{"row_id": number, "data": {"Company": "Acme"}} for number in range(200)]
    reply = after("how many per company?", {"rows": rows, "matching_rows": 450})

    assert reply.tool_use is not None
    assert reply.tool_use.input == {"limit": 200, "offset": 200}


def test_too_many_rows_are_not_guessed() -> None:
    reply = after("how many per company?", {"rows": [], "matching_rows": 90_000})

    assert "90,000" in reply.text
    assert reply.tool_use is None


@pytest.mark.parametrize("result", ["something else", '{"rows": [{"row_id": 1, "da'])
def test_a_tool_that_says_something_else_is_not_believed(result: str) -> None:
    assert "not guess" in after("how many per company?", result).text


def test_a_tool_that_fails_is_told() -> None:
    assert "not guess" in after("how many are Applied?", "No table is open here.", is_error=True).text


def test_without_tools_nothing_is_counted() -> None:
    reply = ask("how many are Applied?", tools=())

    assert reply.tool_use is None
    assert "tools" in reply.text


def test_a_condition_that_cannot_be_read_is_not_counted() -> None:
    reply = ask("how many are purple?")

    assert reply.tool_use is None
    assert "could not tell" in reply.text


EXTREMES = [
    ("what is the highest salary?", "-col_salary01"),
    ("lowest salary", "col_salary01"),
    ("Which company has the highest salary?", "-col_salary01"),
    ("who has the lowest salary", "col_salary01"),
    ("what's the latest date applied?", "-col_applied1"),
    ("which application is the oldest?", "col_applied1"),
    ("Which company have I waited for longest?", "col_applied1"),
    ("show me the earliest date applied", "col_applied1"),
]


@pytest.mark.parametrize(("words", "sort"), EXTREMES, ids=[words for words, _ in EXTREMES])
def test_the_lowest_and_the_highest_are_found_by_sorting(words: str, sort: str) -> None:
    used = ask(words).tool_use

    assert used is not None
    assert (used.name, used.input["sort"], used.input["limit"]) == ("get_rows", sort, 3)


def test_the_highest_is_told_with_a_link_to_its_row_and_column() -> None:
    rows = [{"row_id": 2, "data": {"Company": "Globex", "Salary": 90000}}]

    told = after("what is the highest salary?", {"rows": rows, "matching_rows": 1}).text
    assert told == "The highest [Salary](column:col_salary01) is 90000, [Globex](row:2)."


ORDERS: list[Json] = [
    {"id": "col_order001", "name": "Order", "type": "text"},
    {"id": "col_custom01", "name": "Customer", "type": "text"},
    {"id": "col_email001", "name": "E-mail", "type": "text"},
    {"id": "col_total001", "name": "Total", "type": "number"},
]
BOUGHT: list[Json] = [
    {"row_id": 1, "data": {"Order": "A-17", "Customer": "Ada", "E-mail": "ada@example.com", "Total": 90}},
    {"row_id": 2, "data": {"Order": "A-18", "Customer": "Bo", "E-mail": "b@example.com", "Total": 9}},
]


def of_orders(words: str) -> tuple[Reply, Reply]:
    """What is asked of a table of orders, and what is said once the tool has given both rows."""
    table = {"id": 5, "name": "Orders", "description": "", "columns": ORDERS, "rows": 2}
    body = request_body(words, table=table, sample_rows=BOUGHT)
    first = answer(read_turn(body))
    if first.tool_use is None:
        return first, first
    return first, answer(read_turn(answered(body, reply=first, result={"rows": BOUGHT, "matching_rows": 2})))


def test_the_highest_is_told_of_what_was_asked_for() -> None:
    text = without_links(of_orders("which customer has the highest total?")[1].text)

    assert "is 90, Ada. That is one row." in text
    assert "A-17" not in text


def test_the_longest_text_of_a_column_with_a_hyphen_is_found() -> None:
    assert "has 15 characters" in of_orders("which E-mail is longest?")[1].text


def test_a_missing_value_is_looked_for_in_its_column() -> None:
    used = of_orders("is there an email missing?")[0].tool_use

    assert used is not None
    assert used.input["filter"] == {"and": [{"column": "E-mail", "op": "empty"}]}


def test_what_is_best_is_not_guessed() -> None:
    reply = of_orders("which customer is best?")[1]

    assert reply.text.startswith("I cannot tell what is best")
    assert "What is the highest Total?" in reply.element


def test_an_average_is_taken_over_all_rows() -> None:
    whole = {"group": {}, "rows": 24_000, "values": {"avg of Salary": 30.004, "count of Salary": 23_500}}
    reply = after("what's the average salary?", {"groups": [whole], "groups_total": 1, "matching_rows": 24_000})

    assert "is 30, over 23,500 rows with a value." in reply.text


def test_sums_by_group_are_told_from_the_largest() -> None:
    groups = [
        {"group": {"Status": status}, "rows": 2, "values": {"sum of Salary": total, "count of Salary": 2}}
        for status, total in (("Offer", 90), ("Applied", 20), (None, None))
    ]
    reply = after("total salary per status", {"groups": groups, "groups_total": 3, "matching_rows": 6})

    assert reply.text.endswith(":\n\n- Offer: 90\n- Applied: 20")


@pytest.mark.parametrize(("total", "more"), [(35, "\n- and 15 more"), (20, "")])
def test_of_more_groups_than_are_listed_the_others_are_counted(total: int, more: str) -> None:
    groups = [
        {"group": {"Company": f"C{n}"}, "rows": 1, "values": {"sum of Salary": 99 - n, "count of Salary": 1}}
        for n in range(20)
    ]
    reply = after("total salary per company", {"groups": groups, "groups_total": total, "matching_rows": total})

    assert reply.text.endswith(f"- C19: 80{more}")


def test_a_range_comes_from_the_description() -> None:
    assert "from 40000 to 120000" in after("range of salary", DESCRIBED).text


SHOWN = [
    ("show me the rejected ones", "get_rows"),
    ("Which applications are remote?", "get_rows"),
    ("list everything at Acme", "get_rows"),
    ("which were applied this week?", "get_rows"),
    ("search for freight", "search_rows"),
    ("find anything about visas", "search_rows"),
]


@pytest.mark.parametrize(("words", "tool"), SHOWN, ids=[words for words, _ in SHOWN])
def test_rows_are_looked_up(words: str, tool: str) -> None:
    used = ask(words).tool_use

    assert used is not None
    assert used.name == tool


def test_rows_that_were_found_are_listed() -> None:
    reply = after("show me the rejected ones", {"rows": SAMPLES, "matching_rows": 12})

    assert "12 rows match" in reply.text
    assert "- Acme, Engineer, Applied" in reply.text


LISTED = [
    "what tables do I have?",
    "list my tables",
    "show me all my tables",
    "which tables are there",
    "how many tables do I have?",
]


@pytest.mark.parametrize("words", LISTED)
def test_tables_are_listed_from_the_page(words: str) -> None:
    reply = ask(words, page="tables_list")

    assert "You have 2 tables" in reply.text
    assert "- [Job Applications](table:1) (24 rows)\n- [Vendors](table:2) (3 rows)" in reply.text


def test_on_an_open_table_the_others_are_listed_with_a_tool() -> None:
    tables = {"tables": [{"id": 1, "name": "Vendors", "rows": 3}], "tables_total": 1}

    assert "- [Vendors](table:1) (3 rows)" in after("what tables do I have?", tables).text


def test_after_an_answer_sentences_are_offered() -> None:
    assert after("how many rows?", DESCRIBED).element.startswith("SUGGESTED_VALUES: ")


def test_of_more_duplicates_than_are_listed_it_says_how_many_it_deletes() -> None:
    found = {"groups": [{"rows": 900, "row_ids": [1, 2, 3], "first": {}}], "groups_total": 1, "repeated_rows": 899}
    reply = after("delete the duplicates", found)

    assert "I found 899 rows" in reply.text
    assert "deletes the first 2 of them." in reply.text
    assert [operation["row_id"] for operation in element(reply, "DATA_PROPOSAL")["operations"]] == [2, 3]


def test_no_duplicates_are_told() -> None:
    assert "no duplicates" in after("delete the duplicates", {"groups": [], "groups_total": 0, "repeated_rows": 0}).text


def test_a_column_is_filled_by_words_in_another() -> None:
    rows = [
        {"row_id": 1, "data": {"Notes": "They sent an offer!"}},
        {"row_id": 2, "data": {"Notes": "Unfortunately a rejection"}},
        {"row_id": 3, "data": {"Notes": "who knows"}},
    ]
    reply = after("fill status from the notes", {"rows": rows, "matching_rows": 3})

    assert '"row_id": 1, "changes": {"Status": "Offer"}' in reply.element
    assert '"row_id": 2, "changes": {"Status": "Rejected"}' in reply.element
    assert '"row_id": 3' not in reply.element


def test_two_questions_are_answered_one_after_the_other() -> None:
    body = request_body("How many per status? Which company have I waited for longest?")
    counting = answer(read_turn(body))
    body = answered(body, reply=counting, result=DESCRIBED)
    looking = answer(read_turn(body))
    oldest = {"row_id": 1, "data": {"Company": "Acme", "Date Applied": "2026-05-04"}}
    body = answered(body, reply=looking, result={"rows": [oldest], "matching_rows": 1})

    said = answer(read_turn(body)).text

    assert [reply.tool_use.name for reply in (counting, looking) if reply.tool_use] == ["describe_table", "get_rows"]
    assert "Rejected: 12" in said
    assert "May 4, 2026, [Acme](row:1)" in said
