"""SQL statements with their parameters: several in one round trip, and those that store model instances."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.db import connection
from django.db.models import Field, JSONField, Model
from django.db.models.expressions import RawSQL

# Position of a column, the functions that convert its values, and the expression that they are called with.
Converters = tuple[tuple[int, list[Callable[..., Any]], Any], ...]


@dataclass(frozen=True)
class Statement:
    """A statement with its parameters as the database takes them, and the converters of its columns.

    PostgreSQL plans one with `is_prepared` once for each connection, unless it is sent together with others: its plan
    must not depend on the parameters, and its rows not be in a partitioned table.
    """

    sql: str
    params: Sequence[Any]
    converters: Converters = ()
    is_prepared: bool = False


def run_statements(*statements: Statement) -> list[list[tuple[Any, ...]]]:
    """Run the statements in order and return the rows of each.

    PostgreSQL gets all of them in one round trip. Each statement sees the data committed before it began, as if it had
    been sent separately.
    """
    is_postgresql = connection.vendor == "postgresql"
    with _cursor(is_prepared=is_postgresql and len(statements) == 1 and statements[0].is_prepared) as cursor:
        if len(statements) > 1 and is_postgresql:
            cursor.execute("; ".join(cursor.mogrify(each.sql, each.params) for each in statements))
            results = [_fetch(cursor)]
            while cursor.nextset():
                results.append(_fetch(cursor))
        else:
            results = []
            for each in statements:
                cursor.execute(each.sql, each.params)
                results.append(_fetch(cursor))
    return [_convert(rows, converters=each.converters) for each, rows in zip(statements, results, strict=True)]


@contextmanager
def pipelined_statements() -> Iterator[None]:
    """Send the statements of this block to PostgreSQL without waiting for the end of those before them.

    Python computes the next ones meanwhile. Their results and numbers of rows cannot be used, and COPY cannot be sent.
    If a statement fails, those after it are not executed, and its error is raised at the end of the block at the
    latest. Must run in a transaction. SQLite executes each statement at once.
    """
    if connection.vendor != "postgresql":
        yield
        return
    with connection.wrap_database_errors, connection.connection.pipeline():
        yield


def large_parameter_cursor() -> Any:
    """Return a cursor for statements with large parameters, which PostgreSQL gets apart from the SQL.

    Parameters have types there: cast those whose type does not follow from the statement.
    """
    backend: Any = connection
    return backend.large_parameter_cursor() if connection.vendor == "postgresql" else connection.cursor()


def insert_statement(*instances: Model, ignore_conflicts: bool = False) -> Statement:
    """Return the statement that inserts these instances of one model, which count as saved from now on.

    With `ignore_conflicts`, existing rows remain. Primary keys that the database generates are not read back: use
    `save` where one is needed.
    """
    fields, sql, row = _insert_parts(type(instances[0]))
    params = [field.get_db_prep_save(field.pre_save(each, True), connection) for each in instances for field in fields]
    for each in instances:
        each._state.adding, each._state.db = False, connection.alias
    whole = f"{sql} VALUES {', '.join([row] * len(instances))}"
    return Statement(f"{whole} ON CONFLICT DO NOTHING" if ignore_conflicts else whole, params)


def update_statement(instance: Model, *names: str) -> Statement:
    """Return the statement that stores these fields of an instance, without names all of them."""
    meta = instance._meta
    assert meta.pk is not None
    fields: list[Field[Any, Any]] = [meta.get_field(name) for name in names]  # type: ignore[misc]  # concrete fields
    fields = fields or [field for field in meta.concrete_fields if field is not meta.pk]
    values = ", ".join(f'"{field.column}" = %s' for field in fields)
    params = [field.get_db_prep_save(field.pre_save(instance, False), connection) for field in fields]
    key = meta.pk.get_db_prep_save(instance.pk, connection)
    return Statement(f'UPDATE "{meta.db_table}" SET {values} WHERE "{meta.pk.column}" = %s', [*params, key])


def raw_json(text: str) -> RawSQL:
    """Return a value for a JSON field from a text that is JSON already, so that it is not encoded again."""
    return RawSQL("%s::jsonb" if connection.vendor == "postgresql" else "%s", (text,), output_field=JSONField())


def field_converters(*fields: Field[Any, Any]) -> Converters:
    """Return the converters of these model fields, which a hand-written statement selects in this order."""
    return converters_of([field.cached_col for field in fields])


def converters_of(expressions: list[Any]) -> Converters:
    """Return the converters of these compiled expressions; those without any are left out."""
    converters = []
    for position, expression in enumerate(expressions):
        functions = [*connection.ops.get_db_converters(expression), *expression.get_db_converters(connection)]
        if functions:
            converters.append((position, functions, expression))
    return tuple(converters)


@lru_cache(maxsize=64)
def _insert_parts(model: type[Model]) -> tuple[list[Field[Any, Any]], str, str]:
    # Fields with a default of the database are returned by it too, but those with one in Python have a value already.
    fields = [
        field
        for field in model._meta.concrete_fields
        if field.has_default() or not getattr(field, "db_returning", False)
    ]
    columns = ", ".join(f'"{field.column}"' for field in fields)
    return fields, f'INSERT INTO "{model._meta.db_table}" ({columns})', f"({', '.join(['%s'] * len(fields))})"


def _cursor(*, is_prepared: bool) -> Any:
    backend: Any = connection
    return backend.prepared_cursor() if is_prepared else connection.cursor()


def _fetch(cursor: Any) -> list[tuple[Any, ...]]:
    return cursor.fetchall() if _has_rows(cursor) else []


def _has_rows(cursor: Any) -> bool:
    if connection.vendor != "postgresql":
        return cursor.description is not None
    # psycopg creates an object for each column of `description`.
    result = cursor.pgresult
    return result is not None and result.nfields > 0


def _convert(rows: list[tuple[Any, ...]], *, converters: Converters) -> list[tuple[Any, ...]]:
    if not converters or not rows:
        return rows
    converted = [list(row) for row in rows]
    for position, functions, expression in converters:
        for row in converted:
            for function in functions:
                row[position] = function(row[position], expression, connection)
    return [tuple(row) for row in converted]
