"""What tables let go of: the trash after 30 days, old changes without gaps, rows that nothing can bring back."""
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


def what_is_left(table: Table) -> list[int]:
    """How many tables, columns, rows, changes and pieces of this one are still stored."""
    of_table = [kind.objects.filter(table_id=table.pk).count() for kind in (Column, Row, Change)]
    pieces = ChangePiece.objects.filter(change__table_id=table.pk).count()
    return [Table.objects.filter(pk=table.pk).count(), *of_table, pieces]


def made_long_ago(table: Table, *, up_to: int, days: float = 40) -> None:
    """As if the changes up to this version had been made that long ago."""
    Change.objects.filter(table=table, version__lte=up_to).update(created_at=timezone.now() - timedelta(days=days))


def test_a_table_can_be_taken_out_of_the_trash_for_thirty_days(api: Api, jobs: Table) -> None:
    before = snapshot(jobs.pk)
    api.delete(f"/api/tables/{jobs.pk}/")
    tidy_after(days=29.9)
    # Nobody stays signed in so long.
    assert Api(api.user).post(f"/api/tables/{jobs.pk}/restore/").status_code == 200
    assert snapshot(jobs.pk) == before


def test_after_thirty_days_in_the_trash_nothing_is_left_of_a_table(api: Api, jobs: Table) -> None:
    api.patch(f"/api/tables/{jobs.pk}/", {"name": "Other"})
    api.delete(f"/api/tables/{jobs.pk}/")
    tidy_after(days=30.1)
    assert what_is_left(jobs) == [0, 0, 0, 0, 0]
    assert Api(api.user).get("/api/tables/", trashed="true").json()["count"] == 0


def test_what_a_table_does_not_share_with_others_goes_alone(api: Api, jobs: Table, user: User) -> None:
    other = create_table(user=user, name="Other", columns=COLUMNS, rows=[{"A": "x"}], origin=API)
    before = snapshot(other.pk)
    api.delete(f"/api/tables/{jobs.pk}/")
    tidy_after(days=30.1)
    assert snapshot(other.pk) == before


def test_a_table_whose_deletion_has_begun_cannot_be_taken_out_any_more(api: Api, jobs: Table) -> None:
    api.delete(f"/api/tables/{jobs.pk}/")
    next(iter(empty_trash(now=later(days=31))))
    answers = [api.post(f"/api/tables/{jobs.pk}/restore/"), api.get(f"/api/tables/{jobs.pk}/")]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert api.get("/api/tables/", trashed="true").json()["count"] == 0
    tidy_after(days=31)
    assert what_is_left(jobs) == [0, 0, 0, 0, 0]


def test_changes_are_kept_for_thirty_days_and_can_be_undone_so_long(user: User, jobs: Table, apply_rows: Apply) -> None:
    before = snapshot(jobs.pk)
    removed = apply_rows({"action": "delete", "row_id": read_rows(jobs)[0].id})
    tidy_after(days=29.9)
    undo_change(user=user, table_id=jobs.pk, change_id=removed.change)
    assert snapshot(jobs.pk) == before


def test_older_changes_are_gone_and_a_page_that_missed_them_reads_again(
    api: Api, jobs: Table, apply_rows: Apply
) -> None:
    made_long_ago(jobs, up_to=2)
    kept = apply_rows({"action": "add", "data": {"Company": "D"}})
    tidy_after(days=0)
    statuses = [api.get(f"/api/tables/{jobs.pk}/changes/", after_version=number).status_code for number in (0, 1, 2, 3)]
    assert statuses == [410, 410, 200, 200]
    assert [change["id"] for change in api.get(f"/api/tables/{jobs.pk}/changes/").json()["changes"]] == [kept.change]


def test_what_is_left_of_the_changes_never_has_a_gap(api: Api, user: User, jobs: Table, apply_rows: Apply) -> None:
    changes = [apply_rows({"action": "add", "data": {"Company": name}}).change for name in "ab"]
    undo_change(user=user, table_id=jobs.pk, change_id=changes[0])
    made_long_ago(jobs, up_to=4)
    for _ in clear_changes(now=timezone.now()):
        kept = list(Change.objects.filter(table=jobs).order_by("version").values_list("version", flat=True))
        assert kept == list(range(kept[0], 6))
    assert kept == [5]


def test_an_undo_whose_change_is_gone_can_still_be_taken_back(user: User, jobs: Table, apply_rows: Apply) -> None:
    added = apply_rows({"action": "add", "data": {"Company": "D"}}).change
    after = snapshot(jobs.pk)
    undone = undo_change(user=user, table_id=jobs.pk, change_id=added)
    made_long_ago(jobs, up_to=3)
    tidy_after(days=0)
    undo_change(user=user, table_id=jobs.pk, change_id=undone.pk)
    assert snapshot(jobs.pk) == after


