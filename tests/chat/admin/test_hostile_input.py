"""Hostile input in the configuration is refused with an explanation, or stored and escaped."""
from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from chat.actions import ServerAction, server_actions
from chat.configuration import entries_of
from chat.models import ConfigurationChange, Override
from chat.selectors.configuration.catalogue import current_catalogue, current_version, default_catalogue
from tests.chat.admin.forms import filled

pytestmark = pytest.mark.django_db

INDEX = reverse("admin:chat_override_changelist")
TOOL = reverse("admin:chat_configuration_entry", args=["tool", "get_rows"])
SYNTAX = [
    pytest.param("{{ settings.SECRET_KEY }}{% debug %}{# x #}", id="template"),
    pytest.param("%s %(x)s %% {x} {0.__class__} ${x} `id`", id="formats"),
    pytest.param("</textarea></pre><script>alert(1)</script><img src=//evil.example/x onerror=alert(1)>", id="markup"),
    pytest.param("DATA_PROPOSAL: {} SUGGESTED_VALUES: [] [[tool:0]]", id="markers in a text"),
]


def add(client: Client, kind: str, **fields: Any) -> HttpResponse:
    return client.post(reverse("admin:chat_configuration_add", args=[kind]), {"field-enabled": "on", **fields})


def chart(client: Client, **fields: Any) -> HttpResponse:
    """Add a payload type that is valid except for these fields."""
    right = {"field-description": "A chart", "field-parse_marker": "CHART_SPEC:", "field-schema": '{"type": "object"}'}
    return add(client, "payload_type", name="chart_spec", **{**right, **fields})


def is_unchanged() -> bool:
    return not Override.objects.exists() and not ConfigurationChange.objects.exists() and current_version() == 0


@pytest.mark.usefixtures("notes")
def test_every_registry_entry_has_its_page(editor: Client) -> None:
    action = ServerAction("tidy_up", "Tidies up.", executor=str)
    with server_actions.registered(action):
        _check_entries(editor)


def _check_entries(editor: Client) -> None:
    index = editor.get(INDEX).content.decode()
    addresses = [address for address, _ in entries_of(default_catalogue())]
    assert {"page", "tab", "tool", "payload_type", "client_action", "server_action", "help_topic"} <= {
        address.kind for address in addresses
    }
    for address in addresses:
        page = reverse("admin:chat_configuration_entry", args=address)
        assert f'href="{page}"' in index, address
        assert editor.get(page).status_code == 200, address


@pytest.mark.parametrize("text", SYNTAX)
def test_syntax_is_stored_and_escaped(editor: Client, text: str) -> None:
    form = filled(editor, TOOL, **{"field-description": text, "field-label": text, "why": text})
    assert editor.post(TOOL, form).status_code == 302
    assert current_catalogue().tools.get("get_rows").description == text  # type: ignore[union-attr]
    history = reverse("admin:chat_configuration_history")
    preview = reverse("admin:chat_configuration_entry_preview", args=["tool", "get_rows"])
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("'", "&#x27;")
    for address in (TOOL, history, preview):
        page = editor.get(address).content.decode()
        assert "<script>alert" not in page, address
        assert "<img src=//evil" not in page, address
        assert escaped in page, address


def test_invisible_characters_are_stored_and_spelled_out_in_differences(editor: Client) -> None:
    assert editor.post(TOOL, filled(editor, TOOL, **{"field-description": "abc\u202edef\u200bghi"})).status_code == 302
    assert current_catalogue().tools.get("get_rows").description == "abc\u202edef\u200bghi"  # type: ignore[union-attr]
    history = reverse("admin:chat_configuration_history")
    preview = reverse("admin:chat_configuration_entry_preview", args=["tool", "get_rows"])
    for address in (TOOL, history, preview):
        page = editor.get(address).content.decode()
        assert "U+202E</span>def" in page, address
        assert "U+200B</span>ghi" in page, address


@pytest.mark.parametrize(
    "marker",
    ["chart:", "CHART_SPEC", "CHART SPEC:", "A:", "X" * 42 + ":", "1ABC:", "DATA_PROPOSAL:", "SUGGESTED_VALUES:",
     "<B>:", "{{X}}:", "ÄRGER:", "CHART_SPEC:\nX:", " "],
)  # fmt: skip
def test_invalid_marker_is_refused_with_an_example(editor: Client, marker: str) -> None:
    answer = chart(editor, **{"field-parse_marker": marker})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "Marker must be" in page or "is already used" in page or "Marker is required" in page
    assert is_unchanged()


DEEP = json.dumps(json.loads('{"properties": {"a": ' * 12 + "{}" + "}}" * 12))


@pytest.mark.parametrize(
    ("schema", "error"),
    [
        pytest.param('{"$ref": "https://evil.example/schema"}', "Copy the schema", id="remote"),
        pytest.param('{"properties": {"a": {"$ref": "#/x"}}}', "Copy the schema", id="nested reference"),
        pytest.param('{"properties": {"a": {"pattern": "(a+)+$"}}}', "maxLength", id="a regular expression"),
        pytest.param('{"patternProperties": {"(a+)+$": {}}}', "additionalProperties", id="pattern for names"),
        pytest.param('{"allOf": [{"$dynamicRef": "#m"}]}', "Copy the schema", id="a dynamic reference"),
        pytest.param('{"$schema": "http://json-schema.org/draft-04/schema#"}', "Remove it", id="other draft"),
        pytest.param('{"if": {"unevaluatedProperties": false}}', "additionalProperties", id="unevaluated properties"),
        pytest.param('{"not": {"unevaluatedItems": false}}', "prefixItems", id="unevaluated items"),
        pytest.param(DEEP, "cannot be nested deeper", id="deep"),
        pytest.param("[" * 5_000 + "]" * 5_000, "is not valid JSON", id="too deep to parse"),
        pytest.param('{"a": "' + "x" * 40_000 + '"}', "40,000 characters", id="huge"),
        pytest.param("[]", "must be an object", id="a list"),
        pytest.param('"object"', "must be an object", id="a string"),
        pytest.param("type: object", "is not valid JSON", id="not JSON"),
        pytest.param('{"type": "object", "type": "array"}', "is not valid JSON", id="duplicate key"),
        pytest.param('{"maximum": NaN}', "is not valid JSON", id="NaN"),
        pytest.param('{"type": "thing"}', "is not valid (draft 2020-12)", id="unknown type"),
        pytest.param('{"required": "all"}', "is not valid (draft 2020-12)", id="string for a list"),
    ],
)
def test_unusable_schema_is_refused_with_the_reason(editor: Client, schema: str, error: str) -> None:
    answer = chart(editor, **{"field-schema": schema})
    assert answer.status_code == 422
    assert error in answer.content.decode().replace("&#x27;", "'")
    assert is_unchanged()


