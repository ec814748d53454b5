"""What comes to nothing (broken, or left over from what is gone) is listed with its reason and taken away there."""
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
from chat.overrides import current_catalogue, current_version, faults_of_configuration
from chat.services.configuration import RESET, Edit, change_configuration

pytestmark = pytest.mark.django_db

LIST = reverse("admin:chat_configuration_orphaned_overrides")
INDEX = reverse("admin:chat_override_changelist")
HOSTILE = "</pre><script>alert(1)</script>{{ settings.SECRET_KEY }}\u202e"

BROKEN = {
    "a field that is gone": ("tool", "get_rows", "colour", "red", "There is no such field."),
    "a value that does not fit": ("engine", "all", "max_iterations", 1_000, "whole number from 1 to 20"),
    "a kind that is gone": ("nothing", "x", "y", 1, "There is no such kind of entry."),
    "what only entries made here have": ("payload_type", "data_proposal", "parse_marker", "X_SPEC:", "cannot"),
    "a mark where nothing can be made": ("tool", "new_tool", ADDED, True, "cannot be added"),
    "a name that is none": ("help_topic", "no name", ADDED, True, "is not a valid name"),
}
LEFT_OVER = {
    "a tool that is gone": ("tool", "gone", "description", "Of a tool.", "This entry no longer exists."),
    "what the code has by now": ("client_action", "close_chat", ADDED, True, "This entry is now built in."),
}


def kept(kind: str, name: str, field: str, value: Any) -> Override:
    """A row as somebody writes it past the checks."""
    return Override.objects.create(kind=kind, name=name, field=field, value=value)


def take_away(client: Client, *rows: Override, seen: int | None = None, **fields: str) -> HttpResponse:
    version = current_version() if seen is None else seen
    return client.post(LIST, {"row": [row.pk for row in rows], "seen": version, **fields})


@pytest.mark.parametrize(("kind", "name", "field", "value", "said"), BROKEN.values(), ids=BROKEN)
def test_what_is_broken_is_told_and_taken_away_and_health_is_well_again(
    editor: Client, kind: str, name: str, field: str, value: Any, said: str
) -> None:
    row = kept(kind, name, field, value)
    assert editor.get("/readyz").json()["config"] == "degraded"
    assert LIST in editor.get(INDEX).content.decode()
    page = editor.get(LIST).content.decode()
    assert said in page.replace("&#x27;", "'")
    assert ">Invalid<" in page
    assert take_away(editor, row, why="Left by a script").status_code == 302
    assert not Override.objects.exists()
    assert "config" not in editor.get("/readyz").json()
    change = ConfigurationChange.objects.get()
    assert (change.user.username, change.why) == ("edda", "Left by a script")  # type: ignore[union-attr]
    assert (change.before, change.after) == ({"value": value}, None)
    assert "All changes are in effect." in editor.get(LIST).content.decode()


@pytest.mark.parametrize(("kind", "name", "field", "value", "said"), LEFT_OVER.values(), ids=LEFT_OVER)
def test_what_is_left_over_is_told_and_taken_away_and_health_was_never_ill(
    editor: Client, kind: str, name: str, field: str, value: Any, said: str
) -> None:
    row = kept(kind, name, field, value)
    assert "config" not in editor.get("/readyz").json()
    assert "1 change of removed entries has no effect" in editor.get(INDEX).content.decode()
    page = editor.get(LIST).content.decode()
    assert said in page
    assert ">Orphaned<" in page
    assert take_away(editor, row).status_code == 302
    assert not Override.objects.exists()
    assert ConfigurationChange.objects.get().why == "Removed because it had no effect"


def test_what_is_broken_stands_on_the_list_exactly_where_health_says_so(editor: Client) -> None:
    for row in [*BROKEN.values(), *LEFT_OVER.values()]:
        kept(*row[:4])
    kept("page", "table_view", "identity", "You are a librarian.")
    listed = [fault for row in editor.get(LIST).context["rows"] for fault in row["override"].verdict.in_words]
    assert sorted(listed) == sorted(faults_of_configuration())
    rows = editor.get(LIST).context["rows"]
    assert [row["override"].broken for row in rows] == [True] * len(BROKEN) + [False] * len(LEFT_OVER)


def test_all_of_it_goes_at_once_as_one_change_and_what_is_in_use_stays(editor: Client) -> None:
    rows = [kept(*row[:4]) for row in [*BROKEN.values(), *LEFT_OVER.values()]]
    used = kept("page", "table_view", "identity", "You are a librarian.")
    page = editor.get(LIST).content.decode()
    assert f"Remove all {len(rows)}" in page
    assert take_away(editor, *rows).status_code == 302
    assert list(Override.objects.all()) == [used]
    assert (current_version(), ConfigurationChange.objects.count()) == (1, len(rows))


def test_an_entry_made_here_that_cannot_be_used_goes_whole(editor: Client) -> None:
    mark = kept("payload_type", "chart_spec", ADDED, True)
    kept("payload_type", "chart_spec", "title", "Chart")
    [row] = editor.get(LIST).context["rows"]
    assert [other.field for other in row["override"].others] == ["title"]
    page = editor.get(LIST).content.decode()
    assert "Also removes 1 value: title." in page
    assert reverse("admin:chat_configuration_entry", args=["payload_type", "chart_spec"]) in page
    assert take_away(editor, mark).status_code == 302
    assert not Override.objects.exists()


