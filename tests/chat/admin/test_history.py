"""History of the configuration in the admin: versions with differences, and previewed restores."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from chat.configuration import ADDED, Address
from chat.models import ConfigurationChange, Override
from chat.selectors.configuration.catalogue import current_catalogue, current_version
from chat.services.configuration.changes import RESET, Edit, change_configuration
from chat.services.configuration.import_export import import_configuration
from tests.chat.admin.forms import confirmed

pytestmark = pytest.mark.django_db

HISTORY = reverse("admin:chat_configuration_history")
RESTORE = reverse("admin:chat_configuration_restore")
UNDO = reverse("admin:chat_configuration_undo")
FIELD = reverse("admin:chat_configuration_restore_field")
TOOL = Address("tool", "get_rows")
OF_TOOL = reverse("admin:chat_configuration_entry_history", args=TOOL)


def change(*, of: Address = TOOL, why: str = "", **values: Any) -> int:
    user, _ = User.objects.get_or_create(username="ada")
    return change_configuration(user=user, edits=[Edit(of, values)], why=why, now=timezone.now())


def test_each_version_shows_user_time_reason_and_differences(editor: Client) -> None:
    change(description="Reads rows, slowly.", label="Slowly", why="Calmer")
    page = editor.get(HISTORY).content.decode()
    title = "Tools: Read rows (get_rows) – Description for the model"
    for text in ("Version 1", "ada", "Calmer", title, "+ Reads rows, slowly."):
        assert text in page, text
    assert "− Read rows of the open table" in page
    assert page.count("<h2 id=") == 1


def test_entry_has_its_own_history_after_its_deletion(editor: Client) -> None:
    created = Address("client_action", "open_report")
    change(of=created, **{ADDED: True, "description": "Opens the report."})
    change(description="Reads.")
    change(of=created, **{ADDED: RESET, "description": RESET})
    change(description="Reads rows.")
    own = reverse("admin:chat_configuration_entry_history", args=created)
    page = editor.get(own).content.decode()
    assert "Added here." in page
    assert "Reads." not in page
    # Its values cannot be restored before the entry.
    assert f'<a href="{HISTORY}?version=3">version 3</a>, where it can be restored' in page
    assert ('value="3" aria-label="Restore Client actions: Open report' in page, FIELD in page) == (True, False)
    answer = editor.post(UNDO, {"version": 3, "of_kind": created.kind, "of_name": created.name}, follow=True)
    assert "Client action Open report (open_report) restored." in answer.content.decode()
    restored = editor.get(own).content.decode()
    entry = reverse("admin:chat_configuration_entry", args=created)
    assert f'<a href="{entry}" aria-label="Restored: Client actions: Open report (open_report)">' in restored
    assert (restored.count("Undone."), restored.count("Current value."), FIELD in restored) == (1, 1, False)
    assert editor.get(reverse("admin:chat_configuration_entry_history", args=["tool", "never_was"])).status_code == 404
    assert editor.get(reverse("admin:chat_configuration_entry_history", args=["nothing", "x"])).status_code == 404


def test_restore_is_previewed_first(editor: Client) -> None:
    change(description="One.")
    change(description="Two.", label="Slowly")
    page = editor.post(RESTORE, {"version": "1"})
    shown = page.content.decode()
    assert "Nothing is changed yet." in shown
    assert "− Two." in shown
    assert "+ One." in shown
    assert current_version() == 2
    assert confirmed(editor, page, why="Enough").status_code == 302
    assert [(row.field, row.value) for row in Override.objects.all()] == [("description", "One.")]
    assert ConfigurationChange.objects.filter(version=3, why="Enough").count() == 2


def test_restore_of_the_defaults_removes_all_overrides(editor: Client) -> None:
    change(description="One.")
    change(of=Address("client_action", "open_report"), **{ADDED: True, "description": "Opens the report."})
    assert editor.post(RESTORE, {"version": "0", "shown": "2", "confirm": "yes"}).status_code == 302
    assert not Override.objects.exists()


def test_restore_that_would_change_nothing_is_not_offered(editor: Client) -> None:
    for text in ("One.", "Two.", "One.", RESET):
        change(description=text)
    page = editor.get(HISTORY).content.decode()
    assert page.count("Restore version") == 3
    assert "Restore all defaults" not in page
    change(description="One.")
    page = editor.get(HISTORY).content.decode()
    assert [f">Restore version {version}<" in page for version in range(1, 6)] == [False, True, False, True, False]
    assert (page.count("Same settings as the current version."), "Restore all defaults" in page) == (2, True)
    # On a page that was opened before the last change, the button is still there.
    answer = editor.post(RESTORE, {"version": "1"}, follow=True).content.decode()
    assert "Nothing to restore: the settings of version 1 are in use already." in answer


def test_unusable_values_do_not_prevent_the_restore_of_others(editor: Client) -> None:
    change(description="One.")
    for kind, name, field, value in (
        ("engine", "all", "max_iterations", 1_000),
        ("engine", "all", "max_tool_calls", 9),
        ("nothing", "x", "y", 1),
        ("payload_type", "bad name", "added", True),
        ("payload_type", "bad name", "title", "Bad"),
        ("tool", "gone", "description", "Of a tool that the code no longer has."),
    ):
        Override.objects.create(kind=kind, name=name, field=field, value=value)
    nothing = b'{"format": 1, "entries": []}'
    import_configuration(nothing, user=None, replace=True, now=timezone.now())
    assert not Override.objects.exists()
    shown = editor.post(RESTORE, {"version": "1"}).content.decode()
    assert "Tool calls per turn" in shown
    assert "Model calls per turn" not in shown
    answer = editor.post(RESTORE, {"version": "1", "shown": "2", "confirm": "yes"})
    assert answer.status_code == 302
    overrides = {row.field: row.value for row in Override.objects.all()}
    assert overrides == {"description": "One.", "max_tool_calls": 9}


def test_restore_after_a_concurrent_change_shows_the_preview_again(editor: Client) -> None:
    change(description="One.")
    change(description="Two.")
    change(description="Three.")
    answer = editor.post(RESTORE, {"version": "1", "shown": "2", "confirm": "yes"})
    assert answer.status_code == 409
    assert "was changed since you opened" in answer.content.decode()
    assert "− Three." in answer.content.decode()
    assert Override.objects.get().value == "Three."


def test_unknown_version_or_change_is_not_restored(editor: Client) -> None:
    change(description="One.")
    change(description="Two.")
    for version in ("", "2", "9" * 30):
        assert editor.post(RESTORE, {"version": version, "confirm": "yes"}).status_code == 404, version
    for change_id in ("", "0", "9" * 12, "9" * 40):
        assert editor.post(FIELD, {"change": change_id}).status_code in (302, 404), change_id
    assert (editor.get(RESTORE).status_code, editor.get(FIELD).status_code, current_version()) == (404, 404, 2)


def test_one_field_is_restored_and_the_others_stay(editor: Client) -> None:
    change(description="One.", label="Slowly")
    change(description="Two.", label="Quickly")
    first = ConfigurationChange.objects.get(version=1, field="description")
    entry = {"kind": "tool", "name": "get_rows"}
    answer = editor.post(FIELD, {"change": first.pk, "seen": "2", **entry})
    assert answer["Location"] == OF_TOOL  # type: ignore[index]
    assert 'form="undo" name="version" value="3"' in editor.get(OF_TOOL).content.decode()
    assert {row.field: row.value for row in Override.objects.all()} == {"description": "One.", "label": "Quickly"}
    assert ConfigurationChange.objects.latest("pk").why == "Restored the value of version 1"


def test_field_is_restored_to_the_default(editor: Client) -> None:
    change(description="One.")
    change(description=RESET)
    change(description="Three.")
    back = ConfigurationChange.objects.get(version=2)
    editor.post(FIELD, {"change": back.pk, "seen": "3"})
    assert not Override.objects.exists()


def test_field_changed_meanwhile_is_not_overwritten(editor: Client) -> None:
    change(description="One.")
    change(description="Two.")
    change(description="Three.")
    first = ConfigurationChange.objects.get(version=1)
    answer = editor.post(FIELD, {"change": first.pk, "seen": "2"}, follow=True)
    assert "da changed “Description for the model” while you were editing it." in answer.content.decode()
    assert Override.objects.get().value == "Three."


def test_unusable_value_is_not_restored_and_the_reason_is_shown(editor: Client) -> None:
    change(description="One.")
    ConfigurationChange.objects.update(after={"value": ""})
    answer = editor.post(FIELD, {"change": ConfigurationChange.objects.get().pk, "seen": "1"}, follow=True)
    assert "cannot be empty" in answer.content.decode()
    ConfigurationChange.objects.update(name="gone")
    answer = editor.post(FIELD, {"change": ConfigurationChange.objects.get().pk, "seen": "1"}, follow=True)
    assert "There is no tool" in answer.content.decode()
    assert current_catalogue().tools.get("get_rows").description == "One."  # type: ignore[union-attr]


def test_undo_restores_at_once_and_can_be_undone(editor: Client) -> None:
    change(description="One.")
    change(label="Slowly")
    page = editor.post(UNDO, {"version": "1"}, follow=True).content.decode()
    assert 'form="undo" name="version" value="3"' in page
    assert [row.field for row in Override.objects.all()] == ["label"]
    editor.post(UNDO, {"version": "3"})
    assert Override.objects.get(field="description").value == "One."


def test_undo_that_replaces_later_changes_asks_first(editor: Client) -> None:
    change(description="One.", label="Slowly")
    change(description="Two.", label="Quickly")
    change(description="Three.")
    page = editor.post(UNDO, {"version": "2"})
    assert "− Three." in page.content.decode()
    change(description="Four.")
    again = confirmed(editor, page)
    assert (again.status_code, "Check what would change now." in again.content.decode()) == (409, True)
    assert confirmed(editor, again).status_code == 302
    assert {row.field: row.value for row in Override.objects.all()} == {"description": "One.", "label": "Slowly"}


def test_undo_that_deletes_an_entry_or_resets_an_unusable_value_asks_first(editor: Client) -> None:
    change(of=Address("client_action", "open_report"), **{ADDED: True, "description": "Opens the report."})
    change(description="One.")
    change(description="Two.")
    ConfigurationChange.objects.filter(version=3).update(before={"value": ""})
    for version in (1, 3):
        assert "Nothing is changed yet." in editor.post(UNDO, {"version": version}).content.decode()


def test_long_history_is_paginated(editor: Client) -> None:
    changed = {"kind": "tool", "name": "get_rows", "field": "description"}
    ConfigurationChange.objects.bulk_create(
        ConfigurationChange(version=number, after={"value": f"Number {number}."}, **changed) for number in range(1, 61)
    )
    editor.get(HISTORY)
    with CaptureQueriesContext(connection) as queries:
        page = editor.get(HISTORY)
    assert len(queries) <= 9
    assert len(page.context["history"].changes) == 50
    older = editor.get(HISTORY, {"before": page.context["history"].older}).context["history"]
    assert [view.change.version for view in older.changes] == list(range(10, 0, -1))
    assert older.older is None
    assert editor.get(HISTORY, {"before": "x"}).status_code == 200


def test_other_users_restore_nothing(user: User) -> None:
    change(description="One.")
    change(description="Two.")
    user.is_staff = True
    user.save()
    client = Client()
    client.force_login(user)
    first = ConfigurationChange.objects.get(version=1)
    assert client.post(FIELD, {"change": first.pk}).status_code == 403
    assert client.post(RESTORE, {"version": "1", "confirm": "yes"}).status_code == 403
    assert Override.objects.get().value == "Two."
