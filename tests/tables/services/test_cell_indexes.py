"""Cell indexes: created for used columns of large tables, used by the queries of readers, dropped when unused."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tables.models import Column, ColumnUse, Row, Table
from tables.operations.queries.filters import parse_filter
from tables.operations.queries.sorts import keyset_position, parse_sort
from tables.selectors import read_rows, table_shape
from tables.services import cell_indexes, record_column_use, update_cell_indexes
from tables.services.partitions import max_indexes, partition_of
from tests.tables.sample_tables import write_rows, write_table

pytestmark = [pytest.mark.postgres_only, pytest.mark.django_db(transaction=True)]

STATUS = ["Open", "Done", "Née"]
COLUMNS: list[Any] = [
    ("Company", "text"), ("Amount", "number"), ("Due", "date"), ("Paid", "boolean"), ("Status", "select", STATUS),
]  # fmt: skip


@pytest.fixture
def large(user: User) -> Iterator[Table]:
    """Create a table that counts as large; delete all cell indexes after the test."""
    table = write_table(user, COLUMNS, [])
    insert_rows(
        table,
        Company="'Company ' || mod(number * 7919, 10007)",
        Amount="mod(number * 31, 9973)",
        Due="to_char(date '2000-01-01' + mod(number, 7000), 'YYYY-MM-DD')",
        Status="(array['Open', 'Done', 'Née'])[mod(number, 3) + 1]",
    )
    Table.objects.filter(pk=table.pk).update(next_position=cell_indexes.LARGE)
    table.refresh_from_db()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE tables_row")
    yield table
    ColumnUse.objects.all().delete()
    update_cell_indexes()


def insert_rows(table: Table, **cells: str) -> None:
    """Insert the rows of a large table with one statement; `cells` are SQL expressions over `number`."""
    ids = {column.name: column.id for column in table_shape(table).columns}
    data = ", ".join(f"'{ids[name]}', {expression}" for name, expression in cells.items())
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO tables_row"
            " (table_id, position, data, version, search_text, created_at, updated_at)"
            f" SELECT %s, number, jsonb_build_object({data}), 1, 'common number ' || number, now(), now()"
            " FROM generate_series(0, %s) AS number",
            [table.pk, cell_indexes.LARGE - 1],
        )


def add_text(table: Table, text: str) -> int:
    """Add a row with this company at the end; return its id."""
    write_rows(table, [{"Company": text}])
    return Row.objects.filter(table=table).latest("pk").pk


def names() -> list[str]:
    return sorted(name for name, _ in cell_indexes._existing())


def plans(read: Callable[[], Any]) -> str:
    """Return the PostgreSQL query plans of the statements that reading sends."""
    with CaptureQueriesContext(connection) as sent:
        read()
    with connection.cursor() as cursor:
        lines = []
        for query in sent.captured_queries:
            cursor.execute("EXPLAIN " + query["sql"])
            lines += [line for (line,) in cursor.fetchall()]
    return "\n".join(lines)


def test_the_first_rows_of_an_order_use_its_index(large: Table) -> None:
    shape = table_shape(large)
    orders = ["Company", "-Company", "Amount", "-Amount", "Due", "-Due", "Status", "-Status"]
    sorts = [parse_sort(order, shape=shape) for order in orders]
    before = [read_rows(large, shape=shape, sort=keys, limit=20) for keys in sorts]
    for keys in sorts:
        record_column_use(large, sort=keys)
    assert sorted(update_cell_indexes().created) == names()
    assert len(names()) == len(orders)
    for keys in sorts:
        plan = plans(lambda keys=keys: read_rows(large, shape=shape, sort=keys, limit=20))
        assert f"Index Scan using cells_{keys[0].column_id}_" in plan, plan
    assert [read_rows(large, shape=shape, sort=keys, limit=20) for keys in sorts] == before


def test_rows_after_a_cursor_are_a_range_of_the_index(large: Table) -> None:
    shape = table_shape(large)
    sorts = [parse_sort(order, shape=shape) for order in ("Company", "-Amount", "Due")]
    for keys in sorts:
        record_column_use(large, sort=keys)
    update_cell_indexes()
    for keys in sorts:
        last = read_rows(large, shape=shape, sort=keys, offset=5_000, limit=1)[0]
        place = keyset_position(row_id=last.id, position=last.position, data=last.data, sort=keys)
        plan = plans(lambda keys=keys, place=place: read_rows(large, shape=shape, sort=keys, after=place, limit=20))
        assert f"Index Scan using cells_{keys[0].column_id}_" in plan, plan
        assert "Index Cond:" in plan, plan


def test_filters_use_an_index(large: Table) -> None:
    Row.objects.filter(table=large, position__gt=30, data__contains={table_shape(large).columns[4].id: "Née"}).delete()
    shape = table_shape(large)
    conditions: list[dict[str, Any]] = [
        {"column": "Company", "op": "eq", "value": "COMPANY 17"},
        {"column": "Amount", "op": "between", "value": [10, 12]},
        {"column": "Amount", "op": "eq", "value": 10},
        {"column": "Due", "op": "lt", "value": "2000-01-03"},
        {"column": "Status", "op": "any_of", "value": ["Née"]},
    ]
    filters = [parse_filter(condition, shape=shape, today=date(2024, 1, 1)) for condition in conditions]
    before = [read_rows(large, shape=shape, filter=filter_) for filter_ in filters]
    insert_rows(large, Company="'More ' || number")
    for filter_ in filters:
        record_column_use(large, filter=filter_)
    update_cell_indexes()
    for filter_, rows in zip(filters, before, strict=True):
        plan = plans(lambda filter_=filter_: read_rows(large, shape=shape, filter=filter_))
        index = f"using cells_{filter_.clauses[0].conditions[0].column_id}_"
        assert index in plan.replace("Bitmap Index Scan on", "using"), plan
        assert read_rows(large, shape=shape, filter=filter_) == rows != []


def test_long_texts_can_be_indexed_and_keep_their_order(large: Table) -> None:
    shape = table_shape(large)
    keys = parse_sort("-Company", shape=shape)
    record_column_use(large, sort=keys)
    record_column_use(large, sort=parse_sort("Due", shape=shape))
    update_cell_indexes()
    texts = ["z" * 20_000 + end for end in "bca"]
    write_rows(large, [{"Company": text} for text in texts])
    Column.objects.filter(pk=shape.columns[2].id).update(type="text")
    Row.objects.filter(table=large, position=0).update(data={shape.columns[2].id: "é" * 20_000})
    found = [row.data[shape.columns[0].id][-1] for row in read_rows(large, shape=shape, sort=keys, limit=3)]
    assert found == ["c", "b", "a"]


@pytest.fixture
def extension_of_administrator() -> Iterator[None]:
    """Have `pg_trgm` in a schema that is not in the search path."""
    with connection.cursor() as cursor:
        cursor.execute("DROP EXTENSION IF EXISTS pg_trgm CASCADE")
        cursor.execute('CREATE SCHEMA "Extensions"')
        cursor.execute('CREATE EXTENSION pg_trgm SCHEMA "Extensions"')
    yield
    with connection.cursor() as cursor:
        cursor.execute('DROP SCHEMA "Extensions" CASCADE')


@pytest.mark.usefixtures("extension_of_administrator")
def test_a_search_reads_rare_words_from_an_index_and_frequent_ones_in_order(large: Table) -> None:
    shape = table_shape(large)
    condition = {"column": "Company", "op": "contains", "value": "R 47"}
    contains = parse_filter(condition, shape=shape, today=date(2024, 1, 1))
    row = add_text(large, "Straße 100% a_b \\back R 4711")
    record_column_use(large, search="common 4711", filter=contains)
    (name, *_) = [name for name in update_cell_indexes().created if name.startswith("search_")]
    for view in ({"search": "common 4711"}, {"filter": contains}):
        assert f"Bitmap Index Scan on {name}" in plans(lambda view=view: read_rows(large, **view))
    with connection.cursor() as cursor:
        # By statistics, which are those of a partition, a frequent word of this one may be rare; without them, too.
        cursor.execute(
            "DELETE FROM pg_statistic USING pg_attribute WHERE starelid = %s::regclass"
            " AND attrelid = starelid AND attnum = staattnum AND attname = 'search_text'",
            [partition_of(large.pk)],
        )
    in_order = f"Index Scan using {partition_of(large.pk)}_table_id_position_id_idx on"
    # The first rows have a frequent word, which the index is not asked for together with a rare one.
    for search, count in (("common", 1), ("common 4711", 2)):
        with CaptureQueriesContext(connection) as sent:
            read_rows(large, shape=shape, search=search, limit=50)
        statements = [query["sql"] for query in sent.captured_queries]
        assert (len(statements), "%common%" in str(statements)) == (count, False), search
    assert in_order in plans(lambda: read_rows(large, search="common", limit=50))
    assert in_order in plans(lambda: read_rows(large, search="common", offset=1))
    for search in ("STRASSE", "00%", "a_b", "\\BACK", "r 4711", "0% ab"):
        assert [found.id for found in read_rows(large, search=search)][-1:] == [row] * (search != "0% ab"), search
    assert [found.id for found in read_rows(large, filter=contains)] == [row]


def test_indexes_are_dropped_when_their_column_changes_type_or_is_unused_for_a_month(large: Table) -> None:
    shape = table_shape(large)
    record_column_use(large, sort=parse_sort("Amount", shape=shape))
    created = update_cell_indexes().created
    again = update_cell_indexes()
    assert (again.created, again.dropped, again.unchanged) == ([], [], created)

    Column.objects.filter(pk=shape.columns[1].id).update(type="text")
    other_type = update_cell_indexes()
    assert (other_type.dropped, len(other_type.created)) == (created, 1)

    ColumnUse.objects.update(used_at=timezone.now() - timedelta(days=cell_indexes.USE_DAYS + 1))
    assert update_cell_indexes().dropped == other_type.created


def test_the_least_used_indexes_over_the_limit_are_dropped(large: Table) -> None:
    columns = [(f"Column {number}", "number") for number in range(max_indexes() + 1)]
    Column.objects.bulk_create(
        Column(table=large, name=name, type=kind, position=5 + number) for number, (name, kind) in enumerate(columns)
    )
    shape = table_shape(large)
    for column in shape.columns[5:]:
        record_column_use(large, sort=parse_sort(column.id, shape=shape))
    rare = shape.columns[20].id
    ColumnUse.objects.exclude(column_id=rare).update(uses=5)
    created = update_cell_indexes().created
    assert len(created) == len(names()) == max_indexes()
    assert not any(rare in name for name in created)


def test_a_small_table_gets_no_index_and_no_record(user: User) -> None:
    table = write_table(user, COLUMNS, [{"Amount": 1}])
    record_column_use(table, sort=parse_sort("Amount", shape=table_shape(table)))
    assert (ColumnUse.objects.count(), update_cell_indexes().created) == (0, [])


def test_reads_through_the_api_are_recorded_once_an_hour(api: Any, large: Table) -> None:
    for _ in range(3):
        assert api.get(f"/api/tables/{large.pk}/rows/", sort="-Amount", limit=1).status_code == 200
    assert list(ColumnUse.objects.values_list("how", "uses")) == [("desc", 1)]


def test_the_command_prints_created_indexes(large: Table) -> None:
    record_column_use(large, sort=parse_sort("Amount", shape=table_shape(large)))
    output = StringIO()
    call_command("index_tables", stdout=output)
    assert output.getvalue().splitlines() == [f"Created {names()[0]}", "Indexes: 1"]
