"""The rows that each of many filters or keys matches, in as few scans of the table as possible."""
from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from tables.column_types import ColumnSpec, TableShape, get_column_type
from tables.models import Row, Table
from tables.operations.plans.upserts import merge_key
from tables.operations.queries.filters import Filter
from tables.selectors.rows.reading import cell_reader, live_rows
from tables.selectors.rows.snapshots import streaming_transaction
from tables.selectors.sql.conditions import among_ids, as_condition, matching, tests_of
from tables.selectors.sql.dialects import dialect
from tables.selectors.sql.expressions import Sql, row_among, row_column, row_is_live
from tables.selectors.sql.named_cells import named_cells, optimization_fence
from tables.selectors.sql.search_indexes import narrowing

# Up to this number of filters, each has its own query, which can use an index.
MAX_SEPARATE = 3
# Bits of an integer of both databases.
FILTERS_PER_MASK = 60
# A statement has at most 2,000 columns on SQLite and 1,664 on PostgreSQL, and 32,766 parameters on SQLite.
MAX_FILTERS, MAX_TESTS, MAX_CELLS = 240, 2_000, 1_000
# The position and the id of a row.
Position = tuple[int, int]


def positions_of_matches(
    table: Table, filters: Collection[Filter], *, limit: int, among: Sequence[int] | None = None
) -> dict[Filter, list[Position]]:
    """Return for each filter the rows that match, in order. `among`: test only the rows with these ids.

    Each scan reads at most `limit` rows: if more match, some are missing.
    """
    found: dict[Filter, list[Position]] = {each: [] for each in filters}
    live = _live(table, among=among)
    if len(found) <= MAX_SEPARATE:
        for each, rows in found.items():
            rest = narrowing(table, each).of(table) if among is None else [live]
            where = Sql.joined([*rest, matching(each)], between=" AND ", around="({})")
            read = f"{row_column('position').text}, {row_column('id').text}"
            text = f"SELECT {read} FROM {Row._meta.db_table} WHERE {where.text} LIMIT %s"
            rows += sorted(_fetched(Sql(text, (*where.params, limit))))
        return found
    for scan in _scans(list(found)):
        for position, pk, *masks in _fetched(scan.select("position, id", live=live, limit=limit)):
            for each, mask, bit in scan.bits:
                if masks[mask] & bit:
                    found[each].append((position, pk))
    for rows in found.values():
        rows.sort()
    return found


def match_counts(table: Table, filters: Collection[Filter]) -> dict[Filter, int]:
    """Return the number of rows that each filter matches."""
    found: dict[Filter, int] = {}
    live = _live(table)
    for scan in _scans(list(dict.fromkeys(filters))):
        sums = ", ".join(f"SUM(CASE WHEN mask_{mask} & {bit} <> 0 THEN 1 ELSE 0 END)" for _, mask, bit in scan.bits)
        (counts,) = _fetched(scan.select(sums, live=live))
        found |= {each: int(count or 0) for (each, _, _), count in zip(scan.bits, counts, strict=True)}
    return found


@dataclass
class _Scan:
    """One query for several filters: each is one bit of an integer (mask) that is computed for every row."""

    cells: Sql
    tests: Mapping[Filter, Sql]
    # For each filter the index of its mask, and its bit.
    bits: Sequence[tuple[Filter, int, int]] = field(init=False)

    def __post_init__(self) -> None:
        numbered = enumerate(self.tests)
        self.bits = [(each, number // FILTERS_PER_MASK, 1 << number % FILTERS_PER_MASK) for number, each in numbered]

    def select(self, listed: str, *, live: Sql, limit: int | None = None) -> Sql:
        """Return the query for `listed` of the rows that at least one filter matches, and their masks."""
        masks: dict[int, list[Sql]] = {}
        for each, mask, bit in self.bits:
            test = self.tests[each]
            masks.setdefault(mask, []).append(Sql(f"CASE WHEN {test.text} THEN {bit} ELSE 0 END", test.params))
        named = [Sql.joined(bits, between=" + ") for bits in masks.values()]
        computed = Sql.joined([Sql(f"{m.text} AS mask_{n}", m.params) for n, m in enumerate(named)], between=", ")
        names = [f"mask_{number}" for number in masks]
        read = listed if limit is None else ", ".join([listed, *names])
        position, pk = row_column("position"), row_column("id")
        cells = f"{position.text} AS position, {pk.text} AS id, {self.cells.text}"
        text = (
            f"SELECT {read} FROM (SELECT position, id, {computed.text} FROM (SELECT {cells} FROM {Row._meta.db_table}"
            f" WHERE {live.text} {optimization_fence()}) AS cells {optimization_fence()}) AS tested"
            f" WHERE {' OR '.join(f'{name} <> 0' for name in names)}"
        )
        params = (*computed.params, *self.cells.params, *live.params)
        return Sql(text, params) if limit is None else Sql(f"{text} LIMIT %s", (*params, limit))


def _scans(filters: Sequence[Filter]) -> Iterator[_Scan]:
    rest = list(filters)
    while rest:
        cells, tests, count = named_cells(), dict[Filter, Sql](), 0
        while rest and len(tests) < MAX_FILTERS:
            count += sum(len(clause.conditions) for clause in rest[0].clauses)
            if tests and (count > MAX_TESTS or cells.count > MAX_CELLS):
                break
            each = rest.pop(0)
            tests[each] = tests_of(each, read=cells)
        yield _Scan(cells=cells.columns, tests=tests)


def _live(table: Table, *, among: Sequence[int] | None = None) -> Sql:
    live = row_is_live(table)
    return live if among is None else Sql.joined([live, row_among(among)], between=" AND ")


def _fetched(select: Sql) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(select.text, select.params)
        return list(cursor.fetchall())


def rows_by_cells(
    table: Table,
    *,
    columns: Sequence[ColumnSpec],
    keys: Collection[tuple[Any, ...]],
    shape: TableShape,
    among: Sequence[int] | None = None,
) -> dict[tuple[Any, ...], list[int]]:
    """Return for each of `keys` the ids of the rows that have it, in order.

    `keys` are results of `merge_key`, in the order of `columns`. `among`: only rows with these ids.
    """
    rows = live_rows(table)
    if among is not None:
        rows = rows.filter(among_ids(among))
    read = dialect()
    for index, column in enumerate(columns):
        values = list(dict.fromkeys(key[index] for key in keys))
        comparison = get_column_type(column.type).comparison
        # A condition on a column with two values would exclude too few rows. Lists are compared below.
        if comparison not in ("boolean", "options"):
            # Dates have a single form, and may be indexed.
            if comparison == "person":
                found = read.among_people(column.id, values)
            elif comparison == "number":
                found = read.among_numbers(column.id, values)
            else:
                found = (read.among if comparison == "exact" else read.among_composed)(column.id, values)
            rows = rows.filter(as_condition(found))
    wanted, matches, cells = set(keys), dict[tuple[Any, ...], list[int]](), cell_reader(shape)
    ids = [column.id for column in columns]
    if wanted:
        with streaming_transaction():
            for pk, raw in rows.order_by("pk").values_list("pk", "data").iterator(chunk_size=2_000):
                key = merge_key(cells(raw), ids)
                if key in wanted:
                    matches.setdefault(key, []).append(pk)
    return matches
