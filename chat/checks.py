"""System checks: what the registries name must exist, and what they declare must hold."""
from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from django.core.checks import CheckMessage, Error, register
from jsonschema import Draft202012Validator, SchemaError

from chat.agent.tools import tools
from chat.page_config import PageConfig, SubTabConfig, TabConfig, pages
from chat.payload_types import PayloadType, payload_types
from chat.registry import Registry

MARKER = re.compile(r"[A-Z][A-Z0-9_]{2,40}:")


@register("chat")
def check_registries(app_configs: Any = None, **options: Any) -> list[CheckMessage]:
    """Everything that is wrong with the entries, each with where it is declared."""
    return [*check_pages(pages), *check_tools(), *check_payload_types(payload_types)]


def check_pages(entries: Iterable[PageConfig]) -> Iterator[CheckMessage]:
    """Tools and payload types that pages, tabs and subtabs name."""
    for page in entries:
        for place, layer in _layers(page):
            yield from _dangling(layer.tools, registry=tools, place=place, code="chat.E001")
            yield from _dangling(layer.payloads, registry=payload_types, place=place, code="chat.E002")
        if page.context_schema:
            yield from _broken_schema(page.context_schema, place=f"the context_schema of page {page.page!r}")


def check_tools() -> Iterator[CheckMessage]:
    """Payload types that tools name, and their schemas."""
    for tool in tools:
        place = f"tool {tool.name!r}"
        named = (tool.payload_type,) if tool.payload_type else ()
        yield from _dangling(named, registry=payload_types, place=place, code="chat.E003")
        yield from _broken_schema(tool.input_schema, place=f"the input_schema of {place}")
        if tool.writes not in {"none", "row"}:
            yield Error(f"{place}: writes is 'none' or 'row', not {tool.writes!r}.", id="chat.E004")


def check_payload_types(entries: Iterable[PayloadType]) -> Iterator[CheckMessage]:
    """Sources, markers and schemas of payload types."""
    markers: dict[str, str] = {}
    for entry in entries:
        place = f"payload type {entry.name!r}"
        if entry.source not in {"tool", "llm"}:
            yield Error(f"{place}: source is 'tool' or 'llm', not {entry.source!r}.", id="chat.E005")
        if (entry.source == "llm" or entry.parse_marker) and not MARKER.fullmatch(entry.parse_marker):
            yield Error(f"{place}: {entry.parse_marker!r} is no marker (such as DATA_PROPOSAL:).", id="chat.E006")
        if entry.parse_marker and entry.parse_marker in markers:
            yield Error(f"{place}: {markers[entry.parse_marker]!r} has the same marker.", id="chat.E007")
        markers[entry.parse_marker] = entry.name
        if entry.is_proposal and entry.check is None:
            yield Error(f"{place}: what can be applied must be checked first; there is no check.", id="chat.E008")
        yield from _broken_schema(entry.schema, place=f"the schema of {place}")


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