def test_the_undo_of_a_restore_that_is_gone_is_not_taken_for_a_restore(
    user: User, jobs: Table, apply_rows: Apply
) -> None:
    first = Change.objects.filter(table=jobs).earliest("version")
    apply_rows({"action": "add", "data": {"Company": "D"}})
    restored = restore_as_of(user=user, table_id=jobs.pk, change_id=first.pk)
    later = apply_rows({"action": "add", "data": {"Company": "E"}}).change
    undone = undo_change(user=user, table_id=jobs.pk, change_id=restored.pk)
    apply_rows({"action": "add", "data": {"Company": "F"}})
    restore_as_of(user=user, table_id=jobs.pk, change_id=undone.pk)
    made_long_ago(jobs, up_to=restored.version)
    tidy_after(days=0)
    assert get_change(jobs, later).undoable
    undo_change(user=user, table_id=jobs.pk, change_id=later)
    redo_change(user=user, table_id=jobs.pk, change_id=later)


def test_changes_are_kept_longer_where_that_is_wanted(settings: Any, jobs: Table) -> None:
    settings.TABLES_CHANGES_DAYS = 90
    tidy_after(days=89)
    assert Change.objects.filter(table=jobs).count() == 2
    tidy_after(days=91)
    assert Change.objects.filter(table=jobs).count() == 0


def test_deleted_rows_go_when_no_kept_change_can_bring_them_back(user: User, jobs: Table, apply_rows: Apply) -> None:
    first, *others = [row.id for row in read_rows(jobs)]
    apply_rows({"action": "delete", "row_id": first})
    tidy_after(days=30.5)
    assert Row.objects.filter(pk=first).exists()
    tidy_after(days=31.5)
    assert list(Row.objects.filter(table=jobs).order_by("pk").values_list("pk", flat=True)) == others


def test_a_row_stays_while_the_change_that_deleted_it_is_there(jobs: Table, apply_rows: Apply) -> None:
    apply_rows({"action": "delete", "row_id": read_rows(jobs)[0].id})
    Change.objects.filter(table=jobs, version=1).delete()
    assert list(clear_rows(now=later(days=60))) == []


def test_only_as_much_goes_at_once_as_a_moment_allows(user: User, jobs: Table) -> None:
    write_rows(jobs, [{"Company": "Acme"}] * (MAX_ROWS * 2 + 5))
    Row.objects.filter(table=jobs).update(deleted_at=timezone.now() - timedelta(days=90))
    Change.objects.filter(table=jobs).delete()
    assert list(clear_rows(now=timezone.now())) == [MAX_ROWS, MAX_ROWS, 8]


def test_many_changes_go_in_parts(user: User, jobs: Table) -> None:
    Change.objects.bulk_create(
        Change(table=jobs, version=number, source="api", summary="x") for number in range(3, MAX_CHANGES + 13)
    )
    steps = []
    for step in clear_changes(now=later(days=31)):
        steps.append(step)
        kept = list(Change.objects.filter(table=jobs).order_by("version").values_list("version", flat=True))
        assert kept == list(range(sum(steps) + 1, MAX_CHANGES + 13))
    assert (sum(steps), max(steps) <= MAX_CHANGES, len(steps) > 1) == (MAX_CHANGES + 12, True, True)


@pytest.mark.django_db(transaction=True)
def test_others_can_write_between_two_parts(user: User) -> None:
    table = create_table(user=user, name="T", columns=COLUMNS, rows=[{"A": "x"}] * 3, origin=API)
    delete_rows(user=user, table_id=table.pk, row_ids=[row.id for row in read_rows(table)], origin=API)
    inside = []
    delete_expired(now=later(days=40), pause=lambda seconds: inside.append(connection.in_atomic_block))
    assert (len(inside) >= 2, set(inside)) == (True, {False})


def test_old_figures_and_old_invitations_go(user: User, jobs: Table) -> None:
    invite(user=user, table_id=jobs.pk, kind="link", role="viewer", now=timezone.now())
    CachedStatistics.objects.create(pk="x", table=jobs, state="x", figures="{}", computed_at=timezone.now())
    tidy_after(hours=23)
    assert (Invitation.objects.count(), CachedStatistics.objects.count()) == (1, 1)
    tidy_after(days=45)
    assert (Invitation.objects.count(), CachedStatistics.objects.count()) == (0, 0)
