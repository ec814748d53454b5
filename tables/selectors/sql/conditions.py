"""SQL conditions and orders for filters, sorts and searches, with the same result on both databases."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from django.db.models import BooleanField
from django.db.models.expressions import RawSQL

from shared import strictjson
from shared.user_messages.request_messages import TOO_MANY_WORDS
from tables.column_types import ColumnSpec, TableShape, ValueFault, get_column_type
from tables.column_types.names import refuse_unstorable_text
from tables.column_types.operators import get_operator
from tables.exceptions import Malformed
from tables.operations.queries.filters import Condition, Filter
from tables.operations.queries.sorts import SortKey
from tables.selectors.sql.dialects import MAX_OPTION_LENGTH, OTHER_PERSON, Dialect, Sqlite, dialect
from tables.selectors.sql.expressions import Sql, row_among, row_column, row_text
from tables.selectors.sql.named_cells import named_cells, optimization_fence

SIGNS = {"eq": "=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
# Index of the bound that values are compared with, if the operand means several values.
END_OF_BOUNDS = {"lt": 0, "gte": 0, "lte": 1, "gt": 1}
MAX_WORDS = 50
# Minimum number of repeated conditions on the same cells for which a subquery is faster.
MIN_REPEATED = 4


def matching(filter: Filter, *, read: Dialect | None = None) -> Sql:  # noqa: A002
    """Return a condition that holds for rows that match the filter; `read` is the dialect, if not the default."""
    conditions = sum(len(clause.conditions) for clause in filter.clauses)
    if conditions > MIN_REPEATED:
        cells = named_cells()
        tested = tests_of(filter, read=cells)
        if conditions - cells.count >= MIN_REPEATED:
            # Reading a cell takes most of the time of a test, so each cell is read once.
            text = f"(SELECT {tested.text} FROM (SELECT {cells.columns.text} {optimization_fence()}) AS cells)"
            return Sql(text, tested.params + cells.columns.params)
    return tests_of(filter, read=read or dialect())


def tests_of(filter: Filter, *, read: Dialect) -> Sql:  # noqa: A002
    """Return the tests of a filter on the cells that `read` names."""
    clauses = [_join([_condition(c, read=read) for c in clause.conditions], word="OR") for clause in filter.clauses]
    return _join(clauses, word="AND")


def containing(search: str) -> Sql | None:
    """Return a condition for rows with every word of `search`; None without words. Raises Malformed."""
    read, text = dialect(), row_text()
    # Python has casefolded both operands. Not LIKE on PostgreSQL, whose planner would estimate the matching rows from
    # those of all tables, and read and sort a whole table for the first rows with a frequent word.
    found = [read.found(text, Sql("%s", (word.casefold(),))) for word in words_of(search)]
    return _join([Sql(f"{each.text} > 0", each.params) for each in found], word="AND") if found else None


def among_ids(ids: Sequence[int]) -> RawSQL:
    """Return a condition for the rows with these ids."""
    return as_condition(row_among(ids))


def words_of(search: str) -> list[str]:
    """Return the distinct words of a search. Raises Malformed for text that no database can search for."""
    try:
        refuse_unstorable_text(search)
    except ValueFault as fault:
        raise Malformed.at("search", fault.message, code=fault.code) from None
    words = list(dict.fromkeys(search.split()))
    if len(words) > MAX_WORDS:
        raise Malformed.at("search", TOO_MANY_WORDS(count=MAX_WORDS))
    return words


def ordering(sort: Iterable[SortKey], *, shape: TableShape, read: Dialect | None = None) -> list[Sql]:
    """Return the terms of ORDER BY: empty cells last in both directions, ties by position, then id."""
    read = read or dialect()
    keys: list[Sql] = []
    for key in sort:
        column = shape.column(key.column_id)
        if column is not None:
            direction = "DESC" if key.descending else "ASC"
            keys += [Sql(f"{cell.text} {direction} NULLS LAST", cell.params) for cell in sort_cells(column, read=read)]
    return [*keys, row_column("position"), row_column("id")]


def comparable(column: ColumnSpec, *, read: Dialect) -> Sql:
    """Return the cell in the form in which values of this column are compared."""
    kind = get_column_type(column.type)
    source = kind.source(column.id)
    if kind.comparison == "folded":
        return read.folded(source)
    if kind.comparison == "number":
        return read.number(source)
    if kind.comparison == "boolean":
        return read.boolean(source)
    if kind.comparison == "names":
        return read.folded_names(source)
    return read.plain(source) if kind.comparison == "options" else read.short(source)


def plain_cell(column: ColumnSpec, *, read: Dialect) -> Sql:
    """Return an expression that is NULL where the column has no value."""
    return read.plain(get_column_type(column.type).source(column.id))


def sort_cells(column: ColumnSpec, *, read: Dialect) -> list[Sql]:
    """Return the expressions that rows are ordered by when they are sorted by this column."""
    if get_column_type(column.type).comparison == "option":
        return [read.option_index(column.id, column.options)]
    if get_column_type(column.type).comparison == "person":
        return [read.person_index(column.id, column.people.ids)]
    if get_column_type(column.type).comparison == "options":
        return read.option_indexes(column.id, column.options)
    if get_column_type(column.type).comparison == "raw":
        return [read.raw(column.id)]
    cell = comparable(column, read=read)
    head = read.head(cell) if get_column_type(column.type).comparison == "folded" else None
    # First by the beginning of a text, which can be indexed where the whole text cannot.
    return [cell] if head is None else [head, cell]


def index_cell(column: ColumnSpec, *, sorted_by: bool, read: Dialect) -> Sql | None:
    """Return the expression of an index for sorting by the column, or for filtering by it; None if it has none."""
    comparison = get_column_type(column.type).comparison
    if comparison == "names":
        # Names are a subquery or a function of this project, which no index can have.
        return None
    if sorted_by and comparison == "options" and isinstance(read, Sqlite):
        return None
    return sort_cells(column, read=read)[0] if sorted_by else _tested_cells(column, read=read)[0]


def _tested_cells(column: ColumnSpec, *, read: Dialect) -> list[Sql]:
    """Return the expressions that a value is compared with when rows are filtered by the column."""
    comparison = get_column_type(column.type).comparison
    if comparison == "options":
        return [read.listed(column.id)]
    return [read.short(column.id)] if comparison in ("option", "person") else sort_cells(column, read=read)


def sort_operands(value: Any, *, column: ColumnSpec, read: Dialect) -> list[Sql] | None:
    """Return a stored value in the forms of `sort_cells`; None if it has no position, like an empty cell."""
    comparison = get_column_type(column.type).comparison
    if comparison == "option":
        return [read.index_of_option(value, column.options)] if value in column.options else None
    if comparison == "options":
        known = [option for option in value if option in column.options]
        return read.indexes_of_options(known, column.options) if known else None
    if comparison == "person":
        ids = column.people.ids
        return [Sql("%s", (ids.index(value) if value in ids else OTHER_PERSON,))]
    if comparison == "number":
        return [read.double(value)]
    if comparison == "boolean":
        return [Sql("%s", (int(value),))]
    if comparison == "raw":
        return [Sql("%s", (strictjson.dumps(value)[:MAX_OPTION_LENGTH],))]
    if comparison == "names":
        return [read.fold(get_column_type(column.type).searched(value))]
    if comparison == "folded":
        folded = read.fold(value)
        head = read.head(folded)
        return [folded] if head is None else [head, folded]
    return [Sql("%s", (value,))]


def _condition(condition: Condition, *, read: Dialect) -> Sql:
    filled = read.plain(_source(condition))
    if condition.op in ("empty", "not_empty"):
        return Sql(f"({filled.text}) IS {'NOT ' if condition.op == 'not_empty' else ''}NULL", filled.params)
    opposite = get_operator(condition.op).negates
    if opposite:
        test = _test(condition, op=opposite, read=read)
        return Sql(f"(({filled.text}) IS NULL OR NOT ({test.text}))", filled.params + test.params)
    return _test(condition, op=condition.op, read=read)


def _test(condition: Condition, *, op: str, read: Dialect) -> Sql:
    """Return the test of one operator that does not match empty cells."""
    if condition.bounds and op not in END_OF_BOUNDS:
        return _is_between(condition, op=op, read=read)
    return TESTS.get(op, _contains)(condition, op=op, read=read)


def _tested_cell(condition: Condition, *, read: Dialect) -> Sql:
    return comparable(ColumnSpec(id=condition.column_id, name="", type=condition.type), read=read)


def _compares(condition: Condition, *, op: str, read: Dialect) -> Sql:
    value = condition.bounds[END_OF_BOUNDS[op]] if condition.bounds else condition.value
    cell, operand = _tested_cell(condition, read=read), _operand(value, condition=condition, read=read)
    test = Sql(f"{cell.text} {SIGNS[op]} {operand.text}", cell.params + operand.params)
    if op != "eq" or get_column_type(condition.type).comparison != "folded":
        return test
    heads = [head for text in (cell, operand) if (head := read.head(text))]
    same_head = [Sql(" = ".join(head.text for head in heads), sum((head.params for head in heads), ()))]
    return _join([*(same_head if heads else []), test], word="AND")


def _is_between(condition: Condition, *, op: str, read: Dialect) -> Sql:
    cell = _tested_cell(condition, read=read)
    low, high = (_operand(value, condition=condition, read=read) for value in condition.bounds or condition.value)
    return Sql(f"{cell.text} BETWEEN {low.text} AND {high.text}", cell.params + low.params + high.params)


def _is(condition: Condition, *, op: str, read: Dialect) -> Sql:
    cell = _tested_cell(condition, read=read)
    return Sql(f"{cell.text} = %s", (*cell.params, int(condition.value)))


def _contains(condition: Condition, *, op: str, read: Dialect) -> Sql:
    operand = _operand(condition.value, condition=condition, read=read)
    found = read.found(_tested_cell(condition, read=read), operand)
    return Sql(f"{found.text} {'= 1' if op == 'starts_with' else '> 0'}", found.params)


def _source(condition: Condition) -> str:
    return get_column_type(condition.type).source(condition.column_id)


def _among(condition: Condition, values: Sequence[Any], *, read: Dialect) -> Sql:
    if get_column_type(condition.type).comparison == "person":
        return read.among_people(condition.column_id, values) if values else Sql("1 = 0")
    return read.among(_source(condition), values)


# By operator, without the opposites of others. Conditions with days are ranges.
TESTS: dict[str, Callable[..., Sql]] = {
    "contains": _contains,
    "starts_with": _contains,
    **dict.fromkeys(SIGNS, _compares),
    "between": _is_between,
    "is": _is,
    "any_of": lambda condition, op, read: _among(condition, condition.value, read=read),
    "is_me": lambda condition, op, read: _among(condition, condition.people, read=read),
    "has_any": lambda condition, op, read: read.has_any(condition.column_id, condition.value),
    "has_all": lambda condition, op, read: read.has_all(condition.column_id, condition.value),
}


def _operand(value: str | int | float, *, condition: Condition, read: Dialect) -> Sql:
    if isinstance(value, int | float):
        return read.double(value)
    if get_column_type(condition.type).comparison in ("folded", "names"):
        return read.fold(value)
    return Sql("%s", (value,))


def _join(pieces: Sequence[Sql], *, word: str) -> Sql:
    if len(pieces) == 1:
        return pieces[0]
    return Sql.joined(pieces, between=f" {word} ", around="({})")


def as_condition(sql: Sql) -> RawSQL:
    """Return the condition for `QuerySet.filter`."""
    return RawSQL(sql.text, sql.params, output_field=BooleanField())
