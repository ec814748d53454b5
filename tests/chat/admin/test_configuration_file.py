"""Export and import of the configuration: preview, confirmation, all or nothing."""
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

from chat.configuration import MAX_BYTES, Address
from chat.models import ConfigurationChange, Override, PromptTest
from chat.selectors.configuration.catalogue import current_catalogue, current_version
from chat.selectors.configuration.prompt_tests import deleted_prompt_tests
from chat.services.configuration.changes import RESET, Edit, change_configuration, restore_configuration

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


def upload(client: Client, raw: bytes, *, mode: str = "replace") -> HttpResponse:
    return client.post(IMPORT, {"file": SimpleUploadedFile("assistant.json", raw), "mode": mode})


def confirm(client: Client, preview: HttpResponse, **other: Any) -> HttpResponse:
    """Submit the form below the preview as a browser does, with CRLF line ends."""
    shown: Any = preview.context
    fields = {"content": shown["content"].replace("\n", "\r\n"), "mode": shown["mode"], "seen": shown["plan"].version}
    return client.post(IMPORT, {**fields, "confirm": "Import", **other})


def stored() -> list[tuple[str, str, str, Any, Any]]:
    return sorted(Override.objects.values_list("kind", "name", "field", "value", "base"), key=str)


def test_import_of_an_export_restores_all_overrides(editor: Client) -> None:
    change(Address("tool", "get_rows"), description="Reads.\nSlowly.", label="“Reading”")
    change(Address("engine", "all"), max_iterations=3)
    change(Address("client_action", "open_report"), added=True, description="Opens.", parameters=["month"])
    before, answer = stored(), editor.get(EXPORT)
    assert answer["Content-Type"] == "application/json"
    assert 'attachment; filename="assistant-' in answer["Content-Disposition"]
    restore_configuration(user=None, version=0, now=timezone.now())
    change(Address("tool", "search_rows"), description="Only here.")
    preview = upload(editor, answer.content)
    assert preview.status_code == 200
    assert "Only here." in preview.content.decode()
    assert [row[3] for row in stored()] == ["Only here."]
    assert confirm(editor, preview, why="From staging").status_code == 302
    assert stored() == before
    created = ConfigurationChange.objects.filter(version=current_version())
    assert {(change.user.username, change.why) for change in created} == {("edda", "From staging")}  # type: ignore[union-attr]
    assert editor.get(EXPORT).content == answer.content


def test_merge_keeps_overrides_that_the_file_does_not_name(editor: Client) -> None:
    change(Address("tool", "search_rows"), description="Only here.")
    confirm(editor, upload(editor, file(READ), mode="named"))
    assert [row[3] for row in stored()] == ["Reads.", "Only here."]
    assert ConfigurationChange.objects.last().why == "Imported from a file; other settings not changed"  # type: ignore[union-attr]


def test_default_at_the_time_of_the_change_is_exported(editor: Client) -> None:
    confirm(editor, upload(editor, file(READ)))
    assert Override.objects.get().base == "As it was."
    page = editor.get(reverse("admin:chat_configuration_entry", args=["tool", "get_rows"])).content.decode()
    assert "The default has changed since" in page


def test_entry_may_refer_to_another_added_entry_and_the_import_is_undone_at_once(editor: Client) -> None:
    preview = upload(editor, file(*CHART))
    assert confirm(editor, preview).status_code == 302
    assert current_catalogue().faults == ()
    page_entries = current_catalogue().resolve("table_view")
    assert page_entries is not None
    assert "chart_spec" in [kind.name for kind in page_entries.payload_types]
    version = current_version()
    assert confirm(editor, upload(editor, file())).status_code == 302
    assert not Override.objects.exists()
    restore_configuration(user=None, version=version, now=timezone.now())
    assert len(stored()) == len(CHART)


def test_import_after_a_concurrent_change_shows_the_preview_again(editor: Client) -> None:
    preview = upload(editor, file(READ))
    change(Address("tool", "search_rows"), description="Meanwhile.")
    answer = confirm(editor, preview)
    assert answer.status_code == 409
    assert "was changed since you opened" in answer.content.decode()
    assert [row[3] for row in stored()] == ["Meanwhile."]
    assert confirm(editor, answer).status_code == 302
    assert [row[3] for row in stored()] == ["Reads."]


