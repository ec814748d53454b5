"""Registries: unique names and immutable entries."""
from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from chat.actions import ClientAction, ServerAction, client_actions, server_actions
from chat.agent.tools import tools
from chat.exceptions import RegistryError
from chat.help import help_narratives, help_topics, read_narrative, read_topic
from chat.links import LinkKind, link_kinds
from chat.page_config import PageConfig, SubTabConfig, TabConfig, pages
from chat.payload_types import payload_types
from chat.registry import Registry
from tests.chat.entries import CHART, echo, tool

ENTRIES: dict[str, tuple[Registry[Any], Any]] = {
    "payload type": (payload_types, CHART),
    "tool": (tools, tool("once", echo)),
    "page": (pages, PageConfig(page="once")),
    "client action": (client_actions, ClientAction(action="once", description="")),
    "server action": (server_actions, ServerAction(action="once", description="", executor=print)),
    "link kind": (link_kinds, LinkKind(name="once", description="", resolve=echo)),
    "help topic": (help_topics, read_topic("# T\n\nOne.\n\nBody.", name="once/only")),
    "help narrative": (help_narratives, read_narrative("Words.", category="once")),
}


@pytest.mark.parametrize("kind", ENTRIES)
def test_duplicate_name_is_refused_and_the_first_entry_stays(kind: str) -> None:
    registry, entry = ENTRIES[kind]
    with registry.registered(entry):
        with pytest.raises(RegistryError, match=f"{entry.name!r} is registered twice"):
            registry.register(entry)
        assert registry.names().count(entry.name) == 1
        assert registry.get(entry.name) is entry


@pytest.mark.parametrize("kind", ENTRIES)
def test_temporary_entries_are_removed_when_one_is_refused(kind: str) -> None:
    registry, entry = ENTRIES[kind]
    before = registry.names()
    with pytest.raises(RegistryError), registry.registered(entry, entry):
        pass
    assert registry.names() == before


@pytest.mark.parametrize(
    "entry",
    [*(pytest.param(entry, id=kind) for kind, (_, entry) in ENTRIES.items()), TabConfig(), SubTabConfig()],
)
def test_entry_is_immutable(entry: Any) -> None:
    field = next(iter(entry.__dataclass_fields__))
    with pytest.raises(FrozenInstanceError):
        setattr(entry, field, "other")


def test_chat_can_be_closed_from_every_page() -> None:
    close = client_actions.get("close_chat")
    assert close is not None
    assert close.is_global
