"""System checks of the registries: names of entries that do not exist, invalid schemas, and faulty declarations."""
from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from inspect import signature
from pathlib import Path
from typing import Any

from django.apps import apps
from django.contrib.staticfiles import finders
from django.core.checks import CheckMessage, Error, register
from django.core.checks import Warning as CheckWarning
from jsonschema import Draft202012Validator, SchemaError

from chat.actions import ClientAction, client_actions, server_actions
from chat.agent.tools import ToolConfig, tools
from chat.api.capabilities import OPEN
from chat.api.conversations import CONVERSATION_LIST
from chat.catalogue import CODE
from chat.configuration import faults_of_engine
from chat.help import HelpTopic, help_narratives, help_topics
from chat.json_schema import faults_at
from chat.links import KIND, link_kinds
from chat.page_config import PageConfig, Starter, SubTabConfig, TabConfig, layers_of, pages
from chat.payload_types import PayloadType, payload_types
from chat.reader.suggestions import ACTIONS, VALUES
from chat.registry import Registry
from chat.scripted_model.placeholders import names_in
from chat.scripted_model.reply_form import ReplyReader, names_of
from chat.selectors.configuration.catalogue import engine_of_settings
from chat.turns.request import MAX_OBJECT_ID, PAGE_FIELDS, VIEW_FIELDS

MARKER = re.compile(r"[A-Z][A-Z0-9_]{2,40}:")
# Rules of the Messages API for tools. With a tool that breaks them, every request on its pages fails.
TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
FORBIDDEN_AT_TOP_LEVEL = ("oneOf", "anyOf", "allOf")
TOPIC_IN_TEXT = re.compile(r"`([a-z0-9_]+/[a-z0-9_]+)`")
BRACKETS = {"{", "["}
# A name of the icon set; any other value is shown as text.
ICON = re.compile(r"[a-z][a-z0-9-]+")
ICON_SET = "icons/sprite.svg"
ICON_IN_SET = re.compile(r'id="i-([a-z0-9-]+)"')
WEB_SCHEMES = {"data", "file", "ftp", "http", "https", "javascript", "mailto", "tel"}
# Keyword arguments of every executor.
EXECUTOR_KEYWORDS = ("user", "context")
# Arguments by position of the functions of a page and of a payload type.
PAGE_FUNCTIONS = {
    "context_builder": ("context",),
    "stream_instructions": ("context",),
    "example": ("context",),
    "temporary_example": ("user",),
    "visible_objects": ("user",),
    "may_write": ("context",),
    "typed_value": ("definition", "text"),
}
# Those that some functions of a page need by keyword.
PAGE_KEYWORDS = {"typed_value": ("is_new",)}
PAYLOAD_FUNCTIONS = {
    "parser": ("value",),
    "summarize": ("data",),
    "check": ("data", "context"),
    "preview": ("resolved", "selection", "context"),
    "prepare": ("resolved", "selection", "context"),
    "apply": ("resolved", "selection", "context"),
    "undo": ("token", "context"),
    "read_selection": ("body", "count"),
    "with_names": ("shown", "resolved", "context"),
    "revise_review": ("resolved",),
    "carry_over": ("resolved",),
}
# Those that some functions of a payload type need by keyword.
PAYLOAD_KEYWORDS = {"revise_review": ("review", "changes"), "carry_over": ("review", "new")}
PANEL_OPTIONS = ("icon", "panel_width", "title")
# Query parameters of the operations that also take the `object_parameter` of pages.
QUERY_PARAMETERS = {parameter.name for parameter in (*OPEN, *CONVERSATION_LIST)}
LENGTH = re.compile(r"[0-9]+(\.[0-9]+)?(px|rem|em|ch|vw|%)")
# `tool_history` is the form in which the tool calls of a turn are sent to clients.
RESERVED_TYPES = {"tool_history"}


@register("chat")
def check_registries(app_configs: Any = None, **options: Any) -> list[CheckMessage]:
    """Return an error for each fault of an entry."""
    return [
        *check_pages(pages),
        *check_tools(),
        *check_actions(),
        *check_link_kinds(),
        *check_payload_types(payload_types),
        *check_help(),
        *check_limits(),
    ]


