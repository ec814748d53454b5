"""Check found values by their columns as they are now: these may have been converted or deleted since."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from fills.services.definitions import COLUMN_DELETED
from shared.user_messages import message_fields
from tables.operations import TableShape
from tables.operations.body_reader import Form
from tables.operations.cells import CellReader

Json = dict[str, Any]
MESSAGE_FIELDS = ("detail", "message_code", "params")


class FoundValues(Protocol):
    """The values of a result."""

    @property
    def row_id(self) -> int: ...
    @property
    def values(self) -> Json: ...
    @property
    def corrections(self) -> Json: ...


def value_faults(results: Sequence[FoundValues], *, shape: TableShape) -> dict[int, Mapping[str, Any]]:
    """Return why results cannot be applied, by row: the message about the first value that its column refuses.

    They are read as an apply reads them. Results that can be applied are left out.
    """
    writable = {column.id for column in shape.columns if not column.is_computed}
    reader, form = CellReader(shape, typecast=True), Form()
    found: dict[int, Mapping[str, Any]] = {}
    for result in results:
        values = result.values | result.corrections if result.corrections else result.values
        if not writable.issuperset(values):
            values = {key: value for key, value in values.items() if key in writable}
        if not values:
            found[result.row_id] = message_fields(COLUMN_DELETED())
        elif faults := reader.read(values, path="values", form=form).faults:
            found[result.row_id] = {name: faults[0][name] for name in MESSAGE_FIELDS if name in faults[0]}
    return found
