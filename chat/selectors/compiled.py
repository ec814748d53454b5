"""Queries that are asked so often that putting them together costs more than answering them."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import DateField, DateTimeField, Field, IntegerField, QuerySet, UUIDField

# What stands in a query for its parameters while it is put together, and nowhere else.
STAND_INS: dict[type, tuple[Any, Field[Any, Any]]] = {
    UUID: (UUID("5eed5eed-0000-4000-8000-5eed5eed5eed"), UUIDField()),
    int: (-1_029_384_756, IntegerField()),
    date: (date(1902, 3, 4), DateField()),
    datetime: (datetime(1905, 6, 7, 8, 9, 10, 111_213, tzinfo=UTC), DateTimeField()),
}




@dataclass(frozen=True)
class Plan:
    """The query for one kind of database: which of its parameters are ours, and how its columns are read."""

    sql: str
    params: tuple[Any, ...]
    places: tuple[int | None, ...]
    converters: tuple[tuple[int, list[Callable[..., Any]], Any], ...]


class Compiled:
    """A query of values, put together by Django once for each kind of database; then only its parameters are new.

    `build` makes it of parameters by name, of these `kinds`, at most one of each, and uses all of them as they are.
    """

    def __init__(self, build: Callable[..., QuerySet[Any, Any]], **kinds: type) -> None:
        self._build = build
        self._stand_ins = {name: STAND_INS[kind] for name, kind in kinds.items()}
        self._plans: dict[str, Plan] = {}

    def rows(self, **values: Any) -> list[tuple[Any, ...]]:
        """What the query finds with these parameters."""
        plan = self._plans.get(connection.vendor)
        if plan is None:
            plan = self._plans[connection.vendor] = self._plan()
        given = [field.get_db_prep_value(values[name], connection) for name, (_, field) in self._stand_ins.items()]
        params = [param if at is None else given[at] for at, param in zip(plan.places, plan.params, strict=True)]
        with connection.cursor() as cursor:
            cursor.execute(plan.sql, params)
            found = [list(row) for row in cursor.fetchall()]
        for at, convert, expression in plan.converters:
            for row in found:
                for each in convert:
                    row[at] = each(row[at], expression, connection)
        return [tuple(row) for row in found]

    def _plan(self) -> Plan:
        query = self._build(**{name: value for name, (value, _) in self._stand_ins.items()}).query
        compiler = query.get_compiler(connection=connection)
        sql, params = compiler.as_sql()
        ours = [field.get_db_prep_value(value, connection) for value, field in self._stand_ins.values()]
        places = tuple(ours.index(param) if param in ours else None for param in params)
        assert set(places) >= set(range(len(ours))), "each parameter stands in the query as it is"
        converters = compiler.get_converters([column[0] for column in compiler.select])
        read = tuple((at, convert, expression) for at, (convert, expression) in converters.items())
        return Plan(sql, tuple(params), places, read)