def check_pages(entries: Iterable[PageConfig]) -> Iterator[CheckMessage]:
    """Check the names in pages, tabs and subtabs, and the keys of their context."""
    for page in entries:
        for label, layer in _layers(page):
            yield from _unknown_names(layer.tools, registry=tools, label=label, code="chat.E001")
            yield from _unknown_names(layer.payloads, registry=payload_types, label=label, code="chat.E002")
            yield from _unknown_names(layer.server_actions, registry=server_actions, label=label, code="chat.E010")
        label = f"page {page.page!r}"
        named = [entry for entry in page.client_actions if isinstance(entry, str)]
        yield from _unknown_names(named, registry=client_actions, label=label, code="chat.E011")
        yield from _unknown_names(page.links, registry=link_kinds, label=label, code="chat.E022")
        yield from _unknown_categories(page.help, label=label)
        own = [entry.action for entry in page.client_actions if not isinstance(entry, str)]
        for name in dict.fromkeys(own):
            if name in client_actions or own.count(name) > 1:
                yield Error(f"{label} declares the client action {name!r}, which already exists.", id="chat.E017")
        for name, arguments in PAGE_FUNCTIONS.items():
            if (function := getattr(page, name)) is not None:
                keywords = PAGE_KEYWORDS.get(name, ())
                yield from _wrong_signature(function, name, label=label, arguments=arguments, by_keyword=keywords)
        if page.context_schema:
            yield from _invalid_schema(page.context_schema, label=f"the context_schema of {label}")
        for starter in (starter for layer in layers_of(page) for starter in layer.starters):
            if isinstance(starter, Starter) and starter.demo is not None:
                yield from _demo_faults(starter, label=label)
        if page.object_key in {*PAGE_FIELDS, *VIEW_FIELDS}:
            yield Error(f"{label}: {page.object_key!r} is reserved and cannot be the object_key.", id="chat.E012")
        if page.object_parameter in QUERY_PARAMETERS:
            fault = f"{label}: {page.object_parameter!r} is another query parameter and cannot be the object_parameter."
            yield Error(fault, id="chat.E032")
        for name in [*page.tabs, *(name for tab in page.tabs.values() for name in tab.subtabs)]:
            if not 0 < len(name) <= MAX_OBJECT_ID:
                needed = f"1 to {MAX_OBJECT_ID} characters"
                yield Error(f"{label}: the tab name {name!r} must have {needed}.", id="chat.E013")


def check_tools() -> Iterator[CheckMessage]:
    """Check the names of tools, their payload types and permissions, and their schemas."""
    for tool in tools:
        label = f"tool {tool.name!r}"
        if not TOOL_NAME.fullmatch(tool.name):
            yield Error(f"{label}: the name must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -.", id="chat.E019")
        schema = tool.input_schema
        if schema.get("type") != "object" or any(name in schema for name in FORBIDDEN_AT_TOP_LEVEL):
            needed = f"have the type object and no {', '.join(FORBIDDEN_AT_TOP_LEVEL)} at the top level"
            yield Error(f"{label}: input_schema must {needed}.", id="chat.E020")
        named = (tool.payload_type,) if tool.payload_type else ()
        yield from _unknown_names(named, registry=payload_types, label=label, code="chat.E003")
        yield from _invalid_schema(tool.input_schema, label=f"the input_schema of {label}")
        yield from _unknown_permission(tool.permission, label=label)
        yield from _wrong_signature(
            tool.executor, "executor", label=label, arguments=("params",), by_keyword=EXECUTOR_KEYWORDS
        )
        if tool.writes not in {"none", "row"}:
            yield Error(f"{label}: writes must be 'none' or 'row', not {tool.writes!r}.", id="chat.E004")
        for sentence, declared in tool.examples.items():
            yield from _example_faults(sentence, declared, tool=tool)


def check_actions() -> Iterator[CheckMessage]:
    """Check the permissions of server actions, and the schemas of actions."""
    own = (entry for page in pages for entry in page.client_actions if isinstance(entry, ClientAction))
    for entry in [*client_actions, *own]:
        if entry.schema:
            yield from _invalid_schema(entry.schema, label=f"the schema of client action {entry.action!r}")
            yield from _parameters_without_schema(entry)
    for action in server_actions:
        label = f"server action {action.action!r}"
        yield from _unknown_permission(action.permission, label=label)
        yield from _invalid_schema(action.parameters, label=f"the parameters of {label}")
        yield from _wrong_signature(
            action.executor, "executor", label=label, arguments=("data",), by_keyword=EXECUTOR_KEYWORDS
        )


def check_link_kinds() -> Iterator[CheckMessage]:
    """Check the names of kinds of link, which must not be schemes of URLs, and their functions."""
    for kind in link_kinds:
        if not re.fullmatch(KIND, kind.name) or kind.name in WEB_SCHEMES:
            needed = "up to 31 characters of a-z, 0-9 and _, and not a URL scheme"
            yield Error(f"link kind {kind.name!r}: the name must be {needed}.", id="chat.E023")
        label = f"link kind {kind.name!r}"
        yield from _wrong_signature(kind.resolve, "resolve", label=label, arguments=("user", "ids"))


def check_limits() -> Iterator[CheckMessage]:
    """Warn about limits in the settings that contradict each other."""
    for fault in faults_of_engine(engine_of_settings()):
        yield CheckWarning(fault, hint="Correct the settings: the smaller one applies.", id="chat.W002")


