"""Payload types: the structured data that tools return or the model writes, among them proposals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chat.proposals import AppliedProposal, CheckedProposal, Item, Outcome, ProposalContext, Verb
from chat.registry import Registry

Json = dict[str, Any]


@dataclass(frozen=True)
class PayloadType:
    """A registered payload type.

    Types that the model writes have a `parse_marker` ("SCHEMA_PROPOSAL:"). If the schema has a list `operations`, the
    client receives the operations one by one while the model writes them (`payload_progress`).

    Proposals, which the user applies or dismisses, have `check` and `apply`. All of these functions are sync and may
    read the database; only `apply` and `undo` may write, each in a transaction. `resolved` is what `check` returned.
    They raise `ProposalConflict` or `ProposalRefused` (chat.exceptions) if something is not possible now.

    - check(data, context) -> CheckedProposal; raises StructuralFault.
    - preview(resolved, selection, context) -> the Items with their current states, or JSON for the type's own drawing.
      Without it, all items can be applied.
    - apply(resolved, selection, context) -> Outcome.
    - undo(token, context) -> None; `token` is the Outcome's undo_token.
    - prepare(resolved, selection, context) -> any value; runs before the transaction and without locks. `apply` is
      then called with `prepared`: this value, or None if there is none or the context has changed.
    - read_selection(body, count) -> an object with `content_hash`, which replaces the Selection; `count` is the number
      of operations. Raises a CodedError with all faults. `selection_fields` are the JSON Schemas of the further fields
      that it reads.
    - with_names(shown, resolved, context) -> `shown`, a preview or `{"operations": […]}`, with names in place of ids as
      the keys of objects. Clients that send `keys=id` get `shown` itself.
    - revise_review(resolved, *, review, changes) -> the validated review with the changes; and
      carry_over(resolved, *, review, new) -> the review for the resolved operations `new` of the next proposal, and
      the decisions that are lost. Both are needed to store reviews. `review_fields` are the JSON Schemas of the
      further fields of the type's reviews.

    Before `apply` and `undo`, the page's `may_write` is called, except with `checks_rights`: the functions then check
    the rights themselves.

    `verbs` are the kinds of items; add, update and delete need no declaration. `edit_schema` is the JSON Schema of the
    edit of one item; without it items cannot be edited.
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
    verbs: Mapping[str, Verb] = field(default_factory=dict)
    edit_schema: Json | None = None
    checks_rights: bool = False
    check: Callable[[Any, ProposalContext], CheckedProposal] | None = None
    preview: Callable[[Json, Any, ProposalContext], Sequence[Item] | Json] | None = None
    apply: Callable[..., Outcome | AppliedProposal] | None = None
    undo: Callable[[str, ProposalContext], None] | None = None
    prepare: Callable[[Json, Any, ProposalContext], Any] | None = None
    read_selection: Callable[[Json, int], Any] | None = None
    selection_fields: Mapping[str, Json] = field(default_factory=dict)
    with_names: Callable[[Json, Json, ProposalContext], Json] | None = None
    revise_review: Callable[..., Json] | None = None
    carry_over: Callable[..., tuple[Json, Json]] | None = None
    review_fields: Mapping[str, Json] = field(default_factory=dict)

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
