"""Filters, sorts and searches in the database, compared with the same rules in Python."""
from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from datetime import UTC, date, datetime, timedelta
from functools import cmp_to_key
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from tables.column_types import get_column_type
from tables.models import FormerMember, Member, Table
from tables.operations.queries.filters import parse_filter
from tables.operations.queries.measures import parse_groups
from tables.operations.queries.sorts import parse_columns, parse_sort
from tables.selectors import aggregate, column_stats, count_rows, read_rows, rows_by_cells, table_shape
from tests.hypothesis_examples import examples
from tests.tables.indexed_tables import indexed
from tests.tables.sample_tables import write_table

TODAY = date(2024, 2, 29)
ZONE = ZoneInfo("Europe/Berlin")
OPTIONS = ["Zulu", "alpha", "Éclair", "100%"]
# Texts of JSON that look like parts of other elements.
TAGS = ["zz", "É", "x,", ",", 'a"b', "b", "a, b", "%s?", "\\", "__proto__"]
# Ids of users in the order of their names: two members, one who left, and a deleted account.
PEOPLE = {900_003: "anna", 900_001: "Bert", 900_002: "clara", 900_004: ""}
ME, FORMER, DELETED = 900_001, 900_002, 900_004
COLUMNS: list[Any] = [
    ("Note", "text"), ("Amount", "number"), ("Due", "date"), ("Paid", "boolean"), ("Status", "select", OPTIONS),
    ("Tags", "multi_select", TAGS),
    ("When", "date", [], {"format": "datetime"}), ("Lead", "person"),
]  # fmt: skip
# Characters that both databases fold in the same way; ß, İ and a final sigma differ by design.
LETTERS = "aAbBzZéÉøØжЖ01 _%\\'\"*.-\U0001f600\uffee"
WORDS = ["a", "A", "é", "É", "aé", "a%", "a_", "_", "%", "\\", "b'", "zz", "Ж", "\U0001f600", "\uffee"]
NUMBERS = [0, 1, -1, 0.1, 0.3, 2, 10, 1e23, -1e300, 1.5e-7, 9007199254740991, 0.1 + 0.2]
DAYS = ["2024-02-25", "2024-02-26", "2024-02-29", "2024-03-01", "2024-03-03", "2023-12-31", "0001-01-01", "9999-12-31"]

# PostgreSQL sorts and compares texts by their first 200 characters first.
LONG = ["ab" * 110 + end for end in ("", "a", "B", "b%")]
texts = st.one_of(st.sampled_from(WORDS), st.sampled_from(LONG), st.text(LETTERS, min_size=1, max_size=6))
numbers = st.one_of(
    st.sampled_from(NUMBERS), st.floats(allow_nan=False, allow_infinity=False), st.integers(-1_000, 1_000)
)
days = st.one_of(st.sampled_from(DAYS), st.dates(date(2024, 2, 1), date(2024, 3, 31)).map(date.isoformat))
# Near midnight and the change of clocks in the time zone.
MOMENTS = ["2024-02-28T22:59Z", "2024-02-28T23:00Z", "2024-02-29T22:59Z", "2024-02-29T23:00Z", "2024-03-31T00:59Z",
           "2024-03-31T21:59Z", "2024-03-31T22:00Z", "0001-01-01T00:00Z", "9999-12-31T23:59Z"]  # fmt: skip
START = datetime(2024, 2, 1, tzinfo=UTC)
moments = st.one_of(
    st.sampled_from(MOMENTS),
    st.integers(0, 60 * 24 * 60).map(
        lambda minutes: f"{START + timedelta(minutes=minutes):%Y-%m-%dT%H:%MZ}"
    ),
)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "Note": texts, "Amount": numbers, "Due": days, "Paid": st.booleans(), "Status": st.sampled_from(OPTIONS),
    "Tags": st.sets(st.sampled_from(TAGS), min_size=1, max_size=5).map(lambda tags: sorted(tags, key=TAGS.index)),
    "When": moments, "Lead": st.sampled_from(list(PEOPLE)),
}  # fmt: skip

RELATIVE = ("today", "this_week", "this_month", "last_n_days", "next_n_days")


def condition(column: str, operators: list[str], value: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"column": st.just(column), "op": st.sampled_from(operators), "value": value})


