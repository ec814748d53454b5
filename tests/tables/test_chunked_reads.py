"""Chunked reads use no cursor WITH HOLD, for which PostgreSQL would copy the whole result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from tables.models import Table
from tables.services import read_upsert

pytestmark = [pytest.mark.postgres_only, pytest.mark.django_db(transaction=True)]


def test_rows_of_an_upsert_are_read_in_one_transaction(user: User, jobs: Table) -> None:
    holdable: list[bool] = []

    def record(execute: Callable[..., Any], *args: Any) -> Any:
        answer = execute(*args)
        cursors = connection.connection.execute("SELECT is_holdable FROM pg_cursors WHERE name <> ''")
        holdable.extend(held for (held,) in cursors)
        return answer

    with connection.execute_wrapper(record):
        read_upsert(user=user, table_id=jobs.pk, merge_on=["Company"], rows=[{"Company": "Crux", "Note": "seen"}])
    assert holdable == [False]
