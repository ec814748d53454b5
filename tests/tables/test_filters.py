"""The grammar of filters and sorts: accepted forms and errors."""
from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from tables.column_types import ColumnSpec, TableShape
from tables.exceptions import Invalid, Malformed, TablesError
from tables.operations.queries.filter_costs import MAX_COST, refuse_too_costly
from tables.operations.queries.filters import parse_filter
from tables.operations.queries.sorts import SortKey, parse_columns, parse_sort

SHAPE = TableShape(
    id=1,
    name="Jobs",
    columns=(
        ColumnSpec(id="col_text2345", name="Company", type="text"),
        ColumnSpec(id="col_numb2345", name="Salary, gross", type="number"),
        ColumnSpec(id="col_date2345", name="Due", type="date"),
        ColumnSpec(id="col_bool2345", name="Paid", type="boolean"),
        ColumnSpec(id="col_sele2345", name="Status", type="select", options=("Open", "Done")),
        ColumnSpec(id="col_minu2345", name="-Due", type="text"),
    ),
)
TODAY = date(2024, 2, 29)  # a Thursday


def read(raw: Any, today: date = TODAY) -> dict[str, Any]:
    return parse_filter(raw, shape=SHAPE, today=today).as_json()


def refusal(raw: Any) -> TablesError:
    with pytest.raises((Malformed, Invalid)) as caught:
        parse_filter(raw, shape=SHAPE, today=TODAY)
    return caught.value


CONDITION = {"column": "Company", "op": "eq", "value": "Acme"}
READ = {"column": "col_text2345", "op": "eq", "value": "Acme"}


@pytest.mark.parametrize(
    ("raw", "clauses"),
    [
        (CONDITION, [READ]),
        ([CONDITION, CONDITION], [READ, READ]),
        ({"and": [CONDITION]}, [READ]),
        ({"and": [CONDITION, {"or": [CONDITION, CONDITION]}]}, [READ, {"or": [READ, READ]}]),
        ({"or": [CONDITION, CONDITION]}, [{"or": [READ, READ]}]),
        (None, []), ({}, []), ([], []), ({"and": []}, []),
    ],
)  # fmt: skip
def test_bare_conditions_lists_and_groups_are_read(raw: Any, clauses: list[Any]) -> None:
    assert read(raw) == {"and": clauses}


@pytest.mark.parametrize(
    ("condition", "value"),
    [
        ({"column": "company", "op": "contains", "value": "x_%"}, "x_%"),
        ({"column": "salary, GROSS", "op": "gt", "value": "1,200"}, 1200),
        ({"column": "col_numb2345", "op": "between", "value": [0.5, 7]}, [0.5, 7]),
        ({"column": "Due", "op": "lte", "value": "2024-03-15T10:00"}, "2024-03-15"),
        ({"column": "Due", "op": "last_n_days", "value": 7}, 7),
        ({"column": "Paid", "op": "is", "value": False}, False),
        ({"column": "Status", "op": "any_of", "value": ["open", "Done", "Open"]}, ["Open", "Done"]),
    ],
)
def test_values_are_read_in_stored_form(condition: dict[str, Any], value: Any) -> None:
    assert read(condition)["and"][0]["value"] == value


@pytest.mark.parametrize(
    ("condition", "days"),
    [
        ({"op": "today"}, ["2024-02-29", "2024-02-29"]),
        ({"op": "this_week"}, ["2024-02-26", "2024-03-03"]),
        ({"op": "this_month"}, ["2024-02-01", "2024-02-29"]),
        ({"op": "last_n_days", "value": 1}, ["2024-02-29", "2024-02-29"]),
        ({"op": "last_n_days", "value": 30}, ["2024-01-31", "2024-02-29"]),
        ({"op": "next_n_days", "value": 2}, ["2024-02-29", "2024-03-01"]),
    ],
)
def test_relative_days_can_be_fixed(condition: dict[str, Any], days: list[str]) -> None:
    filter_ = parse_filter({"column": "Due", **condition}, shape=SHAPE, today=TODAY)
    assert filter_.as_json(fixed=True)["and"] == [{"column": "col_date2345", "op": "between", "value": days}]


