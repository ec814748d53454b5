"""How each database reads a cell, so that both see the same: folded text, doubles, the order of code points.

Every piece is SQL with placeholders and its parameters. Nothing a person or a model wrote is ever part of the SQL:
column ids and values are parameters too.
"""
from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from django.db import connection

from tables.models import Row, Table

LONGEST_OPTION = 255
HEAD = 200


@dataclass(frozen=True)
class Sql:
    """A piece of SQL and what stands at its placeholders."""

    text: str
    params: tuple[Any, ...] = ()

    @classmethod
    def joined(cls, pieces: Iterable[Sql], *, between: str, around: str = "{}") -> Sql:
        """Several pieces as one."""
        pieces = list(pieces)
        text = between.join(around.format(piece.text) for piece in pieces)
        return cls(text, tuple(param for piece in pieces for param in piece.params))


class Dialect(Protocol):
    """Reads the cell of a column in the forms that comparisons need; NULL for no value in each."""

    def plain(self, column_id: str) -> Sql:
        """The cell as exact text, ordered by code point."""

    def short(self, column_id: str) -> Sql:
        """The cell as exact text where no value is longer than an option may be: in a form an index takes."""

    def raw(self, column_id: str) -> Sql:
        """The beginning of the cell's JSON, whatever it holds."""

    def head(self, text: Sql) -> Sql | None:
        """The beginning of a text, in a form an index takes; None where there are no such indexes."""

    def folded(self, column_id: str) -> Sql:
        """The cell as text without case, ordered by code point."""

    def number(self, column_id: str) -> Sql:
        """The cell as a double."""

    def truth(self, column_id: str) -> Sql:
        """The cell as 1 or 0."""

    def place(self, column_id: str, options: Sequence[str]) -> Sql:
        """The place of the cell's value among the options."""

    def place_of(self, option: str, options: Sequence[str]) -> Sql:
        """The place of one of the options, as `place` counts."""

    def among(self, column_id: str, values: Sequence[str]) -> Sql:
        """Whether the cell is exactly one of the values."""

    def among_composed(self, column_id: str, values: Sequence[str]) -> Sql:
        """Whether the cell, in NFC, is one of the values."""

    def among_numbers(self, column_id: str, values: Sequence[float]) -> Sql:
        """Whether the cell is one of the numbers."""

    def fold(self, value: str) -> Sql:
        """A given text as `folded` would read it."""

    def double(self, value: float) -> Sql:
        """A given number as `number` would read it."""

    def found(self, text: Sql, word: Sql) -> Sql:
        """Where the word begins in the text, counted from 1; 0 when it is not there."""


class Sqlite:
    """JSON functions; `casefold` and `nfc` are our own (see `sqlite`)."""

    def __init__(self, cells: str) -> None:
        self._cells = cells

    def plain(self, column_id: str) -> Sql:
        return Sql(f"json_extract({self._cells}, %s)", (f'$."{column_id}"',))

    def short(self, column_id: str) -> Sql:
        return self.plain(column_id)

    def raw(self, column_id: str) -> Sql:
        return Sql(f"substr({self._cells} -> %s, 1, {LONGEST_OPTION})", (f'$."{column_id}"',))

    def head(self, text: Sql) -> Sql | None:
        return None

    def folded(self, column_id: str) -> Sql:
        cell = self.plain(column_id)
        return Sql(f"casefold({cell.text})", cell.params)

    def number(self, column_id: str) -> Sql:
        cell = self.plain(column_id)
        return Sql(f"CAST({cell.text} AS REAL)", cell.params)

    def truth(self, column_id: str) -> Sql:
        return self.plain(column_id)

    def place(self, column_id: str, options: Sequence[str]) -> Sql:
        cell = self.plain(column_id)
        listed = json.dumps(list(options))
        return Sql(f"(SELECT o.key FROM json_each(%s) AS o WHERE o.value = {cell.text})", (listed, *cell.params))

    def place_of(self, option: str, options: Sequence[str]) -> Sql:
        return Sql("%s", (options.index(option),))

    def among(self, column_id: str, values: Sequence[str]) -> Sql:
        cell = self.plain(column_id)
        return Sql(f"{cell.text} IN (SELECT v.value FROM json_each(%s) AS v)", (*cell.params, json.dumps(list(values))))

    def among_composed(self, column_id: str, values: Sequence[str]) -> Sql:
        cell = self.plain(column_id)
        listed = "(SELECT v.value FROM json_each(%s) AS v)"
        return Sql(f"nfc({cell.text}) IN {listed}", (*cell.params, json.dumps(list(values))))

    def among_numbers(self, column_id: str, values: Sequence[float]) -> Sql:
        cell = self.number(column_id)
        listed = "(SELECT CAST(v.value AS REAL) FROM json_each(%s) AS v)"
        return Sql(f"{cell.text} IN {listed}", (*cell.params, json.dumps(list(values))))

    def fold(self, value: str) -> Sql:
        return Sql("%s", (value.casefold(),))

    def double(self, value: float) -> Sql:
        # Through the same reading of digits as the cells: SQLite's own may be off by the last bit.
        return Sql("CAST(json_extract(%s, '$') AS REAL)", (json.dumps(value),))

    def found(self, text: Sql, word: Sql) -> Sql:
        return Sql(f"instr({text.text}, {word.text})", text.params + word.params)


