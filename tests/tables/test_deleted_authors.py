"""Rows of deleted users: no constraint of PostgreSQL connects them, so deletions and writes lock the user."""
from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction

from tables.models import Member, Row, Table
from tables.operations import Origin
from tables.services import add_rows
from tests.tables.concurrency.threads import is_waiting_for_lock
from tests.tables.sample_tables import write_table

pytestmark = pytest.mark.postgres_only


@pytest.fixture
def shared(user: User, other_user: User) -> Table:
    table = write_table(user, [("Company", "text")], [{"Company": "Crux"}])
    Member.objects.create(table=table, user=other_user, role="editor")
    return table


def in_thread(work: Any, *arguments: Any) -> Any:
    try:
        return work(*arguments)
    finally:
        connection.close()


def write_as(author: User, table: Table) -> None:
    add_rows(user=author, table_id=table.pk, rows=[{"Company": "Written"}], origin=Origin("api"))


@pytest.mark.django_db(transaction=True)
def test_rows_written_while_their_author_is_deleted_are_not_committed(shared: Table, other_user: User) -> None:
    @transaction.atomic
    def write_and_delete() -> None:
        write_as(other_user, shared)
        pool.submit(in_thread, User.objects.get(pk=other_user.pk).delete).result(60)

    with ThreadPoolExecutor(1) as pool, pytest.raises(IntegrityError):
        write_and_delete()
    assert Row.objects.filter(table=shared).count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_commit_waits_for_a_deletion_of_its_author_that_has_begun(shared: Table, other_user: User) -> None:
    writes: list[Future[Any]] = []

    def write_after(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        result = execute(sql, params, many, context)
        if sql.startswith('UPDATE "tables_row"') and not writes:
            writes.append(pool.submit(in_thread, write_as, other_user, shared))
            while not writes[0].done() and not is_waiting_for_lock():
                pass
        return result

    with ThreadPoolExecutor(1) as pool:
        with connection.execute_wrapper(write_after):
            User.objects.get(pk=other_user.pk).delete()
        assert isinstance(writes[0].exception(60), IntegrityError)
    assert Row.objects.filter(table=shared).count() == 1


@pytest.mark.django_db
def test_rows_of_a_user_that_does_not_exist_are_read_like_others(api: Any, shared: Table) -> None:
    Row.objects.filter(table=shared).update(created_by_id=2**30, updated_by_id=2**30)
    for path in (f"/tables/{shared.pk}/", f"/api/tables/{shared.pk}/rows/"):
        response = api.get(path)
        assert (response.status_code, b"Crux" in response.content) == (200, True)