ORDERED = ["eq", "ne", "lt", "lte", "gt", "gte"]
EMPTY = ["empty", "not_empty"]
# The operators that are drawn by column, grouped by the kind of their value.
DRAWN: list[tuple[str, list[str], st.SearchStrategy[Any]]] = [
    ("Note", ["contains", "not_contains", "eq", "ne", "starts_with"], texts),
    ("Amount", ORDERED, numbers),
    ("Amount", ["between"], st.lists(numbers, min_size=2, max_size=2)),
    ("Due", ORDERED, days),
    ("Due", ["between"], st.lists(days, min_size=2, max_size=2)),
    ("Due", ["today", "this_week", "this_month"], st.none()),
    ("Due", ["last_n_days", "next_n_days"], st.integers(1, 40)),
    ("When", ORDERED, days | moments),
    ("When", ["between"], st.lists(days | moments, min_size=2, max_size=2)),
    ("When", ["today", "this_week", "this_month"], st.none()),
    ("When", ["last_n_days", "next_n_days"], st.integers(1, 40)),
    ("Paid", ["is"], st.booleans()),
    ("Status", ["any_of", "none_of"], st.lists(st.sampled_from(OPTIONS), min_size=1, max_size=3)),
    ("Lead", ["any_of", "none_of"], st.lists(st.sampled_from([*PEOPLE][:3]), min_size=1, max_size=3)),
    ("Lead", ["is_me"], st.none()),
    ("Tags", ["has_any", "has_all", "has_none"], st.lists(st.sampled_from(TAGS), min_size=1, max_size=3)),
    *((name, EMPTY, st.none()) for name in VALUES),
]
OPERATORS = {name: [op for column, ops, _ in DRAWN if column == name for op in ops] for name in VALUES}
conditions = st.one_of(*(condition(column, ops, value) for column, ops, value in DRAWN))
filters = st.lists(
    st.one_of(conditions, st.fixed_dictionaries({"or": st.lists(conditions, min_size=1, max_size=3)})), max_size=3
)
sorts = st.lists(st.sampled_from(list(VALUES)), max_size=3, unique=True).flatmap(
    lambda names: st.tuples(*[st.tuples(st.just(name), st.booleans()) for name in names])
)
rows_of_cells = st.lists(
    st.fixed_dictionaries({name: st.one_of(st.none(), values) for name, values in VALUES.items()}),
    min_size=1, max_size=25,
)  # fmt: skip


def passes(cell: Any, op: str, value: Any) -> bool:
    """Return whether a cell passes a condition."""
    if op in ("empty", "not_empty"):
        return (cell is None) == (op == "empty")
    opposite = {"ne": "eq", "not_contains": "contains", "none_of": "any_of", "has_none": "has_any"}.get(op)
    if opposite:
        return not passes(cell, opposite, value)
    if cell is None:
        return False
    if isinstance(cell, str) and op in ("eq", "contains", "starts_with"):
        cell, value = cell.casefold(), value.casefold()
    day = date.fromisoformat(local_day(cell)) if op in RELATIVE else TODAY
    if isinstance(cell, str) and cell.endswith("Z") and op in ("eq", "lt", "lte", "gt", "gte"):
        cell = local_day(cell) if len(value) == len("2024-02-29") else cell
    if isinstance(cell, str) and cell.endswith("Z") and op == "between":
        return passes(cell, "gte", value[0]) and passes(cell, "lte", value[1])
    tests: dict[str, Callable[[], bool]] = {
        "contains": lambda: value in cell,
        "starts_with": lambda: cell.startswith(value),
        "eq": lambda: cell == value,
        "is": lambda: cell == value,
        "lt": lambda: cell < value,
        "lte": lambda: cell <= value,
        "gt": lambda: cell > value,
        "gte": lambda: cell >= value,
        "between": lambda: value[0] <= cell <= value[1],
        "any_of": lambda: cell in value,
        "is_me": lambda: cell == ME,
        "has_any": lambda: not set(cell).isdisjoint(value),
        "has_all": lambda: set(cell) >= set(value),
        "today": lambda: day == TODAY,
        "this_week": lambda: day.isocalendar()[:2] == TODAY.isocalendar()[:2],
        "this_month": lambda: (day.year, day.month) == (TODAY.year, TODAY.month),
        "last_n_days": lambda: 0 <= (TODAY - day).days < value,
        "next_n_days": lambda: 0 <= (day - TODAY).days < value,
    }
    return tests[op]()


