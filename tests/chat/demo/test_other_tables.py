"""The same wishes on other tables: nothing is tied to the columns of one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chat.demo.asking import ask
from tests.chat.demo.proposed import data

Json = dict[str, Any]
BUDGET: list[Json] = [
    {"id": "col_descrip1", "name": "Description", "type": "text", "required": True},
    {
        "id": "col_categor1",
        "name": "Category",
        "type": "select",
        "options": ["Groceries", "Transport", "Eating out", "Other"],
    },
    {"id": "col_amount01", "name": "Amount", "type": "number"},
    {"id": "col_paidon01", "name": "Paid On", "type": "date"},
    {"id": "col_duedate1", "name": "Due Date", "type": "date"},
    {"id": "col_reimbur1", "name": "Reimbursed", "type": "boolean"},
]
TASKS: list[Json] = [
    {"id": "col_task0001", "name": "Task", "type": "text", "required": True},
    {"id": "col_status01", "name": "Status", "type": "select", "options": ["To do", "In progress", "Done"]},
    {"id": "col_priorit1", "name": "Priority", "type": "select", "options": ["High", "Medium", "Low"]},
    {"id": "col_duedate1", "name": "Due Date", "type": "date"},
    {"id": "col_owner001", "name": "Owner", "type": "text"},
]


def of(columns: list[Json]) -> Json:
    """The context of a table with these columns."""
    name = "Tasks" if columns is TASKS else "Household budget"
    rows = [{"row_id": 1, "data": {columns[0]["name"]: "Write the report", "Owner": "Maya Kim"}}]
    return {"table": {"id": 8, "name": name, "description": "", "columns": columns, "rows": 30}, "sample_rows": rows}


DONE = {"column": "Status", "op": "any_of", "value": ["Done"]}
HIGH = {"column": "Priority", "op": "any_of", "value": ["High"]}
CHANGES: list[tuple[list[Json], str, Json, list[Json]]] = [
    (TASKS, "mark done tasks as low priority", {"Priority": "Low"}, [DONE]),
    (TASKS, "assign all high priority tasks to Maya", {"Owner": "Maya"}, [HIGH]),
    (TASKS, "set status to done for high priority tasks", {"Status": "Done"}, [HIGH]),
    (
        TASKS,
        "complete all tasks owned by Maya Kim",
        {"Status": "Done"},
        [{"column": "Owner", "op": "eq", "value": "Maya Kim"}],
    ),
    (
        TASKS,
        "mark Write the report done",
        {"Status": "Done"},
        [{"column": "Task", "op": "eq", "value": "Write the report"}],
    ),
    (
        TASKS,
        "change to do to in progress",
        {"Status": "In progress"},
        [{"column": "Status", "op": "any_of", "value": ["To do"]}],
    ),
    (BUDGET, "set category to other where it is empty", {"Category": "Other"}, [{"column": "Category", "op": "empty"}]),
    (
        BUDGET,
        "mark everything paid before 2026 as reimbursed",
        {"Reimbursed": True},
        [{"column": "Paid On", "op": "lt", "value": "2026-01-01"}],
    ),
    (
        BUDGET,
        "set category to Eating out where description contains dinner",
        {"Category": "Eating out"},
        [{"column": "Description", "op": "contains", "value": "dinner"}],
    ),
]


@pytest.mark.parametrize(("columns", "words", "changes", "clauses"), CHANGES, ids=[case[1] for case in CHANGES])
def test_rows_are_set(columns: list[Json], words: str, changes: Json, clauses: list[Json]) -> None:
    operations = data(ask(words, **of(columns)), columns=columns)

    assert operations == [{"action": "update", "where": {"and": clauses}, "changes": changes}]


DELETIONS: list[tuple[list[Json], str, list[Json]]] = [
    (TASKS, "remove completed tasks", [DONE]),
    (
        TASKS,
        "delete tasks that are done and low priority",
        [DONE, {"column": "Priority", "op": "any_of", "value": ["Low"]}],
    ),
    (TASKS, "delete tasks without a due date", [{"column": "Due Date", "op": "empty"}]),
    (BUDGET, "delete expenses over 1000", [{"column": "Amount", "op": "gt", "value": 1000}]),
    (
        BUDGET,
        "delete transport expenses from October",
        [
            {"column": "Category", "op": "any_of", "value": ["Transport"]},
            {"column": "Paid On", "op": "between", "value": ["2026-10-01", "2026-10-31"]},
        ],
    ),
]


@pytest.mark.parametrize(("columns", "words", "clauses"), DELETIONS, ids=[case[1] for case in DELETIONS])
def test_rows_are_deleted(columns: list[Json], words: str, clauses: list[Json]) -> None:
    assert data(ask(words, **of(columns)), columns=columns) == [{"action": "delete", "where": {"and": clauses}}]


FILTERS: list[tuple[list[Json], str, list[Json] | None]] = [
    (TASKS, "which tasks are due this week?", [{"column": "Due Date", "op": "this_week"}]),
    (TASKS, "what is overdue?", [{"column": "Due Date", "op": "lt", "value": "2026-11-21"}]),
    (TASKS, "how many tasks are done?", [DONE]),
    (TASKS, "how many high priority tasks are there?", [HIGH]),
    (BUDGET, "which expenses are overdue?", [{"column": "Due Date", "op": "lt", "value": "2026-11-21"}]),
    (BUDGET, "how much did I spend on groceries?", [{"column": "Category", "op": "any_of", "value": ["Groceries"]}]),
    (BUDGET, "what's the biggest expense?", [{"column": "Amount", "op": "not_empty"}]),
    (BUDGET, "how much did I spend?", None),
    (BUDGET, "average amount per category", None),
]


@pytest.mark.parametrize(("columns", "words", "clauses"), FILTERS, ids=[case[1] for case in FILTERS])
def test_questions_are_asked_of_the_right_rows(columns: list[Json], words: str, clauses: list[Json] | None) -> None:
    used = ask(words, **of(columns)).tool_use

    assert used is not None
    assert used.input.get("filter") == ({"and": clauses} if clauses else None)


def test_a_part_that_cannot_be_read_is_never_passed_over() -> None:
    reply = ask("how much did I spend on unicorns?", **of(BUDGET))

    assert reply.tool_use is None
    assert "could not tell" in reply.text


@pytest.mark.parametrize(
    ("words", "row"),
    [
        ("add task Buy milk", {"Task": "Buy milk"}),
        ("add buy milk to the list", {"Task": "buy milk"}),
        (
            "add a task: Buy milk, High, due tomorrow",
            {"Task": "Buy milk", "Priority": "High", "Due Date": "2026-11-22"},
        ),
    ],
)
def test_a_row_is_added(words: str, row: Json) -> None:
    used = ask(words, **of(TASKS)).tool_use

    assert used is not None
    assert used.input == {"data": row}
