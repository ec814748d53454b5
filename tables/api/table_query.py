"""The rows and columns of a table that query parameters request: filter, search, sort order, columns, cursor."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.core import signing
from django.utils import timezone

from shared import strictjson
from shared.user_messages import declare
from tables.api.parameters import Parameters
from tables.column_types import ColumnSpec, TableShape
from tables.exceptions import Fault, Invalid, Malformed, TablesError
from tables.operations.body_reader import Form
from tables.operations.queries.filters import Filter, parse_filter
from tables.operations.queries.sorts import (
    KeysetPosition,
    SortKey,
    keyset_position,
    parse_columns,
    parse_sort,
    read_keyset_position,
)
from tables.selectors import RowView

MAX_IDS = 200
OPTIONS_HASH_LENGTH = 16
CURSOR_AND_OFFSET = declare("cursor_and_offset", "Use either “cursor” or “offset”, not both.")
NOT_IDS = declare("not_ids", "This must be a comma-separated list of at most {count} ids.")
FOREIGN_CURSOR = declare(
    "foreign_cursor", "This cursor belongs to another table or sort. Start again without it."
)
NOT_A_CURSOR = declare("not_a_cursor", "This is not a valid cursor. Use the value of “next” unchanged.")
SORT_COLUMN_REMOVED = declare(
    "sort_column_removed", "The sort column of this cursor was removed. Start again without the cursor."
)
OPTIONS_REORDERED = declare(
    "sort_options_reordered", "The options of the sort column have another order now. Start again without the cursor."
)
SIGNER = signing.Signer(salt="tables.row_cursor")


class UnreadableCursor(Malformed):
    """A cursor that was not written by `write_cursor`."""


@dataclass(frozen=True)
class TableQuery:
    """The query of a request for rows of a table of this shape. Every method raises Malformed or Invalid."""

    parameters: Parameters
    shape: TableShape

    def view(self) -> dict[str, Any]:
        """Return `filter` and `search`, as the selectors take them."""
        parameters = self.parameters
        search, filter_, zone = read_together(lambda: parameters.text("search"), self._filter, parameters.zone)
        if zone:
            # Moments are compared and grouped by its days, until the end of the request.
            timezone.activate(zone)
        return {"filter": filter_, "search": search}

    def _filter(self) -> Filter:
        raw = self.parameters.json("filter")
        try:
            today = self.parameters.today()
        except Malformed:  # of the time zone, which is reported as well
            today = timezone.now().date()
        return parse_filter(raw, shape=self.shape_in_zone, today=today)

    @cached_property
    def shape_in_zone(self) -> TableShape:
        """The table in the time zone of `tz`, else in the user's."""
        with suppress(Malformed):
            if zone := self.parameters.zone():
                return self.shape.in_zone(zone)
        return self.shape

    def together(self, *reads: Callable[[], Any]) -> list[Any]:
        """Return the results of these functions. Raises one error with the faults of all parameters."""
        return read_together(*reads, faults=self.parameters.faults)

    def sort(self) -> tuple[SortKey, ...]:
        """Return the sort order. Raises Malformed for a cursor by columns that do not exist any more."""
        try:
            return parse_sort(self.parameters.text("sort"), shape=self.shape)
        except Invalid:
            if cursor := self.parameters.text("cursor"):
                # An unreadable cursor is reported by `position`.
                with suppress(UnreadableCursor):
                    (table_id, keys, _), _ = _unsigned(cursor)
                    _refuse_removed_columns(table_id, keys, shape=self.shape)
            raise

    def columns(self) -> tuple[ColumnSpec, ...]:
        """Return the requested columns, else all."""
        return parse_columns(self.parameters.text("columns"), shape=self.shape_in_zone) or self.shape_in_zone.columns

    def keyed_by(self) -> str:
        """Return whether cells are keyed by "name" or "id" of their column."""
        return self.parameters.choice("keys")

    def counted(self) -> str:
        """Return how the matching rows are counted: "exact", "estimate", "none", or "" if it was not sent."""
        return self.parameters.choice("count") if self.parameters.has("count") else ""

    def ids(self) -> list[int] | None:
        """Return the row ids of `ids=1,2,3`, at most 200; None if it was not sent."""
        return read_ids(self.parameters)

    def position(self) -> KeysetPosition | None:
        """Return the position after which the page starts; None without a cursor, and with `ids`."""
        if self.parameters.text("ids"):
            return None
        text = self.parameters.text("cursor")
        if text and self.parameters.text("offset"):
            raise Malformed.at("cursor", CURSOR_AND_OFFSET())
        if not text:
            return None
        # An unreadable cursor is reported beside an invalid sort order.
        _unsigned(text)
        return read_cursor(text, shape=self.shape, sort=self.sort())

    def by_id(self, *, sort: tuple[SortKey, ...], columns: tuple[ColumnSpec, ...], filter_: Filter) -> dict[str, str]:
        """Return the parameters that name columns, with their ids: the next page is the same after a renaming."""
        parameters: dict[str, str] = {}
        if sort:
            parameters["sort"] = ",".join(key.as_json() for key in sort)
        if filter_:
            parameters["filter"] = strictjson.dumps(filter_.as_json())
        if self.parameters.text("columns"):
            parameters["columns"] = ",".join(column.id for column in columns)
        return parameters