def local_day(cell: str) -> str:
    """Return the day of a date, or of a moment in the time zone."""
    try:
        return datetime.fromisoformat(cell).astimezone(ZONE).date().isoformat() if "T" in cell else cell
    except OverflowError:
        return cell[:10]


def row_passes(row: dict[str, Any], clauses: list[dict[str, Any]]) -> bool:
    return all(
        any(passes(row[c["column"]], c["op"], c["value"]) for c in clause.get("or", [clause])) for clause in clauses
    )


def compare(first: dict[str, Any], second: dict[str, Any], name: str, descending: bool) -> int:
    a, b = sort_value(name, first[name]), sort_value(name, second[name])
    if a is None or b is None:
        return (a is None) - (b is None)
    return ((a > b) - (a < b)) * (-1 if descending else 1)


def sort_value(name: str, cell: Any) -> Any:
    if cell is None:
        return None
    keys: dict[str, Callable[[], Any]] = {
        "Note": lambda: cell.casefold(),
        "Status": lambda: OPTIONS.index(cell),
        "Lead": lambda: [*PEOPLE].index(cell),
        "Tags": lambda: [TAGS.index(tag) for tag in cell],
    }
    return keys.get(name, lambda: cell)()


def searched_texts(row: dict[str, Any]) -> list[str]:
    return [text for text in (row["Note"], row["Status"], *(row["Tags"] or ())) if text]


def in_order(rows: list[tuple[int, dict[str, Any]]], sort: tuple[tuple[str, bool], ...]) -> list[int]:
    for name, descending in reversed(sort):
        rows = sorted(rows, key=cmp_to_key(lambda a, b, n=name, d=descending: compare(a[1], b[1], n, d)))  # type: ignore[misc]  # mypy cannot infer a lambda with defaults
    return [position for position, _ in rows]


@pytest.fixture(autouse=True)
def in_zone() -> Iterator[None]:
    with timezone.override(ZONE):
        yield


@pytest.fixture
def table_of(user: User) -> Callable[[list[dict[str, Any]]], Table]:
    named = [User(pk=pk, username=name) for pk, name in PEOPLE.items() if pk != DELETED]
    people = User.objects.bulk_create(named)

    def write(rows: list[dict[str, Any]]) -> Table:
        table = write_table(user, COLUMNS, rows)
        FormerMember.objects.create(table=table, user_id=FORMER)
        members = [Member(table=table, user=each, role="editor") for each in people if each.pk != FORMER]
        Member.objects.bulk_create(members)
        table.reader_id = ME  # type: ignore[attr-defined]  # as `get_table` does
        return table

    return write


def test_all_operators_are_drawn() -> None:
    operators = {(name, op) for name, kind, *_ in COLUMNS for op in get_column_type(kind).operators}
    assert {(name, op) for name, ops in OPERATORS.items() for op in ops} == operators


@examples(40)
@given(
    rows=rows_of_cells,
    clauses=filters,
    sort=sorts,
    offset=st.integers(0, 12),
    limit=st.integers(1, 12),
    has_indexes=st.booleans(),
)
def test_filters_and_sorts_agree_with_the_rules(
    rows: list[dict[str, Any]],
    clauses: list[Any],
    sort: tuple[tuple[str, bool], ...],
    offset: int,
    limit: int,
    has_indexes: bool,
    table_of: Callable[..., Table],
) -> None:
    table = table_of(rows)
    shape = table_shape(table)
    parsed = parse_filter(clauses, shape=shape, today=TODAY)
    keys = parse_sort([f"-{name}" if descending else name for name, descending in sort], shape=shape)
    expected = in_order([(i, row) for i, row in enumerate(rows) if row_passes(row, clauses)], sort)
    with indexed(table, sort=keys, filter=parsed) if has_indexes else nullcontext():
        found = read_rows(table, shape=shape, filter=parsed, sort=keys)
        assert [row.position for row in found] == expected
        assert count_rows(table, shape=shape, filter=parsed) == len(expected)
        window = read_rows(table, shape=shape, filter=parsed, sort=keys, offset=offset, limit=limit)
    assert [row.position for row in window] == expected[offset : offset + limit]


