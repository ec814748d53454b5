"""A condition from the plain form: read in the user's locale, or asked for with an input that suits its column."""
from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _

from shared import strictjson
from shared.user_messages.rendering import message_text
from tables.column_types import ColumnSpec, TableShape, ValueFault, get_column_type
from tables.column_types.operators import get_operator
from tables.exceptions import TablesError
from tables.operations.queries.filters import MAX_DAYS, parse_filter
from tables.views.grid.filter_words import operator_label
from tables.views.grid.filters import conditions_of
from tables.views.value_format import count_text, page_locale

SEPARATORS = re.compile(r"[,;\n]")
# Inputs: check boxes, yes or no, a day, a number of days, a text.
CHECKS, TRUTH, DAY, COUNT, TEXT = "checks", "truth", "day", "count", "text"


@dataclass(frozen=True)
class ConditionForm:
    """What the form for a condition shows. `values` are the texts of its inputs; `fault` is for the user.

    `is_fault_of_condition`: the operator does not suit the column. `choices`: value, label, whether it is selected.
    """

    column: ColumnSpec | None
    op: str
    kind: str
    values: tuple[str, ...]
    fault: str
    is_fault_of_condition: bool = False
    choices: tuple[tuple[str, str, bool], ...] = ()
    is_or: bool = False

    @property
    def operators(self) -> list[tuple[str, str]]:
        """The operators of the column with their labels."""
        return _operators(self.column) if self.column else []


def add_condition(filter_text: str, *, given: QueryDict, shape: TableShape) -> tuple[str, ConditionForm | None]:
    """Return the filter with the condition of `add_column`, `add_op`, `add_value` and `add_to`.

    `add_or` joins it to the last one with "or". If it is not complete or not valid, return the form that asks for it.
    """
    column, op = shape.column(given.get("add_column", "")), given.get("add_op", "")
    if column is None:
        return "", ConditionForm(None, op, TEXT, (), _("Choose a column first."), is_fault_of_condition=True)
    if op not in get_column_type(column.type).operators:
        possible = ", ".join(_("“%(words)s”") % {"words": label} for _op, label in _operators(column))
        message = _("%(column)s allows %(possible)s.") % {"column": column.name, "possible": possible}
        return "", _form(column, op="", given=given, fault=message, is_fault_of_condition=True)
    condition: dict[str, Any] = {"column": column.id, "op": op}
    if get_operator(op).operand != "nothing":
        texts = _texts(given, op=op)
        if not all(texts):
            # The first form cannot have an input that suits every column.
            return "", _form(column, op=op, given=given, fault=_("Enter a value.") if "add_asked" in given else "")
        condition["value"] = _value(texts, op=op, column=column)
    if fault := _fault(condition, shape=shape):
        return "", _form(column, op=op, given=given, fault=fault)
    clauses = conditions_of(filter_text)
    if given.get("add_or") and clauses:
        last = clauses[-1]
        clauses[-1] = {"or": [*last.get("or", [last]), condition]}
    else:
        clauses = [*clauses, condition]
    return str(strictjson.dumps({"and": clauses})), None


def _operators(column: ColumnSpec) -> list[tuple[str, str]]:
    return [(op, operator_label(op, type_name=column.type)) for op in get_column_type(column.type).operators]


def _texts(given: QueryDict, *, op: str) -> list[str]:
    """Return the texts of the inputs, empty ones too; of check boxes, those that are checked."""
    values = given.getlist("add_value") or [""]
    if get_operator(op).operand == "pair":
        return [values[-1].strip(), given.get("add_to", "").strip()]
    filled = [value for value in values if value.strip()]
    return filled or [""]


def _value(texts: Sequence[str], *, op: str, column: ColumnSpec) -> Any:
    """Return the value of a condition in data form. Texts are read in the user's locale."""
    takes, kind, locale = get_operator(op).operand, get_column_type(column.type), page_locale()
    if takes == "pair":
        return [kind.typed(text, column, locale) for text in texts]
    if takes == "options":
        return list(texts) if len(texts) > 1 else _listed(texts[0], column=column)
    if takes == "days":
        is_count = texts[0].isascii() and texts[0].strip().isdecimal() and len(texts[0]) < 8
        return int(texts[0]) if is_count else 0
    return texts[0] if takes == "part" else kind.typed(texts[0], column, locale)


def _listed(text: str, *, column: ColumnSpec) -> list[str]:
    """Return the options or names in a text, which are separated by commas, semicolons or line ends."""
    try:
        get_column_type(column.type).cast_choice(text, column)
    except ValueFault:
        return [piece for each in SEPARATORS.split(text) if (piece := each.strip())] or [text]
    return [text]


def _fault(condition: dict[str, Any], *, shape: TableShape) -> str:
    """Return what is wrong with the value of a condition, "" if nothing is."""
    try:
        parse_filter(condition, shape=shape, today=timezone.localdate())
    except TablesError as error:
        if get_operator(condition["op"]).operand == "days":
            return _("Enter a number of days between 1 and %(most)s.") % {"most": count_text(MAX_DAYS)}
        return message_text(error.message)
    return ""


def _form(
    column: ColumnSpec, *, op: str, given: QueryDict, fault: str, is_fault_of_condition: bool = False
) -> ConditionForm:
    takes, kind = get_operator(op).operand if op else "value", get_column_type(column.type)
    texts = _texts(given, op=op) if op else given.getlist("add_value")
    choices: tuple[tuple[str, str, bool], ...] = ()
    shown = COUNT if takes == "days" else TEXT
    if takes == "options" and (column.options or column.names_people):
        names = column.options or [person.name for person in column.people.all]
        chosen = {name for text in texts for name in (text, *SEPARATORS.split(text)) if text}
        shown, choices = CHECKS, tuple((name, name, name in chosen) for name in names)
    elif takes == "truth":
        shown, choices = TRUTH, (("true", _("Yes"), False), ("false", _("No"), False))
    elif kind.has_days and takes in ("value", "pair") and all(not text or _is_day(text) for text in texts):
        shown = DAY
    is_or = bool(given.get("add_or"))
    return ConditionForm(column, op, shown, tuple(texts), fault, is_fault_of_condition, choices, is_or)


def _is_day(text: str) -> bool:
    """Return whether an input of days can have the text."""
    return re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) is not None