def test_what_an_entry_made_here_needs_is_mended_on_its_page_instead(editor: Client) -> None:
    made = Address("client_action", "open_report")
    edit = Edit(made, {ADDED: True, "description": "Opens the report.", "enabled": True})
    change_configuration(user=None, edits=[edit], now=timezone.now())
    Override.objects.filter(field="description").update(value=7)
    row = Override.objects.get(field="description")
    assert reverse("admin:chat_configuration_entry", args=made) in editor.get(LIST).content.decode()
    answer = take_away(editor, row)
    assert (answer.status_code, "Description for the model is required." in answer.content.decode()) == (422, True)
    assert Override.objects.count() == 3


def test_what_its_page_does_not_show_is_not_sent_there(editor: Client) -> None:
    for broken in ("a field that is gone", "what only entries made here have", "a kind that is gone"):
        kept(*BROKEN[broken][:4])
    kept(*BROKEN["a value that does not fit"][:4])
    rows = editor.get(LIST).context["rows"]
    assert [row["override"].page for row in rows] == [False, False, False, True]


def test_whoever_was_overtaken_is_told_and_nothing_is_taken_away(editor: Client) -> None:
    row = kept("engine", "all", "max_iterations", 1_000)
    other = kept("tool", "gone", "description", "Of a tool.")
    erik = User.objects.create(username="erik")
    edit = Edit(Address("engine", "all"), {"max_iterations": RESET})
    change_configuration(user=erik, edits=[edit], now=timezone.now())
    answer = take_away(editor, row, other, seen=0)
    assert answer.status_code == 409
    assert "Another administrator has deleted this meanwhile" in answer.content.decode()
    assert list(Override.objects.all()) == [other]
    change_configuration(user=erik, edits=[Edit(Address("engine", "all"), {"max_iterations": 7})], now=timezone.now())
    mended = Override.objects.get(field="max_iterations")
    assert take_away(editor, mended, seen=0).status_code == 409
    Override.objects.filter(pk=mended.pk).update(value=1_000)
    answer = take_away(editor, mended, seen=1)
    assert answer.status_code == 409
    assert "erik changed “Model calls per turn”" in answer.content.decode()
    assert current_version() == 2


@pytest.mark.parametrize("row", [None, "x", "-1", "0", "9" * 18, "9" * 40, "٣"])
def test_a_row_that_is_not_there_takes_nothing_away(editor: Client, row: str | None) -> None:
    kept("tool", "gone", "description", "Of a tool.")
    assert editor.post(LIST, {"seen": "0"} | ({"row": row} if row is not None else {})).status_code == 409
    assert Override.objects.count() == 1
    assert current_version() == 0


def test_what_is_in_use_cannot_be_taken_away_here(editor: Client) -> None:
    used = kept("page", "table_view", "identity", "You are a librarian.")
    assert take_away(editor, used).status_code == 409
    assert Override.objects.count() == 1


def test_hostile_words_are_printed_as_they_are_and_a_long_value_not_in_full(editor: Client) -> None:
    kept("tool", "gone<script>", "description", HOSTILE)
    kept("nothing", "x", "<script>alert(2)", "y" * 100_000)
    page = editor.get(LIST).content.decode()
    assert "<script>alert" not in page
    assert "{{ settings.SECRET_KEY }}" in page
    assert "U+202E" in page
    assert "And 99000 more characters." in page
    assert "y" * 1_001 not in page


def test_the_list_asks_as_much_for_many_as_for_one(editor: Client) -> None:
    counts = []
    for number in range(3):
        for each in range(1 + 20 * number):
            kept("tool", f"gone_{number}_{each}", "description", "Of a tool.")
        with CaptureQueriesContext(connection) as queries:
            assert editor.get(LIST).status_code == 200
        counts.append(len(queries))
    assert counts[1] == counts[2] <= 8


def test_others_may_not_look_at_it(client: Client) -> None:
    row = kept("tool", "gone", "description", "Of a tool.")
    person = User.objects.create(username="eve", is_staff=True)
    person.user_permissions.add(Permission.objects.get(codename="view_figures"))
    client.force_login(person)
    assert client.get(LIST).status_code == 403
    assert client.post(LIST, {"row": row.pk, "seen": 0}).status_code == 403
    assert Override.objects.count() == 1


def test_a_broken_row_is_not_counted_as_a_change_of_its_entry(editor: Client) -> None:
    kept("client_action", "close_chat", ADDED, True)
    kept("client_action", "close_chat", "colour", "red")
    lines = {line.address: line for _, lines in editor.get(INDEX).context["kinds"] for line in lines}
    line = lines[Address("client_action", "close_chat")]
    assert (line.changed, line.moved_on) == (0, 0)


def test_what_only_entries_made_here_have_stays_the_codes_in_its_own() -> None:
    marker = Value("payload_type", "data_proposal", "parse_marker", "X_SPEC:")
    kept(*marker.address, marker.field, marker.value)
    kind = current_catalogue().payload_types.get("data_proposal")
    assert kind is not None
    assert kind.parse_marker == "DATA_PROPOSAL:"