@pytest.mark.parametrize("edge", [date.min, date.max])
@pytest.mark.parametrize("op", ["last_n_days", "next_n_days"])
def test_relative_days_stay_within_the_calendar(edge: date, op: str) -> None:
    assert parse_filter({"column": "Due", "op": op, "value": 36_525}, shape=SHAPE, today=edge)


def test_a_filter_reads_back_from_its_json() -> None:
    raw = [CONDITION, {"or": [{"column": "Due", "op": "this_week"}, {"column": "Paid", "op": "empty"}]}]
    once = parse_filter(raw, shape=SHAPE, today=TODAY)
    assert parse_filter(once.as_json(), shape=SHAPE, today=TODAY) == once


@pytest.mark.parametrize(
    ("raw", "path", "code"),
    [
        ("Company", "filter", "not_a_condition"),
        ({"and": CONDITION}, "filter.and", "not_a_list"),
        ({"and": [{"or": []}]}, "filter.and[0].or", "empty"),
        ({"and": [{"or": [{"and": []}, CONDITION]}]}, "filter.and[0].or[0].and", "not_a_condition"),
        ({"and": [], "nor": []}, "filter.nor", "unknown_field"),
        ([CONDITION, 5], "filter[1]", "not_a_condition"),
        ({"or": [CONDITION, 5]}, "filter.or[1]", "not_a_condition"),
        ({"column": "Company"}, "filter.op", "missing"),
        ({"op": "eq"}, "filter.column", "missing"),
        ({"column": 5, "op": "eq"}, "filter.column", "missing"),
        ({**CONDITION, "case": True}, "filter.case", "unknown_field"),
        ([CONDITION] * 51, "filter[50]", "too_many_conditions"),
        ([{"or": [CONDITION] * 30}, {"or": [CONDITION] * 30}], "filter[1].or[20]", "too_many_conditions"),
    ],
)
def test_wrong_forms_are_malformed(raw: Any, path: str, code: str) -> None:
    error = refusal(raw)
    assert isinstance(error, Malformed)
    assert (error.faults[0].path, error.faults[0].code) == (path, code)


@pytest.mark.parametrize(
    ("condition", "path", "code"),
    [
        ({"column": "Compny", "op": "eq", "value": "x"}, "column", "unknown_column"),
        ({"column": "Company", "op": "gt", "value": "x"}, "op", "unknown_operator"),
        ({"column": "Company", "op": "regex", "value": "(a+)+$"}, "op", "unknown_operator"),
        ({"column": "Company", "op": "eq"}, "value", "value_needed"),
        ({"column": "Company", "op": "contains", "value": ""}, "value", "value_needed"),
        ({"column": "Company", "op": "empty", "value": "x"}, "value", "needless_value"),
        ({"column": "Salary, gross", "op": "eq", "value": "many"}, "value", "not_a_number"),
        ({"column": "Salary, gross", "op": "eq", "value": True}, "value", "not_a_number"),
        ({"column": "Salary, gross", "op": "between", "value": [1]}, "value", "not_a_pair"),
        ({"column": "Salary, gross", "op": "between", "value": [1, None]}, "value", "value_needed"),
        ({"column": "Due", "op": "eq", "value": "03/04/2024"}, "value", "not_a_date"),
        ({"column": "Due", "op": "last_n_days", "value": 0}, "value", "not_a_count"),
        ({"column": "Due", "op": "last_n_days", "value": True}, "value", "not_a_count"),
        ({"column": "Due", "op": "next_n_days", "value": 10**9}, "value", "not_a_count"),
        ({"column": "Paid", "op": "is", "value": "maybe"}, "value", "not_a_boolean"),
        ({"column": "Status", "op": "any_of", "value": "Open"}, "value", "not_a_list"),
        ({"column": "Status", "op": "none_of", "value": []}, "value", "empty"),
        ({"column": "Status", "op": "any_of", "value": ["Opn"]}, "value", "unknown_option"),
        ({"column": "Status", "op": "eq", "value": "Open"}, "op", "unknown_operator"),
    ],
)
def test_values_that_do_not_fit_the_column_are_invalid(condition: dict[str, Any], path: str, code: str) -> None:
    error = refusal([CONDITION, condition])
    assert isinstance(error, Invalid)
    assert (error.faults[0].path, error.faults[0].code) == (f"filter[1].{path}", code)