def check_payload_types(entries: Iterable[PayloadType]) -> Iterator[CheckMessage]:
    """Check the sources, markers and schemas of payload types."""
    markers = dict.fromkeys((f"{VALUES}:", f"{ACTIONS}:"), "the suggestions")
    for entry in entries:
        label = f"payload type {entry.name!r}"
        if entry.name in RESERVED_TYPES:
            yield Error(f"{label}: this name is reserved.", id="chat.E014")
        if entry.source not in {"tool", "llm"}:
            yield Error(f"{label}: source must be 'tool' or 'llm', not {entry.source!r}.", id="chat.E005")
        if (entry.source == "llm" or entry.parse_marker) and not MARKER.fullmatch(entry.parse_marker):
            needed = "capital letters, digits and _, ending with a colon, such as READING_LIST:"
            hint = None if entry.parse_marker else "Payload types with the source 'llm' need a parse_marker."
            fault = f"{label}: parse_marker must be {needed}, not {entry.parse_marker!r}."
            yield Error(fault, hint=hint, id="chat.E006")
        if entry.parse_marker and entry.parse_marker in markers:
            yield Error(f"{label}: {markers[entry.parse_marker]!r} has the same marker.", id="chat.E007")
        markers[entry.parse_marker] = entry.name
        if entry.opens not in BRACKETS:
            yield Error(f"{label}: opens must be '{{' or '[', not {entry.opens!r}.", id="chat.E018")
        yield from _proposal_faults(entry, label=label)
        yield from _invalid_schema(entry.schema, label=f"the schema of {label}")
        yield from _panel_faults(entry.frontend_config, label=label)


def _proposal_faults(entry: PayloadType, *, label: str) -> Iterator[CheckMessage]:
    """Check the functions of a payload type, and the verbs and edits of a proposal."""
    if entry.is_proposal and entry.check is None:
        yield Error(f"{label}: a proposal needs a check.", id="chat.E008")
    for name, arguments in PAYLOAD_FUNCTIONS.items():
        function = getattr(entry, name)
        if function is not None:
            prepared = ("prepared",) if name == "apply" and entry.prepare is not None else ()
            by_keyword = PAYLOAD_KEYWORDS.get(name, prepared)
            yield from _wrong_signature(function, name, label=label, arguments=arguments, by_keyword=by_keyword)
    if entry.edit_schema is not None:
        yield from _invalid_schema(entry.edit_schema, label=f"the edit_schema of {label}")
    for name, verb in entry.verbs.items():
        if "{count}" not in verb.pending or "{count}" not in verb.applied:
            hint = "Such as Verb(pending='{count} to send', applied='{count} sent')."
            yield Error(f"{label}: the texts of the verb {name!r} must contain {{count}}.", hint=hint, id="chat.E028")


def check_help() -> Iterator[CheckMessage]:
    """Check the pages of help texts, the topics that they name (`changes/undo`), and their permissions."""
    offered = {category for page in pages for category in page.help}
    for entry in [*help_topics, *help_narratives]:
        label = f"help {entry.name!r}"
        if not entry.is_global and entry.category not in offered:
            hint = f"Add {entry.category!r} to the `help` of a page."
            yield CheckWarning(f"{label} is on no page.", hint=hint, id="chat.W001")
        text = entry.body if isinstance(entry, HelpTopic) else entry.text
        yield from _unknown_names(TOPIC_IN_TEXT.findall(text), registry=help_topics, label=label, code="chat.E015")
        yield from _unknown_permission(entry.permission, label=label)


def _unknown_categories(names: Iterable[str], *, label: str) -> Iterator[CheckMessage]:
    categories = sorted({entry.category for entry in [*help_topics, *help_narratives]})
    for name in names:
        if name not in categories:
            nearest = get_close_matches(name, categories, n=1)
            hint = f"Did you mean {nearest[0]!r}?" if nearest else f"The categories are {', '.join(categories)}."
            fault = f"{label} refers to the help category {name!r}, which has no topics."
            yield Error(fault, hint=hint, id="chat.E029")


def _demo_faults(starter: Starter, *, label: str) -> Iterator[CheckMessage]:
    """Check the answer of the demo model to a starter."""
    reader = ReplyReader(names=names_of(CODE))
    reader.replies(starter.demo, path=("demo",))
    for fault in reader.faults.found:
        yield Error(f"{label}, starter {str(starter)!r}: {fault}", id="chat.E031")


