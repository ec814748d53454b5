"""What changed since a change and stands in the way of taking it back: said by its cells, and left to the person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from tables import selectors
from tables.exceptions import Conflict, Fault
from tables.views.value_format import written
from user_messages.rendering import message_text

MOST_NAMED = 3
MOST_QUOTED = 80
# Of these faults the value is what the cell holds now.
AS_IT_IS_NOW = {"cell_changed", "filled_since"}
# No word about later changes would help: a name is taken.
UNDECIDABLE = "doubled_name"


@dataclass(frozen=True)
class InTheWay:
    """Some of what is in the way of taking back the change with this id, and how many more of it there are.

    `goes`: the table itself would go, with all that has been done in it since; to keep that is to leave it at that.
    """

    change: int
    told: Sequence[str]
    more: str
    goes: bool = False


def in_the_way(refused: Conflict, *, table: selectors.Table, change: int) -> InTheWay | None:
    """What a person can decide about with one word; None where the refusal is all there is to say."""
    faults = refused.faults
    if refused.code == "changed_since":
        return InTheWay(change=change, told=[message_text(refused.message)], more="", goes=True)
    if not faults or any(fault.code == UNDECIDABLE for fault in faults):
        return None
    named = faults[:MOST_NAMED]
    more = int(refused.extra.get("conflicts", len(faults))) - len(named)
    return InTheWay(
        change=change,
        told=_sentences(named, table=table),
        more=number_format(more, use_l10n=True, force_grouping=True) if more else "",
    )


def _sentences(faults: Sequence[Fault], *, table: selectors.Table) -> list[str]:
    shape = selectors.table_shape(table)
    rows = [int(fault.path.partition(":")[0]) for fault in faults if fault.code in AS_IT_IS_NOW]
    numbers = selectors.numbers_of_rows(table, rows)
    columns = {column.id: column for column in shape.columns}
    told = []
    for fault in faults:
        row, _colon, key = fault.path.partition(":")
        column = columns.get(key)
        number = numbers.get(int(row)) if row.isdecimal() and fault.code in AS_IT_IS_NOW else None
        if column is None or number is None:
            told.append(message_text(fault.message))
            continue
        cell = {"column": column.name, "number": number_format(number, use_l10n=True, force_grouping=True)}
        text = _quoted(fault.value, type_name=column.type)
        if text:
            told.append(_("%(column)s of row %(number)s is now “%(value)s”.") % {**cell, "value": text})
        else:
            told.append(_("%(column)s of row %(number)s is empty now.") % cell)
    return told


def _quoted(value: Any, *, type_name: str) -> str:
    text = "" if value is None else written(value, type_name=type_name)
    return f"{text[: MOST_QUOTED - 1]}…" if len(text) > MOST_QUOTED else text