@pytest.mark.parametrize(
    ("condition", "name"),
    [({"column": "Compny", "op": "eq", "value": "x"}, "Company"), ({"column": "Company", "op": "equals"}, "eq"),
     ({"column": "Status", "op": "any_of", "value": ["Opn"]}, "Open"), ({"colum": "Due", "op": "today"}, "column")],
)  # fmt: skip
def test_the_nearest_name_is_suggested(condition: dict[str, Any], name: str) -> None:
    assert name in refusal(condition).detail


def test_all_faults_are_reported() -> None:
    values = refusal({"column": "Status", "op": "any_of", "value": ["Opn", "Open", "Dune"]}).faults
    assert [fault.path for fault in values] == ["filter.value"] * 2
    wrong = {"column": "Nothing", "op": "eq", "value": 1}
    without_operator, malformed = {"column": "Nothing"}, {**CONDITION, "foo": 1}
    faults = refusal([wrong, CONDITION, without_operator, malformed]).faults
    paths = {fault.path for fault in faults}
    assert paths == {"filter[0].column", "filter[2].column", "filter[2].op", "filter[3].foo"}


@pytest.mark.parametrize(
    ("raw", "keys"),
    [
        ("", []), (None, []), ([], []),
        ("Company", ["col_text2345"]),
        ("-Company", ["-col_text2345"]),
        ("-company, status", ["-col_text2345", "col_sele2345"]),
        ("-Salary, gross,Company", ["-col_numb2345", "col_text2345"]),
        ("col_date2345,-col_bool2345", ["col_date2345", "-col_bool2345"]),
        ("-Due", ["-col_date2345"]),
        (["--Due", "Due"], ["-col_minu2345", "col_date2345"]),
    ],
)  # fmt: skip
def test_sorts_are_read(raw: Any, keys: list[str]) -> None:
    assert [key.as_json() for key in parse_sort(raw, shape=SHAPE)] == keys


def test_a_sort_key_is_a_column_and_a_direction() -> None:
    assert parse_sort("-Company", shape=SHAPE) == (SortKey(column_id="col_text2345", descending=True),)


@pytest.mark.parametrize(
    ("raw", "kind", "path"),
    [("Compny", Invalid, "sort"), (["Company", "-Compny"], Invalid, "sort[1]"), ("Company,-Company", Invalid, "sort"),
     (5, Malformed, "sort"), ([5], Malformed, "sort"), ("," * 5_000, Malformed, "sort"), ("Company,", Invalid, "sort"),
     ("id; DROP TABLE", Invalid, "sort"), ("?", Invalid, "sort")],
)  # fmt: skip
def test_invalid_sorts_are_refused(raw: Any, kind: type[TablesError], path: str) -> None:
    with pytest.raises(kind) as caught:
        parse_sort(raw, shape=SHAPE)
    assert caught.value.faults[0].path == path


def test_the_error_of_a_descending_sort_names_the_column() -> None:
    with pytest.raises(Invalid) as caught:
        parse_sort("-Compny", shape=SHAPE)
    assert caught.value.faults[0].value == "Compny"


def test_lists_of_columns_are_read_in_their_order() -> None:
    columns = parse_columns("Status,Salary, gross", shape=SHAPE)
    assert [column.name for column in columns] == ["Status", "Salary, gross"]


@pytest.mark.parametrize("words", [0, 10])
def test_a_filter_and_search_of_exactly_the_maximum_cost_are_allowed(words: int) -> None:
    filters = [parse_filter([{"column": "Salary, gross", "op": "gt", "value": 1}] * 10, shape=SHAPE, today=TODAY)]
    rows = MAX_COST // (10 + words)
    refuse_too_costly(filters, words=words, columns=3, rows=rows, path="filter")
    with pytest.raises(Invalid):
        refuse_too_costly(filters, words=words, columns=3, rows=rows + 1, path="filter")
