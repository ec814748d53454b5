"""The catalogue: a snapshot of all registry entries and limits, and the entries available on a page, tab and subtab."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any

from chat.actions import ClientAction, ServerAction, client_actions, server_actions
from chat.agent.tools import ToolConfig, tools
from chat.help import HelpNarrative, HelpTopic, help_narratives, help_topics
from chat.instructions import TEXTS, Texts
from chat.links import LinkKind, link_kinds
from chat.page_config import PageConfig, SubTabConfig, TabConfig, pages
from chat.payload_types import PayloadType, payload_types
from chat.registry import Registry

# Minimum and maximum of each limit. Seconds are wall clock time; tokens are those of the provider.
CAPS: dict[str, tuple[int, int]] = {
    "max_tokens": (256, 64_000),
    "max_iterations": (1, 20),
    "max_tool_calls": (1, 50),
    "call_seconds": (1, 600),
    "first_token_seconds": (0, 1_800),
    "turn_seconds": (1, 1_800),
    "retries": (0, 2),
    "retry_seconds": (0, 20),
    "context_tokens": (8_000, 1_000_000),
    "tokens_a_day": (0, 100_000_000),
    "turns_a_minute": (1, 1_000),
    "streams_a_user": (1, 100),
}
# For the system prompt, the current context and tool output, which have their own limits.
RESERVED_TOKENS = 40_000
MIN_HISTORY_TOKENS = 1_000


@dataclass(frozen=True)
class Engine:
    """The default model and the limits."""

    model: str = ""
    max_tokens: int = 16_000
    max_iterations: int = 5
    max_tool_calls: int = 12
    call_seconds: int = 120
    first_token_seconds: int = 240
    turn_seconds: int = 300
    retries: int = 2
    retry_seconds: int = 20
    context_tokens: int = 200_000
    tokens_a_day: int = 1_000_000
    turns_a_minute: int = 20
    streams_a_user: int = 4

    @property
    def history_tokens(self) -> int:
        """Return the maximum tokens of the history in a request."""
        return max(self.context_tokens - self.max_tokens - RESERVED_TOKENS, MIN_HISTORY_TOKENS)

    @property
    def request_tokens(self) -> int:
        """Return the maximum tokens of a request to the model."""
        return self.history_tokens + RESERVED_TOKENS

    def with_values(self, values: dict[str, Any]) -> Engine:
        """Return a copy with other values, clamped to their range; unknown names are ignored."""
        known = {field.name for field in fields(self)}
        return replace(self, **{name: clamped(name, value) for name, value in values.items() if name in known})


def clamped(name: str, value: Any) -> Any:
    """Return the value clamped to the range of this limit, or unchanged if it has none."""
    if name not in CAPS:
        return value
    minimum, maximum = CAPS[name]
    return max(minimum, min(int(value), maximum))


@dataclass(frozen=True)
class PageEntries:
    """The registry entries that are available on a page, tab and subtab, without duplicates."""

    config: PageConfig
    instructions: tuple[str, ...]
    tools: tuple[ToolConfig, ...]
    payload_types: tuple[PayloadType, ...]
    client_actions: tuple[ClientAction, ...]
    server_actions: tuple[ServerAction, ...] = ()
    link_kinds: tuple[LinkKind, ...] = ()
    starters: tuple[str, ...] = ()

    @property
    def llm_payload_types(self) -> tuple[PayloadType, ...]:
        """Return those that the model writes."""
        return tuple(entry for entry in self.payload_types if entry.source == "llm")


def allow_all(permission: str) -> bool:
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
        may: Callable[[str], bool] = allow_all,
        writes: bool = True,
    ) -> PageEntries | None:
        """Return global entries and those of page, tab and subtab that the user may use, or None without such a page.

        `may(permission)` returns whether the user has a permission. Without `writes` (the user may only read the page's
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
        return PageEntries(
            config=config,
            instructions=tuple(text for text in texts if text),
            tools=tuple(chosen_tools),
            payload_types=tuple(kind for kind in kinds if writes or not kind.is_proposal),
            client_actions=tuple(a for a in self.client_actions_of(config) if writes or not a.writes),
            server_actions=tuple(a for a in actions if _may(a.permission, may) and (writes or a.only_reads)),
            link_kinds=tuple(link_kinds.named(_in_layers(link_kinds, [config.links]))),
            starters=next((layer.starters for layer in reversed(layers) if layer.starters), ()),
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
