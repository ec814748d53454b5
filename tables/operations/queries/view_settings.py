"""View settings of one user for a table: column widths and hidden columns."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from shared.user_messages import declare
from tables.column_types import ColumnSpec, TableShape
from tables.operations.body_reader import NOT_AN_OBJECT, Form
from tables.operations.queries.sorts import unknown_column

MIN_WIDTH = 48
MAX_WIDTH = 1_200
FIELDS = ("widths", "hidden")
WIDTHS_AND_HIDDEN_NEEDED = declare(
    "widths_and_hidden_needed", "Send both widths and hidden ({} and [] if empty). They replace the stored settings."
)
ALL_COLUMNS_HIDDEN = declare("all_columns_hidden", "At least one column must be shown.")
NOT_A_COLUMN_REFERENCE = declare("not_a_column_reference", "This must be the id or the name of a column.")
NOT_A_WIDTH = declare("not_a_width", "A width must be a whole number of pixels, {least:,} to {most:,}.")


@dataclass(frozen=True)
class ViewSettings:
    """`widths`: pixels by column id; `hidden`: ids of hidden columns. Both only have existing columns."""

    widths: Mapping[str, int] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()

    def shown(self, columns: Sequence[ColumnSpec]) -> tuple[ColumnSpec, ...]:
        """Return the columns that are not hidden; all of them if none would be left."""
        return tuple(column for column in columns if column.id not in self.hidden) or tuple(columns)


def stored_view_settings(*, widths: Mapping[str, int], hidden: Sequence[str], shape: TableShape) -> ViewSettings:
    """Return stored settings without columns that were deleted since."""
    live = {column.id for column in shape.columns}
    return ViewSettings({key: width for key, width in widths.items() if key in live}, frozenset(hidden) & live)


def read_view_settings(raw: Any, *, shape: TableShape) -> ViewSettings:
    """Read `{"widths": {column: pixels}, "hidden": [column, …]}`, columns by id or name; both are required.

    Raises Malformed and Invalid.
    """
    form = Form()
    fields = form.fields(raw, path="", allowed=FIELDS)
    if isinstance(raw, dict):
        for name in FIELDS:
            if name not in fields:
                form.fault(path=name, code="missing", message=WIDTHS_AND_HIDDEN_NEEDED())
    widths: dict[str, int] = {}
    given = fields.get("widths", {})
    if not isinstance(given, dict):
        form.fault(path="widths", code="not_an_object", message=NOT_AN_OBJECT(), value=given)
        given = {}
    for ref, width in given.items():
        if column := _column(ref, shape=shape, path=f"widths.{ref[:100]}", form=form):
            widths[column.id] = _width(width, path=f"widths.{ref[:100]}", form=form)
    hidden = set()
    for index, ref in enumerate(form.items(fields.get("hidden", []), path="hidden")):
        if column := _column(ref, shape=shape, path=f"hidden[{index}]", form=form):
            hidden.add(column.id)
    if hidden and len(hidden) == len(shape.columns):
        form.fault(path="hidden", code="too_many", message=ALL_COLUMNS_HIDDEN())
    form.refuse()
    return ViewSettings(widths, frozenset(hidden))


def _column(ref: Any, *, shape: TableShape, path: str, form: Form) -> ColumnSpec | None:
    column = shape.column(ref)
    if column is None and not isinstance(ref, str):
        form.fault(path=path, code="not_text", message=NOT_A_COLUMN_REFERENCE(), value=ref)
    elif column is None:
        form.faults.append(unknown_column(ref, shape=shape, path=path))
    return column


def _width(raw: Any, *, path: str, form: Form) -> int:
    if isinstance(raw, bool) or not isinstance(raw, int) or not MIN_WIDTH <= raw <= MAX_WIDTH:
        message = NOT_A_WIDTH(least=MIN_WIDTH, most=MAX_WIDTH)
        form.fault(path=path, code="not_a_width", message=message, value=raw)
        return MIN_WIDTH
    return raw