@pytest.mark.parametrize(
    ("raw", "path", "error"),
    [
        pytest.param(b"\x89PNG\r\n", "", "must be UTF-8", id="a picture"),
        pytest.param(b"format: 1", "", "not valid JSON", id="YAML"),
        pytest.param(b"[" * 100_000, "", "not valid JSON", id="deep nesting"),
        pytest.param(b" " * (MAX_BYTES + 1), "", "larger than 2,000,000 bytes", id="too large"),
        pytest.param(b'{"entries": []}', "", "not a configuration export", id="another file"),
        pytest.param(b'{"format": 2, "entries": []}', "format", "Unsupported format", id="a later format"),
        pytest.param(b'{"format": 1, "entries": {}}', "entries", "Must be a list", id="no list"),
        pytest.param(file(READ, 5), "entries[1]", "must be an object", id="a number for an entry"),
        pytest.param(file({**READ, "kind": "tol"}), "entries[0].kind", "Did you mean tool?", id="unknown kind"),
        pytest.param(file({**READ, "kind": []}), "entries[0].kind", "Must be a text", id="a list for a kind"),
        pytest.param(file({**READ, "name": "get_row"}), "entries[0].name", "Did you mean get_rows?", id="unknown name"),
        pytest.param(file({**READ, "field": "descr"}), "entries[0].field", "Did you mean description?", id="field"),
        pytest.param(file({**READ, "valeu": 1}), "entries[0].valeu", "Unknown key", id="unknown key"),
        pytest.param(file({"kind": "tool"}), "entries[0]", "is missing", id="missing keys"),
        pytest.param(file({**READ, "value": 7}), "entries[0].value", "must be a text", id="a number for a text"),
        pytest.param(
            file({"kind": "engine", "name": "all", "field": "call_seconds", "value": 500}),
            "entries[0].value", "greater than Turn timeout", id="a call longer than the turn",
        ),
        pytest.param(file(READ, LABEL, READ), "entries[2]", "Duplicate of entries[0]", id="duplicate"),
        pytest.param(file(*CHART[:2]), "entries[1]", "JSON Schema is required", id="incomplete added entry"),
        pytest.param(file({**CHART[1], "name": "data_proposal"}), "entries[0]", "a built-in", id="name of the code"),
        pytest.param(
            file(*CHART, *({**entry, "name": "other_chart"} for entry in CHART[1:])),
            "entries[3].value", "CHART_SPEC: is already used", id="two with the same marker",
        ),
        pytest.param(b'{"format": 1, "entries": [], "entries": []}', "", "not valid JSON", id="duplicate key"),
        pytest.param(
            b'{"format": 1, "entries": [], "tests": [{"where": "x", "title": "", "messages": ["y"]}]}',
            "tests[0].where", "There is no page", id="test of an unknown page",
        ),
        pytest.param(
            b'{"format": 1, "entries": [], "tests": [{"where": "table_view", "title": "", "messages": [1]}]}',
            "tests[0].messages", "Must be a list of texts", id="test without messages",
        ),
    ],
)  # fmt: skip
def test_error_in_a_file_has_its_path_and_nothing_is_written(
    editor: Client, raw: bytes, path: str, error: str
) -> None:
    answer = upload(editor, raw)
    assert answer.status_code == 422
    faults: Any = answer.context["faults"]
    assert path in [fault.path for fault in faults]
    assert error in " ".join(fault.detail for fault in faults)
    sent_all_the_same = {"content": raw.decode("latin-1"), "mode": "replace", "seen": "0", "confirm": "Import"}
    assert editor.post(IMPORT, sent_all_the_same).status_code == 422
    assert not Override.objects.exists()


def test_all_errors_of_a_file_are_shown_and_valid_entries_are_not_written(editor: Client) -> None:
    answer = upload(editor, file(LABEL, {**READ, "value": 7}, {**READ, "name": "x"}, {**READ, "kind": "y"}))
    faults: Any = answer.context["faults"]
    assert {fault.path for fault in faults} == {"entries[1].value", "entries[2].name", "entries[3].kind"}
    assert not Override.objects.exists()


def test_stored_tests_are_exported_and_imported_with_the_configuration(editor: Client) -> None:
    fields = {"page": "table_view", "messages": ["How many rows?"]}
    PromptTest.objects.create(title="Count", position=1, **fields)
    changed = PromptTest.objects.create(title="Sum", position=2, **fields)
    PromptTest.objects.create(title="Elsewhere", page="no_page", messages=["Hello"])
    exported = editor.get(EXPORT).content
    assert [test["title"] for test in json.loads(exported)["tests"]] == ["Count", "Sum"]
    PromptTest.objects.filter(title="Count").delete()
    PromptTest.objects.filter(title="Sum").update(messages=["Other"])
    preview = upload(editor, exported)
    assert [(each.test.title, each.replaced) for each in preview.context["plan"].tests] == [
        ("Count", None), ("Sum", changed),
    ]  # fmt: skip
    assert confirm(editor, preview).status_code == 302
    assert editor.get(EXPORT).content == exported
    # The replaced test can be restored.
    assert deleted_prompt_tests().get().messages == ["Other"]
    again = upload(editor, exported)
    assert "The file has no changes to import." in again.content.decode()
    confirm(editor, upload(editor, file()))
    assert editor.get(EXPORT).content == exported


def test_missing_file_is_refused(editor: Client) -> None:
    assert "Choose a file." in editor.post(IMPORT, {}).content.decode()


def test_text_of_a_file_is_escaped(editor: Client) -> None:
    hostile = '"><script>alert(1)</script>'
    for entry in ({**READ, "value": hostile}, {**READ, "kind": hostile}, {**READ, hostile: 1}):
        assert "<script>alert" not in upload(editor, file(entry)).content.decode()


def test_unknown_entries_are_orphaned_and_deleted_by_the_next_import(editor: Client) -> None:
    Override.objects.create(kind="tool", name="gone", field="description", value="Was here.")
    assert json.loads(editor.get(EXPORT).content)["entries"] == []
    confirm(editor, upload(editor, file(READ)))
    assert [row[1] for row in stored()] == ["get_rows"]


def test_added_type_is_undone_with_its_fields(editor: Client) -> None:
    confirm(editor, upload(editor, file(*CHART[1:])))
    fields = {entry["field"]: RESET for entry in CHART[1:]}
    change(Address("payload_type", "chart_spec"), **fields)
    assert not Override.objects.exists()


def test_other_users_cannot_export_or_import() -> None:
    client = Client()
    client.force_login(User.objects.create(username="eve", is_staff=True))
    assert client.get(EXPORT).status_code == 403
    assert upload(client, file(READ)).status_code == 403
    assert not Override.objects.exists()
