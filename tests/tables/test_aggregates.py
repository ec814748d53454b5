"""Groups, sums and duplicates in the database, compared with the same rules in Python."""
from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from statistics import median
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from tables.column_types.row_digest import NO_CELLS, RowDigest
from tables.exceptions import Invalid, Malformed, TablesError
from tables.models import Table
from tables.operations.queries.filters import parse_filter
from tables.operations.queries.measures import GroupKey, parse_groups, parse_measures, rounded
from tables.operations.queries.sorts import parse_columns
from tables.selectors import aggregate, equal_rows, find_duplicates, table_shape
from tables.selectors.rows import duplicates
from tables.selectors.statistics import aggregates
from tests.hypothesis_examples import examples
from tests.tables.sample_tables import write_table
from tests.tables.test_filters_differential import (
    COLUMNS,
    OPTIONS,
    TODAY,
    VALUES,
    filters,
    in_zone,
    local_day,
    row_passes,
    rows_of_cells,
)

__all__ = ["in_zone"]  # a fixture
BY = [("Note", "value"), ("Amount", "value"), ("Due", "value"), ("Due", "day"), ("Due", "month"), ("Due", "year"),
      ("When", "value"), ("When", "day"), ("When", "month"), ("When", "year"),
      ("Paid", "value"), ("Status", "value")]  # fmt: skip
MEASURES: list[dict[str, Any]] = [
    {"function": "count"}, {"function": "count", "column": "Note"}, {"function": "sum", "column": "Amount"},
    {"function": "average", "column": "Amount"}, {"function": "min", "column": "Amount"},
    {"function": "max", "column": "Amount"}, {"function": "min", "column": "Due"}, {"function": "max", "column": "Due"},
    {"function": "median", "column": "Amount"},
]  # fmt: skip
# Numbers of one sign: when large numbers cancel each other, the sum depends on the order of addition.
amounts = st.one_of(st.none(), st.floats(0, 1e12, allow_subnormal=False), st.integers(0, 10**9), st.just(0.1))
money = rows_of_cells.flatmap(
    lambda rows: st.tuples(*[amounts for _ in rows]).map(
        lambda given: [{**row, "Amount": amount} for row, amount in zip(rows, given, strict=True)]
    )
)


@pytest.fixture
def table_of(user: User) -> Callable[[list[dict[str, Any]]], Table]:
    return lambda rows: write_table(user, COLUMNS, rows)


def key_of(row: dict[str, Any], by: list[tuple[str, str]]) -> tuple[Any, ...]:
    letters = {"day": 10, "month": 7, "year": 4}
    return tuple(
        row[name] and local_day(row[name])[: letters[part]] if part in letters else row[name] for name, part in by
    )


def order_of(key: tuple[Any, ...], by: list[tuple[str, str]]) -> list[tuple[Any, ...]]:
    """Return a sort key: empty cells last, options in their order, texts case-insensitive."""
    sort_key: list[tuple[Any, ...]] = []
    for value, (name, _) in zip(key, by, strict=True):
        place = {"Status": OPTIONS.index, "Note": str.casefold}.get(name, lambda v: v)
        sort_key.append((1,) if value is None else (0, place(value), value))
    return sort_key


def measured(rows: list[dict[str, Any]]) -> tuple[Any, ...]:
    cells = {name: [row[name] for row in rows if row[name] is not None] for name in VALUES}
    numbers = cells["Amount"]
    exact = sum((Fraction(number) for number in numbers), Fraction())
    total = rounded(float(exact)) if numbers else None
    average = rounded(float(exact / len(numbers))) if numbers else None
    ends = [min(numbers, default=None), max(numbers, default=None)]
    days = [min(cells["Due"], default=None), max(cells["Due"], default=None)]
    middle = rounded(median(numbers)) if numbers else None
    return (len(rows), len(cells["Note"]), total, average, *ends, *days, middle)


