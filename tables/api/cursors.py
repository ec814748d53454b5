"""Cursors: a place in a sorted table as a signed text that only the same table and order take back."""
from __future__ import annotations

from typing import Any

from django.core import signing

from shared.user_messages import declare
from tables.column_types import TableShape
from tables.exceptions import Malformed
from tables.operations.queries.sorts import KeysetPosition, SortKey, keyset_position, read_keyset_position
from tables.selectors import RowView

FOREIGN_CURSOR = declare(
    "foreign_cursor", "This cursor belongs to another table or another order. Start again without it."
)
NOT_A_CURSOR = declare("not_a_cursor", "This is not a cursor of this project. Take it from “next” as it is.")
SORT_COLUMN_REMOVED = declare(
    "sort_column_removed", "A column that the rows were sorted by has been removed. Start again without it."
)
SIGNER = signing.Signer(salt="tables.cursor")


def write_cursor(row: RowView, *, shape: TableShape, sort: tuple[SortKey, ...]) -> str:
    """The cursor that goes on behind this row."""
    place = keyset_position(row_id=row.id, position=row.position, data=row.data, sort=sort)
    return SIGNER.sign_object([_order(shape, sort=sort), place.as_json()], compress=True)


def read_cursor(text: str, *, shape: TableShape, sort: tuple[SortKey, ...]) -> KeysetPosition:
    """The place behind which to go on. Raises Malformed for anything but a cursor of this table and order."""
    order, stored = _unsigned(text)
    _refuse_outdated(order, shape=shape)
    if order != _order(shape, sort=sort):
        raise Malformed.at("cursor", FOREIGN_CURSOR())
    return read_keyset_position(stored)


def refuse_if_outdated(text: str, *, shape: TableShape) -> None:
    """Raises Malformed for a cursor of an order by columns that this table has no longer, and for what is no cursor."""
    _refuse_outdated(_unsigned(text)[0], shape=shape)


def _unsigned(text: str) -> list[Any]:
    try:
        return list(SIGNER.unsign_object(text))
    # Only what this project signed gets as far as being unpacked; the rest fails in one of these ways.
    except (signing.BadSignature, ValueError, UnicodeError):
        raise Malformed.at("cursor", NOT_A_CURSOR()) from None


def _refuse_outdated(order: list[Any], *, shape: TableShape) -> None:
    table_id, keys = order
    live = {column.id for column in shape.columns}
    if table_id == shape.id and any(key.removeprefix("-") not in live for key, _ in keys):
        raise Malformed.at("cursor", SORT_COLUMN_REMOVED(), code="outdated_cursor")


def _order(shape: TableShape, *, sort: tuple[SortKey, ...]) -> list[Any]:
    """What has to be the same for a place to mean anything: the table, the columns, their types and directions."""
    columns = {column.id: column.type for column in shape.columns}
    return [shape.id, [[key.as_json(), columns.get(key.column_id)] for key in sort]]
