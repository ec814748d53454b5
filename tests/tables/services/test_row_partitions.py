"""The move of rows of an earlier release to partitions, and the partitions that statements read."""
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

from tables.models import Row, Table
from tables.selectors import tables_of_rows
from tables.services.row_partitions import move_rows, partition_of
from tests.conftest import Api
from tests.row_statements import MENTION
from tests.tables.sample_tables import write_table

pytestmark = pytest.mark.postgres_only
COLUMNS: list[Any] = [("Company", "text"), ("Amount", "number")]
# Partitions that do not contain the rows of a plan have no line in it.
PARTITION = re.compile(r" on (tables_row_p\d+)")


def relations() -> list[str]:
    """Return the names of all relations and indexes that are not of one partition."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relname ~ '^(tables_row|rows_)' AND relname !~ '^tables_row_p[0-9]'"
        )
        return sorted(name for (name,) in cursor.fetchall())


def count_waiting() -> int:
    return len([each for each in run_checks(tags=[Tags.database], databases=["default"]) if each.id == "tables.W001"])


@pytest.fixture
def one_relation(transactional_db: None) -> Iterator[list[str]]:
    """Have all rows in one relation, as in databases of earlier releases; return the names of the relations."""
    partitioned = relations()
    with connection.schema_editor() as editor:
        editor.delete_model(Row)
        editor.create_model(Row)
    yield partitioned
    list(move_rows())


def test_an_interrupted_move_continues_with_the_rows_of_that_time(one_relation: list[str], api: Api) -> None:
    tables = [
        write_table(api.user, COLUMNS, [{"Company": f"{name} {number}", "Amount": number} for number in range(15)])
        for name in ("First", "Second")
    ]
    first, *_ = moved = list(Row.objects.filter(table=tables[0]).order_by("pk"))
    path = f"/api/tables/{tables[0].pk}/rows/"
    assert count_waiting() == 1

    for progress in move_rows(batch=10):
        if progress.step == "copy":
            break
    assert api.patch(path, {"rows": [{"id": first.pk, "data": {"Company": "Changed"}}]}).status_code == 200
    assert api.post(f"{path}delete/", {"ids": [moved[1].pk]}).status_code == 200
    assert api.post(path, {"Company": "Later"}).status_code == 201
    Row.objects.filter(table=tables[0], pk=moved[2].pk).delete()
    before = list(Row.objects.order_by("pk").values())

    output = StringIO()
    call_command("partition_rows", stdout=output)
    assert output.getvalue().startswith("Copied 21 of about 21 rows\n")
    assert list(Row.objects.order_by("pk").values()) == before
    assert (relations(), count_waiting()) == (one_relation, 0)
    assert api.post(path, {"Company": "Last"}).json()["id"] > before[-1]["id"]


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
def test_constraints_of_rows_allow_shards_by_table() -> None:
    """Shards need the table in each unique constraint, and no foreign keys to or from other tables."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT contype::text, pg_get_constraintdef(oid) FROM pg_constraint"
            " WHERE 'tables_row'::regclass IN (conrelid, confrelid) AND contype <> 'c'"
        )
        assert cursor.fetchall() == [("p", "PRIMARY KEY (table_id, id)")]


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
        for query in ({}, {"sort": "-Company"}, {"search": "new"}, {"offset": "1000"}, {"count": "exact"}):
            assert api.get(path, **query).status_code == 200
        api.get(f"{path}{ids[0]}/")
        api.get(f"/tables/{jobs.pk}/")
        tables_of_rows(api.user, ids)
    statements = {query["sql"] for query in sent.captured_queries if MENTION.search(query["sql"])}
    assert len(statements) > 10
    with connection.cursor() as cursor:
        for sql in statements:
            cursor.execute(f"EXPLAIN {sql}")
            plan = "\n".join(line for (line,) in cursor.fetchall())
            assert set(PARTITION.findall(plan)) <= {partition_of(jobs.pk)}, (sql, plan)
