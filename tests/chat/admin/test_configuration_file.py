"""The configuration as a file: from one installation to another, looked at first, all of it or nothing."""
from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chat.configuration import MOST_BYTES, Address
from chat.models import ConfigurationChange, Override
from chat.overrides import current_catalogue, current_version
from chat.services.configuration import RESET, Edit, change_configuration, restore_configuration

pytestmark = pytest.mark.django_db

EXPORT = reverse("admin:chat_configuration_export")
IMPORT = reverse("admin:chat_configuration_import")
READ = {"kind": "tool", "name": "get_rows", "field": "description", "value": "Reads.", "base": "As it was."}
LABEL = {"kind": "tool", "name": "search_rows", "field": "label", "value": "Searching", "base": "x"}
CHART = [
    {"kind": "page", "name": "table_view", "field": "payloads", "value": ["chart_spec"]},
    {"kind": "payload_type", "name": "chart_spec", "field": "added", "value": True},
    {"kind": "payload_type", "name": "chart_spec", "field": "description", "value": "A chart"},
    {"kind": "payload_type", "name": "chart_spec", "field": "parse_marker", "value": "CHART_SPEC:"},
    {"kind": "payload_type", "name": "chart_spec", "field": "schema", "value": {"type": "object"}},
]


def change(address: Address, **values: Any) -> int:
    return change_configuration(user=None, edits=[Edit(address, values)], now=timezone.now())


def file(*entries: Any) -> bytes:
    return json.dumps({"format": 1, "entries": entries}).encode()


def uploaded(client: Client, raw: bytes, *, mode: str = "replace") -> HttpResponse:
    return client.post(IMPORT, {"file": SimpleUploadedFile("assistant.json", raw), "mode": mode})


def confirmed(client: Client, looked_at: HttpResponse, **other: Any) -> HttpResponse:
    """The form under the look at a file, sent as a browser does: every line of it ends with two characters."""
    shown: Any = looked_at.context
    fields = {"content": shown["content"].replace("\n", "\r\n"), "mode": shown["mode"], "seen": shown["plan"].version}
    return client.post(IMPORT, {**fields, "confirm": "Import", **other})


def stored() -> list[tuple[str, str, str, Any, Any]]:
    return sorted(Override.objects.values_list("kind", "name", "field", "value", "base"), key=str)


def test_an_export_taken_in_elsewhere_makes_all_as_it_was(editor: Client) -> None:
    change(Address("tool", "get_rows"), description="Reads.\nSlowly.", label="“Reading”")
    change(Address("engine", "all"), max_iterations=3)
    change(Address("client_action", "open_report"), added=True, description="Opens.", parameters=["month"])
    before, answer = stored(), editor.get(EXPORT)
    assert answer["Content-Type"] == "application/json"
    assert 'attachment; filename="assistant-' in answer["Content-Disposition"]
    restore_configuration(user=None, version=0, now=timezone.now())
    change(Address("tool", "search_rows"), description="Only here.")
    looked_at = uploaded(editor, answer.content)
    assert looked_at.status_code == 200
    assert "Only here." in looked_at.content.decode()
    assert [row[3] for row in stored()] == ["Only here."]
    assert confirmed(editor, looked_at, why="From staging").status_code == 302
    assert stored() == before
    made = ConfigurationChange.objects.filter(version=current_version())
    assert {(change.user.username, change.why) for change in made} == {("edda", "From staging")}  # type: ignore[union-attr]
    assert editor.get(EXPORT).content == answer.content


def test_what_the_file_does_not_name_stays_when_that_is_wished(editor: Client) -> None:
    change(Address("tool", "search_rows"), description="Only here.")
    confirmed(editor, uploaded(editor, file(READ), mode="named"))
    assert [row[3] for row in stored()] == ["Reads.", "Only here."]
    assert ConfigurationChange.objects.last().why == "Imported from a file; other settings not changed"  # type: ignore[union-attr]


def test_the_default_a_change_was_written_against_travels_with_it(editor: Client) -> None:
    confirmed(editor, uploaded(editor, file(READ)))
    assert Override.objects.get().base == "As it was."
    page = editor.get(reverse("admin:chat_configuration_entry", args=["tool", "get_rows"])).content.decode()
    assert "The default has changed since" in page


def test_one_entry_of_a_file_may_name_what_another_adds_and_it_goes_back_at_once(editor: Client) -> None:
    looked_at = uploaded(editor, file(*CHART))
    assert confirmed(editor, looked_at).status_code == 302
    assert current_catalogue().faults == ()
    reach = current_catalogue().resolve("table_view")
    assert reach is not None
    assert "chart_spec" in [kind.name for kind in reach.payload_types]
    version = current_version()
    assert confirmed(editor, uploaded(editor, file())).status_code == 302
    assert not Override.objects.exists()
    restore_configuration(user=None, version=version, now=timezone.now())
    assert len(stored()) == len(CHART)


def test_whoever_was_overtaken_since_the_look_looks_again(editor: Client) -> None:
    looked_at = uploaded(editor, file(READ))
    change(Address("tool", "search_rows"), description="Meanwhile.")
    answer = confirmed(editor, looked_at)
    assert answer.status_code == 409
    assert "was changed since you opened" in answer.content.decode()
    assert [row[3] for row in stored()] == ["Meanwhile."]
    assert confirmed(editor, answer).status_code == 302
    assert [row[3] for row in stored()] == ["Reads."]


