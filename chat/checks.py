"""System checks: what the registries name must exist, and what they declare must hold."""
from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from django.apps import apps
from django.contrib.staticfiles import finders
from django.core.checks import CheckMessage, Error, register
from jsonschema import Draft202012Validator, SchemaError

from chat.actions import ClientAction, client_actions, server_actions
from chat.agent.tools import tools
from chat.help import HelpTopic, help_narratives, help_topics
from chat.links import KIND, link_kinds
from chat.page_config import PageConfig, SubTabConfig, TabConfig, pages
from chat.payload_types import PayloadType, payload_types
from chat.reader.suggestions import ACTIONS, VALUES
from chat.registry import Registry
from chat.turns.request import MOST_OBJECT_ID, PLACE_FIELDS, VIEW_FIELDS

MARKER = re.compile(r"[A-Z][A-Z0-9_]{2,40}:")
# What the Messages API takes: one tool that does not fit makes each call of the model on its pages fail.
TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
NOT_AT_THE_TOP = ("oneOf", "anyOf", "allOf")
TOPIC_IN_TEXT = re.compile(r"`([a-z0-9_]+/[a-z0-9_]+)`")
BRACKETS = {"{", "["}
# A name of the icon set; anything else is a character to show.
ICON = re.compile(r"[a-z][a-z0-9-]+")
ICON_SET = "icons/sprite.svg"
ICON_IN_SET = re.compile(r'id="i-([a-z0-9-]+)"')
WEB_SCHEMES = {"data", "file", "ftp", "http", "https", "javascript", "mailto", "tel"}
RESERVED_TYPES = {"tool_history"}  # the display form of a turn's tools


@register("chat")
def check_registries(app_configs: Any = None, **options: Any) -> list[CheckMessage]:
    """Everything that is wrong with the entries, each with where it is declared."""
    return [
        *check_pages(pages),
        *check_tools(),
        *check_actions(),
        *check_link_kinds(),
        *check_payload_types(payload_types),
        *check_help(),
    ]


def check_pages(entries: Iterable[PageConfig]) -> Iterator[CheckMessage]:
    """What pages, tabs and subtabs name, and the keys of their context."""
    for page in entries:
        for place, layer in _layers(page):
            yield from _dangling(layer.tools, registry=tools, place=place, code="chat.E001")
            yield from _dangling(layer.payloads, registry=payload_types, place=place, code="chat.E002")
            yield from _dangling(layer.server_actions, registry=server_actions, place=place, code="chat.E010")
        place = f"page {page.page!r}"
        named = [entry for entry in page.client_actions if isinstance(entry, str)]
        yield from _dangling(named, registry=client_actions, place=place, code="chat.E011")
        yield from _dangling(page.links, registry=link_kinds, place=place, code="chat.E022")
        own = [entry.action for entry in page.client_actions if not isinstance(entry, str)]
        for name in dict.fromkeys(own):
            if name in client_actions or own.count(name) > 1:
                yield Error(f"{place} declares the client action {name!r}, which there is already.", id="chat.E017")
        if page.context_schema:
            yield from _broken_schema(page.context_schema, place=f"the context_schema of {place}")
        if page.object_key in {*PLACE_FIELDS, *VIEW_FIELDS}:
            yield Error(f"{place}: {page.object_key!r} has a meaning of its own, it is no object_key.", id="chat.E012")
        for name in [*page.tabs, *(name for tab in page.tabs.values() for name in tab.subtabs)]:
            if not 0 < len(name) <= MOST_OBJECT_ID:
                yield Error(f"{place}: no client can say that the tab {name!r} is open.", id="chat.E013")


def check_tools() -> Iterator[CheckMessage]:
    """Names of tools, the payload types and permissions that they name, and their schemas."""
    for tool in tools:
        place = f"tool {tool.name!r}"
        if not TOOL_NAME.fullmatch(tool.name):
            yield Error(f"{place}: no model can call it; a name is up to 64 of A-Z, a-z, 0-9, _ and -.", id="chat.E019")
        schema = tool.input_schema
        if schema.get("type") != "object" or any(name in schema for name in NOT_AT_THE_TOP):
            needed = f"of type object, without {', '.join(NOT_AT_THE_TOP)} at its top"
            yield Error(f"{place}: its input_schema must be {needed}.", id="chat.E020")
        named = (tool.payload_type,) if tool.payload_type else ()
        yield from _dangling(named, registry=payload_types, place=place, code="chat.E003")
        yield from _broken_schema(tool.input_schema, place=f"the input_schema of {place}")
        yield from _unknown_permission(tool.permission, place=place)
        if tool.writes not in {"none", "row"}:
            yield Error(f"{place}: writes is 'none' or 'row', not {tool.writes!r}.", id="chat.E004")


