"""The check that statements on rows name their table, which all tests on PostgreSQL run with."""
from __future__ import annotations

import pytest

from tests.row_statements import names_table

NAMED = [
    'SELECT "tables_row"."id" FROM "tables_row" WHERE "tables_row"."table_id" = %s',
    "SELECT id, version FROM tables_row WHERE id = ANY(%s::bigint[]) AND table_id = %s FOR UPDATE",
    'SELECT (SELECT U0."id" FROM "tables_row" U0 WHERE U0."table_id" = %s LIMIT 1) FROM "tables_table"',
    "UPDATE tables_row AS r SET position = 1 FROM (SELECT 1) AS v WHERE r.id = 1 AND r.table_id = %s",
    "SELECT 1 FROM tables_row AS a JOIN tables_row AS b ON b.table_id = a.table_id WHERE a.table_id = %s",
    "SELECT 1 FROM tables_row WHERE table_id = %s AND id IN (SELECT id FROM tables_row WHERE table_id = %s)",
    'DELETE FROM "tables_row" WHERE "tables_row"."table_id" IN (%s)',
    "INSERT INTO tables_row (position, table_id) VALUES (%s, %s)",
    'SELECT "tables_rowcount"."id" FROM "tables_rowcount"',
    'CREATE STATISTICS figures ON (left("tables_row"."data" ->> %s::text, 255)) FROM tables_row',
]
UNNAMED = [
    'SELECT "tables_row"."table_id" FROM "tables_row" WHERE "tables_row"."id" = %s',
    "UPDATE tables_row AS r SET position = 1 FROM (SELECT 1) AS v WHERE r.id = 1",
    'SELECT (SELECT U0."id" FROM "tables_row" U0 LIMIT 1) FROM "tables_row" WHERE "tables_row"."table_id" = %s',
    'DELETE FROM "tables_row" WHERE "tables_row"."id" IN (%s)',
    "SELECT 1 FROM tables_row AS a JOIN tables_changepiece AS b ON b.id = a.id WHERE a.table_id = %s",
    "SELECT (SELECT max(id) FROM tables_row WHERE table_id = %s) FROM tables_row",
]


@pytest.mark.parametrize(("sql", "is_named"), [*((sql, True) for sql in NAMED), *((sql, False) for sql in UNNAMED)])
def test_statements_without_a_condition_on_the_table_are_found(sql: str, is_named: bool) -> None:
    assert names_table(sql) is is_named
