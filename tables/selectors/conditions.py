"""Turns filters, sorts and searches into SQL that means the same on both databases."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import BooleanField
from django.db.models.expressions import RawSQL

from shared import strictjson
from shared.user_messages.request_messages import TOO_MANY_WORDS
from tables.column_types import ColumnSpec, TableShape, ValueFault, get_column_type
from tables.column_types.names import refuse_unstorable_text
from tables.exceptions import Malformed
from tables.operations.filters import Condition, Filter
from tables.operations.sorts import SortKey
from tables.selectors.dialects import (
    LONGEST_OPTION,
    Dialect,
    Sql,
    dialect,
    named_cells,
    row_among,
    row_column,
    row_text,
    unflattened,
)

SIGNS = {"eq": "=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
MAX_WORDS = 50
# From so many conditions on cells that others of the filter test as well, a subquery is worth its own cost.
MIN_REPEATED = 4
# Each operator that says "not" is the opposite of another one, and holds for empty cells.
OPPOSITES = {"ne": "eq", "not_contains": "contains", "none_of": "any_of"}


def matching(filter: Filter) -> Sql:  # noqa: A002  the word the rest of the house uses
    """A condition that holds for rows that pass."""
    conditions = sum(len(clause.conditions) for clause in filter.clauses)
    if conditions > MIN_REPEATED:
        cells = named_cells()
        tested = tests_of(filter, read=cells)
        if conditions - cells.count >= MIN_REPEATED:
            # Most of the time of a test goes into reading the cell: each is read once.
            text = f"(SELECT {tested.text} FROM (SELECT {cells.columns.text} {unflattened()}) AS cells)"
            return Sql(text, tested.params + cells.columns.params)
    return tests_of(filter, read=dialect())


def tests_of(filter: Filter, *, read: Dialect) -> Sql:  # noqa: A002  as everywhere
    """The tests of a filter on the cells that `read` names."""
    clauses = [_join([_condition(c, read=read) for c in clause.conditions], word="OR") for clause in filter.clauses]
    return _join(clauses, word="AND")


def containing(search: str) -> Sql | None:
    """A condition that holds for rows with every word of `search`; None when there is no word. Raises Malformed."""
    read, text = dialect(), row_text()
    # Both sides were folded by Python, so they are compared as they are.
    found = [read.found(text, Sql("%s", (word.casefold(),))) for word in words_of(search)]
    return _join([Sql(f"{place.text} > 0", place.params) for place in found], word="AND") if found else None


def among_ids(ids: Sequence[int]) -> RawSQL:
    """A condition that holds for the rows with these ids."""
    return truth(row_among(ids))


def words_of(search: str) -> list[str]:
    """The words of a search, each once. Raises Malformed for what no database would look for."""
    try:
        refuse_unstorable_text(search)
    except ValueFault as fault:
        raise Malformed.at("search", fault.message, code=fault.code) from None
    words = list(dict.fromkeys(search.split()))
    if len(words) > MAX_WORDS:
        raise Malformed.at("search", TOO_MANY_WORDS(count=MAX_WORDS))
    return words


def ordering(sort: Iterable[SortKey], *, shape: TableShape) -> list[Sql]:
    """What stands behind ORDER BY: empty cells last in both directions, ties by position, then id."""
    read = dialect()
    keys: list[Sql] = []
    for key in sort:
        column = shape.column(key.column_id)
        if column is not None:
            way = "DESC" if key.descending else "ASC"
            keys += [Sql(f"{cell.text} {way} NULLS LAST", cell.params) for cell in sort_cells(column, read=read)]
    return [*keys, row_column("position"), row_column("id")]


def comparable(column: ColumnSpec, *, read: Dialect) -> Sql:
    """The cell in the form in which values of this column are compared."""
    comparison = get_column_type(column.type).comparison
    if comparison == "folded":
        return read.folded(column.id)
    if comparison == "number":
        return read.number(column.id)
    if comparison == "boolean":
        return read.truth(column.id)
    return read.short(column.id)


def sort_cells(column: ColumnSpec, *, read: Dialect) -> list[Sql]:
    """What rows are ordered by, one after the other, when they are sorted by this column."""
    if get_column_type(column.type).comparison == "option":
        return [read.place(column.id, column.options)]
    if get_column_type(column.type).comparison == "raw":
        return [read.raw(column.id)]
    cell = comparable(column, read=read)
    head = read.head(cell) if get_column_type(column.type).comparison == "folded" else None
    # A text's beginning comes first, as it orders the same and has an index where the whole cannot have one.
    return [cell] if head is None else [head, cell]


def index_cell(column: ColumnSpec, *, sorted_by: bool, read: Dialect) -> Sql:
    """What an index holds that serves sorting by the column, or filtering by it."""
    return sort_cells(column, read=read)[0] if sorted_by else _tested_cells(column, read=read)[0]


def _tested_cells(column: ColumnSpec, *, read: Dialect) -> list[Sql]:
    """What a value is compared with when rows are filtered by the column."""
    option = get_column_type(column.type).comparison == "option"
    return [read.short(column.id)] if option else sort_cells(column, read=read)


def sort_operands(value: Any, *, column: ColumnSpec, read: Dialect) -> list[Sql] | None:
    """A stored value in the forms of `sort_cells`; None when it has no place in the order, like an empty cell."""
    comparison = get_column_type(column.type).comparison
    if comparison == "option":
        return [read.place_of(value, column.options)] if value in column.options else None
    if comparison == "number":
        return [read.double(value)]
    if comparison == "boolean":
        return [Sql("%s", (int(value),))]
    if comparison == "raw":
        return [Sql("%s", (strictjson.dump(value)[:LONGEST_OPTION],))]
    if comparison == "folded":
        folded = read.fold(value)
        head = read.head(folded)
        return [folded] if head is None else [head, folded]
    return [Sql("%s", (value,))]


def _condition(condition: Condition, *, read: Dialect) -> Sql:
    filled = read.plain(condition.column_id)
    if condition.op in ("empty", "not_empty"):
        return Sql(f"({filled.text}) IS {'NOT ' if condition.op == 'not_empty' else ''}NULL", filled.params)
    if condition.op in OPPOSITES:
        test = _test(condition, op=OPPOSITES[condition.op], read=read)
        return Sql(f"(({filled.text}) IS NULL OR NOT ({test.text}))", filled.params + test.params)
    return _test(condition, op=condition.op, read=read)


def _test(condition: Condition, *, op: str, read: Dialect) -> Sql:
    """One operator that no empty cell fulfils."""
    cell = comparable(ColumnSpec(id=condition.column_id, name="", type=condition.type), read=read)
    if condition.days or op == "between":
        low, high = (_operand(value, condition=condition, read=read) for value in condition.days or condition.value)
        return Sql(f"{cell.text} BETWEEN {low.text} AND {high.text}", cell.params + low.params + high.params)
    if op == "any_of":
        return read.among(condition.column_id, condition.value)
    if op == "is":
        return Sql(f"{cell.text} = %s", (*cell.params, int(condition.value)))
    operand = _operand(condition.value, condition=condition, read=read)
    if op in SIGNS:
        test = Sql(f"{cell.text} {SIGNS[op]} {operand.text}", cell.params + operand.params)
        if op != "eq" or get_column_type(condition.type).comparison != "folded":
            return test
        heads = [head for text in (cell, operand) if (head := read.head(text))]
        same_head = [Sql(" = ".join(head.text for head in heads), sum((head.params for head in heads), ()))]
        return _join([*(same_head if heads else []), test], word="AND")
    place = read.found(cell, operand)
    return Sql(f"{place.text} {'= 1' if op == 'starts_with' else '> 0'}", place.params)


def _operand(value: str | int | float, *, condition: Condition, read: Dialect) -> Sql:
    if isinstance(value, int | float):
        return read.double(value)
    if get_column_type(condition.type).comparison == "folded":
        return read.fold(value)
    return Sql("%s", (value,))


def _join(pieces: Sequence[Sql], *, word: str) -> Sql:
    if len(pieces) == 1:
        return pieces[0]
    return Sql.joined(pieces, between=f" {word} ", around="({})")


def truth(sql: Sql) -> RawSQL:
    """The same for `QuerySet.filter`."""
    return RawSQL(sql.text, sql.params, output_field=BooleanField())
