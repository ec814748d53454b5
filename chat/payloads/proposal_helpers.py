"""Functions shared by the proposals of tables: apply, summaries for users, faults for the model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from django.urls import reverse

from chat.proposals import AppliedProposal, ProposalContext, StructuralFault
from shared.user_messages import Message, declare
from tables.exceptions import Forbidden, Malformed, NotFound, TablesError
from tables.operations import Choice, Origin
from tables.operations.plans.data_plan import RECHECKED_FAULTS
from tables.selectors import with_column_names
from tables.services import undo_change

Json = dict[str, Any]

ROW_WORDS = {"add": "new", "update": "changed", "delete": "deleted"}
COLUMN_WORDS = {"add": "added", "modify": "changed", "remove": "removed", "reorder": "moved"}
MAX_FAULT_LINES = 30
TABLE_DELETED = declare(
    "proposal_table_gone",
    "This table was deleted or is no longer shared with you. Nothing has changed.",
)
NOTHING_PROPOSED = declare("nothing_proposed", "{reason} Nothing is proposed.")
FEWER_ROWS = declare("ask_for_fewer_rows", "{reason} Nothing has changed. Ask for fewer rows at a time.")
MARKDOWN = re.compile(r"[\\`*_\[\]<>]")


def apply_operations(
    service: Callable[..., Any], *, resolved: Json, choice: Choice, context: ProposalContext
) -> AppliedProposal:
    """Apply the chosen operations of a proposal with a service of `tables`.

    The receipt can undo them. Raises tables.exceptions.TablesError, in which case nothing is written.
    """
    outcome = service(
        user=context.user,
        prepared=resolved,
        choice=choice,
        origin=Origin("proposal", proposal_id=context.payload_id, turn_id=context.turn_id or None),
    ).as_json()
    undo_token = ""
    if outcome["change"]:
        table_id, change_id = outcome["table"]["id"], outcome["change"]
        outcome |= {"can_undo": True, "undo_url": reverse("api_undo", args=[table_id, change_id])}
        undo_token = f"{table_id}/{change_id}"
    # Operations that would change nothing count as applied.
    whole = all(skipped["reason"] == "nothing_to_do" for skipped in outcome["skipped"])
    return AppliedProposal("applied" if whole else "partially_applied", outcome, undo_token=undo_token)


def undo_operations(token: str, context: ProposalContext) -> None:
    """Undo the change of an applied proposal. Raises tables.exceptions.TablesError, in which case nothing is written.

    Its `undo_url` also accepts a decision about conflicts.
    """
    table_id, change_id = map(int, token.split("/"))
    undo_change(user=context.user, table_id=table_id, change_id=change_id)


def with_names(shown: Json, resolved: Json, context: ProposalContext) -> Json:
    """Return a preview or operations with the names of columns in place of their ids as keys."""
    return with_column_names(shown, user=context.user, table_id=resolved["table_id"])


def count_operations(operations: Iterable[Json]) -> dict[str, int]:
    """Return the number of operations by action, and as `faulty` those with faults."""
    counts: dict[str, int] = {}
    for operation in operations:
        counts[operation["action"]] = counts.get(operation["action"], 0) + 1
        if operation.get("faults"):
            counts["faulty"] = counts.get("faulty", 0) + 1
    return counts


def fault_lines(operations: Iterable[Json], *, written: int) -> tuple[str, ...]:
    """Return up to 30 faults of single operations, `operations[3].changes.Amount: …`, and the number of further ones.

    `written` is the number of operations that the model wrote. If a condition was expanded to several operations, the
    model does not know their indexes, so the row is named instead.
    """
    resolved = list(operations)
    lines = []
    for operation in resolved:
        for fault in operation.get("faults", []):
            path = fault["path"]
            if len(resolved) != written and fault["code"] in RECHECKED_FAULTS and operation.get("row_id"):
                path = f"row {operation['row_id']}"
            lines.append(f"{path}: {fault['detail']}")
    more = len(lines) - MAX_FAULT_LINES
    return (*lines[:MAX_FAULT_LINES], *([f"and {more} more of the kind"] if more > 0 else []))


def rows_summary(counts: dict[str, int]) -> str:
    """Return a summary such as `8 new · 2 changed rows`."""
    return _summary(counts, words=ROW_WORDS, noun="row")


def columns_summary(counts: dict[str, int]) -> str:
    """Return a summary such as `1 added · 1 changed columns`."""
    return _summary(counts, words=COLUMN_WORDS, noun="column")


def _summary(counts: dict[str, int], *, words: dict[str, str], noun: str) -> str:
    parts = [f"{counts[action]} {word}" for action, word in words.items() if counts.get(action)]
    total = sum(counts.get(action, 0) for action in words)
    return f"{' · '.join(parts)} {noun if total == 1 else f'{noun}s'}"


def structural_fault(error: TablesError) -> StructuralFault:
    """Convert an error of the tables app to the fault of a whole proposal.

    It has a closing for the user if a correction cannot help. Otherwise the first fault is the reason for the user,
    unless it is about the structure of the JSON.
    """
    lines = [error.detail, *(f"{fault.path}: {fault.detail}" for fault in error.faults[:20])]
    if isinstance(error, NotFound):
        return StructuralFault("\n".join(lines), closing=TABLE_DELETED())
    if isinstance(error, Forbidden):
        return StructuralFault("\n".join(lines), closing=NOTHING_PROPOSED(reason=error.message))
    if error.code == "too_many":
        return StructuralFault("\n".join(lines), closing=FEWER_ROWS(reason=error.message))
    if isinstance(error, Malformed):
        return StructuralFault("\n".join(lines))
    message = error.faults[0].message if error.faults else error.message
    return StructuralFault("\n".join(lines), reason=_escaped(message))


def _escaped(value: Any) -> Any:
    """Return the message with its texts escaped for Markdown, because they may be names that other users wrote."""
    if isinstance(value, Message):
        return Message(value.code, {name: _escaped(each) for name, each in value.params.items()})
    if isinstance(value, list | tuple):
        return tuple(_escaped(each) for each in value)
    return MARKDOWN.sub(r"\\\g<0>", value) if isinstance(value, str) else value
