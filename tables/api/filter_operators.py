"""The operators of filters by column type as a table in Markdown, for the OpenAPI document."""
from __future__ import annotations

from tables.column_types import COLUMN_TYPES, ColumnType
from tables.column_types.operators import OPERATORS, OperandKind, get_operator
from tables.operations.queries.filters import MAX_CHOICES, MAX_DAYS

VALUES: dict[OperandKind, str] = {
    "nothing": "none",
    "value": "{described}",
    "part": "a part of the text",
    "pair": "a list of two, the lower one first; each {described}",
    "days": f"a whole number of days, 1 to {MAX_DAYS:,}",
    "options": f"a list of 1 to {MAX_CHOICES:,} {{options}}",
    "truth": "true or false",
}


def filter_operators() -> str:
    """Return a table with the operators of each registered column type and the values that they take."""
    rows = [row for column_type in COLUMN_TYPES.values() for row in _rows(column_type)]
    return "\n".join(["| column type | operators | value |", "|---|---|---|", *rows])


def negated_operators() -> str:
    """Return the operators with a value that also match empty cells, such as “`ne` and `none_of`”."""
    *first, last = [f"`{each.name}`" for each in OPERATORS.values() if each.negates and each.operand != "nothing"]
    return f"{', '.join(first)} and {last}"


def _rows(column_type: ColumnType) -> list[str]:
    by_kind: dict[OperandKind, list[str]] = {}
    for op in column_type.operators:
        by_kind.setdefault(get_operator(op).operand, []).append(f"`{op}`")
    described = column_type.described_operand or column_type.described
    values = {"described": described, "options": column_type.described_operand or "options"}
    return [
        f"| {column_type.name} | {', '.join(operators)} | {VALUES[kind].format(**values)} |"
        for kind, operators in by_kind.items()
    ]