class Postgres:
    """jsonb operators; ICU folds case whatever locale the database was made with."""

    def __init__(self, cells: str) -> None:
        self._cells = cells

    def plain(self, column_id: str) -> Sql:
        return Sql(f'({self._cells} ->> %s::text) COLLATE "C"', (column_id,))

    # An index takes no entry of more than 2,700 bytes, and refuses to write the row: hence the beginnings.

    def short(self, column_id: str) -> Sql:
        return Sql(f'left({self._cells} ->> %s::text, {LONGEST_OPTION}) COLLATE "C"', (column_id,))

    def raw(self, column_id: str) -> Sql:
        return Sql(f'left(({self._cells} -> %s::text)::text, {LONGEST_OPTION}) COLLATE "C"', (column_id,))

    def head(self, text: Sql) -> Sql | None:
        return Sql(f'left({text.text}, {HEAD}) COLLATE "C"', text.params)

    def folded(self, column_id: str) -> Sql:
        return Sql(f'lower(({self._cells} ->> %s::text) COLLATE "und-x-icu") COLLATE "C"', (column_id,))

    def number(self, column_id: str) -> Sql:
        # CASE alone promises an order: rows that do not belong here may hold text at this key.
        cell = f"({self._cells} ->> %s::text)::double precision"
        kind = f"jsonb_typeof({self._cells} -> %s::text) = 'number'"
        return Sql(f"CASE WHEN {kind} THEN {cell} END", (column_id, column_id))

    def truth(self, column_id: str) -> Sql:
        return Sql(f"(({self._cells} ->> %s::text) = 'true')::int", (column_id,))

    def place(self, column_id: str, options: Sequence[str]) -> Sql:
        cell = self.short(column_id)
        return Sql(f"array_position(%s::text[], {cell.text})", (list(options), *cell.params))

    def place_of(self, option: str, options: Sequence[str]) -> Sql:
        return Sql("%s", (options.index(option) + 1,))

    def among(self, column_id: str, values: Sequence[str]) -> Sql:
        cell = self.short(column_id)
        return Sql(f"{cell.text} = ANY(%s::text[])", (*cell.params, list(values)))

    def among_composed(self, column_id: str, values: Sequence[str]) -> Sql:
        cell = self.plain(column_id)
        return Sql(f"normalize({cell.text}, NFC) = ANY(%s::text[])", (*cell.params, list(values)))

    def among_numbers(self, column_id: str, values: Sequence[float]) -> Sql:
        cell = self.number(column_id)
        return Sql(f"{cell.text} = ANY(%s::double precision[])", (*cell.params, [float(value) for value in values]))

    def fold(self, value: str) -> Sql:
        return Sql('lower(%s::text COLLATE "und-x-icu") COLLATE "C"', (value,))

    def double(self, value: float) -> Sql:
        return Sql("%s::double precision", (float(value),))

    def found(self, text: Sql, word: Sql) -> Sql:
        return Sql(f"strpos({text.text}, {word.text})", text.params + word.params)


