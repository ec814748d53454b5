"""Payload types: the structured data that tools return or the model writes, among them proposals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from chat.registry import Registry
from shared import strictjson
from shared.user_messages import Message

Json = dict[str, Any]


@dataclass(frozen=True)
class ProposalContext:
    """The user, page and object of a proposal; `object_id` is "" on a page without objects."""

    user: Any
    page: str
    object_id: str
    payload_id: str = ""
    turn_id: str = ""


@dataclass(frozen=True)
class CheckedProposal:
    """A valid proposal.

    `resolved` are its operations, resolved against the current object, as JSON to be stored. `faults` are errors of
    single operations, for the model and with their path (`operations[3].changes.Amount: …`). `counts` are for the
    summary line.
    """

    resolved: Json
    summary: str
    content_hash: str
    counts: dict[str, int] = field(default_factory=dict)
    subject_id: str = ""
    faults: tuple[str, ...] = ()


@dataclass(frozen=True)
class AppliedProposal:
    """The result of applying a proposal.

    `status` is "applied" or "partially_applied". `outcome` is stored with the payload and returned to the client.
    `moved_to` is the id of the object that the conversation moves to, "" if it stays.
    """

    status: str
    outcome: Json
    moved_to: str = ""
    moved_to_page: str = ""

    @cached_property
    def outcome_text(self) -> str:
        """The outcome as JSON, cached because it is both stored and returned and can be long."""
        return strictjson.dumps(self.outcome)


class StructuralFault(ValueError):
    """Error of a proposal as a whole, with a text for the model that names paths and valid values.

    `closing` is shown to the user instead of the usual message if the model cannot correct the proposal. `reason` is
    shown to the user if the corrected proposal has the fault as well.
    """

    def __init__(self, text: str, *, closing: Message | None = None, reason: Message | None = None) -> None:
        super().__init__(text)
        self.closing = closing
        self.reason = reason


@dataclass(frozen=True)
class PayloadType:
    """A registered payload type.

    Types that the model writes have a `parse_marker` ("SCHEMA_PROPOSAL:"). If the schema has a list `operations`, the
    client receives the operations one by one while the model writes them (`payload_progress`). Proposals have these:

    - check(data, context) -> CheckedProposal; raises StructuralFault.
    - preview(resolved, choice, context) -> Json.
    - apply(resolved, choice, context) -> AppliedProposal; runs in a transaction.
    - prepare(resolved, choice, context) -> any value; optional, runs before the transaction and without locks. `apply`
      is then called with `prepared`: this value, or None if there is none or the context has changed.
    - revise_review(resolved, *, review, changes) -> the validated review with the changes; and
      carry_over(resolved, *, review, new) -> the review for the resolved operations `new` of the next proposal, and
      the decisions that are lost. Both are needed to store reviews.
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
    check: Callable[[Any, ProposalContext], CheckedProposal] | None = None
    preview: Callable[[Json, Json, ProposalContext], Json] | None = None
    prepare: Callable[[Json, Json, ProposalContext], Any] | None = None
    apply: Callable[..., AppliedProposal] | None = None
    revise_review: Callable[..., Json] | None = None
    carry_over: Callable[..., tuple[Json, Json]] | None = None

    @property
    def is_proposal(self) -> bool:
        """Whether the user decides about payloads of this type."""
        return self.apply is not None

    @property
    def instructions(self) -> str:
        """The instructions for the model; computed on each use if they depend on other registered entries."""
        return self.llm_instructions if isinstance(self.llm_instructions, str) else self.llm_instructions()

    @property
    def marker(self) -> str:
        """The marker without its colon."""
        return self.parse_marker.rstrip(":")

    def parse(self, value: Any) -> Json:
        """Return `{"type", "data"}` for a parsed JSON value."""
        return self.parser(value) if self.parser else {"type": self.name, "data": value}


payload_types: Registry[PayloadType] = Registry("payload type")


def register_payload_type(entry: PayloadType) -> PayloadType:
    """Register a payload type and return it."""
    return payload_types.register(entry)


def get_payload_type(name: str) -> PayloadType | None:
    """Return the payload type of that name, None if it does not exist."""
    return payload_types.get(name)


def get_llm_instructions(names: Iterable[str]) -> str:
    """Return the instructions of these payload types for the prompt, each once."""
    instructions = (entry.instructions.strip() for entry in payload_types.named(names))
    return "\n\n".join(text for text in instructions if text)
