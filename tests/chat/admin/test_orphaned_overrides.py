"""Broken and orphaned overrides are listed with their reasons and can be deleted."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from chat.configuration import ADDED, Address
from chat.configuration import Override as Value
from chat.models import ConfigurationChange, Override
from chat.selectors.configuration.catalogue import current_catalogue, current_version, faults_of_configuration
from chat.services.configuration.changes import RESET, Edit, change_configuration
from tests.chat.admin.forms import confirmed

pytestmark = pytest.mark.django_db

LIST = reverse("admin:chat_configuration_orphaned_overrides")
INDEX = reverse("admin:chat_override_changelist")
HOSTILE = "</pre><script>alert(1)</script>{{ settings.SECRET_KEY }}\u202e"

BROKEN = {
    "unknown field": ("tool", "get_rows", "colour", "red", "There is no such field."),
    "a value that does not fit": ("engine", "all", "max_iterations", 1_000, "whole number from 1 to 20"),
    "unknown kind": ("nothing", "x", "y", 1, "There is no such kind of entry."),
    "field of added entries only": ("payload_type", "data_proposal", "parse_marker", "X_SPEC:", "cannot"),
    "added mark for a fixed kind": ("tool", "new_tool", ADDED, True, "cannot be added"),
    "invalid name": ("help_topic", "no name", ADDED, True, "is not a valid name"),
}
ORPHANED = {
    "unknown tool": ("tool", "gone", "description", "Of a tool.", "This entry no longer exists."),
    "entry now in the code": ("client_action", "close_chat", ADDED, True, "This entry is now built in."),
}


def store(kind: str, name: str, field: str, value: Any) -> Override:
    """Store an override without validation."""
    return Override.objects.create(kind=kind, name=name, field=field, value=value)


def delete(client: Client, *rows: Override, seen: int | None = None, **fields: str) -> HttpResponse:
    version = current_version() if seen is None else seen
    page = client.post(LIST, {"row": [row.pk for row in rows], "seen": version})
    return confirmed(client, page, **fields) if page.status_code == 200 else page


@pytest.mark.parametrize(("kind", "name", "field", "value", "reason"), BROKEN.values(), ids=BROKEN)
def test_broken_override_is_listed_and_its_deletion_restores_health(
    editor: Client, kind: str, name: str, field: str, value: Any, reason: str
) -> None:
    row = store(kind, name, field, value)
    assert editor.get("/readyz").json()["config"] == "degraded"
    assert LIST in editor.get(INDEX).content.decode()
    page = editor.get(LIST).content.decode()
    assert reason in page.replace("&#x27;", "'")
    assert ">Invalid<" in page
    assert delete(editor, row, why="Left by a script").status_code == 302
    assert not Override.objects.exists()
    assert "config" not in editor.get("/readyz").json()
    change = ConfigurationChange.objects.get()
    assert (change.user.username, change.why) == ("edda", "Left by a script")  # type: ignore[union-attr]
    assert (change.before, change.after) == ({"value": value}, None)
    assert "All changes are in effect." in editor.get(LIST).content.decode()


@pytest.mark.parametrize(("kind", "name", "field", "value", "reason"), ORPHANED.values(), ids=ORPHANED)
def test_orphaned_override_is_listed_and_deleted_without_affecting_health(
    editor: Client, kind: str, name: str, field: str, value: Any, reason: str
) -> None:
    row = store(kind, name, field, value)
    assert "config" not in editor.get("/readyz").json()
    assert "1 change of removed entries has no effect" in editor.get(INDEX).content.decode()
    page = editor.get(LIST).content.decode()
    assert reason in page
    assert ">Orphaned<" in page
    assert delete(editor, row).status_code == 302
    assert not Override.objects.exists()
    assert ConfigurationChange.objects.get().why == "Removed because it had no effect"


def test_list_has_the_overrides_that_health_reports(editor: Client) -> None:
    for row in [*BROKEN.values(), *ORPHANED.values()]:
        store(*row[:4])
    store("page", "table_view", "identity", "You are a librarian.")
    listed = [fault for row in editor.get(LIST).context["rows"] for fault in row["override"].checked.fault_texts]
    assert sorted(listed) == sorted(faults_of_configuration())
    rows = editor.get(LIST).context["rows"]
    assert [row["override"].broken for row in rows] == [True] * len(BROKEN) + [False] * len(ORPHANED)


def test_all_are_deleted_as_one_change_and_effective_overrides_stay(editor: Client) -> None:
    rows = [store(*row[:4]) for row in [*BROKEN.values(), *ORPHANED.values()]]
    used = store("page", "table_view", "identity", "You are a librarian.")
    page = editor.get(LIST).content.decode()
    assert f"Remove all {len(rows)}" in page
    assert delete(editor, *rows).status_code == 302
    assert list(Override.objects.all()) == [used]
    assert (current_version(), ConfigurationChange.objects.count()) == (1, len(rows))


def test_unusable_added_entry_is_deleted_whole(editor: Client) -> None:
    mark = store("payload_type", "chart_spec", ADDED, True)
    store("payload_type", "chart_spec", "title", "Chart")
    [row] = editor.get(LIST).context["rows"]
    assert [other.field for other in row["override"].others] == ["title"]
    page = editor.get(LIST).content.decode()
    assert "Also removes 1 value: title." in page
    assert reverse("admin:chat_configuration_entry", args=["payload_type", "chart_spec"]) in page
    assert delete(editor, mark).status_code == 302
    assert not Override.objects.exists()


def test_added_entry_with_a_missing_field_is_repaired_on_its_page(editor: Client) -> None:
    created = Address("client_action", "open_report")
    edit = Edit(created, {ADDED: True, "description": "Opens the report.", "enabled": True})
    change_configuration(user=None, edits=[edit], now=timezone.now())
    Override.objects.filter(field="description").update(value=7)
    row = Override.objects.get(field="description")
    assert reverse("admin:chat_configuration_entry", args=created) in editor.get(LIST).content.decode()
    answer = delete(editor, row)
    assert (answer.status_code, "Description for the model is required." in answer.content.decode()) == (422, True)
    assert Override.objects.count() == 3


def test_broken_field_without_a_page_is_not_linked(editor: Client) -> None:
    for broken in ("unknown field", "field of added entries only", "unknown kind"):
        store(*BROKEN[broken][:4])
    store(*BROKEN["a value that does not fit"][:4])
    rows = editor.get(LIST).context["rows"]
    assert [row["override"].page for row in rows] == [False, False, False, True]


def test_deletion_after_a_concurrent_change_is_refused(editor: Client) -> None:
    row = store("engine", "all", "max_iterations", 1_000)
    other = store("tool", "gone", "description", "Of a tool.")
    erik = User.objects.create(username="erik")
    edit = Edit(Address("engine", "all"), {"max_iterations": RESET})
    change_configuration(user=erik, edits=[edit], now=timezone.now())
    answer = delete(editor, row, other, seen=0)
    assert answer.status_code == 409
    assert "Another administrator has deleted this meanwhile" in answer.content.decode()
    assert list(Override.objects.all()) == [other]
    change_configuration(user=erik, edits=[Edit(Address("engine", "all"), {"max_iterations": 7})], now=timezone.now())
    mended = Override.objects.get(field="max_iterations")
    assert delete(editor, mended, seen=0).status_code == 409
    Override.objects.filter(pk=mended.pk).update(value=1_000)
    answer = delete(editor, mended, seen=1)
    assert answer.status_code == 409
    assert "erik changed “Model calls per turn”" in answer.content.decode()
    assert current_version() == 2


@pytest.mark.parametrize("row", [None, "x", "9" * 18, "9" * 40])
def test_unknown_row_deletes_nothing(editor: Client, row: str | None) -> None:
    store("tool", "gone", "description", "Of a tool.")
    assert editor.post(LIST, {"seen": "0"} | ({"row": row} if row is not None else {})).status_code == 409
    assert Override.objects.count() == 1
    assert current_version() == 0


def test_effective_override_cannot_be_deleted_here(editor: Client) -> None:
    used = store("page", "table_view", "identity", "You are a librarian.")
    assert delete(editor, used).status_code == 409
    assert Override.objects.count() == 1


def test_hostile_text_is_escaped_and_long_values_are_shortened(editor: Client) -> None:
    store("tool", "gone<script>", "description", HOSTILE)
    store("nothing", "x", "<script>alert(2)", "y" * 100_000)
    page = editor.get(LIST).content.decode()
    assert "<script>alert" not in page
    assert "{{ settings.SECRET_KEY }}" in page
    assert "U+202E" in page
    assert "And 99000 more characters." in page
    assert "y" * 1_001 not in page


def test_list_has_constant_queries(editor: Client) -> None:
    counts = []
    for number in range(3):
        for each in range(1 + 20 * number):
            store("tool", f"gone_{number}_{each}", "description", "Of a tool.")
        with CaptureQueriesContext(connection) as queries:
            assert editor.get(LIST).status_code == 200
        counts.append(len(queries))
    assert counts[1] == counts[2] <= 8


def test_other_users_are_refused(client: Client) -> None:
    row = store("tool", "gone", "description", "Of a tool.")
    user = User.objects.create(username="eve", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="view_figures"))
    client.force_login(user)
    assert client.get(LIST).status_code == 403
    assert client.post(LIST, {"row": row.pk, "seen": 0}).status_code == 403
    assert Override.objects.count() == 1


def test_broken_override_is_not_counted_as_a_change_of_its_entry(editor: Client) -> None:
    store("client_action", "close_chat", ADDED, True)
    store("client_action", "close_chat", "colour", "red")
    lines = {line.address: line for _, lines in editor.get(INDEX).context["kinds"] for line in lines}
    line = lines[Address("client_action", "close_chat")]
    assert (line.changed, line.changed_defaults) == (0, 0)


def test_code_entry_named_like_an_added_entry_keeps_its_default() -> None:
    marker = Value("payload_type", "data_proposal", "parse_marker", "X_SPEC:")
    store(*marker.address, marker.field, marker.value)
    kind = current_catalogue().payload_types.get("data_proposal")
    assert kind is not None
    assert kind.parse_marker == "DATA_PROPOSAL:"
