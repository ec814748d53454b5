"""The decision of a request about values that have changed since the change to undo or redo."""

from __future__ import annotations

from collections.abc import Mapping

from shared.user_messages import declare
from tables.exceptions import Fault, Malformed
from tables.operations.changes.undo_paths import is_path

GivenDecision = str | Mapping[str, str] | None
DECISIONS = {"overwrite", "skip"}
UNKNOWN_DECISION = declare(
    "unknown_decision",
    "on_conflict must be “overwrite”, “skip”, or one of them for each path, such as “rows[5].data.Amount”.",
)
MAX_PATH_LENGTH, MAX_FAULTS = 300, 100


def read_undo_decision(given: GivenDecision) -> str | Mapping[str, str]:
    """Return a decision about cells that have changed since, "" for none. Raises Malformed with all faults."""
    each = given.items() if isinstance(given, Mapping) else [(None, given)] if given is not None else []
    faults = [
        Fault(
            path="on_conflict" if name is None else f"on_conflict.{name[:MAX_PATH_LENGTH]}",
            code="unknown_value",
            message=UNKNOWN_DECISION(),
        )
        for name, decision in each
        if not (isinstance(decision, str) and decision in DECISIONS) or (name is not None and not is_path(name))
    ]
    if faults:
        raise Malformed(UNKNOWN_DECISION(), faults=faults, most=MAX_FAULTS)
    return given or ""
