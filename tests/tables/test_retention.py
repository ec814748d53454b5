"""Retention: trashed tables, old changes without gaps, and deleted rows that cannot be restored."""
from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from chatproject.retention import delete_expired
from tables.models import CachedStatistics, Change, ChangePiece, Column, Invitation, Row, Table
from tables.operations import Origin
from tables.selectors import get_change, read_rows
from tables.services import (
    Applied,
    create_table,
    delete_rows,
    invite,
    redo_change,
    restore_as_of,
    undo_change,
)
from tables.services.retention import MAX_CHANGES, MAX_ROWS, clear_changes, clear_rows, empty_trash
from tests.conftest import Api
from tests.retention_clock import later, tidy_after
from tests.tables.sample_tables import write_rows
from tests.tables.snapshots import snapshot

API = Origin("api")
COLUMNS = [{"name": "A", "type": "text"}]
Apply = Callable[..., Applied]


def stored_objects(table: Table) -> list[int]:
    """Return the numbers of stored tables, columns, rows, changes and pieces of this table."""
    of_table = [kind.objects.filter(table_id=table.pk).count() for kind in (Column, Row, Change)]
    pieces = ChangePiece.objects.filter(change__table_id=table.pk).count()
    return [Table.objects.filter(pk=table.pk).count(), *of_table, pieces]


def tables_with(word: str) -> set[str]:
    """Return the relations with a folded text, other than partitions and indexes."""
    found = set()
    with connection.cursor() as cursor:
        for relation in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(relation)}")
            if any(word in str(row).casefold() for row in cursor.fetchall()):
                found.add(relation)
    return found


def age_changes(table: Table, *, up_to: int, days: float = 40) -> None:
    """Set the age of the changes up to this version."""
    Change.objects.filter(table=table, version__lte=up_to).update(created_at=timezone.now() - timedelta(days=days))


def test_trashed_tables_can_be_restored_for_thirty_days(api: Api, jobs: Table) -> None:
    before = snapshot(jobs.pk)
    api.delete(f"/api/tables/{jobs.pk}/")
    tidy_after(days=29.9)
    # Sessions expire earlier.
    assert Api(api.user).post(f"/api/tables/{jobs.pk}/restore/").status_code == 200
    assert snapshot(jobs.pk) == before


def test_trashed_tables_are_deleted_after_thirty_days(api: Api, jobs: Table) -> None:
    api.patch(f"/api/tables/{jobs.pk}/", {"name": "Other"})
    api.delete(f"/api/tables/{jobs.pk}/")
    tidy_after(days=30.1)
    assert stored_objects(jobs) == [0, 0, 0, 0, 0]
    assert Api(api.user).get("/api/tables/", trashed="true").json()["count"] == 0


def test_deleting_a_table_leaves_other_objects(api: Api, jobs: Table, user: User) -> None:
    other = create_table(user=user, name="Other", columns=COLUMNS, rows=[{"A": "x"}], origin=API)
    before = snapshot(other.pk)
    api.delete(f"/api/tables/{jobs.pk}/")
    tidy_after(days=30.1)
    assert snapshot(other.pk) == before


def test_partly_deleted_tables_cannot_be_restored(api: Api, jobs: Table) -> None:
    api.delete(f"/api/tables/{jobs.pk}/")
    next(iter(empty_trash(now=later(days=31))))
    answers = [api.post(f"/api/tables/{jobs.pk}/restore/"), api.get(f"/api/tables/{jobs.pk}/")]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert api.get("/api/tables/", trashed="true").json()["count"] == 0
    tidy_after(days=31)
    assert stored_objects(jobs) == [0, 0, 0, 0, 0]


def test_changes_can_be_undone_for_thirty_days(user: User, jobs: Table, apply_rows: Apply) -> None:
    before = snapshot(jobs.pk)
    removed = apply_rows({"action": "delete", "row_id": read_rows(jobs)[0].id})
    tidy_after(days=29.9)
    undo_change(user=user, table_id=jobs.pk, change_id=removed.change)
    assert snapshot(jobs.pk) == before


def test_older_changes_are_deleted_and_missed_ones_are_a_410(
    api: Api, jobs: Table, apply_rows: Apply
) -> None:
    age_changes(jobs, up_to=1)
    stored = apply_rows({"action": "add", "data": {"Company": "D"}})
    tidy_after(days=0)
    statuses = [api.get(f"/api/tables/{jobs.pk}/changes/", after_version=number).status_code for number in (0, 1, 2)]
    assert statuses == [410, 200, 200]
    assert [change["id"] for change in api.get(f"/api/tables/{jobs.pk}/changes/").json()["changes"]] == [stored.change]


def test_stored_changes_have_no_gaps(api: Api, user: User, jobs: Table, apply_rows: Apply) -> None:
    changes = [apply_rows({"action": "add", "data": {"Company": name}}).change for name in "ab"]
    undo_change(user=user, table_id=jobs.pk, change_id=changes[0])
    age_changes(jobs, up_to=3)
    for _ in clear_changes(now=timezone.now()):
        stored = list(Change.objects.filter(table=jobs).order_by("version").values_list("version", flat=True))
        assert stored == list(range(stored[0], 5))
    assert stored == [4]