@examples(30)
@given(rows=money, clauses=filters, by=st.lists(st.sampled_from(BY), max_size=2, unique_by=lambda item: item[0]))
def test_the_database_agrees_with_the_rules(
    rows: list[dict[str, Any]], clauses: list[Any], by: list[tuple[str, str]], table_of: Callable[..., Table]
) -> None:
    table = table_of(rows)
    shape = table_shape(table)
    found = aggregate(
        table,
        shape=shape,
        group_by=parse_groups([{"column": name, "by": part} for name, part in by], shape=shape),
        measures=parse_measures(MEASURES, shape=shape),
        filter=parse_filter(clauses, shape=shape, today=TODAY),
    )
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        if row_passes(row, clauses):
            groups[key_of(row, by)].append(row)
    expected = sorted(groups, key=lambda key: order_of(key, by)) if by else [()]
    assert [(group.key, group.rows, group.values) for group in found] == [
        (key, len(groups[key]), measured(groups[key])) for key in expected
    ]


@pytest.mark.parametrize(
    ("numbers", "total", "average", "middle"),
    [
        ([0.1, 0.2], 0.3, 0.15, 0.15),
        ([1, 2, 4], 7, 2.33333333333, 2),
        ([1.7e308, 1.7e308], None, 1.7e308, 1.7e308),
        ([1.7e308, -1.7e308, None], 0, 0, 0),
        ([5e-324, 5e-324], 1e-323, 5e-324, 5e-324),
        ([], None, None, None),
    ],
    ids=["twelve digits", "a whole sum", "beyond all doubles", "large ones that cancel", "tiny ones", "no rows"],
)
def test_sums_neither_overflow_nor_vanish(
    numbers: list[Any], total: Any, average: Any, middle: Any, table_of: Callable[..., Table]
) -> None:
    table = table_of([{"Amount": number} for number in numbers])
    measures = parse_measures(
        [{"function": f, "column": "Amount"} for f in ("sum", "average", "median")],
        shape=table_shape(table),
    )
    (group,) = aggregate(table, measures=measures)
    assert group.values == (total, average, middle)


@pytest.mark.parametrize(
    ("value", "result"), [(0.1 + 0.2, 0.3), (1e23, 1e23), (-0.0, 0), (2.0, 2), (1 / 3, 0.333333333333)]
)
def test_results_are_rounded_to_twelve_digits(value: float, result: float) -> None:
    assert repr(rounded(value)) == repr(result)


def test_a_sum_off_by_its_last_bit_is_rounded_the_same() -> None:
    half = 0.1234567890125
    assert rounded(half) == rounded(math.nextafter(half, 0)) == rounded(math.nextafter(half, 1))