def _example_faults(sentence: str, declared: Any, *, tool: ToolConfig) -> Iterator[CheckMessage]:
    """Check an example: its placeholders, and its input except for values with placeholders, which can be any."""
    label = f"tool {tool.name!r}, example {sentence!r}"
    if not isinstance(declared, Mapping):
        yield Error(f"{label}: the input must be a mapping.", id="chat.E030")
        return
    in_sentence, in_input = list(names_in(sentence)), set(names_in(dict(declared)))
    if len(set(in_sentence)) < len(in_sentence) or any("." in name for name in in_sentence):
        yield Error(f"{label}: placeholders must be different names without dots.", id="chat.E030")
    for name in sorted(in_input.symmetric_difference(in_sentence)):
        where = "sentence" if name in in_input else "input"
        yield Error(f"{label}: the placeholder {{{name}}} is not in the {where}.", id="chat.E030")
    open_values = {key for key, value in declared.items() if any(names_in(value))}
    for fault in faults_at("", dict(declared), schema=tool.input_schema):
        if re.split(r"[.\[]", fault.path.removeprefix("."))[0] not in open_values:
            yield Error(f"{label}: the input is not valid: {fault.detail}", id="chat.E030")


def _unknown_permission(name: str, *, label: str) -> Iterator[CheckMessage]:
    if name and name not in _permissions():
        yield Error(f"{label} requires the permission {name!r}, which no model declares.", id="chat.E016")


def _panel_faults(config: Mapping[str, str], *, label: str) -> Iterator[CheckMessage]:
    for name in config:
        if name not in PANEL_OPTIONS:
            hint = f"The keys are {', '.join(PANEL_OPTIONS)}."
            yield Error(f"{label}: frontend_config has an unknown key {name!r}.", hint=hint, id="chat.E024")
    width = config.get("panel_width", "")
    if width and not LENGTH.fullmatch(str(width)):
        yield Error(f"{label}: panel_width must be a CSS length such as '480px', not {width!r}.", id="chat.E025")
    yield from _unknown_icon(str(config.get("icon", "")), label=label)


def _parameters_without_schema(entry: ClientAction) -> Iterator[CheckMessage]:
    properties = entry.schema.get("properties", {})
    for name in entry.parameters:
        if isinstance(properties, dict) and name not in properties:
            fault = f"client action {entry.action!r}: the parameter {name!r} is not a property of its schema."
            yield Error(fault, id="chat.E026")


def _wrong_signature(
    function: Any, role: str, *, label: str, arguments: tuple[str, ...], by_keyword: tuple[str, ...] = ()
) -> Iterator[CheckMessage]:
    """Check that `function` can be called with `arguments` by position, and with the others by keyword."""
    if not callable(function):
        yield Error(f"{label}: {role} must be a function, not {function!r}.", id="chat.E027")
        return
    try:
        signature(function).bind(*arguments, **dict.fromkeys(by_keyword))
    except TypeError as error:
        call = ", ".join([*arguments, *(f"{name}=…" for name in by_keyword)])
        yield Error(f"{label}: {role} must accept the arguments ({call}): {error}.", id="chat.E027")
    except ValueError:
        # Some built-in functions have no signature.
        return


def _unknown_icon(name: str, *, label: str) -> Iterator[CheckMessage]:
    if ICON.fullmatch(name):
        icons = ICON_IN_SET.findall(Path(str(finders.find(ICON_SET))).read_text(encoding="utf-8"))
        if name not in icons:
            nearest = get_close_matches(name, icons, n=1)
            listed = f"Names are the ids in static/{ICON_SET}, without “i-”; a single character is also possible."
            hint = f"Did you mean {nearest[0]!r}?" if nearest else listed
            yield Error(f"{label} has an unknown icon {name!r}.", hint=hint, id="chat.E021")


def _permissions() -> set[str]:
    """Return `<app>.<codename>` of all permissions of the models, without a query."""
    return {
        f"{model._meta.app_label}.{codename}"
        for model in apps.get_models()
        for codename in (
            *(f"{action}_{model._meta.model_name}" for action in model._meta.default_permissions),
            *(codename for codename, _ in model._meta.permissions),
        )
    }


def _layers(page: PageConfig) -> Iterator[tuple[str, PageConfig | TabConfig | SubTabConfig]]:
    """Yield the page, its tabs and their subtabs, each with a label for messages."""
    yield f"page {page.page!r}", page
    for tab, tab_config in page.tabs.items():
        yield f"tab {tab!r} of page {page.page!r}", tab_config
        for subtab, subtab_config in tab_config.subtabs.items():
            yield f"subtab {subtab!r} of tab {tab!r} of page {page.page!r}", subtab_config


def _unknown_names(names: Iterable[str], *, registry: Registry[Any], label: str, code: str) -> Iterator[CheckMessage]:
    for name in names:
        if name not in registry:
            nearest = registry.nearest(name)
            hint = f"Did you mean {nearest!r}?" if nearest else None
            yield Error(f"{label} refers to the {registry.kind} {name!r}, which is not registered.", hint=hint, id=code)


def _invalid_schema(schema: Any, *, label: str) -> Iterator[CheckMessage]:
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        yield Error(f"{label} is not a valid JSON Schema: {error.message}", id="chat.E009")
