"""Conflicts of an undo with later changes, as messages to decide about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from shared.user_messages.rendering import message_text
from tables import selectors
from tables.column_types import ColumnSpec
from tables.exceptions import Conflict, Fault
from tables.operations.changes.undo_paths import cell_of
from tables.views.value_format import count_text, format_value

MAX_NAMED = 3
MAX_QUOTED_LENGTH = 80
# Codes of faults whose value is the current value of the cell.
CURRENT_VALUE_CODES = {"cell_changed", "filled_since"}
# Cannot be resolved by a decision, because a name is in use.
UNDECIDABLE = "doubled_name"


@dataclass(frozen=True)
class UndoConflicts:
    """Some conflicts of undoing a change, and the number of further ones.

    `deletes_table`: the undo would delete the table with all later changes.
    """

    change: int
    texts: Sequence[str]
    more: str
    deletes_table: bool = False


def find_conflicts(refused: Conflict, *, table: selectors.Table, change: int) -> UndoConflicts | None:
    """Return the conflicts that one decision can resolve; None if there are none."""
    faults = refused.faults
    if refused.code == "changed_since":
        return UndoConflicts(change=change, texts=[message_text(refused.message)], more="", deletes_table=True)
    if not faults or any(fault.code == UNDECIDABLE for fault in faults):
        return None
    named = faults[:MAX_NAMED]
    more = int(refused.extra.get("conflicts", len(faults))) - len(named)
    return UndoConflicts(
        change=change,
        texts=_sentences(named, table=table),
        more=count_text(more) if more else "",
    )


def _sentences(faults: Sequence[Fault], *, table: selectors.Table) -> list[str]:
    shape = selectors.table_shape(table)
    cells = [cell_of(fault.path) if fault.code in CURRENT_VALUE_CODES else None for fault in faults]
    numbers = selectors.row_numbers(table, [cell[0] for cell in cells if cell])
    texts = []
    for fault, found in zip(faults, cells, strict=True):
        column, number = (shape.column(found[1]), numbers.get(found[0])) if found else (None, None)
        if column is None or number is None:
            texts.append(message_text(fault.message))
            continue
        cell = {"column": column.name, "number": count_text(number)}
        text = _quoted(fault.value, column=column)
        if text:
            texts.append(_("%(column)s of row %(number)s is now “%(value)s”.") % {**cell, "value": text})
        else:
            texts.append(_("%(column)s of row %(number)s is now empty.") % cell)
    return texts


def _quoted(value: Any, *, column: ColumnSpec) -> str:
    text = "" if value is None else format_value(value, column=column)
    return f"{text[: MAX_QUOTED_LENGTH - 1]}…" if len(text) > MAX_QUOTED_LENGTH else text
