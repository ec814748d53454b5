"""The record of what was done in the admin: superusers read it, nobody changes it."""
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


def test_a_superuser_reads_who_did_what(entry: LogEntry) -> None:
    client = Client()
    client.force_login(entry.user)
    page = client.get(LIST).content.decode()
    for told in ("root", "Viewed. Owner: ada.", "&lt;script&gt;alert(1)&lt;/script&gt;{{ x }}"):
        assert told in page, told
    assert client.get(f"{LIST}{entry.pk}/change/").status_code == 200


@pytest.mark.parametrize("moment", ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+14:00"])
def test_a_filter_by_a_moment_outside_the_calendar_does_not_fail(entry: LogEntry, moment: str) -> None:
    client = Client()
    client.force_login(entry.user)
    # PostgreSQL compares with such a moment; Python cannot convert it to UTC for SQLite.
    assert client.get(LIST, {"action_time__gte": moment}).status_code in (200, 404)


def test_nobody_tidies_it_up(entry: LogEntry) -> None:
    client = Client()
    client.force_login(entry.user)
    client.post(LIST, {"action": "delete_selected", "_selected_action": [str(entry.pk)], "post": "yes"})
    assert client.post(f"{LIST}{entry.pk}/delete/", {"post": "yes"}).status_code == 403
    assert client.post(f"{LIST}{entry.pk}/change/", {"change_message": ""}).status_code == 403
    assert client.get(f"{LIST}add/").status_code == 403
    assert LogEntry.objects.get().change_message == "Viewed. Owner: ada."


def test_staff_with_every_right_but_that_of_a_superuser_do_not_read_it(entry: LogEntry) -> None:
    person = User.objects.create(username="sam", is_staff=True)
    person.user_permissions.set(Permission.objects.all())
    client = Client()
    client.force_login(person)
    assert client.get(LIST).status_code == 403
    assert client.get(f"{LIST}{entry.pk}/change/").status_code == 403


def test_kinds_of_things_are_called_what_people_call_them() -> None:
    client = Client()
    client.force_login(User.objects.create_superuser("root"))
    shown = client.get("/admin/").context["app_list"]
    named = {model["name"] for app in shown for model in app["models"]}
    assert {"API tokens", "Token use", "Assistant configuration", "Assistant statistics", "Feedback"} <= named


def test_no_kind_of_thing_is_looked_up_by_an_id_before_anybody_asks_for_rights() -> None:
    client = Client()
    client.force_login(User.objects.create(username="sam", is_staff=True))
    for kind in ContentType.objects.all():
        for some_id in ("35", "not-an-id", "00000000-0000-4000-8000-000000000000"):
            assert client.get(f"/admin/r/{kind.pk}/{some_id}/").status_code == 404, kind
