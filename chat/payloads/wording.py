"""Sentences about proposals: summaries for the manifest and the card, faults for the model."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from chat.payload_types import StructuralFault
from tables.exceptions import Forbidden, Malformed, NotFound, TablesError
from tables.operations.data_plan import RECHECKED_FAULTS
from user_messages import Message, declare

Json = dict[str, Any]

NAMES = {"add": "new", "update": "changed", "delete": "deleted"}
MOST_LINES = 30
GONE = declare(
    "proposal_table_gone",
    "This table is gone, or no longer shared with you, so there is nothing to propose. Nothing has changed.",
)
NOTHING_PROPOSED = declare("nothing_proposed", "{reason} So nothing is proposed.")
FEWER_ROWS = declare("ask_for_fewer_rows", "{reason} Nothing has changed. Ask for fewer rows at a time.")
MARKDOWN = re.compile(r"[\\`*_\[\]<>]")
COLUMN_NAMES = {"add": "added", "modify": "changed", "remove": "removed", "reorder": "moved"}


def counted(operations: Iterable[Json]) -> dict[str, int]:
    """Operations by action, and how many cannot be applied as they are (`faulty`)."""
    counts: dict[str, int] = {}
    for operation in operations:
        counts[operation["action"]] = counts.get(operation["action"], 0) + 1
        if operation.get("faults"):
            counts["faulty"] = counts.get("faulty", 0) + 1
    return counts


def fault_lines(operations: Iterable[Json], *, written: int) -> tuple[str, ...]:
    """The faults of single operations, `operations[3].changes.Amount: …`, the first of them, and how many more.

    `written` is how many operations the model wrote: where a condition made more of one, places in the whole list say
    nothing to the model, and the row is named instead.
    """
    found = list(operations)
    lines = []
    for operation in found:
        for fault in operation.get("faults", []):
            place = fault["path"]
            if len(found) != written and fault["code"] in RECHECKED_FAULTS and operation.get("row_id"):
                place = f"row {operation['row_id']}"
            lines.append(f"{place}: {fault['detail']}")
    more = len(lines) - MOST_LINES
    return (*lines[:MOST_LINES], *([f"and {more} more of the kind"] if more > 0 else []))


def rows_summary(counts: dict[str, int]) -> str:
    """`8 new · 2 changed rows`."""
    parts = [f"{counts[action]} {name}" for action, name in NAMES.items() if counts.get(action)]
    total = sum(counts.get(action, 0) for action in NAMES)
    return " · ".join(parts) + (" row" if total == 1 else " rows")


def columns_summary(counts: dict[str, int]) -> str:
    """`1 added · 1 changed column`."""
    parts = [f"{counts[action]} {name}" for action, name in COLUMN_NAMES.items() if counts.get(action)]
    total = sum(counts.get(action, 0) for action in COLUMN_NAMES)
    return " · ".join(parts) + (" column" if total == 1 else " columns")


def structural(error: TablesError) -> StructuralFault:
    """A failure of the tables app as the fault of a whole proposal, path by path.

    Where no correction helps, there is a closing for the person; else the first fault is the reason for the person,
    unless it is about the form of the JSON.
    """
    lines = [error.detail, *(f"{fault.path}: {fault.detail}" for fault in error.faults[:20])]
    if isinstance(error, NotFound):
        return StructuralFault("\n".join(lines), closing=GONE())
    if isinstance(error, Forbidden):
        return StructuralFault("\n".join(lines), closing=NOTHING_PROPOSED(reason=error.message))
    if error.code == "too_many":
        return StructuralFault("\n".join(lines), closing=FEWER_ROWS(reason=error.message))
    if isinstance(error, Malformed):
        return StructuralFault("\n".join(lines))
    message = error.faults[0].message if error.faults else error.message
    return StructuralFault("\n".join(lines), reason=_escaped(message))


def _escaped(value: Any) -> Any:
    """Return the message with its texts escaped for Markdown: they may be names that other people wrote."""
    if isinstance(value, Message):
        return Message(value.code, {name: _escaped(each) for name, each in value.params.items()})
    if isinstance(value, list | tuple):
        return tuple(_escaped(each) for each in value)
    return MARKDOWN.sub(r"\\\g<0>", value) if isinstance(value, str) else value
