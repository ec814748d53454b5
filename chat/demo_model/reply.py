"""Answers of the demo model: a text with the elements that the application reads, or the use of a tool."""

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
    offers: tuple[str, ...] = ()


class Unclear(Exception):
    """A request whose words are understood but cannot be carried out as they are; the message says why."""


class ToolNeeded(Exception):
    """The answer needs a tool first."""

    def __init__(self, name: str, given: Json) -> None:
        self.reply = Reply(text="", tool_use=ToolUse(name=name, input=given))


def say(text: str, *offers: str) -> Reply:
    """Return a text, and sentences that fit it best among those that the user may send next."""
    return Reply(text=text, offers=offers)


def with_offers(reply: Reply, offers: Sequence[str]) -> Reply:
    """Return the reply with sentences that the user may send next."""
    values = [{"label": offer, "value": offer} for offer in (*reply.offers, *offers)[:3]]
    return replace(reply, element=f"SUGGESTED_VALUES: {json.dumps(values, ensure_ascii=False)}")


def propose(text: str, operations: Sequence[Json], *, marker: str, **more: Any) -> Reply:
    """Return a proposal for columns or for rows."""
    reasoning = text.removeprefix("I propose to ").rstrip(".")
    proposal = {"reasoning": reasoning[:1].upper() + reasoning[1:], "operations": list(operations), **more}
    return Reply(text=text, element=f"{marker}_PROPOSAL: {json.dumps(proposal, ensure_ascii=False)}")


propose_schema, propose_data = partial(propose, marker="SCHEMA"), partial(propose, marker="DATA")


def run(text: str, *actions: tuple[str, Json]) -> Reply:
    """Return an answer that has the page run client actions at once."""
    entries = [
        {"label": name.replace("_", " ").capitalize(), "action": name, "handler": "client", "run": True}
        | ({"data": data} if data else {})
        for name, data in actions
    ]
    return Reply(text=text, element=f"SUGGESTED_ACTIONS: {json.dumps(entries, ensure_ascii=False)}")
