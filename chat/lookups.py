"""Lookups of registered entries by name, tool and page, without permissions and overrides, for code of other apps."""
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
    """Return the tools that are available there; none for an unknown page."""
    page_entries = CODE.resolve(page, tab=tab, subtab=subtab)
    return page_entries.tools if page_entries else ()


def get_page_payloads(page: str, *, tab: str = "", subtab: str = "") -> tuple[PayloadType, ...]:
    """Return the payload types that are available there, including those of its tools; none for an unknown page."""
    page_entries = CODE.resolve(page, tab=tab, subtab=subtab)
    return page_entries.payload_types if page_entries else ()


def get_payload_types_for_page(page: str, *, tab: str = "", subtab: str = "") -> tuple[PayloadType, ...]:
    """Return the payload types that the model may write there; none for an unknown page."""
    page_entries = CODE.resolve(page, tab=tab, subtab=subtab)
    return page_entries.llm_payload_types if page_entries else ()


def has_page_payloads(page: str, *, tab: str = "", subtab: str = "") -> bool:
    """Return whether the model may write a payload there."""
    return bool(get_payload_types_for_page(page, tab=tab, subtab=subtab))


def payload_types_for(may: Callable[[str], bool], *, catalogue: Catalogue = CODE) -> tuple[PayloadType, ...]:
    """Return the payload types of all pages, except those that only tools return which the user may not use.

    `may(permission)` returns whether the user has a permission.
    """
    sources = [tool for tool in catalogue.tools if tool.payload_type]
    permitted = {tool.payload_type for tool in sources if not tool.permission or may(tool.permission)}
    on_pages = {name for page in catalogue.pages for layer in layers_of(page) for name in layer.payloads}
    hidden = {tool.payload_type for tool in sources} - permitted - on_pages
    return tuple(kind for kind in catalogue.payload_types if kind.is_global or kind.name not in hidden)


def get_page_client_actions(page: str) -> tuple[ClientAction, ...]:
    """Return the client actions of a page, including the global ones; none for an unknown page."""
    config = pages.get(page)
    return CODE.client_actions_of(config) if config else ()


def get_page_context_builder(page: str) -> Callable[[PageContext], ContextBlock] | None:
    """Return the context builder of a page, or None."""
    config = pages.get(page)
    return config.context_builder if config else None


def get_payload_types_for_tools(names: Iterable[str]) -> tuple[PayloadType, ...]:
    """Return the payload types of these tools, each once."""
    return tuple(payload_types.named(tool.payload_type for tool in tools.named(names) if tool.payload_type))
