"""Queries that are put together once, and statements that go to the database together."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import BigIntegerField, CharField, DateField, DateTimeField, Field, QuerySet, UUIDField

# What stands in a query for its parameters while it is put together, and nowhere else: for each of them another.
STAND_INS: dict[type, tuple[Callable[[int], Any], Field[Any, Any]]] = {
    UUID: (lambda nth: UUID(f"5eed5eed-0000-4000-8000-5eed5eed{nth:04x}"), UUIDField()),
    str: (lambda nth: f"stands in for text {nth}", CharField()),
    int: (lambda nth: -1_029_384_756 - nth, BigIntegerField()),
    date: (lambda nth: date(1902, 3, 4) + timedelta(nth), DateField()),
    datetime: (lambda nth: datetime(1905, 6, 7, 8, 9, nth, 111_213, tzinfo=UTC), DateTimeField()),
}

Readers = tuple[tuple[int, list[Callable[..., Any]], Any], ...]


@dataclass(frozen=True)
class Plan:
    """The query for one kind of database: which of its parameters are ours, and how its columns are read."""

    sql: str
    params: tuple[Any, ...]
    places: tuple[int | None, ...]
    readers: Readers


@dataclass(frozen=True)
class Statement:
    """A statement with its parameters as the database takes them, and how the columns of what it finds are read."""

    sql: str
    params: Sequence[Any]
    readers: Readers = ()


class Compiled:
    """A query of values, put together by Django once for each kind of database; then only its parameters are new.

    `build` makes it of parameters by name, of these `kinds`, and uses all of them as they are.
    """

    def __init__(self, build: Callable[..., QuerySet[Any, Any]], **kinds: type) -> None:
        self._build = build
        made = [(STAND_INS[kind][0](nth), STAND_INS[kind][1]) for nth, kind in enumerate(kinds.values())]
        self._stand_ins = dict(zip(kinds, made, strict=True))
        self._plans: dict[str, Plan] = {}

    def rows(self, **values: Any) -> list[tuple[Any, ...]]:
        """What the query finds with these parameters."""
        return send(self.statement(**values))[0]

    def statement(self, **values: Any) -> Statement:
        """The query with these parameters, to be sent."""
        plan = self._plans.get(connection.vendor)
        if plan is None:
            plan = self._plans[connection.vendor] = self._plan()
        given = [field.get_db_prep_value(values[name], connection) for name, (_, field) in self._stand_ins.items()]
        params = [param if at is None else given[at] for at, param in zip(plan.places, plan.params, strict=True)]
        return Statement(plan.sql, params, plan.readers)

    def _plan(self) -> Plan:
        query = self._build(**{name: value for name, (value, _) in self._stand_ins.items()}).query
        compiler = query.get_compiler(connection=connection)
        sql, params = compiler.as_sql()
        ours = [field.get_db_prep_value(value, connection) for value, field in self._stand_ins.values()]
        places = tuple(ours.index(param) if param in ours else None for param in params)
        assert set(places) >= set(range(len(ours))), "each parameter stands in the query as it is"
        return Plan(sql, tuple(params), places, _readers([column[0] for column in compiler.select]))


def readers_of(*columns: Field[Any, Any]) -> Readers:
    """How columns of models are read that a statement by hand finds, in this order."""
    return _readers([column.cached_col for column in columns])


def send(*statements: Statement) -> list[list[tuple[Any, ...]]]:
    """What each of them finds, one carried out after the other; in one trip where the database takes several at once.

    Each sees what was committed before it began, just as if it had been sent by itself.
    """
    with connection.cursor() as cursor:
        if len(statements) > 1 and connection.vendor == "postgresql":
            cursor.execute("; ".join(cursor.mogrify(one.sql, one.params) for one in statements))
            found = [_found(cursor)]
            while cursor.nextset():
                found.append(_found(cursor))
        else:
            found = []
            for one in statements:
                cursor.execute(one.sql, one.params)
                found.append(_found(cursor))
    return [_read(rows, readers=one.readers) for one, rows in zip(statements, found, strict=True)]


def _readers(expressions: list[Any]) -> Readers:
    readers = []
    for at, expression in enumerate(expressions):
        converters = [*connection.ops.get_db_converters(expression), *expression.get_db_converters(connection)]
        if converters:
            readers.append((at, converters, expression))
    return tuple(readers)


def _found(cursor: Any) -> list[tuple[Any, ...]]:
    return cursor.fetchall() if cursor.description else []


def _read(rows: list[tuple[Any, ...]], *, readers: Readers) -> list[tuple[Any, ...]]:
    if not readers or not rows:
        return rows
    lists = [list(row) for row in rows]
    for at, convert, expression in readers:
        for row in lists:
            for each in convert:
                row[at] = each(row[at], expression, connection)
    return [tuple(row) for row in lists]