def test_an_undo_of_a_deleted_change_can_be_undone(user: User, jobs: Table, apply_rows: Apply) -> None:
    added = apply_rows({"action": "add", "data": {"Company": "D"}}).change
    after = snapshot(jobs.pk)
    undone = undo_change(user=user, table_id=jobs.pk, change_id=added)
    age_changes(jobs, up_to=2)
    tidy_after(days=0)
    undo_change(user=user, table_id=jobs.pk, change_id=undone.pk)
    assert snapshot(jobs.pk) == after


def test_the_undo_of_a_deleted_restore_is_no_restore(
    user: User, jobs: Table, apply_rows: Apply
) -> None:
    first = Change.objects.filter(table=jobs).earliest("version")
    apply_rows({"action": "add", "data": {"Company": "D"}})
    restored = restore_as_of(user=user, table_id=jobs.pk, change_id=first.pk)
    later = apply_rows({"action": "add", "data": {"Company": "E"}}).change
    undone = undo_change(user=user, table_id=jobs.pk, change_id=restored.pk)
    apply_rows({"action": "add", "data": {"Company": "F"}})
    restore_as_of(user=user, table_id=jobs.pk, change_id=undone.pk)
    age_changes(jobs, up_to=restored.version)
    tidy_after(days=0)
    assert get_change(jobs, later).undoable
    undo_change(user=user, table_id=jobs.pk, change_id=later)
    redo_change(user=user, table_id=jobs.pk, change_id=later)


def test_the_retention_of_changes_is_configurable(settings: Any, jobs: Table) -> None:
    settings.TABLES_CHANGES_DAYS = 90
    tidy_after(days=89)
    assert Change.objects.filter(table=jobs).count() == 1
    tidy_after(days=91)
    assert Change.objects.filter(table=jobs).count() == 0


def test_deleted_rows_are_purged_when_no_change_can_restore_them(user: User, jobs: Table, apply_rows: Apply) -> None:
    first, *others = [row.id for row in read_rows(jobs)]
    apply_rows({"action": "update", "row_id": first, "changes": {"Company": "Xylophone"}})
    apply_rows({"action": "delete", "row_id": first})
    tidy_after(days=30.5)
    assert tables_with("xylophone") == {Row._meta.db_table}
    tidy_after(days=31.5)
    assert list(Row.objects.filter(table=jobs).order_by("pk").values_list("pk", flat=True)) == others
    assert tables_with("xylophone") == set()


def test_deleted_rows_stay_while_their_change_is_stored(jobs: Table, apply_rows: Apply) -> None:
    apply_rows({"action": "delete", "row_id": read_rows(jobs)[0].id})
    Change.objects.filter(table=jobs, version=1).delete()
    assert list(clear_rows(now=later(days=60))) == []


def test_objects_are_deleted_in_batches(user: User, jobs: Table) -> None:
    write_rows(jobs, [{"Company": "Acme"}] * (MAX_ROWS * 2 + 5))
    Row.objects.filter(table=jobs).update(deleted_at=timezone.now() - timedelta(days=90))
    Change.objects.filter(table=jobs).delete()
    assert list(clear_rows(now=timezone.now())) == [MAX_ROWS, MAX_ROWS, 8]


def test_changes_are_deleted_in_batches(user: User, jobs: Table) -> None:
    Change.objects.bulk_create(
        Change(table=jobs, version=number, source="api", summary="x") for number in range(2, MAX_CHANGES + 13)
    )
    steps = []
    for step in clear_changes(now=later(days=31)):
        steps.append(step)
        stored = list(Change.objects.filter(table=jobs).order_by("version").values_list("version", flat=True))
        assert stored == list(range(sum(steps) + 1, MAX_CHANGES + 13))
    assert (sum(steps), max(steps) <= MAX_CHANGES, len(steps) > 1) == (MAX_CHANGES + 12, True, True)


@pytest.mark.django_db(transaction=True)
def test_writes_are_possible_between_batches(user: User) -> None:
    table = create_table(user=user, name="T", columns=COLUMNS, rows=[{"A": "x"}] * 3, origin=API)
    delete_rows(user=user, table_id=table.pk, row_ids=[row.id for row in read_rows(table)], origin=API)
    inside = []
    delete_expired(now=later(days=40), pause=lambda seconds: inside.append(connection.in_atomic_block))
    assert (len(inside) >= 2, set(inside)) == (True, {False})


def test_old_statistics_and_invitations_are_deleted(user: User, jobs: Table) -> None:
    invite(user=user, table_id=jobs.pk, kind="link", role="viewer", now=timezone.now())
    CachedStatistics.objects.create(pk="x", table=jobs, state="x", figures="{}", computed_at=timezone.now())
    tidy_after(hours=23)
    assert (Invitation.objects.count(), CachedStatistics.objects.count()) == (1, 1)
    tidy_after(days=45)
    assert (Invitation.objects.count(), CachedStatistics.objects.count()) == (0, 0)
