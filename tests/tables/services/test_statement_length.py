"""Statements that write rows have a limited length, because connections keep the memory of their largest one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from django.db import connection

from tables.operations import Origin
from tables.services import add_rows
from tables.services.pipeline.row_writing import MAX_LENGTH
from tests.tables.sample_tables import write_table

TEXT = "x" * 50_000


def test_long_rows_are_added_by_several_statements(user: User) -> None:
    table = write_table(user, [("Text", "text")], [])
    rows = [{"Text": TEXT}] * (3 * MAX_LENGTH // len(TEXT))
    lengths: list[int] = []

    def record(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        lengths.append(len(str(params)))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(record):
        add_rows(user=user, table_id=table.pk, rows=rows, origin=Origin("api"))

    assert table.rows.count() == len(rows)
    assert max(lengths) < 2 * MAX_LENGTH