@examples(25)
@given(
    rows=rows_of_cells,
    words=st.lists(texts.filter(lambda text: text.strip()), min_size=1, max_size=3),
    clauses=filters,
    sort=sorts,
)
def test_a_search_finds_rows_with_every_word(
    rows: list[dict[str, Any]], words: list[str], clauses: list[Any], sort: Any, table_of: Callable[..., Table]
) -> None:
    table, search = table_of(rows), " ".join(words)
    # Numbers and dates are searched as well, but these words match none of them.
    words = [word.casefold() for word in search.split()]
    bare = [{**row, "Amount": None, "Due": None, "When": None} for row in rows]
    expected = [
        i for i, row in enumerate(bare)
        if all(any(word in text.casefold() for text in searched_texts(row)) for word in words)
    ]  # fmt: skip
    searched = table_of(bare)
    assert [row.position for row in read_rows(searched, search=search)] == expected
    assert set(expected) <= {row.position for row in read_rows(table, search=search)}
    shape = table_shape(searched)
    parsed = parse_filter(clauses, shape=shape, today=TODAY)
    keys = parse_sort([f"-{name}" if descending else name for name, descending in sort], shape=shape)
    both = in_order([(i, bare[i]) for i in expected if row_passes(bare[i], clauses)], sort)
    narrowed = {"shape": shape, "filter": parsed, "search": search}
    assert [row.position for row in read_rows(searched, sort=keys, **narrowed)] == both
    assert (count_rows(searched, **narrowed), column_stats(searched, **narrowed)["row_count"]) == (len(both), len(both))


@examples(25)
@given(rows=rows_of_cells, names=st.lists(st.sampled_from(list(VALUES)), min_size=1, max_size=3, unique=True))
def test_rows_are_found_by_exactly_their_cells(
    rows: list[dict[str, Any]], names: list[str], table_of: Callable[..., Table]
) -> None:
    table = table_of(rows + rows[:2])
    shape = table_shape(table)
    ids = list(table.rows.order_by("position").values_list("pk", flat=True))
    expected: dict[tuple[Any, ...], list[int]] = {}
    for pk, row in zip(ids, rows + rows[:2], strict=True):
        key = tuple(tuple(row[name]) if isinstance(row[name], list) else row[name] for name in names)
        if None not in key:
            expected.setdefault(key, []).append(pk)
    columns = parse_columns(names, shape=shape)
    unknown = [("zzz",)] if names == ["Note"] else []
    assert rows_by_cells(table, columns=columns, keys=[*expected, *unknown], shape=shape) == expected


@examples(25)
@given(rows=rows_of_cells, clauses=filters)
def test_statistics_agree_with_the_filter(
    rows: list[dict[str, Any]], clauses: list[Any], table_of: Callable[..., Table]
) -> None:
    table = table_of(rows)
    shape = table_shape(table)
    stats = column_stats(table, shape=shape, filter=parse_filter(clauses, shape=shape, today=TODAY))
    left = [row for row in rows if row_passes(row, clauses)]
    by_name = {column.name: stats["columns"][column.id] for column in shape.columns}
    cells = {name: [row[name] for row in left if row[name] is not None] for name in VALUES}
    ordered = ("Amount", "Due", "When")
    ends = {name: (min(cells[name], default=None), max(cells[name], default=None)) for name in ordered}
    assert stats["row_count"] == len(left)
    assert {name: found["empty"] for name, found in by_name.items()} == {
        name: len(left) - len(filled) for name, filled in cells.items()
    }
    assert {name: (by_name[name]["min"], by_name[name]["max"]) for name in ends} == ends
    assert by_name["Status"]["counts"] == {option: cells["Status"].count(option) for option in OPTIONS}
    assert by_name["Lead"]["counts"] == {str(pk): n for pk, n in Counter(cells["Lead"]).items()}
    tags = [tag for cell in cells["Tags"] for tag in cell]
    assert by_name["Tags"]["counts"] == {tag: tags.count(tag) for tag in TAGS}
    leads = aggregate(table, shape=shape, group_by=parse_groups([{"column": "Lead"}], shape=shape))
    order = [*PEOPLE, None]
    expected = sorted(Counter(row["Lead"] for row in rows).items(), key=lambda each: order.index(each[0]))
    assert [(group.key[0], group.rows) for group in leads] == expected
    groups = aggregate(table, shape=shape, group_by=parse_groups([{"column": "Tags"}, {"column": "Paid"}], shape=shape))
    keys = [(tag, row["Paid"]) for row in rows for tag in row["Tags"] or [None]]
    assert {group.key: group.rows for group in groups} == Counter(keys)
    assert by_name["Paid"]["counts"] == {"true": cells["Paid"].count(True), "false": cells["Paid"].count(False)}
