"""Labels of filter operators, and conditions as sentences. Scripts get the labels from here too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from tables.column_types import ColumnSpec, get_column_type
from tables.column_types.operators import get_operator
from tables.views.value_format import format_value


def operator_words(op: str, *, type_name: str) -> str:
    """Return the words after the column name: “is at least {}”."""
    operator = get_operator(op)
    label = operator.label_of_days if get_column_type(type_name).has_days else ""
    return _(label or operator.label)


def operator_label(op: str, *, type_name: str) -> str:
    """Return the words with a gap per value: “is between … and …”; a single gap at the end is omitted."""
    words = operator_words(op, type_name=type_name)
    return (words.removesuffix(" {}") if words.count("{}") == 1 else words).replace("{}", "…")


def operators_by_type(types: Iterable[str]) -> dict[str, list[list[str]]]:
    """Return by type: operator, words, value kind and the words for a single choice, in the order of the menu."""
    names = dict.fromkeys(types)
    return {name: [_entry(op, type_name=name) for op in get_column_type(name).operators] for name in names}


def _entry(op: str, *, type_name: str) -> list[str]:
    operator = get_operator(op)
    words_of_one = [_(operator.label_of_one)] if operator.label_of_one else []
    return [op, operator_words(op, type_name=type_name), operator.operand, *words_of_one]


def operator_groups(columns: Sequence[ColumnSpec]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return by type label, for the types of these columns: operators with their labels."""
    return [
        (_(get_column_type(name).label), [(op, operator_label(op, type_name=name)) for op, *_rest in operators])
        for name, operators in operators_by_type(column.type for column in columns).items()
    ]


def sentence(condition: Mapping[str, Any], *, column: ColumnSpec) -> str:
    """Return a sentence such as “Salary is at least 1,000” for a condition in canonical form."""
    op, value = condition["op"], condition.get("value")
    operator = get_operator(op)
    takes = operator.operand

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
    if operator.label_of_one and len(value or ()) == 1:
        # “is Open”, not “is one of Open”.
        words = _(operator.label_of_one)
    return f"{column.name} {fill_gaps(words, values=values)}"


def fill_gaps(words: str, *, values: Sequence[str]) -> str:
    """Return the words with the values in their gaps. Braces in a value are not gaps."""
    pieces = words.split("{}")
    gaps = [*values, *[""] * len(pieces)][: len(pieces) - 1]
    return "".join(piece + gap for piece, gap in zip(pieces, [*gaps, ""], strict=True)).strip()
