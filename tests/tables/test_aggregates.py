"""Groups, sums and duplicates in the database, compared with the same rules in Python."""
from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from decimal import Decimal, localcontext
from statistics import median_high, median_low
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from tables.column_types.row_digest import NO_CELLS, RowDigest
from tables.exceptions import Invalid, Malformed, TablesError
from tables.models import Table
from tables.operations.queries.filters import parse_filter
from tables.operations.queries.measures import GroupKey, average_of, parse_groups, parse_measures, sum_of
from tables.operations.queries.sorts import parse_columns
from tables.selectors import aggregate, equal_rows, find_duplicates, table_shape
from tables.selectors.rows import duplicates
from tables.selectors.statistics import aggregates
from tests.hypothesis_examples import examples
from tests.tables.test_filters_differential import (
    OPTIONS,
    TODAY,
    VALUES,
    filters,
    in_zone,
    local_day,
    row_passes,
    rows_of_cells,
    table_of,
)

__all__ = ["in_zone", "table_of"]  # fixtures
BY = [("Note", "value"), ("Amount", "value"), ("Due", "value"), ("Due", "day"), ("Due", "month"), ("Due", "year"),
      ("When", "value"), ("When", "day"), ("When", "month"), ("When", "year"),
      ("Paid", "value"), ("Status", "value")]  # fmt: skip
MEASURES: list[dict[str, Any]] = [
    {"function": "count"}, {"function": "count", "column": "Note"}, {"function": "sum", "column": "Amount"},
    {"function": "average", "column": "Amount"}, {"function": "min", "column": "Amount"},
    {"function": "max", "column": "Amount"}, {"function": "min", "column": "Due"}, {"function": "max", "column": "Due"},
    {"function": "median", "column": "Amount"},
]  # fmt: skip
prices = st.integers(-(10**15), 10**15).map(lambda cents: cents / 100)
amounts = st.one_of(st.none(), st.floats(-1e300, 1e300), st.integers(-(2**53) + 1, 2**53 - 1), prices, st.just(0.1))
money = rows_of_cells.flatmap(
    lambda rows: st.tuples(*[amounts for _ in rows]).map(
        lambda given: [{**row, "Amount": amount} for row, amount in zip(rows, given, strict=True)]
    )
)


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
    with localcontext(prec=1_000):
        decimals = [Decimal(repr(number)) for number in numbers]
        exact = sum(decimals, Decimal())
        low, high = median_low(numbers or [0]), median_high(numbers or [0])
        middle = low if low == high else average_of(Decimal(repr(low)) + Decimal(repr(high)), count=2)
    total = sum_of(exact) if numbers else None
    average = average_of(exact, count=len(numbers)) if numbers else None
    ends = [min(numbers, default=None), max(numbers, default=None)]
    days = [min(cells["Due"], default=None), max(cells["Due"], default=None)]
    return (len(rows), len(cells["Note"]), total, average, *ends, *days, middle if numbers else None)


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
        ([1, 2, 4], 7, 2.33333333333333, 2),
        ([12345678901234.56, 0.01, 0.01], 12345678901234.58, 4115226300411.53, 0.01),
        ([2**53 - 1, 0.5, -(2**53) + 2], 1.5, 0.5, 0.5),
        ([1.7e308, 1.7e308], None, 1.7e308, 1.7e308),
        ([1.7e308, -1.7e308, None], 0, 0, 0),
        ([5e-324, 5e-324], 1e-323, 5e-324, 5e-324),
        ([], None, None, None),
    ],
    ids=[
        "a decimal sum", "a whole sum", "sixteen digits", "digits that cancel", "beyond all doubles",
        "large ones that cancel", "tiny ones", "no rows",
    ],
)  # fmt: skip
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
