"""Table stewards: reading tables in the admin, and its actions on them."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tables.models import Change, Table

pytestmark = pytest.mark.django_db


def steward(*permissions: str, name: str = "stella") -> Client:
    person = User.objects.create(username=name, is_staff=True)
    person.user_permissions.set(Permission.objects.filter(codename__in=permissions, content_type__app_label="tables"))
    client = Client()
    client.force_login(person)
    return client


@pytest.fixture
def stella() -> Client:
    return steward("view_table", "change_table")


def page(table: Table, action: str = "change") -> str:
    return f"/admin/tables/table/{table.pk}/{action}/"


def test_trashing_and_restoring_are_changes_of_the_steward(
    stella: Client, jobs: Table, api: Any
) -> None:
    version = jobs.version
    stella.post(page(jobs, "trash"))
    assert api.get(f"/api/tables/{jobs.pk}/").status_code == 404
    stella.post(page(jobs, "restore"))
    assert api.get(f"/api/tables/{jobs.pk}/").status_code == 200
    created = Change.objects.filter(table=jobs, version__gt=version).order_by("version")
    assert [(change.source, str(change.actor)) for change in created] == [("admin", "stella"), ("admin", "stella")]
    assert [entry.get_change_message() for entry in LogEntry.objects.order_by("pk")] == [
        "Moved the table to trash",
        "Restored the table from trash",
    ]


def test_actions_of_a_steward_can_be_undone_by_the_owner(stella: Client, jobs: Table, api: Any) -> None:
    stella.post(page(jobs, "trash"))
    change = Change.objects.filter(table=jobs).latest("version")
    assert api.post(f"/api/tables/{jobs.pk}/changes/{change.pk}/undo/").status_code == 200
    jobs.refresh_from_db()
    assert jobs.deleted_at is None


def test_transferring_a_table_keeps_the_old_owner_as_editor(
    stella: Client, jobs: Table, api: Any, other_api: Any
) -> None:
    stella.post(page(jobs, "transfer"), {"to": "grace"})
    assert other_api.get(f"/api/tables/{jobs.pk}/").json()["role"] == "owner"
    assert api.get(f"/api/tables/{jobs.pk}/").json()["role"] == "editor"
    stella.post(page(jobs, "transfer"), {"to": "ada"})
    assert api.get(f"/api/tables/{jobs.pk}/").json()["role"] == "owner"
    assert jobs.members.count() == 1


@pytest.mark.usefixtures("other_user")
@pytest.mark.parametrize(
    ("to", "message"),
    [("nobody", "There is no active user"), ("ada", "owns this table already"), ("", "There is no active user")],
)
def test_invalid_new_owners_are_reported(stella: Client, jobs: Table, to: str, message: str) -> None:
    answer = stella.post(page(jobs, "transfer"), {"to": to}, follow=True)
    assert message in answer.content.decode()
    jobs.refresh_from_db()
    assert jobs.owner.username == "ada"
    assert not LogEntry.objects.exists()


def test_repeated_actions_are_reported_and_write_nothing(stella: Client, jobs: Table) -> None:
    answer = stella.post(page(jobs, "restore"), follow=True)
    assert "There is no such table in the trash." in answer.content.decode()
    assert Change.objects.filter(table=jobs, source="admin").count() == 0


def test_read_only_stewards_see_details_without_actions(jobs: Table) -> None:
    client = steward("view_table")
    shown = client.get(page(jobs)).content.decode()
    assert "Recent changes" in shown
    assert "Transfer" not in shown
    for action in ("trash", "restore", "transfer"):
        assert client.post(page(jobs, action), {"to": "stella"}).status_code == 403
        assert client.get(page(jobs, action)).status_code == 404
    assert client.post(page(jobs), {"name": "Mine"}).status_code == 403
    jobs.refresh_from_db()
    assert (jobs.deleted_at, jobs.owner.username) == (None, "ada")


def test_cells_are_not_shown(stella: Client, jobs: Table, api: Any) -> None:
    column = jobs.columns.filter(type="text").first()
    assert column is not None
    api.post(f"/api/tables/{jobs.pk}/rows/", {"data": {column.id: "A secret cell"}})
    assert "A secret cell" not in stella.get(page(jobs)).content.decode()


def test_names_and_summaries_are_escaped(stella: Client, jobs: Table) -> None:
    Table.objects.filter(pk=jobs.pk).update(name="<script>alert(1)</script>{{ x }}", description="{% load x %}")
    Change.objects.update(summary="<img src=//evil.example/x>")
    seen = stella.get(page(jobs)).content.decode() + stella.get("/admin/tables/table/").content.decode()
    assert "<script>alert" not in seen
    assert "<img src=//evil" not in seen
    assert "&lt;script&gt;alert(1)&lt;/script&gt;{{ x }}" in seen


def test_changes_are_filtered_by_source_with_constant_queries(
    jobs: Table, api: Any, make_user: Callable[[str], User]
) -> None:
    client = steward("view_change")
    listing = "/admin/tables/change/"
    client.get(listing)
    with CaptureQueriesContext(connection) as few:
        client.get(listing)
    for name in ("A", "B", "C"):
        api.post("/api/tables/", {"name": name, "columns": [{"name": "N", "type": "text"}]})
    with CaptureQueriesContext(connection) as more:
        everything = client.get(listing)
    assert len(more) == len(few)
    assert everything.context["cl"].result_count > 3
    assert client.get(listing, {"source": "undo"}).context["cl"].result_count == 0
