"""Statements that store what was made or changed, as a model's `save` would, to be sent several at once."""
from __future__ import annotations

from functools import lru_cache
from typing import Any

from django.db import connection
from django.db.models import Field, JSONField, Model
from django.db.models.expressions import RawSQL

from shared.db.compiled import Statement


def insertion(*made: Model, or_ignore: bool = False) -> Statement:
    """Stores what was made, all of one kind; `or_ignore`: what is there already stays. From now on it counts as stored.

    Keys that the database gives are not read: whoever needs one uses `save`.
    """
    fields, sql, row = _inserting(type(made[0]))
    params = [field.get_db_prep_save(field.pre_save(one, True), connection) for one in made for field in fields]
    for one in made:
        one._state.adding, one._state.db = False, connection.alias
    whole = f"{sql} VALUES {', '.join([row] * len(made))}"
    return Statement(f"{whole} ON CONFLICT DO NOTHING" if or_ignore else whole, params)


def update(changed: Model, *names: str) -> Statement:
    """Stores these fields of what was changed."""
    meta = changed._meta
    fields: list[Field[Any, Any]] = [meta.get_field(name) for name in names]  # type: ignore[misc]  # of concrete ones
    assert meta.pk is not None
    values = ", ".join(f'"{field.column}" = %s' for field in fields)
    params = [field.get_db_prep_save(field.pre_save(changed, False), connection) for field in fields]
    key = meta.pk.get_db_prep_save(changed.pk, connection)
    return Statement(f'UPDATE "{meta.db_table}" SET {values} WHERE "{meta.pk.column}" = %s', [*params, key])


def json_text(text: str) -> RawSQL:
    """A value for a JSON field that is JSON text already, and is not to be written a second time."""
    return RawSQL("%s::jsonb" if connection.vendor == "postgresql" else "%s", (text,), output_field=JSONField())


@lru_cache(maxsize=64)
def _inserting(model: type[Model]) -> tuple[list[Field[Any, Any]], str, str]:
    fields = [field for field in model._meta.concrete_fields if not getattr(field, "db_returning", False)]
    columns = ", ".join(f'"{field.column}"' for field in fields)
    return fields, f'INSERT INTO "{model._meta.db_table}" ({columns})', f"({', '.join(['%s'] * len(fields))})"
