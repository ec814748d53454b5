"""The operators of filters: their operand, their opposite, and their labels, each declared once.

Types list the names of their operators. `tables.selectors.sql.conditions` has the SQL test of each operator that is not
the opposite of another.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# The value of a condition: none, one of the column's type, a part of a text, two values, a number of days, a list of
# options, or true or false.
OperandKind = Literal["nothing", "value", "part", "pair", "days", "options", "truth"]


@dataclass(frozen=True)
class Operator:
    """An operator of conditions.

    `label` are the English words after the name of the column, with {} for each value; `label_of_days` those for
    columns of days, and `label_of_one` those for a list with a single element, where they differ. `negates` is the
    operator that matches the other rows; a negated operator also matches empty cells. `is_relative`: the condition is
    a range of days that depends on the current date. `is_of_user`: the value is the user who
    reads the rows. `finds_range`: the rows are a range of an index on the cells.
    """

    name: str
    label: str
    operand: OperandKind = "value"
    negates: str = ""
    label_of_days: str = ""
    label_of_one: str = ""
    is_relative: bool = False
    is_of_user: bool = False
    finds_range: bool = False

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels, for translation."""
        return tuple(filter(None, (self.label, self.label_of_days, self.label_of_one)))


_ALL = (
    Operator("contains", "contains {}", "part"),
    Operator("not_contains", "does not contain {}", "part", negates="contains"),
    Operator("starts_with", "starts with {}", "part"),
    Operator("eq", "is {}", label_of_days="is on {}", finds_range=True),
    Operator("ne", "is not {}", negates="eq", label_of_days="is not on {}"),
    Operator("lt", "is less than {}", label_of_days="is before {}", finds_range=True),
    Operator("lte", "is at most {}", label_of_days="is on or before {}", finds_range=True),
    Operator("gt", "is more than {}", label_of_days="is after {}", finds_range=True),
    Operator("gte", "is at least {}", label_of_days="is on or after {}", finds_range=True),
    Operator("between", "is between {} and {}", "pair", finds_range=True),
    Operator("is", "is {}", "truth", finds_range=True),
    Operator("any_of", "is one of {}", "options", label_of_one="is {}", finds_range=True),
    Operator("none_of", "is none of {}", "options", negates="any_of", label_of_one="is not {}"),
    Operator("is_me", "is me", "nothing", is_of_user=True, finds_range=True),
    Operator("has_any", "has any of {}", "options", label_of_one="has {}"),
    Operator("has_all", "has all of {}", "options", label_of_one="has {}"),
    Operator("has_none", "has none of {}", "options", negates="has_any", label_of_one="does not have {}"),
    Operator("today", "is today", "nothing", is_relative=True, finds_range=True),
    Operator("this_week", "is this week", "nothing", is_relative=True, finds_range=True),
    Operator("this_month", "is this month", "nothing", is_relative=True, finds_range=True),
    Operator("last_n_days", "is in the last {} days", "days", is_relative=True, finds_range=True),
    Operator("next_n_days", "is in the next {} days", "days", is_relative=True, finds_range=True),
    Operator("empty", "is empty", "nothing"),
    Operator("not_empty", "is not empty", "nothing", negates="empty"),
)
OPERATORS = {operator.name: operator for operator in _ALL}


def get_operator(name: str) -> Operator:
    """Return the operator with this name. One of another app takes a value, and its name is its label."""
    return OPERATORS.get(name) or Operator(name, f"{name.replace('_', ' ')} {{}}")
