"""Configuration of pages, tabs and subtabs."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from chat.actions import ClientAction
from chat.files import FileSource
from chat.registry import Registry

Json = dict[str, Any]


@dataclass(frozen=True)
class PageContext:
    """The argument of a context builder. `view` is the state of the page as sent by the client: a hint, to be checked.

    `found` is a cache of objects that the functions of the page have read.
    """

    user: Any
    page: str
    object_id: str
    view: Json
    found: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True)
class ContextBlock:
    """The result of a context builder: `text` by the developer, and `data` from users, marked as data in the prompt."""

    text: str
    data: Json


@dataclass(frozen=True)
class SubTabConfig:
    """Additions of a subtab: names of tools, payload types and server actions, and instructions for the model.

    Its `starters` replace those of the tab and the page.
    """

    tools: tuple[str, ...] = ()
    payloads: tuple[str, ...] = ()
    server_actions: tuple[str, ...] = ()
    instructions: str = ""
    starters: tuple[str, ...] = ()


@dataclass(frozen=True)
class TabConfig:
    """Additions of a tab: names of tools, payload types and server actions, and instructions for the model.

    Its `starters` replace those of the page.
    """

    tools: tuple[str, ...] = ()
    payloads: tuple[str, ...] = ()
    server_actions: tuple[str, ...] = ()
    instructions: str = ""
    starters: tuple[str, ...] = ()
    subtabs: Mapping[str, SubTabConfig] = field(default_factory=dict)


class Starter(str):
    """A suggested message with `demo`, the answer of the demo model: a reply or a list of replies, as in scripts."""

    demo: Any

    def __new__(cls, text: str, *, demo: Any = None) -> Starter:
        starter = super().__new__(cls, text)
        starter.demo = demo
        return starter


@dataclass(frozen=True)
class PageConfig:
    """One page. `object_key` is the context key that scopes conversations ("table_id"), or "".
    `object_parameter` ("table") is another name of the query parameter `object_id` of the API; no other
    parameter may have it.

    `title` and `description` (one sentence) name the page for administrators, `object_label` ("Table ID") the id.
    `introduction` says what the application is and how users work with it; the pages of one application share it.
    `identity` is the role of the assistant on this page.
    `context_builder(context: PageContext) -> ContextBlock`, sync, may read the database.
    `stream_instructions(context: PageContext) -> str`, sync, returns further instructions about the object.
    `tools`, `payloads`, `server_actions`, `links` (kinds of link) and `help` (categories of topics) are names;
    `client_actions` are names of registered actions, or the page's own.
    `files` is where files are found that users may add to messages; None: they cannot add files.
    `starters` are the suggested messages of an empty conversation, as text or as a Starter.
    `model` is the name of the model for this page, "" for the default; `allow_model_choice` lets users choose another.
    `example(context: PageContext) -> ContextBlock` returns sample data for previews, without reading the database.
    `temporary_example(user)` is a context manager that creates this example as an object of the user, yields its id,
    and rolls everything back. Tools and proposals of trials work on it.

    The page decides about rights to its object. `visible_objects(user)` returns the ids, as text, of the objects that
    the user may view, as a list or queryset; conversations about others do not exist for the user. `may_write(context:
    PageContext) -> bool` returns whether the user may change the object; if not, tools that write and proposals are not
    available. Without these functions every object can be viewed and changed.

    `typed_value(definition, text, *, is_new)` returns the value of a text that a user types for a field of the page's
    data with this definition, or raises ValueError with the reason; `is_new`: it is to be stored, not compared. The
    demo model reads numbers with it.
    """

    page: str
    introduction: str = ""
    identity: str = ""
    context_builder: Callable[[PageContext], ContextBlock] | None = None
    context_schema: Json = field(default_factory=dict)
    object_key: str = ""
    object_parameter: str = ""
    stream_instructions: Callable[[PageContext], str] | None = None
    tools: tuple[str, ...] = ()
    payloads: tuple[str, ...] = ()
    client_actions: tuple[ClientAction | str, ...] = ()
    server_actions: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    help: tuple[str, ...] = ()
    files: FileSource | None = None
    tabs: Mapping[str, TabConfig] = field(default_factory=dict)
    starters: tuple[str, ...] = ()
    model: str = ""
    allow_model_choice: bool = False
    example: Callable[[PageContext], ContextBlock] | None = None
    temporary_example: Callable[[Any], AbstractContextManager[str]] | None = None
    visible_objects: Callable[[Any], Any] | None = None
    may_write: Callable[[PageContext], bool] | None = None
    typed_value: Callable[..., Any] | None = None
    title: str = ""
    description: str = ""
    object_label: str = ""

    @property
    def name(self) -> str:
        """Return the name in the registry."""
        return self.page


pages: Registry[PageConfig] = Registry("page")


def register_page(entry: PageConfig) -> PageConfig:
    """Register a page."""
    return pages.register(entry)


def layers_of(page: PageConfig) -> tuple[PageConfig | TabConfig | SubTabConfig, ...]:
    """Return the page, its tabs and their subtabs."""
    subtabs = (subtab for tab in page.tabs.values() for subtab in tab.subtabs.values())
    return (page, *page.tabs.values(), *subtabs)
