"""System checks of the registries: unknown names and invalid entries are errors with their location."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from chat.actions import ClientAction, ServerAction, client_actions, server_actions
from chat.agent.tools import ToolConfig, tools
from chat.checks import (
    check_actions,
    check_help,
    check_link_kinds,
    check_pages,
    check_payload_types,
    check_registries,
    check_tools,
)
from chat.help import help_narratives, help_topics, read_narrative, read_topic
from chat.links import Link, LinkKind, link_kinds
from chat.page_config import ContextBlock, PageConfig, Starter, SubTabConfig, TabConfig, pages
from chat.payload_types import PayloadType, payload_types
from chat.proposals import Verb
from tests.chat.entries import PROPOSAL, echo, tool

NO_BLOCK = ContextBlock(text="", data={})
GROUPS = replace(PROPOSAL, name="groups", parse_marker="GROUPS:")
FOUND = PayloadType(name="x", description="", source="tool", schema={})
LAYERS = {
    "page": PageConfig(page="p", tools=("gone",)),
    "tab": PageConfig(page="p", tabs={"t": TabConfig(tools=("gone",))}),
    "subtab": PageConfig(page="p", tabs={"t": TabConfig(subtabs={"s": SubTabConfig(tools=("gone",))})}),
}


def find(user: Any, ids: Any) -> dict[str, Link]:
    return {}


def example(sentence: str, declared: Any) -> ToolConfig:
    schema = {"type": "object", "properties": {"words": {"type": "string"}}, "required": ["words"]}
    examples = {sentence: declared}
    return replace(tool("find", echo), input_schema={**schema, "additionalProperties": False}, examples=examples)


def codes() -> list[str | None]:
    return [error.id for error in check_registries()]


def codes_of_types(*entries: PayloadType) -> list[str | None]:
    return [error.id for error in check_payload_types(entries)]


@pytest.mark.usefixtures("notes")
def test_existing_names_pass() -> None:
    assert codes() == []


@pytest.mark.parametrize("layer", LAYERS)
def test_unknown_tool_is_found_in_each_layer(layer: str) -> None:
    errors = list(check_pages([LAYERS[layer]]))

    assert [error.id for error in errors] == ["chat.E001"]
    assert "'gone'" in errors[0].msg


def test_similar_name_is_suggested() -> None:
    with payload_types.registered(PROPOSAL):
        (error,) = check_pages([PageConfig(page="p", payloads=("note_proposl",))])

    assert error.hint == "Did you mean 'note_proposal'?"


def test_payload_type_of_a_tool_must_exist() -> None:
    with tools.registered(tool("charting", echo, payload_type="gone")):
        assert codes() == ["chat.E003"]


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        (PayloadType(name="x", description="", source="web", schema={}), "chat.E005"),
        (PayloadType(name="x", description="", source="llm", schema={}, parse_marker="x"), "chat.E006"),
        (PayloadType(name="x", description="", source="llm", schema={}, parse_marker="NOTE_PROPOSAL:"), "chat.E007"),
        (PayloadType(name="x", description="", source="tool", schema={}, apply=PROPOSAL.apply), "chat.E008"),
        (PayloadType(name="x", description="", source="tool", schema={"type": "thing"}), "chat.E009"),
        (PayloadType(name="x", description="", source="llm", schema={}, parse_marker="SUGGESTED_VALUES:"), "chat.E007"),
        (PayloadType(name="tool_history", description="", source="tool", schema={}), "chat.E014"),
        (PayloadType(name="x", description="", source="llm", schema={}, parse_marker="XES:", opens="("), "chat.E018"),
        (PayloadType(name="x", description="", source="llm", schema={}, parse_marker="XES:", opens="{["), "chat.E018"),
        (PayloadType(name="x", description="", source="llm", schema={}, parse_marker="XES:", opens=""), "chat.E018"),
        (PayloadType(name="x", description="", source="tool", schema={}, frontend_config={"icon": "bok"}), "chat.E021"),
        (replace(FOUND, frontend_config={"titel": "X"}), "chat.E024"),
        (replace(FOUND, frontend_config={"panel_width": "480"}), "chat.E025"),
        (replace(FOUND, summarize=lambda: ""), "chat.E027"),
        (replace(GROUPS, apply=lambda resolved: None), "chat.E027"),
        (replace(GROUPS, prepare=lambda resolved, selection, context: None), "chat.E027"),
        (replace(GROUPS, undo="delete"), "chat.E027"),
        (replace(GROUPS, carry_over=lambda resolved: ({}, {})), "chat.E027"),
        (replace(GROUPS, edit_schema={"type": "thing"}), "chat.E009"),
        (replace(GROUPS, verbs={"send": Verb(pending="to send", applied="{count} sent")}), "chat.E028"),
    ],
    ids=[
        *["source", "marker", "marker twice", "apply without check", "schema", "marker of suggestions", "name"],
        *["bracket", "two brackets", "no bracket", "icon", "panel option", "panel width"],
        *["summarize", "apply", "apply without prepared", "undo is no function", "carry over", "edit schema"],
        "verb without count",
    ],
)
def test_invalid_payload_type_is_an_error(entry: PayloadType, code: str) -> None:
    assert codes_of_types(PROPOSAL, entry) == [code]


@pytest.mark.parametrize("opens", ["{", "["])
def test_json_of_a_payload_type_is_an_object_or_a_list(opens: str) -> None:
    entry = PayloadType(name="x", description="", source="llm", schema={}, parse_marker="XES:", opens=opens)
    assert codes_of_types(entry) == []


def test_an_icon_without_a_similar_name_gets_the_list_of_names() -> None:
    entry = PayloadType(name="x", description="", source="tool", schema={}, frontend_config={"icon": "qqqqqqqq"})
    (error,) = check_payload_types([entry])
    assert "static/icons/sprite.svg" in str(error.hint)


@pytest.mark.parametrize("icon", ["book-open", "★", "B", ""])
def test_icon_is_a_known_name_or_a_character(icon: str) -> None:
    entry = PayloadType(name="x", description="", source="tool", schema={}, frontend_config={"icon": icon})
    assert codes_of_types(entry) == []


def action(**fields: Any) -> ServerAction:
    return ServerAction(**{"action": "act", "description": "", "executor": echo, **fields})


@pytest.mark.parametrize(
    ("page", "code"),
    [
        (PageConfig(page="p", server_actions=("gone",)), "chat.E010"),
        (PageConfig(page="p", tabs={"t": TabConfig(server_actions=("gone",))}), "chat.E010"),
        (PageConfig(page="p", client_actions=("gone",)), "chat.E011"),
        (PageConfig(page="p", client_actions=("close_chat", ClientAction(action="own", description=""))), None),
        (PageConfig(page="p", client_actions=(ClientAction(action="close_chat", description=""),)), "chat.E017"),
        (PageConfig(page="p", client_actions=(ClientAction(action="own", description=""),) * 2), "chat.E017"),
        (PageConfig(page="p", links=("gone",)), "chat.E022"),
        (PageConfig(page="p", help=("gone",)), "chat.E029"),
        (PageConfig(page="p", help=("tables",)), None),
        (PageConfig(page="p", context_schema={"type": "thing"}), "chat.E009"),
        (PageConfig(page="p", context_builder="invoices.build_context"), "chat.E027"),  # type: ignore[arg-type]
        (PageConfig(page="p", context_builder=lambda: NO_BLOCK), "chat.E027"),
        (PageConfig(page="p", may_write=lambda user, object_id: True), "chat.E027"),
        (PageConfig(page="p", object_key="active_tab"), "chat.E012"),
        (PageConfig(page="p", object_parameter="page"), "chat.E032"),
        (PageConfig(page="p", object_parameter="tab"), "chat.E032"),
        (PageConfig(page="p", tabs={"": TabConfig()}), "chat.E013"),
        (PageConfig(page="p", tabs={"t": TabConfig(subtabs={"x" * 65: SubTabConfig()})}), "chat.E013"),
    ],
    ids=[
        *["server action", "of a tab", "client action", "own name", "global action", "duplicate", "link"],
        *["help", "existing help", "context schema", "context builder as a text", "context builder", "rights"],
        *["object key", "parameter of conversations", "parameter of pages", "tab", "subtab"],
    ],
)
def test_names_in_a_page_must_exist(page: PageConfig, code: str | None) -> None:
    assert [error.id for error in check_pages([page])] == ([code] if code else [])


@pytest.mark.parametrize(
    ("registry", "entry", "code"),
    [
        (server_actions, action(permission="auth.fly"), "chat.E016"),
        (server_actions, action(permission="auth.delete_user"), None),
        (server_actions, action(parameters={"type": "thing"}), "chat.E009"),
        (client_actions, ClientAction("act", "", schema={"type": "thing"}), "chat.E009"),
        (client_actions, ClientAction("act", "", parameters=("id",), schema={"properties": {"ids": {}}}), "chat.E026"),
        (client_actions, ClientAction("act", "", parameters=("id",), schema={"properties": {"id": {}}}), None),
        (client_actions, ClientAction("act", "", parameters=("id",)), None),
        (server_actions, action(executor=lambda data: "Done"), "chat.E027"),
        (tools, tool("act", lambda params, user: ""), "chat.E027"),
        (tools, tool("act", None), "chat.E027"),
        (tools, tool("act", echo, permission="nowhere.view_user"), "chat.E016"),
        (tools, tool("act", echo, writes="everything"), "chat.E004"),
        (tools, tool("x" * 64, echo), None),
        (tools, tool("x" * 65, echo), "chat.E019"),
        (tools, tool("look up", echo), "chat.E019"),
        (tools, tool("", echo), "chat.E019"),
        (tools, replace(tool("act", echo), input_schema={}), "chat.E020"),
        (tools, replace(tool("act", echo), input_schema={"type": "string"}), "chat.E020"),
        (tools, replace(tool("act", echo), input_schema={"type": "object", "anyOf": [{}]}), "chat.E020"),
        (tools, example("Find {words}", {"words": "{words}"}), None),
        (tools, example("Find {limit} papers", {"limit": "{limit}"}), "chat.E030"),
        (tools, example("Find {words}", {"words": "{word}"}), "chat.E030"),
        (tools, example("Find {words} or {words}", {"words": "{words}"}), "chat.E030"),
        (tools, example("Find", {}), "chat.E030"),
        (tools, example("Find", "words"), "chat.E030"),
        (pages, PageConfig(page="p", starters=(Starter("Hello", demo=["Hi", "{result}"]), "Help")), "chat.E031"),
        (pages, PageConfig(page="p", starters=(Starter("Hello", demo={"text": "Hi", "delay": 2}), "Help")), None),
        (link_kinds, LinkKind(name="paper", description="", resolve=find), None),
        (link_kinds, LinkKind(name="javascript", description="", resolve=find), "chat.E023"),
        (link_kinds, LinkKind(name="A paper", description="", resolve=find), "chat.E023"),
        (link_kinds, LinkKind(name="paper", description="", resolve=lambda ids: {}), "chat.E027"),
        (help_topics, read_topic("# T\n\nOne.\n\nSee `changes/undo`.", name="tables/b"), None),
        (help_topics, read_topic("# T\n\nOne.\n\nSee `changes/redo`.", name="tables/b"), "chat.E015"),
        (help_topics, read_topic("Only for: auth.fly\n\n# T\n\nOne.\n\nBody.", name="tables/b"), "chat.E016"),
        (help_topics, read_topic("# T\n\nOne.\n\nBody.", name="a/b"), "chat.W001"),
        (help_narratives, replace(read_narrative("See `changes/redo`.", category="a"), is_global=True), "chat.E015"),
    ],
)
def test_names_in_other_entries_must_exist(registry: Any, entry: Any, code: str | None) -> None:
    checks = {
        tools: check_tools, pages: lambda: check_pages([entry]), link_kinds: check_link_kinds,
        **dict.fromkeys((server_actions, client_actions), check_actions),
        **dict.fromkeys((help_topics, help_narratives), check_help),
    }  # fmt: skip
    with registry.registered(entry):
        assert list(dict.fromkeys(error.id for error in checks[registry]())) == ([code] if code else [])


def test_every_registry_is_checked() -> None:
    page = PageConfig(page="p", tools=("gone",))
    kind = LinkKind(name="javascript", description="", resolve=find)
    topic = read_topic("# T\n\nOne.\n\nBody.", name="a/b")
    with (
        pages.registered(page), tools.registered(tool("", echo)), link_kinds.registered(kind),
        server_actions.registered(action(permission="auth.fly")), help_topics.registered(topic),
        payload_types.registered(replace(FOUND, frontend_config={"titel": "X"})),
    ):  # fmt: skip
        assert codes() == ["chat.E001", "chat.E019", "chat.E016", "chat.E023", "chat.E024", "chat.W001"]


def test_limits_in_the_settings_that_contradict_each_other_are_reported(settings: Any) -> None:
    settings.CHAT_CALL_SECONDS, settings.CHAT_TURN_SECONDS = 500, 10
    [warning] = check_registries()
    assert (warning.id, warning.msg) == (
        "chat.W002",
        "CHAT_CALL_SECONDS (500) is greater than CHAT_TURN_SECONDS (10).",
    )
