"""Labels of filter operators, and conditions as sentences. Scripts get the labels from here too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop as noop

from tables.column_types import ColumnSpec, get_column_type
from tables.operations.queries.filters import operand_kind
from tables.views.value_format import format_value

# {} is a value.
WORDS = {
    "contains": noop("contains {}"),
    "not_contains": noop("does not contain {}"),
    "starts_with": noop("starts with {}"),
    "eq": noop("is {}"),
    "ne": noop("is not {}"),
    "lt": noop("is less than {}"),
    "lte": noop("is at most {}"),
    "gt": noop("is more than {}"),
    "gte": noop("is at least {}"),
    "between": noop("is between {} and {}"),
    "is": noop("is {}"),
    "any_of": noop("is one of {}"),
    "none_of": noop("is none of {}"),
    "today": noop("is today"),
    "this_week": noop("is this week"),
    "this_month": noop("is this month"),
    "last_n_days": noop("is in the last {} days"),
    "next_n_days": noop("is in the next {} days"),
    "empty": noop("is empty"),
    "not_empty": noop("is not empty"),
}
DATE_WORDS = {
    "eq": noop("is on {}"),
    "ne": noop("is not on {}"),
    "lt": noop("is before {}"),
    "lte": noop("is on or before {}"),
    "gt": noop("is after {}"),
    "gte": noop("is on or after {}"),
}


def operator_words(op: str, *, type_name: str) -> str:
    """Return the words after the column name: “is at least {}”. An operator of another app is its own label."""
    own = DATE_WORDS if get_column_type(type_name).has_days else {}
    known = own.get(op) or WORDS.get(op)
    return _(known) if known else f"{op.replace('_', ' ')} {{}}"


def operator_label(op: str, *, type_name: str) -> str:
    """Return the words with a gap per value: “is between … and …”; a single gap at the end is omitted."""
    words = operator_words(op, type_name=type_name)
    return (words.removesuffix(" {}") if words.count("{}") == 1 else words).replace("{}", "…")


def operators_by_type(types: Iterable[str]) -> dict[str, list[list[str]]]:
    """Return by type: operator, words and value kind, in the order in which they are offered."""
    return {
        name: [[op, operator_words(op, type_name=name), operand_kind(op)] for op in get_column_type(name).operators]
        for name in dict.fromkeys(types)
    }


def operator_groups(columns: Sequence[ColumnSpec]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return by type label, for the types of these columns: operators with their labels."""
    return [
        (_(get_column_type(name).label), [(op, operator_label(op, type_name=name)) for op, *_rest in operators])
        for name, operators in operators_by_type(column.type for column in columns).items()
    ]


def sentence(condition: Mapping[str, Any], *, column: ColumnSpec) -> str:
    """Return a sentence such as “Salary is at least 1,000” for a condition in canonical form."""
    op, value = condition["op"], condition.get("value")
    takes = operand_kind(op)

    def shown(one: Any) -> str:
        return str(one) if takes in ("days", "part") else format_value(one, column=column)

    if takes == "pair":
        values = [shown(one) for one in value or ()]
    elif takes == "options":
        values = [", ".join(shown(one) for one in value or ())]
    elif takes == "truth":
        values = [_("yes") if value else _("no")]
    else:
        values = [shown(value)]
    words = operator_words(op, type_name=column.type)
    if takes == "options" and len(value or ()) == 1:
        # “is Open”, not “is one of Open”.
        words = operator_words("eq" if op == "any_of" else "ne", type_name=column.type)
    return f"{column.name} {fill_gaps(words, values=values)}"


def fill_gaps(words: str, *, values: Sequence[str]) -> str:
    """Return the words with the values in their gaps. Braces in a value are not gaps."""
    pieces = words.split("{}")
    gaps = [*values, *[""] * len(pieces)][: len(pieces) - 1]
    return "".join(piece + gap for piece, gap in zip(pieces, [*gaps, ""], strict=True)).strip()
