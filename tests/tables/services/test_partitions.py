"""The move of an earlier release's rows to partitions, the partitions that statements read, and rules of shards."""
from __future__ import annotations

import re
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.core.checks import Tags, run_checks
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tables.models import ChangePiece, Import, Row, StagedRows, Table
from tables.selectors import table_shape, tables_of_rows
from tables.selectors.rows.reading import rows_by_column
from tables.services import run_import
from tables.services.partitions import move_rows, partition_of
from tables.services.pipeline.row_writing import write_rows
from tables.services.retention import clear_changes
from tests.conftest import Api
from tests.retention_clock import later
from tests.row_statements import MENTION
from tests.tables.importing.files import uploaded
from tests.tables.sample_tables import write_table

pytestmark = pytest.mark.postgres_only
COLUMNS: list[Any] = [("Company", "text"), ("Amount", "number")]
# Partitions that do not contain the rows of a plan have no line in it.
PARTITION = re.compile(r" on (?:tables_row|tables_changepiece|tables_stagedrows)(_p\d+)")
MOVED = (Row, ChangePiece, StagedRows)


def relations() -> list[str]:
    """Return the names of all relations and indexes that are not of one partition."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relname ~ '^(tables_(row|changep|staged)|rows_|pieces_|staged_)'"
            " AND relname !~ '_p[0-9]+(_|$)'"
        )
        return sorted(name for (name,) in cursor.fetchall())


def count_waiting() -> int:
    return len([each for each in run_checks(tags=[Tags.database], databases=["default"]) if each.id == "tables.W001"])


@pytest.fixture
def one_relation(transactional_db: None) -> Iterator[list[str]]:
    """Have all rows in one relation each, as in databases of earlier releases; return the names of the relations."""
    partitioned = relations()
    with connection.schema_editor() as editor:
        for model in MOVED:
            editor.delete_model(model)
            editor.create_model(model)
    yield partitioned
    list(move_rows())


def test_an_interrupted_move_continues_with_the_rows_of_that_time(one_relation: list[str], api: Api) -> None:
    tables = [
        write_table(api.user, COLUMNS, [{"Company": f"{name} {number}", "Amount": number} for number in range(15)])
        for name in ("First", "Second")
    ]
    first, *_ = moved = list(Row.objects.filter(table=tables[0]).order_by("pk"))
    path = f"/api/tables/{tables[0].pk}/rows/"
    StagedRows.objects.create(table_id=-3, imported_id=3, index=0, rows="")
    assert count_waiting() == 1

    for progress in move_rows(batch=10):
        if progress.step == "copy":
            break
    assert api.patch(path, {"rows": [{"id": first.pk, "data": {"Company": "Changed"}}]}).status_code == 200
    assert api.post(f"{path}delete/", {"ids": [moved[1].pk]}).status_code == 200
    assert api.post(path, {"Company": "Later"}).status_code == 201
    Row.objects.filter(table=tables[0], pk=moved[2].pk).delete()
    before = [list(model.objects.order_by("pk").values()) for model in MOVED]
    assert [len(rows) for rows in before] == [30, 3, 1]

    output = StringIO()
    call_command("partition_rows", stdout=output)
    assert output.getvalue().startswith("tables_row: copied 21 of about 21 rows\ntables_changepiece: copied 3 of")
    assert [list(model.objects.order_by("pk").values()) for model in MOVED] == before
    assert (relations(), count_waiting()) == (one_relation, 0)
    assert api.post(path, {"Company": "Last"}).json()["id"] > before[0][-1]["id"]


def test_a_move_begins_anew_after_a_migration(one_relation: list[str], api: Api) -> None:
    table = write_table(api.user, COLUMNS, [{"Company": "Crux"}])
    assert next(move_rows()).step == "copy"
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE tables_row ADD COLUMN later integer DEFAULT 7")
    assert [progress.step for progress in move_rows()] == ["copy"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT later FROM tables_row WHERE table_id = %s", [table.pk])
        assert cursor.fetchall() == [(7,)]
        cursor.execute("ALTER TABLE tables_row DROP COLUMN later")


@pytest.mark.django_db
def test_partitioned_relations_can_be_distributed_by_table() -> None:
    """Extensions such as Citus refuse unique keys without the table, and foreign keys to or from other relations.

    They also refuse triggers and rules, and identities of other types than bigint.
    """
    names = [model._meta.db_table for model in MOVED]
    keys = "SELECT indexrelid, indkey[n] AS attnum FROM pg_index, generate_series(0, indnkeyatts - 1) AS n"
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*), count(*) FILTER (WHERE EXISTS ("
            f" SELECT FROM ({keys}) AS k JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = k.attnum"
            " WHERE k.indexrelid = i.indexrelid AND a.attname = 'table_id'))"
            " FROM pg_index AS i WHERE i.indisunique AND i.indrelid = ANY(%s::text[]::regclass[])",
            [names],
        )
        assert cursor.fetchone() == (5, 5)
        among = " = ANY(%(names)s::text[]::regclass[])"
        cursor.execute(
            f"SELECT conname FROM pg_constraint WHERE contype IN ('f', 'x') AND (conrelid{among} OR confrelid{among})"
            f" UNION SELECT tgname FROM pg_trigger WHERE tgrelid{among}"
            f" UNION SELECT rulename FROM pg_rewrite WHERE ev_class{among}"
            f" UNION SELECT attname FROM pg_attribute"
            f" WHERE attrelid{among} AND (attidentity <> '' AND atttypid <> 'bigint'::regtype OR attgenerated <> '')",
            {"names": names},
        )
        assert cursor.fetchall() == []


@pytest.mark.django_db
def test_requests_read_the_partition_of_their_table(api: Api, jobs: Table) -> None:
    path = f"/api/tables/{jobs.pk}/rows/"
    company = {"Company": "New"}
    with CaptureQueriesContext(connection) as sent:
        added = api.post(path, {"rows": [company] * 3}).json()["rows"]
        ids = [row["id"] for row in added]
        api.patch(path, {"rows": [{"id": pk, "data": company | {"Company": f"Other {pk}"}} for pk in ids[:2]]})
        api.patch(f"{path}{ids[0]}/", {"data": {"Company": "Third"}})
        api.client.put(path, {"merge_on": ["Company"], "rows": [company]}, content_type="application/json")
        api.post(f"{path}delete/", {"ids": ids[1:]})
        change = api.get(f"/api/tables/{jobs.pk}/changes/").json()["changes"][0]["id"]
        api.post(f"/api/tables/{jobs.pk}/changes/{change}/undo/")
        api.get(f"/api/tables/{jobs.pk}/changes/{change}/")
        api.get(f"/tables/{jobs.pk}/history/")
        api.get(f"/api/tables/{jobs.pk}/changes/", row=ids[0])
        api.get(f"/api/tables/{jobs.pk}/changes/", after_version="1")
        imported = uploaded(api, "Company\nImported", table=jobs.pk)["id"]
        api.post(f"/api/imports/{imported}/run/")
        assert run_import(import_id=imported, run=Import.objects.get().run) == "done"
        api.post(f"/api/tables/{jobs.pk}/changes/{change}/restore/")
        list(clear_changes(now=later(days=40)))
        for query in ({}, {"sort": "-Company"}, {"search": "new"}, {"offset": "1000"}, {"count": "exact"}):
            assert api.get(path, **query).status_code == 200
        api.get(f"{path}{ids[0]}/")
        api.get(f"/tables/{jobs.pk}/")
        tables_of_rows(api.user, ids)
    statements = {query["sql"] for query in sent.captured_queries if MENTION.search(query["sql"])}
    assert len(statements) > 30
    partition = str(partition_of(jobs.pk)).removeprefix(Row._meta.db_table)
    with connection.cursor() as cursor:
        for sql in statements:
            cursor.execute(f"EXPLAIN {sql}")
            plan = "\n".join(line for (line,) in cursor.fetchall())
            read = set(PARTITION.findall(plan))
            # Staged rows are deleted from the partition of their table, and from that of a table that was new.
            assert read <= {partition} or ("tables_stagedrows" in sql and len(read) == 2), (sql, plan)


@pytest.mark.django_db
def test_rows_by_id_are_found_by_id_while_statistics_lack_their_table(api: Api, jobs: Table) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE tables_row")
    new = Table.objects.create(owner=api.user, name="New", next_position=3_000)
    rows = [Row(table=new, position=number, data={}, search_text="") for number in range(3_000)]
    ids = [row.pk for row in Row.objects.bulk_create(rows)][1_000:1_200]

    with CaptureQueriesContext(connection) as sent:
        rows_by_column(new, ids, shape=table_shape(new))
        write_rows(new, {pk: {} for pk in ids}, columns=(), user=api.user, now=later(days=0))

    read, written = [query["sql"] for query in sent.captured_queries if MENTION.search(query["sql"])]
    with connection.cursor() as cursor:
        for sql in (read, written):
            cursor.execute(f"EXPLAIN (ANALYZE, TIMING OFF) {sql}")
            plan = "\n".join(line for (line,) in cursor.fetchall())
            assert "rows=200" in plan
            assert "Removed by Filter" not in plan, plan
