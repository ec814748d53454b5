"""The admin log: superusers can read it, and it cannot be changed."""
from __future__ import annotations

import pytest
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import Permission, User
from django.contrib.contenttypes.models import ContentType
from django.test import Client

pytestmark = pytest.mark.django_db
LIST = "/admin/admin/logentry/"


@pytest.fixture
def entry() -> LogEntry:
    return LogEntry.objects.create(
        user=User.objects.create_superuser("root"),
        content_type=ContentType.objects.get_for_model(User),
        object_id="1",
        object_repr="<script>alert(1)</script>{{ x }}",
        action_flag=CHANGE,
        change_message="Viewed. Owner: ada.",
    )


def test_superusers_can_read_the_log(entry: LogEntry) -> None:
    client = Client()
    client.force_login(entry.user)
    page = client.get(LIST).content.decode()
    for expected in ("root", "Viewed. Owner: ada.", "&lt;script&gt;alert(1)&lt;/script&gt;{{ x }}"):
        assert expected in page, expected
    assert client.get(f"{LIST}{entry.pk}/change/").status_code == 200


@pytest.mark.parametrize("moment", ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+14:00"])
def test_filtering_by_a_datetime_outside_the_calendar_does_not_fail(entry: LogEntry, moment: str) -> None:
    client = Client()
    client.force_login(entry.user)
    # PostgreSQL can compare such a datetime; Python cannot convert it to UTC for SQLite.
    assert client.get(LIST, {"action_time__gte": moment}).status_code in (200, 404)


def test_log_entries_cannot_be_changed_or_deleted(entry: LogEntry) -> None:
    client = Client()
    client.force_login(entry.user)
    client.post(LIST, {"action": "delete_selected", "_selected_action": [str(entry.pk)], "post": "yes"})
    assert client.post(f"{LIST}{entry.pk}/delete/", {"post": "yes"}).status_code == 403
    assert client.post(f"{LIST}{entry.pk}/change/", {"change_message": ""}).status_code == 403
    assert client.get(f"{LIST}add/").status_code == 403
    assert LogEntry.objects.get().change_message == "Viewed. Owner: ada."


def test_staff_with_all_permissions_cannot_read_the_log(entry: LogEntry) -> None:
    staff = User.objects.create(username="sam", is_staff=True)
    staff.user_permissions.set(Permission.objects.all())
    client = Client()
    client.force_login(staff)
    assert client.get(LIST).status_code == 403
    assert client.get(f"{LIST}{entry.pk}/change/").status_code == 403


def test_models_have_readable_names() -> None:
    client = Client()
    client.force_login(User.objects.create_superuser("root"))
    app_list = client.get("/admin/").context["app_list"]
    names = {model["name"] for app in app_list for model in app["models"]}
    assert {"API tokens", "Token use", "Assistant configuration", "Assistant statistics", "Ratings"} <= names
    assert "Background tasks" in {app["name"] for app in app_list}


def test_redirects_to_objects_are_disabled() -> None:
    client = Client()
    client.force_login(User.objects.create(username="sam", is_staff=True))
    for content_type in ContentType.objects.filter(model__in=["user", "conversation"]):
        for object_id in ("35", "not-an-id", "00000000-0000-4000-8000-000000000000"):
            assert client.get(f"/admin/r/{content_type.pk}/{object_id}/").status_code == 404, content_type
