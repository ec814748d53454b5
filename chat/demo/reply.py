"""What the demo model answers: a text with the elements the application reads, or the use of a tool."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class ToolUse:
    """One tool to run."""

    name: str
    input: Json


@dataclass(frozen=True)
class Reply:
    """The answer to one call. `element` is the marker with its JSON and follows the text."""

    text: str
    element: str = ""
    tool_use: ToolUse | None = None

    @property
    def stop_reason(self) -> str:
        """As the Messages API names it."""
        return "tool_use" if self.tool_use else "end_turn"


def say(text: str, *, offers: Sequence[str] = ()) -> Reply:
    """Plain words, and sentences the person may send next."""
    if not offers:
        return Reply(text=text)
    values = [{"label": offer, "value": offer} for offer in offers[:3]]
    return Reply(text=text, element=_element("SUGGESTED_VALUES", values))


def propose_schema(text: str, proposal: Json) -> Reply:
    """A proposal for columns."""
    return Reply(text=text, element=_element("SCHEMA_PROPOSAL", proposal))


def propose_data(text: str, *, reasoning: str, operations: Sequence[Json]) -> Reply:
    """A proposal for rows."""
    return Reply(text=text, element=_element("DATA_PROPOSAL", {"reasoning": reasoning, "operations": list(operations)}))


def run(text: str, *, action: str, data: Json) -> Reply:
    """Has the page do a client action at once."""
    label = action.replace("_", " ").capitalize()
    entry: Json = {"label": label, "action": action, "handler": "client", "run": True}
    return Reply(text=text, element=_element("SUGGESTED_ACTIONS", [entry | ({"data": data} if data else {})]))


def use(name: str, given: Json, *, text: str = "") -> Reply:
    """Asks for a tool to be run."""
    return Reply(text=text, tool_use=ToolUse(name=name, input=given))


def _element(marker: str, value: Any) -> str:
    return f"{marker}: {json.dumps(value, ensure_ascii=False)}"
