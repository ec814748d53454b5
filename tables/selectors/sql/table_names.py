"""SQL of names and descriptions of tables."""
from __future__ import annotations

from django.db import connection

from tables.models import Table
from tables.selectors.sql.dialects import dialect
from tables.selectors.sql.expressions import Sql


def name_contains(word: str) -> Sql:
    """Test whether the name or description of a table contains the word, regardless of case."""
    quote, read = connection.ops.quote_name, dialect()
    columns = [f"{quote(Table._meta.db_table)}.{quote(field)}" for field in ("name", "description")]
    folded = f"casefold({columns[0]} || ' ' || {columns[1]})"
    if connection.vendor != "sqlite":
        folded = f"lower(({columns[0]} || ' ' || {columns[1]}) COLLATE \"und-x-icu\") COLLATE \"C\""
    found = read.found(Sql(folded), read.fold(word))
    return Sql(f"{found.text} > 0", found.params)


def name_folded() -> Sql:
    """Return the case-folded name of a table, ordered by code point like the cells of text columns."""
    quote = connection.ops.quote_name
    name = f"{quote(Table._meta.db_table)}.{quote('name')}"
    if connection.vendor == "sqlite":
        return Sql(f"casefold({name})")
    return Sql(f'lower({name} COLLATE "und-x-icu") COLLATE "C"')
