"""The entries of a catalogue by their addresses, with the values of their fields, and back again."""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Any, NamedTuple

from chat.actions import ClientAction
from chat.catalogue import Catalogue
from chat.help import HelpTopic
from chat.page_config import PageConfig, SubTabConfig, TabConfig
from chat.payload_types import PayloadType
from chat.registry import Registry

Json = dict[str, Any]

# The attribute of the catalogue that has the entries of a kind. Fields have the names of the entries' attributes.
REGISTRIES = {
    "page": "pages",
    "payload_type": "payload_types",
    "tool": "tools",
    "client_action": "client_actions",
    "server_action": "server_actions",
    "help_topic": "help_topics",
    "help_narrative": "help_narratives",
}
SINGLE = {"texts": "texts", "engine": "engine"}
PANEL = ("title", "icon", "panel_width")


class Address(NamedTuple):
    """One entry: its kind and name. A tab is `page/tab`, a subtab `page/tab/subtab`; texts and engine have "all"."""

    kind: str
    name: str


def registry_of(catalogue: Catalogue, *, kind: str) -> Registry[Any]:
    """Return the registry of a kind."""
    registry: Registry[Any] = getattr(catalogue, REGISTRIES[kind])
    return registry


def entries_of(catalogue: Catalogue) -> Iterator[tuple[Address, Any]]:
    """Yield everything that can be configured, in the order of the code."""
    for kind, attribute in SINGLE.items():
        yield Address(kind, "all"), getattr(catalogue, attribute)
    for page in catalogue.pages:
        yield Address("page", page.page), page
        for tab, tab_config in page.tabs.items():
            yield Address("tab", f"{page.page}/{tab}"), tab_config
            for subtab, subtab_config in tab_config.subtabs.items():
                yield Address("subtab", f"{page.page}/{tab}/{subtab}"), subtab_config
    for kind in REGISTRIES:
        if kind != "page":
            for entry in registry_of(catalogue, kind=kind):
                yield Address(kind, entry.name), entry


class PositionedEntry(NamedTuple):
    """An entry and its position among its kind."""

    entry: Any
    position: int


def entries_by_address(catalogue: Catalogue) -> dict[Address, PositionedEntry]:
    """Return every entry with its position, by its address."""
    counts: Counter[str] = Counter()
    found = {}
    for address, entry in entries_of(catalogue):
        found[address] = PositionedEntry(entry, counts[address.kind])
        counts[address.kind] += 1
    return found


def values_of(entry: Any, *, position: int = 0) -> Json:
    """Return the values of an entry's fields; `position` is that among its kind."""
    values = {field.name: getattr(entry, field.name) for field in fields(entry)} | {"enabled": True, "order": position}
    if isinstance(entry, PayloadType):
        panel = {name: entry.frontend_config.get(name, "") for name in PANEL}
        values |= panel | {"llm_instructions": entry.instructions, "panel_width": _pixels(panel["panel_width"])}
    if isinstance(entry, PageConfig):
        named = (action if isinstance(action, str) else action.action for action in entry.client_actions)
        values["client_actions"] = tuple(named)
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def with_values(entry: Any, values: Mapping[str, Any]) -> Any:
    """Return the entry with other values for some of its fields."""
    changes = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    if isinstance(entry, PayloadType):
        panel = {name: str(changes.pop(name)) for name in PANEL if name in changes}
        changes["frontend_config"] = {**entry.frontend_config, **panel}
    if isinstance(entry, PageConfig) and "client_actions" in changes:
        # A page's own actions are declared in the page; others are names.
        own = {action.action: action for action in entry.client_actions if isinstance(action, ClientAction)}
        changes["client_actions"] = tuple(own.get(name, name) for name in changes["client_actions"])
    known = {field.name for field in fields(entry)}
    return replace(entry, **{name: value for name, value in changes.items() if name in known})


def with_tabs(page: PageConfig, values: Mapping[Address, Mapping[str, Any]]) -> PageConfig:
    """Return the page with other values in its tabs and subtabs."""
    tabs: dict[str, TabConfig] = {}
    for tab, config in page.tabs.items():
        of_tab = values.get(Address("tab", f"{page.page}/{tab}"), {})
        if not of_tab.get("enabled", True):
            continue
        subtabs: dict[str, SubTabConfig] = {}
        for subtab, entry in config.subtabs.items():
            of_subtab = values.get(Address("subtab", f"{page.page}/{tab}/{subtab}"), {})
            if of_subtab.get("enabled", True):
                subtabs[subtab] = with_values(entry, of_subtab)
        tabs[tab] = replace(with_values(config, of_tab), subtabs=subtabs)
    return replace(page, tabs=tabs)


def with_added_tab(pages: Registry[PageConfig], address: Address) -> Registry[PageConfig]:
    """Return the pages with an empty tab or subtab of this name, unless it exists or there is no page or tab for it."""
    name, tab, subtab = (*address.name.split("/", 2), "", "")[:3]
    page = pages.get(name)
    if page is None or (subtab and tab not in page.tabs):
        return pages
    config = page.tabs.get(tab, TabConfig())
    if subtab:
        config = replace(config, subtabs={**config.subtabs, subtab: config.subtabs.get(subtab, SubTabConfig())})
    tabs = {**page.tabs, tab: config}
    changed: Registry[PageConfig] = Registry(pages.kind)
    for each in pages:
        changed.register(replace(each, tabs=tabs) if each is page else each)
    return changed


def added_entry(address: Address) -> Any:
    """Return an empty entry of that kind for its overrides, or None if none can be added."""
    match address.kind:
        case "client_action":
            return ClientAction(action=address.name, description="")
        case "help_topic":
            category = address.name.split("/", maxsplit=1)[0]
            return HelpTopic(name=address.name, category=category, title="", summary="", body="", is_global=True)
        case "payload_type":
            return PayloadType(name=address.name, description="", source="llm", schema={"type": "object"})
        case "tab":
            return TabConfig()
        case "subtab":
            return SubTabConfig()
        case _:
            return None


def _pixels(text: Any) -> int:
    """Return a width in pixels, 0 if there is none."""
    digits = str(text).removesuffix("px")
    return int(digits) if digits.isascii() and digits.isdigit() else 0