@pytest.mark.sqlite_only
@pytest.mark.parametrize(
    ("raw", "path", "code"),
    [
        ("count", "measures", "not_a_list"),
        ([{"function": "avg", "column": "Amount"}], "measures[0].function", "unknown_value"),
        ([{"function": "sum"}], "measures[0].column", "missing"),
        ([{"function": "sum", "column": "Due"}], "measures[0].function", "not_computable"),
        ([{"function": "max", "column": "Note"}], "measures[0].function", "not_computable"),
        ([{"function": "sum", "column": "Amuont"}], "measures[0].column", "unknown_column"),
        ([{"function": "count", "colum": "Note"}], "measures[0].colum", "unknown_field"),
        ([{"function": "count"}] * 21, "measures", "too_many"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_invalid_measures_are_refused_with_their_path(
    raw: Any, path: str, code: str, table_of: Callable[..., Table]
) -> None:
    with pytest.raises(TablesError) as refused:
        parse_measures(raw, shape=table_shape(table_of([])))
    assert [(fault.path, fault.code) for fault in refused.value.faults] == [(path, code)]


@pytest.mark.sqlite_only
def test_faults_of_groups_are_reported_together(table_of: Callable[..., Table]) -> None:
    raw = [{"column": "Note", "by": "month"}, {"column": "Note"}, {"column": "Dew"}]
    with pytest.raises(Invalid) as refused:
        parse_groups(raw, shape=table_shape(table_of([])))
    assert [(fault.path, fault.code) for fault in refused.value.faults] == [
        ("group_by[0].by", "not_a_date"), ("group_by[1].column", "doubled_column"),
        ("group_by[2].column", "unknown_column"),
    ]  # fmt: skip
    with pytest.raises(Malformed):
        parse_groups([{"column": "Note", "part": "value"}], shape=table_shape(table_of([])))


@pytest.mark.sqlite_only
@pytest.mark.slow
def test_too_many_groups_are_refused(table_of: Callable[..., Table]) -> None:
    table = table_of([{"Amount": number} for number in range(aggregates.MAX_GROUPS + 1)])
    key = GroupKey(table_shape(table).columns[1].id)
    with pytest.raises(Invalid, match="10,000 groups"):
        aggregate(table, group_by=(key,))


@examples(25)
@given(rows=rows_of_cells, names=st.lists(st.sampled_from(list(VALUES)), max_size=2, unique=True))
def test_duplicates_agree_with_the_rules(
    rows: list[dict[str, Any]], names: list[str], table_of: Callable[..., Table]
) -> None:
    rows = rows + rows[:3]
    table = table_of(rows)
    shape = table_shape(table)
    ids = list(table.rows.order_by("position").values_list("pk", flat=True))
    groups: dict[str, list[int]] = defaultdict(list)
    for pk, row in zip(ids, rows, strict=True):
        cells = [row[name] for name in names or VALUES]
        if any(cell is not None for cell in cells):
            folded = names and row["Note"] and row["Note"].casefold()
            cells = [folded if name == "Note" and folded else row[name] for name in names or VALUES]
            groups[repr([float(cell) if type(cell) is int else cell for cell in cells])].append(pk)
    doubled = sorted((found for found in groups.values() if len(found) > 1), key=lambda found: found[0])
    if not names:
        columns = {column.name: column.id for column in shape.columns}
        digest = RowDigest(shape.columns)
        wanted = dict(digest.of({columns[name]: cell for name, cell in row.items()}) for row in rows)
        equal = {text: pk for text, pk in equal_rows(table, wanted).items() if text != NO_CELLS}
        assert sorted(groups.values()) == sorted(next(g for g in groups.values() if pk in g) for pk in equal.values())
    duplicates = find_duplicates(table, columns=parse_columns(names, shape=shape))
    assert [list(group.row_ids) for group in duplicates.groups] == doubled
    assert (duplicates.group_count, duplicates.repeated) == (len(doubled), sum(len(found) - 1 for found in doubled))


def test_rows_are_compared_with_those_of_their_table_unless_it_is_large(table_of: Callable[..., Table]) -> None:
    table = table_of([{"Note": note} for note in "abc"])
    shape = table_shape(table)
    digest = RowDigest(shape.columns)
    wanted = dict(digest.of({shape.columns[0].id: note}) for note in "abx")
    many = duplicates.MAX_COMPARED_ROWS + 1
    # Deleted rows do not count, if the number of the others is stored.
    table.next_position, table.counted_rows, table.counted_version = many, 3, table.version
    with CaptureQueriesContext(connection) as sent:
        assert len(equal_rows(table, wanted)) == 2
        assert equal_rows(table, {}) == {}
        table.counted_rows = many
        assert equal_rows(table, wanted) == {}
        table.counted_version = None
        assert equal_rows(table, wanted) == {}
    (sql,) = (query["sql"] for query in sent)
    with connection.cursor() as cursor:
        cursor.execute(f"{'EXPLAIN QUERY PLAN' if connection.vendor == 'sqlite' else 'EXPLAIN'} {sql}")
        plan = "\n".join(str(line[-1]) for line in cursor.fetchall())
    # The table is read once for all rows, and no other.
    assert len(re.findall(r"(?:SEARCH|_p\d+) tables_row\b", plan)) == 1, plan
    assert re.search(r"\btable_id ?=", plan), plan


def test_duplicate_groups_and_ids_are_limited(table_of: Callable[..., Table]) -> None:
    table = table_of([{"Note": note} for note in "ab" * 60])
    duplicates = find_duplicates(table, limit=1)
    assert (duplicates.group_count, duplicates.repeated) == (2, 118)
    assert [(group.row_count, len(group.row_ids)) for group in duplicates.groups] == [(60, 50)]
