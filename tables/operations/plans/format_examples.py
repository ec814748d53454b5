"""Example values of columns whose settings change, as they are shown before and after."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

from tables.column_types import ColumnSpec, ValueFault, get_column_type
from tables.operations.cells import RowState
from tables.operations.plans.schema_plan import SchemaPlan

Json = dict[str, Any]
MAX_EXAMPLES = 3
# Rows in which different values are searched.
MAX_ROWS = 100
MAX_LENGTH = 80


def add_format_examples(plan: SchemaPlan, *, rows: Callable[[str], Iterable[RowState]]) -> None:
    """Add the first different values to the operations that change settings; `rows` are those with a value."""
    before = {column.id: column for column in plan.before}
    for planned in plan.planned:
        column, was = planned.column, before.get(planned.column_id or "")
        if planned.action != "modify" or column is None or was is None or not _differs(was, column):
            continue
        values = dict.fromkeys(row.data.get(column.id) for row in islice(rows(column.id), MAX_ROWS))
        found = [value for value in values if value is not None][:MAX_EXAMPLES]
        planned.examples = [_example(each, was=was, now=column) for each in found]


def _differs(was: ColumnSpec, now: ColumnSpec) -> bool:
    return was.type == now.type and was.used_settings != now.used_settings


def _example(value: Any, *, was: ColumnSpec, now: ColumnSpec) -> Json:
    """Return a value with its texts, and with what it is converted to, if the format does so."""
    texts = {"value": value, "was": _shown(value, was)}
    if was.value_form == now.value_form:
        return {**texts, "now": _shown(value, now)}
    try:
        converted = get_column_type(now.type).convert(value, source=was, target=now)
    except ValueFault:
        converted = None
    return {**texts, "now": _shown(converted, now), "converted": converted}


def _shown(value: object, column: ColumnSpec) -> str:
    text = get_column_type(column.type).display(value, column)
    return text if len(text) <= MAX_LENGTH else f"{text[: MAX_LENGTH - 1]}…"
