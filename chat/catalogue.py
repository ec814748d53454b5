"""The catalogue: all registry entries at one moment, and which of them are available on a page, tab and subtab."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from chat.actions import ClientAction, ServerAction, client_actions, server_actions
from chat.agent.tools import ToolConfig, tools
from chat.engine import Engine
from chat.help import HelpNarrative, HelpTopic, help_narratives, help_topics
from chat.instructions import TEXTS, Texts
from chat.links import LinkKind, link_kinds
from chat.page_config import PageConfig, SubTabConfig, TabConfig, pages
from chat.payload_types import PayloadType, payload_types
from chat.registry import Registry


@dataclass(frozen=True)
class Reach:
    """The entries available on a page, tab and subtab, each once."""

    config: PageConfig
    instructions: tuple[str, ...]
    tools: tuple[ToolConfig, ...]
    payload_types: tuple[PayloadType, ...]
    client_actions: tuple[ClientAction, ...]
    server_actions: tuple[ServerAction, ...] = ()
    link_kinds: tuple[LinkKind, ...] = ()

    @property
    def llm_payload_types(self) -> tuple[PayloadType, ...]:
        """Return those that the model writes."""
        return tuple(entry for entry in self.payload_types if entry.source == "llm")


def everything(permission: str) -> bool:
    """Grant every permission."""
    return True


@dataclass(frozen=True)
class Catalogue:
    """The texts, entries and limits of a turn, from its start to its end.

    `models` are the names of the models to choose from, the default first; empty if there is only one. `version` is the
    number of changes by administrators. `faults` describe overrides that are ignored. `placed` are the kinds whose
    entries administrators reordered: these have the order of their registry, others that of the page.
    """

    texts: Texts = TEXTS
    engine: Engine = field(default_factory=Engine)
    pages: Registry[PageConfig] = pages
    tools: Registry[ToolConfig] = tools
    payload_types: Registry[PayloadType] = payload_types
    client_actions: Registry[ClientAction] = client_actions
    server_actions: Registry[ServerAction] = server_actions
    help_topics: Registry[HelpTopic] = help_topics
    help_narratives: Registry[HelpNarrative] = help_narratives
    models: tuple[str, ...] = ()
    version: int = 0
    faults: tuple[str, ...] = ()
    placed: frozenset[str] = frozenset()

    def resolve(
        self,
        page: str,
        *,
        tab: str = "",
        subtab: str = "",
        may: Callable[[str], bool] = everything,
        writes: bool = True,
    ) -> Reach | None:
        """Return global entries and those of page, tab and subtab that the user may use, or None without such a page.

        `may(permission)` says whether the user has a permission. Without `writes` (the user may only read the page's
        object) tools and actions that write, and proposals, are omitted, as are payload types that only omitted tools
        return. Unknown tabs add nothing.
        """
        config = self.pages.get(page)
        if config is None:
            return None
        tab_config = config.tabs.get(tab, TabConfig())
        layers = (config, tab_config, tab_config.subtabs.get(subtab, SubTabConfig()))
        offered = _in_layers(self.tools, [layer.tools for layer in layers])
        chosen_tools = [
            tool
            for tool in self._ordered(self.tools, offered, kind="tool")
            if _may(tool.permission, may) and (writes or tool.writes == "none")
        ]
        given = [tool.payload_type for tool in chosen_tools if tool.payload_type]
        payloads = _in_layers(self.payload_types, [*(layer.payloads for layer in layers), given])
        kinds = self._ordered(self.payload_types, payloads, kind="payload_type")
        named = _in_layers(self.server_actions, [layer.server_actions for layer in layers])
        actions = self._ordered(self.server_actions, named, kind="server_action")
        texts = (config.identity, *(layer.instructions for layer in layers[1:]))
        return Reach(
            config=config,
            instructions=tuple(text for text in texts if text),
            tools=tuple(chosen_tools),
            payload_types=tuple(kind for kind in kinds if writes or not kind.is_proposal),
            client_actions=tuple(a for a in self.client_actions_of(config) if writes or not a.writes),
            server_actions=tuple(a for a in actions if _may(a.permission, may) and (writes or a.only_reads)),
            link_kinds=tuple(link_kinds.named(_in_layers(link_kinds, [config.links]))),
        )

    def client_actions_of(self, config: PageConfig) -> tuple[ClientAction, ...]:
        """Return the client actions of a page and the global ones."""
        chosen = {entry.action: entry for entry in self.client_actions if entry.is_global}
        for named in config.client_actions:
            entry = self.client_actions.get(named) if isinstance(named, str) else named
            if entry is not None:
                chosen[entry.action] = entry
        if "client_action" not in self.placed:
            return tuple(chosen.values())
        placed = [name for name in self.client_actions.names() if name in chosen]
        return tuple(chosen[name] for name in dict.fromkeys([*placed, *chosen]))

    def _ordered(self, registry: Registry[Any], names: Iterable[str], *, kind: str) -> list[Any]:
        """Return the entries of these names, each once."""
        wanted = dict.fromkeys(names)
        if kind in self.placed:
            return [entry for entry in registry if entry.name in wanted]
        return registry.named(wanted)


CODE = Catalogue()


def _in_layers(registry: Iterable[Any], layers: Iterable[Iterable[str]]) -> list[str]:
    """Return the names of global entries, then those of each layer."""
    return [entry.name for entry in registry if entry.is_global] + [name for layer in layers for name in layer]


def _may(permission: str, may: Callable[[str], bool]) -> bool:
    return not permission or may(permission)