@pytest.mark.parametrize(
    ("raw", "path", "said"),
    [
        pytest.param(b"\x89PNG\r\n", "", "must be UTF-8", id="a picture"),
        pytest.param(b"format: 1", "", "not valid JSON", id="YAML"),
        pytest.param(b"[" * 100_000, "", "not valid JSON", id="a deep hole"),
        pytest.param(b" " * (MOST_BYTES + 1), "", "larger than 2,000,000 bytes", id="megabytes"),
        pytest.param(b'{"entries": []}', "", "not a configuration export", id="another file"),
        pytest.param(b'{"format": 2, "entries": []}', "format", "Unsupported format", id="a later format"),
        pytest.param(b'{"format": 1, "entries": {}}', "entries", "Must be a list", id="no list"),
        pytest.param(file(READ, 5), "entries[1]", "must be an object", id="a number for an entry"),
        pytest.param(file({**READ, "kind": "tol"}), "entries[0].kind", "Did you mean tool?", id="an unknown kind"),
        pytest.param(file({**READ, "kind": []}), "entries[0].kind", "Must be a text", id="a list for a kind"),
        pytest.param(file({**READ, "name": "get_row"}), "entries[0].name", "Did you mean get_rows?", id="unknown name"),
        pytest.param(file({**READ, "field": "descr"}), "entries[0].field", "Did you mean description?", id="field"),
        pytest.param(file({**READ, "valeu": 1}), "entries[0].valeu", "Unknown key", id="a word too much"),
        pytest.param(file({"kind": "tool"}), "entries[0]", "is missing", id="too little"),
        pytest.param(file({**READ, "value": 7}), "entries[0].value", "must be a text", id="a number for a text"),
        pytest.param(file(READ, LABEL, READ), "entries[2]", "Duplicate of entries[0]", id="doubled"),
        pytest.param(file(*CHART[:2]), "entries[1]", "JSON Schema is required", id="half of an added entry"),
        pytest.param(file({**CHART[1], "name": "data_proposal"}), "entries[0]", "a built-in", id="the code has it"),
        pytest.param(
            file(*CHART, *({**entry, "name": "other_chart"} for entry in CHART[1:])),
            "entries[3].value", "CHART_SPEC: is already used", id="two with the same marker",
        ),
        pytest.param(b'{"format": 1, "entries": [], "entries": []}', "", "not valid JSON", id="a doubled key"),
        pytest.param(b'{"format": 1, "entries": ["\\u0000"]}', "entries[0]", "NUL", id="NUL"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_said_with_its_place_and_nothing_is_written(
    editor: Client, raw: bytes, path: str, said: str
) -> None:
    answer = uploaded(editor, raw)
    assert answer.status_code == 422
    faults: Any = answer.context["faults"]
    assert path in [fault.path for fault in faults]
    assert said in " ".join(fault.detail for fault in faults)
    sent_all_the_same = {"content": raw.decode("latin-1"), "mode": "replace", "seen": "0", "confirm": "Import"}
    assert editor.post(IMPORT, sent_all_the_same).status_code == 422
    assert not Override.objects.exists()


def test_every_fault_of_a_file_is_said_at_once_and_the_good_entries_are_not_written(editor: Client) -> None:
    answer = uploaded(editor, file(LABEL, {**READ, "value": 7}, {**READ, "name": "x"}, {**READ, "kind": "y"}))
    faults: Any = answer.context["faults"]
    assert {fault.path for fault in faults} == {"entries[1].value", "entries[2].name", "entries[3].kind"}
    assert not Override.objects.exists()


def test_no_file_at_all_is_asked_for_again(editor: Client) -> None:
    assert "Choose a file." in editor.post(IMPORT, {}).content.decode()


def test_text_of_a_file_is_printed_literally(editor: Client) -> None:
    hostile = '"><script>alert(1)</script>'
    for entry in ({**READ, "value": hostile}, {**READ, "kind": hostile}, {**READ, hostile: 1}):
        assert "<script>alert" not in uploaded(editor, file(entry)).content.decode()


def test_what_the_code_no_longer_has_stays_behind_and_goes_with_the_next_import(editor: Client) -> None:
    Override.objects.create(kind="tool", name="gone", field="description", value="Was here.")
    assert json.loads(editor.get(EXPORT).content)["entries"] == []
    confirmed(editor, uploaded(editor, file(READ)))
    assert [row[1] for row in stored()] == ["get_rows"]


def test_an_added_type_can_be_taken_back_with_its_fields(editor: Client) -> None:
    confirmed(editor, uploaded(editor, file(*CHART[1:])))
    fields = {entry["field"]: RESET for entry in CHART[1:]}
    change(Address("payload_type", "chart_spec"), **fields)
    assert not Override.objects.exists()


def test_nobody_else_takes_the_file_out_or_in() -> None:
    client = Client()
    client.force_login(User.objects.create(username="eve", is_staff=True))
    assert client.get(EXPORT).status_code == 403
    assert uploaded(client, file(READ)).status_code == 403
    assert not Override.objects.exists()
