"""Deleted rows, changes and proposals have values of an earlier type of their column, which is still shown."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import translation

from tables.column_types import ColumnSpec, TableShape, ValueFault, get_column_type
from tables.operations.cells import RowState
from tables.operations.changes.delta import Delta
from tables.operations.changes.undo_plan import plan_undo
from tables.operations.plans.data_plan import plan_data
from tables.operations.proposals.choice import Choice
from tables.views.value_format import format_value

# Stored values of a type with their texts.
STORED: dict[str, list[tuple[Any, str]]] = {
    "text": [("soon", "soon"), ("2024-13-45", "2024-13-45"), ("12", "12")],
    "number": [(5, "5"), (0.5, "0.5"), (1e21, "1e+21"), (1, "1")],
    "date": [("0001-01-01", "0001-01-01"), ("9999-12-31", "9999-12-31")],
    "boolean": [(True, "true"), (False, "false")],
    "select": [("Open", "Open")],
    "rating": [([1, 2], "[1,2]"), ({"stars": 3}, '{"stars":3}')],  # the type of a removed app
}
PAIRS = [
    pytest.param(value, text, now, id=f"{text} of a {was} under {now}")
    for was, values in STORED.items()
    for value, text in values
    for now in STORED
    if now != was
]


def shape_of(type_name: str) -> TableShape:
    options = ("Open", "5", "12") if type_name == "select" else ()
    return TableShape(id=1, name="T", columns=(ColumnSpec(id="col_a", name="A", type=type_name, options=options),))


def fits(value: Any, column: ColumnSpec) -> bool:
    try:
        get_column_type(column.type).check_restored(value, column)
    except ValueFault:
        return False
    return True


@pytest.mark.parametrize(("value", "text", "now"), PAIRS)
def test_values_have_the_text_of_their_own_type(value: Any, text: str, now: str) -> None:
    assert get_column_type(now).text(value) == text
    for language in ("en", "de"):
        with translation.override(language):
            assert format_value(value, column=shape_of(now).columns[0])


@pytest.mark.parametrize(("value", "text", "now"), PAIRS)
def test_undoing_a_deletion_restores_the_value_or_names_its_row(value: Any, text: str, now: str) -> None:
    shape, data = shape_of(now), {"col_a": value}
    rows = {7: RowState(id=7, version=1, data=data, deleted=True)}
    plan = plan_undo(delta=Delta(rows=[[7, None, data]]), shape=shape, rows=rows, all_rows=tuple)
    if fits(value, shape.columns[0]):
        assert (plan.contents, plan.conflicts) == ({7: data}, [])
    else:
        assert [(fault.code, fault.path) for fault in plan.conflicts] == [("column_changed", "rows[7].data.A")]
        assert f"“{get_column_type(now).display(value, shape.columns[0])}”" in plan.conflicts[0].detail


@pytest.mark.parametrize(("value", "text", "now"), PAIRS)
def test_stored_proposals_show_cast_values(value: Any, text: str, now: str) -> None:
    cast = {"column": "col_a", "from": text, "to": value}
    operation = {"index": 0, "action": "add", "data": {"col_a": value}, "casts": [cast]}
    plan = plan_data(shape=shape_of(now), operations=[operation], choice=Choice(), rows={})
    assert f"A: read as {text}." in [note["detail"] for note in plan.planned[0].notes]
