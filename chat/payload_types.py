"""Payload types: what structured data a tool may return or the model may write, and what a proposal can do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import strictjson
from chat.registry import Registry
from user_messages import Message

Json = dict[str, Any]


@dataclass(frozen=True)
class ProposalContext:
    """Who a proposal is for and what it is about. `object_id` is the page's object ("" where it has none)."""

    user: Any
    page: str
    object_id: str
    payload_id: str = ""
    turn_id: str = ""


@dataclass(frozen=True)
class Checked:
    """A proposal that can be shown: operations resolved against the live object, JSON that can be stored.

    `faults` are what keeps single operations from being applied as they are, for the model, by path
    (`operations[3].changes.Amount: …`); `counts` are for the summary line.
    """

    resolved: Json
    summary: str
    content_hash: str
    counts: dict[str, int] = field(default_factory=dict)
    subject_id: str = ""
    faults: tuple[str, ...] = ()


@dataclass(frozen=True)
class Applied:
    """What came of applying. `outcome` is stored with the payload and answered to the client.

    `status` is applied or partially_applied; `moved_to` is an object id when the conversation moves on to a new one.
    """

    status: str
    outcome: Json
    moved_to: str = ""
    moved_to_page: str = ""

    @cached_property
    def outcome_text(self) -> str:
        """The outcome as JSON: of thousands of operations it is long, so what is stored and what is answered is one."""
        return strictjson.dump(self.outcome)


class StructuralFault(ValueError):
    """A proposal that cannot be shown at all; the text names the paths and what would be right.

    `closing` is what the person reads in place of the usual words, where a correction cannot help. `reason` is for the
    person, and shown if the correction has the fault too.
    """

    def __init__(self, text: str, *, closing: Message | None = None, reason: Message | None = None) -> None:
        super().__init__(text)
        self.closing = closing
        self.reason = reason


@dataclass(frozen=True)
class PayloadType:
    """One entry. LLM types have `parse_marker` ("SCHEMA_PROPOSAL:"); proposals have check, preview and apply. One whose
    schema has a list `operations` is told operation by operation while it arrives (`payload_progress`).

    check(data, context) -> Checked, raises StructuralFault.
    preview(resolved, choice, context) -> Json.   apply(resolved, choice, context) -> Applied, inside a transaction.
    One that takes long to apply may have `prepare` as well: prepare(resolved, choice, context) -> anything, before the
    transaction, without locks. Then it is apply(resolved, choice, context, prepared=…) -> Applied, with what `prepare`
    returned if that still holds; None where nothing was prepared.
    A proposal whose review is stored has both of these: revise_review(resolved, *, review, changes) -> the review with
    the changes, validated; carry_over(old resolved, *, review, new resolved) -> the review of the new one, and what is
    lost.
    """

    name: str
    description: str
    source: str
    schema: Json
    llm_instructions: str | Callable[[], str] = ""
    frontend_config: Mapping[str, str] = field(default_factory=dict)
    is_global: bool = False
    parse_marker: str = ""
    opens: str = "{"
    parser: Callable[[Any], Json] | None = None
    summarize: Callable[[Any], str] | None = None
    check: Callable[[Any, ProposalContext], Checked] | None = None
    preview: Callable[[Json, Json, ProposalContext], Json] | None = None
    prepare: Callable[[Json, Json, ProposalContext], Any] | None = None
    apply: Callable[..., Applied] | None = None
    revise_review: Callable[..., Json] | None = None
    carry_over: Callable[..., tuple[Json, Json]] | None = None

    @property
    def is_proposal(self) -> bool:
        """Whether it waits for a person."""
        return self.apply is not None

    @property
    def instructions(self) -> str:
        """What the model is told of it; entries that speak of what others register say it when they are asked."""
        return self.llm_instructions if isinstance(self.llm_instructions, str) else self.llm_instructions()

    @property
    def marker(self) -> str:
        """The marker without its colon."""
        return self.parse_marker.rstrip(":")

    def parse(self, value: Any) -> Json:
        """`{"type", "data"}` of a parsed JSON value."""
        return self.parser(value) if self.parser else {"type": self.name, "data": value}


payload_types: Registry[PayloadType] = Registry("payload type")


def register_payload_type(entry: PayloadType) -> PayloadType:
    """Declares a payload type."""
    return payload_types.register(entry)


def get_payload_type(name: str) -> PayloadType | None:
    """The payload type of that name."""
    return payload_types.get(name)


def get_llm_instructions(names: Iterable[str]) -> str:
    """The instructions of these payload types, each once, as they stand in the prompt."""
    told = (entry.instructions.strip() for entry in payload_types.named(names))
    return "\n\n".join(words for words in told if words)
