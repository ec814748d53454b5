"""Answers of the demo model: a text with an element, or a tool use."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

Json = dict[str, Any]


class ToolUse(NamedTuple):
    """One tool to run."""

    name: str
    input: Json


@dataclass(frozen=True)
class Reply:
    """The answer to one call. `element` is the marker with its JSON and follows the text."""

    text: str
    element: str = ""
    tool_use: ToolUse | None = None
    suggestions: tuple[str, ...] = ()


class Unclear(Exception):
    """A request that is understood but cannot be executed; the message for the user says why."""


class ToolNeeded(Exception):
    """An answer that needs the result of a tool first."""

    def __init__(self, name: str, params: Json) -> None:
        self.reply = Reply(text="", tool_use=ToolUse(name=name, input=params))


def say(text: str, *suggestions: str) -> Reply:
    """Return a text, with suggestions that go before the general ones."""
    return Reply(text=text, suggestions=suggestions)


def with_suggestions(reply: Reply, suggestions: Sequence[str]) -> Reply:
    """Return the reply with three suggestions."""
    values = [{"label": suggestion, "value": suggestion} for suggestion in (*reply.suggestions, *suggestions)[:3]]
    return replace(reply, element=f"SUGGESTED_VALUES: {json.dumps(values, ensure_ascii=False)}")


def propose(text: str, operations: Sequence[Json], *, marker: str, **more: Any) -> Reply:
    """Return a proposal for columns or for rows."""
    reasoning = text.removeprefix("I propose to ").rstrip(".")
    proposal = {"reasoning": reasoning[:1].upper() + reasoning[1:], "operations": list(operations), **more}
    return Reply(text=text, element=f"{marker}_PROPOSAL: {json.dumps(proposal, ensure_ascii=False)}")


propose_schema, propose_data = partial(propose, marker="SCHEMA"), partial(propose, marker="DATA")


def propose_fill(text: str, *, column: str, instruction: str) -> Reply:
    """Return a proposal to fill the empty cells of a column row by row."""
    fill = {"reasoning": f"Fill {column}", "columns": [column], "instruction": instruction, "rows": "empty"}
    return Reply(text=text, element=f"FILL_PROPOSAL: {json.dumps(fill, ensure_ascii=False)}")


def run(text: str, *actions: tuple[str, Json]) -> Reply:
    """Return an answer with client actions that the page runs at once."""
    entries = [
        {"label": name.replace("_", " ").capitalize(), "action": name, "handler": "client", "run": True}
        | ({"data": data} if data else {})
        for name, data in actions
    ]
    return Reply(text=text, element=f"SUGGESTED_ACTIONS: {json.dumps(entries, ensure_ascii=False)}")
