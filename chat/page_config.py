"""Pages: what the chat may do on each, resolved as global + page + tab + subtab."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from chat.actions import ClientAction, ServerAction, client_actions, server_actions
from chat.agent.tools import ToolConfig, tools
from chat.payload_types import PayloadType, payload_types
from chat.registry import Registry

Json = dict[str, Any]


@dataclass(frozen=True)
class PageContext:
    """What a context builder is told. `view` is the client's hint of what is on screen."""

    user: Any
    page: str
    object_id: str
    view: Json


@dataclass(frozen=True)
class ContextBlock:
    """What a context builder gives: words of ours (`text`), and `data` from tables that is only ever shown as data."""

    text: str
    data: Json


@dataclass(frozen=True)
class SubTabConfig:
    """What a subtab adds: names of tools, payload types and server actions, and words for the model."""

    tools: tuple[str, ...] = ()
    payloads: tuple[str, ...] = ()
    server_actions: tuple[str, ...] = ()
    instructions: str = ""


@dataclass(frozen=True)
class TabConfig:
    """What a tab adds: names of tools, payload types and server actions, and words for the model."""

    tools: tuple[str, ...] = ()
    payloads: tuple[str, ...] = ()
    server_actions: tuple[str, ...] = ()
    instructions: str = ""
    subtabs: Mapping[str, SubTabConfig] = field(default_factory=dict)


@dataclass(frozen=True)
class PageConfig:
    """One page. `object_key` names the context key that scopes conversations ("table_id"); "" where there is none.

    `context_builder(context: PageContext) -> ContextBlock`, sync, may read the database.
    `stream_instructions(context: PageContext) -> str` gives further words about the subject, sync as well.
    `tools`, `payloads`, `server_actions` are names; `client_actions` are names of registered ones, or the page's own.
    `starters` are the prompts an empty conversation offers.

    Who may do what with the page's object is the page's own knowledge. `visible_objects(user)` gives the ids, as text,
    of the objects this person may see, in a form that a database can look ids up in: conversations about others do
    not exist for them. `may_write(context: PageContext) -> bool` says whether they may change this object; if not,
    tools that write and proposals are out of reach. Without these, everything is visible and may be changed.
    """

    page: str
    identity: str = ""
    context_builder: Callable[[PageContext], ContextBlock] | None = None
    context_schema: Json = field(default_factory=dict)
    object_key: str = ""
    stream_instructions: Callable[[PageContext], str] | None = None
    tools: tuple[str, ...] = ()
    payloads: tuple[str, ...] = ()
    client_actions: tuple[ClientAction | str, ...] = ()
    server_actions: tuple[str, ...] = ()
    tabs: Mapping[str, TabConfig] = field(default_factory=dict)
    starters: tuple[str, ...] = ()
    visible_objects: Callable[[Any], Any] | None = None
    may_write: Callable[[PageContext], bool] | None = None

    @property
    def name(self) -> str:
        """Its name in the registry."""
        return self.page


pages: Registry[PageConfig] = Registry("page")


def register_page(entry: PageConfig) -> PageConfig:
    """Declares a page."""
    return pages.register(entry)


@dataclass(frozen=True)
class Reach:
    """What is in reach on a page, tab and subtab, each name once."""

    config: PageConfig
    instructions: tuple[str, ...]
    tools: tuple[ToolConfig, ...]
    payload_types: tuple[PayloadType, ...]
    client_actions: tuple[ClientAction, ...]
    server_actions: tuple[ServerAction, ...] = ()

    @property
    def llm_payload_types(self) -> tuple[PayloadType, ...]:
        """Those the model writes itself."""
        return tuple(entry for entry in self.payload_types if entry.source == "llm")


def everything(permission: str) -> bool:
    """Whoever asks may do anything."""
    return True


def resolve(
    page: str, *, tab: str = "", subtab: str = "", may: Callable[[str], bool] = everything, writes: bool = True
) -> Reach | None:
    """Global + page + tab + subtab, minus what may not be done; None when there is no such page.

    `may(permission)` says whether the person has a permission; without `writes` (they may only read the page's object)
    tools and actions that write, and proposals, are left out. A payload type that only a left-out tool gives is left
    out with it. Unknown tabs add nothing.
    """
    config = pages.get(page)
    if config is None:
        return None
    tab_config = config.tabs.get(tab, TabConfig())
    layers = (config, tab_config, tab_config.subtabs.get(subtab, SubTabConfig()))
    chosen_tools = [
        tool
        for tool in tools.named(_in_layers(tools, [layer.tools for layer in layers]))
        if _may(tool.permission, may) and (writes or tool.writes == "none")
    ]
    given = [tool.payload_type for tool in chosen_tools if tool.payload_type]
    kinds = payload_types.named(_in_layers(payload_types, [*(layer.payloads for layer in layers), given]))
    actions = server_actions.named(_in_layers(server_actions, [layer.server_actions for layer in layers]))
    texts = (config.identity, *(layer.instructions for layer in layers[1:]))
    return Reach(
        config=config,
        instructions=tuple(text for text in texts if text),
        tools=tuple(chosen_tools),
        payload_types=tuple(kind for kind in kinds if writes or not kind.is_proposal),
        client_actions=client_actions_of(config),
        server_actions=tuple(a for a in actions if _may(a.permission, may) and (writes or a.only_reads)),
    )


def _in_layers(registry: Iterable[Any], layers: Iterable[Iterable[str]]) -> list[str]:
    """Names: the global entries', then layer by layer."""
    return [entry.name for entry in registry if entry.is_global] + [name for layer in layers for name in layer]


def _may(permission: str, may: Callable[[str], bool]) -> bool:
    return not permission or may(permission)


def client_actions_of(config: PageConfig) -> tuple[ClientAction, ...]:
    """The client actions of a page, the global ones included."""
    chosen = {entry.action: entry for entry in client_actions if entry.is_global}
    for named in config.client_actions:
        entry = client_actions.get(named) if isinstance(named, str) else named
        if entry is not None:
            chosen[entry.action] = entry
    return tuple(chosen.values())


def layers_of(page: PageConfig) -> tuple[PageConfig | TabConfig | SubTabConfig, ...]:
    """The page, its tabs and their subtabs."""
    subtabs = (subtab for tab in page.tabs.values() for subtab in tab.subtabs.values())
    return (page, *page.tabs.values(), *subtabs)