def check_actions() -> Iterator[CheckMessage]:
    """Permissions that server actions name, and the schemas of the data of actions."""
    own = (entry for page in pages for entry in page.client_actions if isinstance(entry, ClientAction))
    for entry in [*client_actions, *own]:
        if entry.schema:
            yield from _broken_schema(entry.schema, place=f"the schema of client action {entry.action!r}")
    for action in server_actions:
        place = f"server action {action.action!r}"
        yield from _unknown_permission(action.permission, place=place)
        yield from _broken_schema(action.parameters, place=f"the parameters of {place}")


def check_link_kinds() -> Iterator[CheckMessage]:
    """Names of kinds of link: they must read as the first part of an address that is none of the web."""
    for kind in link_kinds:
        if not re.fullmatch(KIND, kind.name) or kind.name in WEB_SCHEMES:
            needed = "up to 31 of a-z, 0-9 and _, and no URL scheme"
            yield Error(f"link kind {kind.name!r}: its name must be {needed}.", id="chat.E023")


def check_payload_types(entries: Iterable[PayloadType]) -> Iterator[CheckMessage]:
    """Sources, markers and schemas of payload types."""
    markers = dict.fromkeys((f"{VALUES}:", f"{ACTIONS}:"), "the suggestions")
    for entry in entries:
        place = f"payload type {entry.name!r}"
        if entry.name in RESERVED_TYPES:
            yield Error(f"{place}: this name has a meaning of its own.", id="chat.E014")
        if entry.source not in {"tool", "llm"}:
            yield Error(f"{place}: source is 'tool' or 'llm', not {entry.source!r}.", id="chat.E005")
        if (entry.source == "llm" or entry.parse_marker) and not MARKER.fullmatch(entry.parse_marker):
            yield Error(f"{place}: {entry.parse_marker!r} is no marker (such as DATA_PROPOSAL:).", id="chat.E006")
        if entry.parse_marker and entry.parse_marker in markers:
            yield Error(f"{place}: {markers[entry.parse_marker]!r} has the same marker.", id="chat.E007")
        markers[entry.parse_marker] = entry.name
        if entry.opens not in BRACKETS:
            yield Error(f"{place}: its JSON opens with '{{' or '[', not with {entry.opens!r}.", id="chat.E018")
        if entry.is_proposal and entry.check is None:
            yield Error(f"{place}: what can be applied must be checked first; there is no check.", id="chat.E008")
        yield from _broken_schema(entry.schema, place=f"the schema of {place}")
        yield from _unknown_icon(str(entry.frontend_config.get("icon", "")), place=place)


def check_help() -> Iterator[CheckMessage]:
    """Topics that help texts name (`changes/undo`), and the permissions of those who may read them."""
    for entry in [*help_topics, *help_narratives]:
        place = f"help {entry.name!r}"
        text = entry.body if isinstance(entry, HelpTopic) else entry.text
        yield from _dangling(TOPIC_IN_TEXT.findall(text), registry=help_topics, place=place, code="chat.E015")
        yield from _unknown_permission(entry.permission, place=place)


def _unknown_permission(name: str, *, place: str) -> Iterator[CheckMessage]:
    if name and name not in _permissions():
        yield Error(f"{place} asks for the permission {name!r}, which no model declares.", id="chat.E016")


def _unknown_icon(name: str, *, place: str) -> Iterator[CheckMessage]:
    if ICON.fullmatch(name):
        icons = ICON_IN_SET.findall(Path(str(finders.find(ICON_SET))).read_text(encoding="utf-8"))
        if name not in icons:
            nearest = get_close_matches(name, icons, n=1)
            hint = f"Did you mean {nearest[0]!r}?" if nearest else None
            yield Error(f"{place} has the icon {name!r}, which is not in the icon set.", hint=hint, id="chat.E021")


def _permissions() -> set[str]:
    """`<app>.<codename>` of every permission there is, by what the models declare."""
    return {
        f"{model._meta.app_label}.{codename}"
        for model in apps.get_models()
        for codename in (
            *(f"{action}_{model._meta.model_name}" for action in model._meta.default_permissions),
            *(codename for codename, _ in model._meta.permissions),
        )
    }


def _layers(page: PageConfig) -> Iterator[tuple[str, PageConfig | TabConfig | SubTabConfig]]:
    yield f"page {page.page!r}", page
    for tab, tab_config in page.tabs.items():
        yield f"tab {tab!r} of page {page.page!r}", tab_config
        for subtab, subtab_config in tab_config.subtabs.items():
            yield f"subtab {subtab!r} of tab {tab!r} of page {page.page!r}", subtab_config


def _dangling(names: Iterable[str], *, registry: Registry[Any], place: str, code: str) -> Iterator[CheckMessage]:
    for name in names:
        if name not in registry:
            nearest = registry.nearest(name)
            hint = f"Did you mean {nearest!r}?" if nearest else None
            yield Error(f"{place} names the {registry.kind} {name!r}, which is not registered.", hint=hint, id=code)


def _broken_schema(schema: Any, *, place: str) -> Iterator[CheckMessage]:
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        yield Error(f"{place} is no JSON Schema: {error.message}", id="chat.E009")