def read_together(*reads: Callable[[], Any], faults: Iterable[Fault] = ()) -> list[Any]:
    """Return the results of these functions. Raises one error with `faults` and the faults of all of them."""
    form, results = Form(faults=list(faults)), []
    for read in reads:
        try:
            results.append(read())
        except TablesError as error:
            form.add_error(error)
    # A parameter may be read more than once.
    form.faults = [fault for index, fault in enumerate(form.faults) if fault not in form.faults[:index]]
    form.refuse()
    return results


def read_ids(parameters: Parameters) -> list[int] | None:
    """Return the row ids of `ids=1,2,3`, at most 200; None if it was not sent. Raises Malformed."""
    text = parameters.text("ids")
    if not text:
        return None
    parts = text.split(",")
    if len(parts) > MAX_IDS or not all(part.isascii() and part.isdigit() and len(part) <= 18 for part in parts):
        raise Malformed.at("ids", NOT_IDS(count=MAX_IDS))
    return [int(part) for part in parts]


def read_page(parameters: Parameters) -> tuple[int, int]:
    """Return the limit and the offset of a list."""
    return parameters.integer("limit"), parameters.integer("offset")


def write_cursor(row: RowView, *, shape: TableShape, sort: tuple[SortKey, ...]) -> str:
    """Return the cursor of the page after this row: its position, signed with the order that it is valid for."""
    position = keyset_position(row_id=row.id, position=row.position, data=row.data, sort=sort)
    order = [*_order(shape, sort=sort), _options_before(position, shape=shape, sort=sort)]
    return SIGNER.sign_object([order, position.as_json()], compress=True)


def read_cursor(text: str, *, shape: TableShape, sort: tuple[SortKey, ...]) -> KeysetPosition:
    """Return the position of a cursor. Raises Malformed if it is not one of this table and order."""
    (table_id, keys, options), stored = _unsigned(text)
    _refuse_removed_columns(table_id, keys, shape=shape)
    if [table_id, keys] != _order(shape, sort=sort):
        raise Malformed.at("cursor", FOREIGN_CURSOR())
    position = read_keyset_position(stored)
    if options != _options_before(position, shape=shape, sort=sort):
        raise Malformed.at("cursor", OPTIONS_REORDERED(), code="outdated_cursor")
    return position


def _unsigned(text: str) -> list[Any]:
    try:
        return list(SIGNER.unsign_object(text))
    # The signature is checked before anything is unpacked; other texts raise one of these.
    except (signing.BadSignature, ValueError, UnicodeError):
        raise UnreadableCursor.at("cursor", NOT_A_CURSOR()) from None


def _refuse_removed_columns(table_id: int, keys: list[Any], *, shape: TableShape) -> None:
    live = {column.id for column in shape.columns}
    if table_id == shape.id and any(key.removeprefix("-") not in live for key, _ in keys):
        raise Malformed.at("cursor", SORT_COLUMN_REMOVED(), code="outdated_cursor")


def _order(shape: TableShape, *, sort: tuple[SortKey, ...]) -> list[Any]:
    """Return the order that a position refers to: the table, and the ids, directions and types of the sort columns."""
    columns = {column.id: column.type for column in shape.columns}
    return [shape.id, [[key.as_json(), columns.get(key.column_id)] for key in sort]]


def _options_before(position: KeysetPosition, *, shape: TableShape, sort: tuple[SortKey, ...]) -> list[str]:
    """Return a hash for each value with options: of those that are sorted before it, or of all for a list.

    While it is the same, the rows before the position are those before it when the cursor was written.
    """
    columns = [shape.column(key.column_id) for key in sort]
    hashes = []
    for column, value in zip(columns, position.cells, strict=True):
        if column is None or not column.options or value is None:
            continue
        before = list(column.options)
        if isinstance(value, str):
            before = sorted(before[: before.index(value)]) if value in before else [value]
        hashes.append(strictjson.content_hash(before)[:OPTIONS_HASH_LENGTH])
    return hashes
