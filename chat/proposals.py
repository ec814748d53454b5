"""The contract of proposals: payloads that the user applies completely, partly or not at all.

A type is a proposal if it has `apply`. The engine checks what is the same for all of them: rights, status, that the
content is the one that was reviewed, the chosen items, and their edits. See "A proposal" in
docs/add_chat_to_a_page.md.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Literal

from chat.exceptions import Malformed, ProposalConflict
from chat.json_schema import faults_at
from shared import strictjson
from shared.user_messages import Message, declare
from shared.user_messages.errors import read_all
from shared.user_messages.request_messages import UNKNOWN_FIELD

Json = dict[str, Any]
State = Literal["ok", "warning", "conflict", "error"]
STATES: tuple[State, ...] = ("ok", "warning", "conflict", "error")
# The member of a stored resolution with items that has what `check` returned.
RESOLVED = "resolved"
SELECTION_FIELDS = ("operations", "edits", "content_hash")
INDEXES: Json = {"type": "array", "items": {"type": "integer", "minimum": 0}, "uniqueItems": True}
INDEX_KEY = r"^[0-9]{1,6}\Z"
MAX_FAULTS = 100
EDITS: Json = {"type": "object", "patternProperties": {INDEX_KEY: {"type": "object"}}, "additionalProperties": False}
INVALID_SELECTION = declare("invalid_selection", "This selection of items is not valid.")
SELECTION_NEEDED = declare("selection_needed", 'Choose the items: "all" or a list of indexes.')
NO_SUCH_ITEM = declare("no_such_item", "The proposal has no item {index}.")
NOT_EDITABLE = declare("proposal_not_editable", "The items of this proposal cannot be edited.")
WHOLE_ONLY = declare("proposal_whole_only", 'This proposal has no items. Choose "all".')
NOTHING_APPLIED = declare("proposal_nothing_applied", "Nothing could be applied: {reason}")
EMPTY_SELECTION = declare("empty_selection", "Choose at least one item.")


@dataclass(frozen=True)
class ProposalContext:
    """The user, page and object of a proposal; `object_id` is "" on a page without objects."""

    user: Any
    page: str
    object_id: str
    payload_id: str = ""
    turn_id: str = ""


@dataclass(frozen=True, kw_only=True)
class Verb:
    """How items of one kind are counted: `pending` "{count} to send", and `applied` "{count} sent".

    `tone` is the color of the count: "add" (green), "change" (yellow), "delete" (red) or "" (gray).
    """

    pending: str
    applied: str
    tone: Literal["add", "change", "delete", ""] = ""


@dataclass(frozen=True, kw_only=True)
class Item:
    """One item of a proposal, which the user can choose or leave out.

    `label` is a line of text. `verb` is a key of the type's `verbs`. In a preview, `state` says whether the item can be
    applied now ("conflict" and "error": it cannot), and `message` gives the reason. `data` is for the type's own
    drawing.
    """

    label: str
    verb: str = ""
    state: State = "ok"
    message: str = ""
    data: Json = field(default_factory=dict)

    def as_json(self, index: int) -> Json:
        """Return `{"index","action","label","state","message","data"?}`."""
        known = {"index": index, "action": self.verb, "label": self.label, "state": self.state}
        return known | {"message": self.message} | ({"data": self.data} if self.data else {})


@dataclass(frozen=True)
class CheckedProposal:
    """A valid proposal.

    `resolved` is the proposal resolved against the current object, as JSON to be stored; `preview` and `apply` receive
    it. It may have a list `operations`, one for each item. `items` describes the items; without it, the items are
    the `operations`. `summary` is one line. `counts` are the numbers of items by verb, computed from `items` if left
    out. `faults` are errors of single items, for the model and with their path (`operations[3].changes.Amount: …`).
    `content_hash` identifies the content that the user reviews; it is computed from `resolved` if left out.
    """

    resolved: Json
    summary: str
    content_hash: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    subject_id: str = ""
    faults: tuple[str, ...] = ()
    items: Sequence[Item] = ()


@dataclass(frozen=True, kw_only=True)
class Selection:
    """The user's choice: indexes of items, in order, and edits by index.

    `whole` is True if everything was chosen. A proposal without items can only be applied as a whole.
    """

    items: tuple[int, ...] = ()
    whole: bool = True
    edits: Mapping[int, Json] = field(default_factory=dict)
    content_hash: str | None = None


@dataclass(frozen=True)
class ReceiptLink:
    """A link in the receipt of an applied proposal, such as to what it has created."""

    label: str
    href: str

    def as_json(self) -> Json:
        """Return the stored form."""
        return {"label": self.label, "href": self.href}


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The result of applying a proposal.

    `message` is a sentence for the user. `failed` are chosen items that could not be applied, with the reason; all
    other chosen items have been applied. `undo_token` is passed to the type's `undo`; without it, the proposal cannot
    be undone. `link` is shown in the receipt. `details` are further members of the stored outcome, for the type's own
    drawing. `moved_to` is the id of the object that the conversation moves to, "" if it stays, and `moved_to_page` its
    page.
    """

    message: str = ""
    failed: Mapping[int, str] = field(default_factory=dict)
    undo_token: str = ""
    link: ReceiptLink | None = None
    details: Json = field(default_factory=dict)
    moved_to: str = ""
    moved_to_page: str = ""


