"""Every configurable field is visible in the preview before it is saved."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from chat.actions import ClientAction, ServerAction, client_actions, server_actions
from chat.agent.tools import tools
from chat.configuration import ADDED, KINDS, Address
from chat.exceptions import NotFound
from chat.help import HelpNarrative, HelpTopic, help_narratives, help_topics
from chat.page_config import ContextBlock, PageConfig, SubTabConfig, TabConfig, pages
from chat.payload_types import payload_types
from chat.services.configuration.changes import Edit, change_configuration
from chat.turns.prompt.preview import Preview, PreviewTarget, preview_prompt
from tests.chat.entries import CHART, PROPOSAL, TOOLS

pytestmark = pytest.mark.django_db

DESK = PageConfig(
    page="desk",
    tools=("echo", "count_slowly"),
    payloads=("note_proposal",),
    client_actions=("close_chat", "whisper"),
    server_actions=("stamp", "seal"),
    tabs={"open": TabConfig(instructions="It is open.", subtabs={"wide": SubTabConfig(instructions="Wide open.")})},
    starters=("Begin",),
    help=("desk", "drawer"),
    example=lambda context: ContextBlock(text="A desk.", data={}),
)
ACTIONS = tuple(
    ServerAction(action=name, description=f"Does {name}.", parameters={"type": "object"}, executor=str)
    for name in ("stamp", "seal", "tear")
)
SHOUT = (ClientAction("shout", "Shouts."), ClientAction("whisper", "Whispers."))
TOPICS = tuple(HelpTopic(f"desk/{name}", "desk", name, f"About {name}.", f"All of {name}.") for name in ("ink", "wax"))
NARRATIVES = tuple(HelpNarrative(name, f"How {name} goes.") for name in ("desk", "drawer"))
# The changed entry of each kind, and the added one.
ENTRIES = {
    "texts": "all", "engine": "all", "page": "desk", "tab": "desk/open", "subtab": "desk/open/wide",
    "payload_type": "note_proposal", "tool": "echo", "client_action": "close_chat", "server_action": "stamp",
    "help_topic": "desk/ink", "help_narrative": "desk",
}  # fmt: skip
NEW_ENTRIES: dict[str, dict[str, Any]] = {
    "payload_type": {"description": "A chart", "parse_marker": "PIE:", "schema": {"type": "object"}, "is_global": True},
    "client_action": {"description": "Opens a drawer.", "is_global": True},
    "help_topic": {"title": "Glue", "summary": "About glue.", "body": "All of glue."},
    "tab": {"instructions": "It is shut.", "starters": ["Open it"]},
    "subtab": {"instructions": "It is ajar."},
}
NAMES = {
    "payload_type": "pie", "client_action": "open_drawer", "help_topic": "shelf/glue", "tab": "desk/shut",
    "subtab": "desk/open/ajar",
}  # fmt: skip
# Values that the code does not offer there.
OTHERS: dict[str, Any] = {
    "tools": ["make_group"], "payloads": ["schema_proposal"], "server_actions": ["tear"], "client_actions": ["shout"],
    "allow_model_choice": True, "call_seconds": 200, "first_token_seconds": 200,
}  # fmt: skip
FIELDS = [(kind.name, field.name) for kind in KINDS.values() for field in kind.fields]


@pytest.fixture(autouse=True)
def desk() -> Iterator[None]:
    """A page with something of every kind."""
    with ExitStack() as stack:
        for registry, entries in (
            (payload_types, (PROPOSAL, CHART)), (tools, TOOLS), (server_actions, ACTIONS), (pages, (DESK,)),
            (help_topics, TOPICS), (help_narratives, NARRATIVES), (client_actions, SHOUT),
        ):  # fmt: skip
            stack.enter_context(registry.registered(*entries))  # type: ignore[attr-defined]  # each its own kind
        yield


def preview_with(user: User, *edits: Edit, place: str = "desk/open/wide") -> Preview:
    return preview_prompt(PreviewTarget(user, *place.split("/")), unsaved=edits)


def other_value(kind: str, name: str) -> Any:
    """Return a value of the field that differs from its current one."""
    field = KINDS[kind].field(name)
    assert field is not None
    if name in OTHERS:
        return OTHERS[name]
    if name == "parse_marker":
        return "CAKE:"
    known: dict[str, Any] = {
        "flag": False,
        "whole": field.maximum - 1,
        "lines": ["something"],
        "schema": {"type": "object", "title": "Other"},
    }
    return known.get(field.form, "Something else")


@pytest.mark.parametrize(("kind", "name"), FIELDS, ids=[f"{kind} {name}" for kind, name in FIELDS])
def test_unsaved_field_is_in_the_preview(user: User, kind: str, name: str) -> None:
    field = KINDS[kind].field(name)
    assert field is not None
    address = Address(kind, NAMES[kind] if field.only_added else ENTRIES[kind])
    if field.only_added:
        created = Edit(address, {ADDED: True, **NEW_ENTRIES[kind]})
        change_configuration(user=user, edits=[created], now=timezone.now())
    edit = Edit(address, {name: other_value(kind, name)})
    if (kind, name) == ("page", "enabled"):
        with pytest.raises(NotFound, match="turned off"):
            preview_with(user, edit)
        return

    seen, before = preview_with(user, edit), preview_with(user)

    assert seen.faults == ()
    parts = [part for part in (*seen.sections, *seen.settings) if part.unsaved]
    assert parts
    assert field.only_added or all(part.changed for part in parts)
    assert not any(part.unsaved for part in (*before.sections, *before.settings))


@pytest.mark.parametrize("kind", sorted(NEW_ENTRIES))
def test_unsaved_new_entry_is_in_the_preview(user: User, kind: str) -> None:
    place = NAMES[kind] if kind in {"tab", "subtab"} else "desk/open/wide"
    seen = preview_with(user, Edit(Address(kind, NAMES[kind]), {ADDED: True, **NEW_ENTRIES[kind]}), place=place)
    assert any(part.unsaved for part in (*seen.sections, *seen.settings))


def test_saved_change_is_marked_as_changed_and_not_as_unsaved(user: User) -> None:
    edit = Edit(Address("engine", "all"), {"max_tokens": 777})
    change_configuration(user=user, edits=[edit], now=timezone.now())
    [limits] = [part for part in preview_with(user).settings if part.changed]
    assert (limits.title, limits.unsaved) == ("Model and limits", False)
    assert "Answer limit (tokens): 777" in limits.text
