"""Queries that Django compiles once, and queries that run together in one round trip."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.db import connection
from django.db.models import BigIntegerField, CharField, DateField, DateTimeField, Field, QuerySet, UUIDField

from shared.db.statements import Converters, Statement, converters_of, run_statements

T = TypeVar("T")

# By type of parameter: the values that represent the parameters while Django compiles a query, and the field that
# prepares the real ones. A query must not contain these values otherwise.
SENTINELS: dict[type, tuple[Callable[[int], Any], Field[Any, Any]]] = {
    UUID: (lambda nth: UUID(f"5eed5eed-0000-4000-8000-5eed5eed{nth:04x}"), UUIDField()),
    str: (lambda nth: f"sentinel of text parameter {nth}", CharField()),
    int: (lambda nth: -1_029_384_756 - nth, BigIntegerField()),
    date: (lambda nth: date(1902, 3, 4) + timedelta(nth), DateField()),
    datetime: (lambda nth: datetime(1905, 6, 7, 8, 9, nth, 111_213, tzinfo=UTC), DateTimeField()),
}


@dataclass(frozen=True)
class CompiledSql:
    """A query compiled for one database vendor.

    `positions` has an entry for each of `params`: the index of the argument that replaces it, or None.
    """

    sql: str
    params: tuple[Any, ...]
    positions: tuple[int | None, ...]
    converters: Converters


class CompiledQuery:
    """A `values_list` query that Django compiles once for each database vendor; later runs only bind new parameters.

    `build` returns the queryset for parameters by name, whose types are `types`, and uses each of them unchanged.
    """

    def __init__(self, build: Callable[..., QuerySet[Any, Any]], **types: type) -> None:
        self._build = build
        sentinels = [(SENTINELS[kind][0](nth), SENTINELS[kind][1]) for nth, kind in enumerate(types.values())]
        self._sentinels = dict(zip(types, sentinels, strict=True))
        self._compiled: dict[str, CompiledSql] = {}

    def rows(self, **values: Any) -> list[tuple[Any, ...]]:
        """Run the query with these parameters and return its rows."""
        return run_statements(self.statement(**values))[0]

    def statement(self, **values: Any) -> Statement:
        """Return the query with these parameters as a statement."""
        compiled = self._compiled.get(connection.vendor)
        if compiled is None:
            compiled = self._compiled[connection.vendor] = self._compile()
        arguments = [field.get_db_prep_value(values[name], connection) for name, (_, field) in self._sentinels.items()]
        params = [
            param if position is None else arguments[position]
            for position, param in zip(compiled.positions, compiled.params, strict=True)
        ]
        return Statement(compiled.sql, params, compiled.converters, is_prepared=True)

    def _compile(self) -> CompiledSql:
        query = self._build(**{name: value for name, (value, _) in self._sentinels.items()}).query
        compiler = query.get_compiler(connection=connection)
        sql, params = compiler.as_sql()
        sentinels = [field.get_db_prep_value(value, connection) for value, field in self._sentinels.values()]
        positions = tuple(sentinels.index(param) if param in sentinels else None for param in params)
        assert set(positions) >= set(range(len(sentinels))), "the query must use each parameter unchanged"
        return CompiledSql(sql, tuple(params), positions, converters_of([column[0] for column in compiler.select]))


@dataclass(frozen=True)
class Query(Generic[T]):
    """Statements that belong together. `read` gets the rows of each and returns the result."""

    statements: tuple[Statement, ...]
    read: Callable[..., T]


def run_query(query: Query[T]) -> T:
    """Run a query and return its result."""
    return query.read(*run_statements(*query.statements))


def run_queries(*queries: Query[Any]) -> list[Any]:
    """Run queries in order and return the result of each. PostgreSQL gets all of them in one round trip."""
    rows = iter(run_statements(*(statement for query in queries for statement in query.statements)))
    return [query.read(*islice(rows, len(query.statements))) for query in queries]