@dataclass(frozen=True)
class AppliedProposal:
    """The result of applying a proposal in the form in which it is stored.

    `status` is "applied" or "partially_applied". `outcome` is stored with the payload and returned to the client.
    `apply` may return it instead of an `Outcome` if the type draws its outcome itself. Where its script is not loaded,
    the receipt has the `link` of the outcome, and with `can_undo` an undo button, which posts to its `undo_url`.
    """

    status: str
    outcome: Json
    moved_to: str = ""
    moved_to_page: str = ""
    undo_token: str = ""

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


def read_selection(body: Json, *, count: int | None, edit_schema: Json | None) -> Selection:
    """Return the selection in a request's body. Raises Malformed.

    `count` is the number of items, None for a proposal without items. `edit_schema` is the schema of the edit of one
    item; None if items cannot be edited.
    """
    content_hash = body.get("content_hash")
    items, edits, *_ = _read_all(
        lambda: _items(body.get("operations"), count=count),
        lambda: _edits(body.get("edits"), count=count, edit_schema=edit_schema),
        lambda: _check(content_hash, schema={"type": ["string", "null"]}, path="content_hash"),
        *(partial(_refuse_unknown, name) for name in body if name not in SELECTION_FIELDS),
    )
    return Selection(items=items, whole=len(items) == (count or 0), edits=edits, content_hash=content_hash)


def _read_all(*reads: Callable[[], Any]) -> list[Any]:
    return read_all(*reads, errors=Malformed, most=MAX_FAULTS)


def _refuse_unknown(name: str) -> None:
    raise Malformed(UNKNOWN_FIELD(field=name), code="unknown_field", path=name)


def _items(chosen: Any, *, count: int | None) -> tuple[int, ...]:
    """Return the indexes of the chosen items. Raises Malformed."""
    if chosen is None:
        raise Malformed(SELECTION_NEEDED(), code="missing", path="operations")
    if chosen == "all":
        return tuple(range(count or 0))
    if count is None:
        raise Malformed(WHOLE_ONLY(), code="no_items", path="operations")
    _check(chosen, schema=INDEXES, path="operations")
    _check_indexes(chosen, path="operations", count=count)
    return tuple(sorted(int(index) for index in chosen))


def _edits(edits: Any, *, count: int | None, edit_schema: Json | None) -> dict[int, Json]:
    """Return the edits by index. Raises Malformed with all faults."""
    edits = {} if edits is None else edits
    if edits and edit_schema is None:
        raise Malformed(NOT_EDITABLE(), code="not_editable", path="edits")
    _check(edits, schema=EDITS, path="edits")
    checks = [
        check
        for key, edit in edits.items()
        for check in (
            partial(_check_indexes, [int(key)], path=f"edits.{key}", count=count),
            partial(_check, edit, schema=edit_schema or {}, path=f"edits.{key}"),
        )
    ]
    _read_all(*checks)
    return {int(key): edit for key, edit in edits.items()}


def _check(value: Any, *, schema: Json, path: str) -> None:
    """Raise Malformed if a value is not valid against the schema."""
    faults = faults_at(path, value, schema=schema)
    if faults:
        raise Malformed(INVALID_SELECTION(), faults=faults)


def _check_indexes(indexes: Sequence[int], *, path: str, count: int | None) -> None:
    """Raise Malformed if an item does not exist."""
    for index in indexes:
        if index >= (count or 0):
            raise Malformed(NO_SUCH_ITEM(index=index), code="unknown_item", path=path)


def resolution_with_items(checked: CheckedProposal) -> Json:
    """Return what is stored for a proposal whose type describes its items."""
    operations = [
        {"index": index, "action": item.verb, "label": item.label} for index, item in enumerate(checked.items)
    ]
    return {"operations": operations, RESOLVED: checked.resolved}


def preview_json(items: Sequence[Item]) -> Json:
    """Return the preview of a proposal as sent to clients: `{"operations": […], "counts": {state: number}}`."""
    states = [item.state for item in items]
    return {
        "operations": [item.as_json(index) for index, item in enumerate(items)],
        "counts": {state: states.count(state) for state in STATES},
    }


def applied_proposal(
    outcome: Outcome, *, operations: Sequence[Json], selection: Selection, has_undo: bool
) -> AppliedProposal:
    """Return an outcome in the form in which it is stored: with applied items, and skipped ones with the reason.

    Raises ProposalConflict if all chosen items have failed: the proposal then stays pending.
    """
    if selection.items and set(selection.items) <= set(outcome.failed):
        raise ProposalConflict(NOTHING_APPLIED(reason=outcome.failed[selection.items[0]]))
    chosen = set(selection.items)
    applied, skipped = [], []
    for index, operation in enumerate(operations):
        entry = {"index": index, "action": operation.get("action", ""), "label": operation.get("label", "")}
        if index not in chosen:
            skipped.append({**entry, "reason": "not_chosen"})
        elif index in outcome.failed:
            skipped.append({**entry, "reason": "failed", "message": outcome.failed[index]})
        else:
            applied.append(entry)
    stored: Json = {"message": outcome.message, "applied": applied, "skipped": skipped}
    if outcome.link is not None:
        stored["link"] = outcome.link.as_json()
    return AppliedProposal(
        status="partially_applied" if skipped else "applied",
        outcome={**outcome.details, **stored, "can_undo": has_undo and bool(outcome.undo_token)},
        moved_to=outcome.moved_to,
        moved_to_page=outcome.moved_to_page,
        undo_token=outcome.undo_token,
    )
