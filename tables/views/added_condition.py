"""Add a condition to the URL's filter from a plain form: `add_column`, `add_op`, `add_value`, `add_to`, `add_or`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from shared import strictjson
from tables.column_types import TableShape, get_column_type
from tables.operations.queries.filters import MAX_DAYS
from tables.views.filter_words import operand_kind, operator_label
from tables.views.filters import conditions_of


class NotAdded(ValueError):
    """The condition is invalid; the message is for the user."""


def add_condition(filter_text: str, *, given: Mapping[str, str], shape: TableShape) -> str:
    """Return the filter with one more condition; `add_or` joins it to the last one with "or". Raises NotAdded."""
    column = shape.column(given.get("add_column", ""))
    if column is None:
        raise NotAdded(_("This filter was not added. Choose a column first."))
    op, operators = given.get("add_op", ""), get_column_type(column.type).operators
    if op not in operators:
        labels = [operator_label(each, type_name=column.type) for each in operators]
        possible = ", ".join(_("“%(words)s”") % {"words": label} for label in labels)
        template = _("This filter was not added. For %(column)s there is %(possible)s.")
        raise NotAdded(template % {"column": column.name, "possible": possible})
    condition: dict[str, Any] = {"column": column.id, "op": op}
    takes = operand_kind(op)
    if takes != "nothing":
        condition["value"] = _value(given, takes=takes)
    clauses = conditions_of(filter_text)
    if given.get("add_or") and clauses:
        last = clauses[-1]
        clauses[-1] = {"or": [*last.get("or", [last]), condition]}
    else:
        clauses = [*clauses, condition]
    return str(strictjson.dump({"and": clauses}))


def _value(given: Mapping[str, str], *, takes: str) -> Any:
    value = given.get("add_value", "")
    if takes == "pair":
        return [value, given.get("add_to", "")]
    if takes == "options":
        return [value]
    if takes == "days":
        text = value.strip()
        if not (text.isascii() and text.isdecimal() and len(text) < 8):
            template = _("This filter was not added. Give a number of days between 1 and %(most)s.")
            raise NotAdded(template % {"most": number_format(MAX_DAYS, use_l10n=True, force_grouping=True)})
        return int(text)
    return value