@pytest.mark.parametrize(
    ("kind", "name", "error"),
    [
        ("client_action", "Open Report", "for example open_report"),
        ("client_action", "open-report", "for example open_report"),
        ("client_action", "<script>", "for example open_report"),
        ("client_action", "x" * 5_000, "open_report"),
        ("client_action", "a\x00b", "for example open_report"),
        ("payload_type", "tool_history", "for example chart_spec"),
        ("help_topic", "sharing", "for example account/password"),
        ("help_topic", "../../etc/passwd", "for example account/password"),
        ("help_topic", "tables/{{ x }}", "for example account/password"),
    ],
)
def test_invalid_name_is_refused_with_an_example(
    editor: Client, kind: str, name: str, error: str
) -> None:
    fields = {f"field-{field}": "x" for field in ("description", "title", "summary", "body")}
    schema = {"field-parse_marker": "CHART_SPEC:", "field-schema": '{"type": "object"}'}
    answer = add(editor, kind, name=name, **fields, **(schema if kind == "payload_type" else {}))
    assert answer.status_code == 422
    assert error in answer.content.decode() or len(name) > 1_000
    assert "<script>" not in answer.content.decode().partition('id="entry-form"')[2].partition("</form>")[0]
    assert is_unchanged()


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        pytest.param({"field-description": "a\x00b"}, "cannot be stored", id="NUL"),
        pytest.param({"field-description": "x" * 2_000_000}, "up to 40,000 characters", id="too long"),
        pytest.param({"field-label": "two\nlines"}, "must be a single line", id="line break"),
        pytest.param({"field-label": "x" * 501}, "500 characters", id="a long line"),
        pytest.param({"field-order": "1e9"}, "whole number", id="a float"),
        pytest.param({"field-order": "٣"}, "whole number", id="arabic digits"),
        pytest.param({"field-order": "-1"}, "whole number", id="below the minimum"),
    ],
)
def test_invalid_value_is_refused_with_an_error_at_its_field(
    editor: Client, fields: dict[str, str], error: str
) -> None:
    answer = editor.post(TOOL, filled(editor, TOOL, **fields))
    assert answer.status_code == 422
    assert error in answer.content.decode()
    assert is_unchanged()


def test_reason_is_stored_without_unstorable_characters(editor: Client) -> None:
    form = filled(editor, TOOL, **{"field-description": "Reads.", "why": "be\x00cause" + "x" * 9_000})
    assert editor.post(TOOL, form).status_code == 302
    assert len(ConfigurationChange.objects.get().why) == 500


@pytest.mark.parametrize(
    "name", ["no_tool", "get_rows/../x", "x" * 3_000, "{{ x }}", "%s", "<script>", "a\x00b", "\u202e"]
)
def test_unknown_entry_is_not_found(editor: Client, name: str) -> None:
    for kind in ("tool", "nothing", "page"):
        for view in ("edit", "history", "preview"):
            address = f"{INDEX}{kind}/{quote(name, safe='/')}/{view}/"
            for answer in (editor.get(address), editor.post(address, {"field-description": "x"})):
                assert answer.status_code in (302, 404), (address, answer.status_code)
                assert "<script>" not in answer.content.decode().partition("</head>")[2].partition("<!-- SVGs")[0]
    assert is_unchanged()


def test_unknown_tool_is_not_chosen_for_a_page(editor: Client) -> None:
    page = reverse("admin:chat_configuration_entry", args=["page", "table_view"])
    answer = editor.post(page, filled(editor, page, **{"field-tools": ["get_row", "<script>alert(1)</script>"]}))
    assert answer.status_code == 422
    assert "Did you mean get_rows?" in answer.content.decode()
    assert "<script>alert" not in answer.content.decode()
    assert is_unchanged()


def test_too_large_body_is_refused_before_it_is_parsed(editor: Client) -> None:
    assert editor.post(TOOL, {"field-description": "x" * 21_000_000}).status_code in (400, 413)
    too_many = range(settings.DATA_UPLOAD_MAX_NUMBER_FIELDS + 1)
    assert editor.post(TOOL, {f"field-{number}": "x" for number in too_many}).status_code == 400
    assert is_unchanged()


@pytest.mark.parametrize("query", ["q=%00", "page=%00", "reason=%00", "p=9999999", "o=99.-3.x", "e=1"])
def test_lists_accept_any_query_parameter(query: str) -> None:
    root = Client()
    root.force_login(User.objects.create_superuser("root"))
    for model in ("chat/conversation", "chat/feedback", "chat/turn", "tables/change", "accounts/apitoken"):
        assert root.get(f"/admin/{model}/?{query}").status_code in (200, 302, 400, 404), model
