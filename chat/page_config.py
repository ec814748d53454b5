"""Pages: what the chat may do on each, resolved as global + page + tab + subtab."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from chat.actions import ClientAction, client_actions
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
    """What a subtab adds."""

    tools: tuple[str, ...] = ()
    payloads: tuple[str, ...] = ()
    instructions: str = ""


@dataclass(frozen=True)
class TabConfig:
    """What a tab adds."""

    tools: tuple[str, ...] = ()
    payloads: tuple[str, ...] = ()
    instructions: str = ""
    subtabs: Mapping[str, SubTabConfig] = field(default_factory=dict)


@dataclass(frozen=True)
class PageConfig:
    """One page. `object_key` names the context key that scopes conversations ("table_id"); "" where there is none.

    `context_builder(context: PageContext) -> ContextBlock`, sync, may read the database.
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
    client_actions: tuple[ClientAction, ...] = ()
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

    @property
    def llm_payload_types(self) -> tuple[PayloadType, ...]:
        """Those the model writes itself."""
        return tuple(entry for entry in self.payload_types if entry.source == "llm")


def resolve(page: str, *, tab: str = "", subtab: str = "") -> Reach | None:
    """Global + page + tab + subtab; None when there is no such page. Unknown tabs add nothing."""
    config = pages.get(page)
    if config is None:
        return None
    tab_config = config.tabs.get(tab, TabConfig())
    subtab_config = tab_config.subtabs.get(subtab, SubTabConfig())
    layers = (config, tab_config, subtab_config)
    tool_names = [entry.name for entry in tools if entry.is_global] + [n for layer in layers for n in layer.tools]
    chosen_tools = tools.named(tool_names)
    payload_names = [entry.name for entry in payload_types if entry.is_global]
    payload_names += [n for layer in layers for n in layer.payloads]
    payload_names += [tool.payload_type for tool in chosen_tools if tool.payload_type]
    global_actions = [entry for entry in client_actions if entry.is_global]
    texts = (config.identity, tab_config.instructions, subtab_config.instructions)
    return Reach(
        config=config,
        instructions=tuple(text for text in texts if text),
        tools=tuple(chosen_tools),
        payload_types=tuple(payload_types.named(payload_names)),
        client_actions=tuple({a.action: a for a in [*global_actions, *config.client_actions]}.values()),
    )