class _NamedCells:
    """Reads each cell under a name, so that a subquery computes it once a row for any number of conditions."""

    def __init__(self, read: Dialect) -> None:
        self._read = read
        self._names: dict[Sql, str] = {}

    @property
    def columns(self) -> Sql:
        """The select list of the subquery that computes the cells."""
        listed = [Sql(f"{cell.text} AS {name}", cell.params) for cell, name in self._names.items()]
        return Sql.joined(listed, between=", ")

    @property
    def count(self) -> int:
        """The number of different cells."""
        return len(self._names)

    def plain(self, column_id: str) -> Sql:
        return self._named(self._read.plain(column_id))

    def short(self, column_id: str) -> Sql:
        return self._named(self._read.short(column_id))

    def folded(self, column_id: str) -> Sql:
        return self._named(self._read.folded(column_id))

    def number(self, column_id: str) -> Sql:
        return self._named(self._read.number(column_id))

    def truth(self, column_id: str) -> Sql:
        return self._named(self._read.truth(column_id))

    def _named(self, cell: Sql) -> Sql:
        return Sql(self._names.setdefault(cell, f"cell_{len(self._names)}"))


class SqliteNamedCells(_NamedCells, Sqlite):
    """Named cells on SQLite."""


class PostgresNamedCells(_NamedCells, Postgres):
    """Named cells on PostgreSQL."""


def dialect() -> Dialect:
    """That of the database in use, reading cells of the table of rows."""
    quote = connection.ops.quote_name
    cells = f"{quote(Row._meta.db_table)}.{quote('data')}"
    return Sqlite(cells) if connection.vendor == "sqlite" else Postgres(cells)


def named_cells() -> SqliteNamedCells | PostgresNamedCells:
    """The same, with names for cells; `columns` are what a subquery must select."""
    return SqliteNamedCells(dialect()) if connection.vendor == "sqlite" else PostgresNamedCells(dialect())


def unflattened() -> str:
    """The end of a subquery that is to be computed by itself: merged into its parent, its columns are repeated."""
    return "LIMIT -1 OFFSET 0" if connection.vendor == "sqlite" else "OFFSET 0"


def row_column(name: str) -> Sql:
    """A column of the table of rows; only for names written in this project."""
    quote = connection.ops.quote_name
    return Sql(f"{quote(Row._meta.db_table)}.{quote(name)}")


def row_among(ids: Sequence[int]) -> Sql:
    """Whether a row has one of these ids; one parameter for any number of them, which spares much building of SQL."""
    pk = row_column("id").text
    if connection.vendor == "sqlite":
        return Sql(f"{pk} IN (SELECT value FROM json_each(%s))", (json.dumps(list(ids)),))
    return Sql(f"{pk} = ANY(%s::bigint[])", (list(ids),))


def row_text() -> Sql:
    """The searchable text of a row."""
    return row_column("search_text")


def name_contains(word: str) -> Sql:
    """Whether a table's name or description holds the word, without regard to case."""
    quote, read = connection.ops.quote_name, dialect()
    columns = [f"{quote(Table._meta.db_table)}.{quote(field)}" for field in ("name", "description")]
    folded = f"casefold({columns[0]} || ' ' || {columns[1]})"
    if connection.vendor != "sqlite":
        folded = f"lower(({columns[0]} || ' ' || {columns[1]}) COLLATE \"und-x-icu\") COLLATE \"C\""
    place = read.found(Sql(folded), read.fold(word))
    return Sql(f"{place.text} > 0", place.params)


def name_folded() -> Sql:
    """A table's name without case, ordered by code point, as the cells of text columns are."""
    quote = connection.ops.quote_name
    name = f"{quote(Table._meta.db_table)}.{quote('name')}"
    if connection.vendor == "sqlite":
        return Sql(f"casefold({name})")
    return Sql(f'lower({name} COLLATE "und-x-icu") COLLATE "C"')
