"""Pages: what the chat may do on each, on its tabs and subtabs."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from chat.actions import ClientAction
from chat.registry import Registry

Json = dict[str, Any]


@dataclass(frozen=True)
class PageContext:
    """What a context builder is told. `view` is the client's hint of what is on screen.

    `found` is for a page's own functions: what one of them has read of the object, for the next one of the same look.
    """

    user: Any
    page: str
    object_id: str
    view: Json
    found: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)


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
    `tools`, `payloads`, `server_actions`, `links` (kinds of link) are names;
    `client_actions` are names of registered ones, or the page's own.
    `starters` are the prompts an empty conversation offers.
    `model` names the model that answers here, "" for the default; `people_choose_model` lets people choose another one.
    `example(context: PageContext) -> ContextBlock` is what the context builder gives, of made-up data: for whoever
    tunes the prompt and may see nobody's own. It reads nothing.
    `lend_example(user)` is a context manager in which what the example shows is there, as this person's own, and which
    gives its id; what is done within is taken back. Tools and proposals that are tried out work on it.

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
    links: tuple[str, ...] = ()
    tabs: Mapping[str, TabConfig] = field(default_factory=dict)
    starters: tuple[str, ...] = ()
    model: str = ""
    people_choose_model: bool = False
    example: Callable[[PageContext], ContextBlock] | None = None
    lend_example: Callable[[Any], AbstractContextManager[str]] | None = None
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


def layers_of(page: PageConfig) -> tuple[PageConfig | TabConfig | SubTabConfig, ...]:
    """The page, its tabs and their subtabs."""
    subtabs = (subtab for tab in page.tabs.values() for subtab in tab.subtabs.values())
    return (page, *page.tabs.values(), *subtabs)
