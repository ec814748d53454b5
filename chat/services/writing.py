"""Statements that store what was made or changed, as a model's `save` would, to be sent several at once."""
from __future__ import annotations

from functools import lru_cache
from typing import Any

from django.db import connection
from django.db.models import Field, Model

from chat.selectors.compiled import Statement


def insertion(made: Model, *, or_ignore: bool = False) -> Statement:
    """Stores what was made; `or_ignore`: unless it is there already. From now on it counts as stored.

    A key that the database gives is not read: whoever needs it uses `save`.
    """
    fields, sql = _inserting(type(made))
    params = [field.get_db_prep_save(field.pre_save(made, True), connection) for field in fields]
    made._state.adding, made._state.db = False, connection.alias
    return Statement(f"{sql} ON CONFLICT DO NOTHING" if or_ignore else sql, params)


def update(changed: Model, *names: str) -> Statement:
    """Stores these fields of what was changed."""
    meta = changed._meta
    fields: list[Field[Any, Any]] = [meta.get_field(name) for name in names]  # type: ignore[misc]  # of concrete ones
    assert meta.pk is not None
    values = ", ".join(f'"{field.column}" = %s' for field in fields)
    params = [field.get_db_prep_save(field.pre_save(changed, False), connection) for field in fields]
    key = meta.pk.get_db_prep_save(changed.pk, connection)
    return Statement(f'UPDATE "{meta.db_table}" SET {values} WHERE "{meta.pk.column}" = %s', [*params, key])


@lru_cache(maxsize=64)
def _inserting(model: type[Model]) -> tuple[list[Field[Any, Any]], str]:
    fields = [field for field in model._meta.concrete_fields if not getattr(field, "db_returning", False)]
    columns = ", ".join(f'"{field.column}"' for field in fields)
    return fields, f'INSERT INTO "{model._meta.db_table}" ({columns}) VALUES ({", ".join(["%s"] * len(fields))})'
