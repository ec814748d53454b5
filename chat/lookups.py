"""Looks up what the code declares: by name, by tool, by page. Answers for somebody who may do anything."""
from __future__ import annotations

from collections.abc import Callable, Iterable

from chat.actions import ClientAction
from chat.agent.tools import ToolConfig, tools
from chat.catalogue import CODE, Catalogue
from chat.page_config import ContextBlock, PageContext, layers_of, pages
from chat.payload_types import PayloadType, get_llm_instructions, get_payload_type, payload_types

__all__ = [
    "get_llm_instructions",
    "get_page_client_actions",
    "get_page_context_builder",
    "get_page_payloads",
    "get_page_tools",
    "get_payload_type",
    "get_payload_types_for_page",
    "get_payload_types_for_tools",
    "has_page_payloads",
    "payload_types_for",
]


def get_page_tools(page: str, *, tab: str = "", subtab: str = "") -> tuple[ToolConfig, ...]:
    """The tools in reach there for somebody who may do anything; none for an unknown page."""
    reach = CODE.resolve(page, tab=tab, subtab=subtab)
    return reach.tools if reach else ()


def get_page_payloads(page: str, *, tab: str = "", subtab: str = "") -> tuple[PayloadType, ...]:
    """The payload types in reach there, those of its tools included; none for an unknown page."""
    reach = CODE.resolve(page, tab=tab, subtab=subtab)
    return reach.payload_types if reach else ()


def get_payload_types_for_page(page: str, *, tab: str = "", subtab: str = "") -> tuple[PayloadType, ...]:
    """The payload types the model itself may write there; none for an unknown page."""
    reach = CODE.resolve(page, tab=tab, subtab=subtab)
    return reach.llm_payload_types if reach else ()


def has_page_payloads(page: str, *, tab: str = "", subtab: str = "") -> bool:
    """Whether the model may write a payload there."""
    return bool(get_payload_types_for_page(page, tab=tab, subtab=subtab))


def payload_types_for(may: Callable[[str], bool], *, catalogue: Catalogue = CODE) -> tuple[PayloadType, ...]:
    """The payload types somebody may meet on any page: all but those that only tools give which they may not use."""
    givers = [tool for tool in catalogue.tools if tool.payload_type]
    open_to = {tool.payload_type for tool in givers if not tool.permission or may(tool.permission)}
    named = {name for page in catalogue.pages for layer in layers_of(page) for name in layer.payloads}
    closed = {tool.payload_type for tool in givers} - open_to - named
    return tuple(kind for kind in catalogue.payload_types if kind.is_global or kind.name not in closed)


def get_page_client_actions(page: str) -> tuple[ClientAction, ...]:
    """The client actions of a page, the global ones included; none for an unknown page."""
    config = pages.get(page)
    return CODE.client_actions_of(config) if config else ()


def get_page_context_builder(page: str) -> Callable[[PageContext], ContextBlock] | None:
    """What tells the model what is on a page, if that page has such a thing."""
    config = pages.get(page)
    return config.context_builder if config else None


def get_payload_types_for_tools(names: Iterable[str]) -> tuple[PayloadType, ...]:
    """The payload types that these tools give, each once."""
    return tuple(payload_types.named(tool.payload_type for tool in tools.named(names) if tool.payload_type))
