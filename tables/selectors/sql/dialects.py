"""Cells in the SQL of each database, with the same result: folded text, doubles, code point order.

Column ids and values are parameters, never part of the SQL, except in `cell_indexes`, which checks and quotes them.
"""
from __future__ import annotations

import json
from collections.abc import Sequence
from json.encoder import encode_basestring
from typing import Protocol

from django.db import connection

from tables.column_types.column_type import RowField
from tables.models import Row
from tables.selectors.sql import option_order
from tables.selectors.sql.expressions import Sql, row_field
from tables.selectors.sql.sqlite_functions import option_indexes

MAX_OPTION_LENGTH = 255
MAX_HEAD_LENGTH = 200
OTHER_PERSON = 1_000_000_000  # the index of a user who is not among the people of the table
MAX_ELEMENT_TESTS = 20  # for more elements, it is faster to read the list


class Dialect(Protocol):
    """Forms of a cell that comparisons need. Each is NULL for an empty cell.

    Instead of the id of a column, the methods for texts and numbers take a `RowField`.
    """

    def plain(self, column_id: str) -> Sql:
        """Return the cell as exact text, ordered by code point."""

    def short(self, column_id: str) -> Sql:
        """Return the cell as exact, indexable text, for columns whose values are no longer than an option."""

    def raw(self, column_id: str) -> Sql:
        """Return the beginning of the JSON of the cell, whatever its type."""

    def head(self, text: Sql) -> Sql | None:
        """Return the beginning of a text, in an indexable form; None if the database needs none."""

    def folded(self, column_id: str) -> Sql:
        """Return the cell as case-folded text, ordered by code point."""

    def number(self, column_id: str) -> Sql:
        """Return the cell as a double."""

    def boolean(self, column_id: str) -> Sql:
        """Return the cell as 1 or 0."""

    def option_index(self, column_id: str, options: Sequence[str]) -> Sql:
        """Return the index of the cell's value among the options."""

    def person_index(self, column_id: str, people: Sequence[int]) -> Sql:
        """Return the index of the cell's user among the people, one that is greater than all of these for another."""

    def among_people(self, column_id: str, people: Sequence[int]) -> Sql:
        """Test whether the user in the cell is one of these."""

    def index_of_option(self, option: str, options: Sequence[str]) -> Sql:
        """Return the index of one of the options, as `option_index` counts."""

    def listed(self, column_id: str) -> Sql:
        """Return a list of options in the form that `has_any` and `has_all` test and an index can have."""

    def array(self, column_id: str) -> Sql:
        """Return a list of options as JSON; NULL for a value that is no list."""

    def elements(self, column_id: str, *, alias: str) -> Sql:
        """Return a table with a row for each element of a list, one with NULL for an empty cell, in `value`."""

    def names(self, column_id: str) -> Sql:
        """Return the names of the files in the cell, each on a line."""

    def folded_names(self, column_id: str) -> Sql:
        """Return the names of the files in the cell in the form of `folded`."""

    def option_indexes(self, column_id: str, options: Sequence[str]) -> list[Sql]:
        """Return keys of the order of lists: the indexes of the elements among the options, in ascending order."""

    def indexes_of_options(self, values: Sequence[str], options: Sequence[str]) -> list[Sql]:
        """Return the indexes of some of the options in the form of `option_indexes`."""

    def has_any(self, column_id: str, values: Sequence[str]) -> Sql:
        """Test whether the list in the cell has one of the values."""

    def has_all(self, column_id: str, values: Sequence[str]) -> Sql:
        """Test whether the list in the cell has all of the values."""

    def among(self, column_id: str, values: Sequence[str]) -> Sql:
        """Test whether the cell is exactly one of the values."""

    def among_composed(self, column_id: str, values: Sequence[str]) -> Sql:
        """Test whether the cell, in NFC, is one of the values."""

    def among_numbers(self, column_id: str, values: Sequence[float]) -> Sql:
        """Test whether the cell is one of the numbers."""

    def fold(self, value: str) -> Sql:
        """Return a given text in the form of `folded`."""

    def double(self, value: float) -> Sql:
        """Return a given number in the form of `number`."""

    def local_day(self, column_id: str, *, zone: str) -> Sql:
        """Return the day of a moment in a time zone, an IANA name, as YYYY-MM-DD; NULL for any other cell."""

    def found(self, text: Sql, word: Sql) -> Sql:
        """Return the position of the word in the text, counted from 1; 0 if it is not there."""


class Sqlite:
    """SQLite: JSON functions, and the functions of `add_sql_functions`."""

    def __init__(self, cells: str) -> None:
        self._cells = cells

    def path(self, column_id: str) -> Sql:
        """Return the JSON path of the cell."""
        return Sql("%s", (f'$."{column_id}"',))

    def plain(self, column_id: str) -> Sql:
        if isinstance(column_id, RowField):
            return row_field(column_id)
        path = self.path(column_id)
        return Sql(f"json_extract({self._cells}, {path.text})", path.params)

    def short(self, column_id: str) -> Sql:
        return self.plain(column_id)

    def raw(self, column_id: str) -> Sql:
        path = self.path(column_id)
        return Sql(f"substr({self._cells} -> {path.text}, 1, {MAX_OPTION_LENGTH})", path.params)

    def head(self, text: Sql) -> Sql | None:
        return None

    def folded(self, column_id: str) -> Sql:
        cell = self.plain(column_id)
        return Sql(f"casefold({cell.text})", cell.params)

    def number(self, column_id: str) -> Sql:
        cell = self.plain(column_id)
        return Sql(f"CAST({cell.text} AS REAL)", cell.params)

    def boolean(self, column_id: str) -> Sql:
        return self.plain(column_id)

    def option_index(self, column_id: str, options: Sequence[str]) -> Sql:
        cell = self.plain(column_id)
        text = f"(SELECT o.key FROM json_each(%s) AS o WHERE o.value = {cell.text})"
        return Sql(text, (json.dumps(list(options)), *cell.params))

    def person_index(self, column_id: str, people: Sequence[int]) -> Sql:
        cell, index = self.plain(column_id), self._index_of_person(column_id, people)
        text = f"CASE WHEN {cell.text} IS NOT NULL THEN coalesce({index.text}, {OTHER_PERSON}) END"
        return Sql(text, cell.params + index.params)

    def _index_of_person(self, column_id: str, people: Sequence[int]) -> Sql:
        cell, listed = self.plain(column_id), json.dumps(list(people))
        return Sql(f"(SELECT p.key FROM json_each(%s) AS p WHERE p.value = {cell.text})", (listed, *cell.params))

    def among_people(self, column_id: str, people: Sequence[int]) -> Sql:
        cell = self.plain(column_id)
        if len(people) == 1:
            return Sql(f"{cell.text} = %s", (*cell.params, people[0]))
        return Sql(f"{cell.text} IN (SELECT v.value FROM json_each(%s) AS v)", (*cell.params, json.dumps(list(people))))

    def index_of_option(self, option: str, options: Sequence[str]) -> Sql:
        return Sql("%s", (options.index(option),))

    def listed(self, column_id: str) -> Sql:
        # Each element follows a comma. A quotation mark within an element is escaped.
        cell = self.plain(column_id)
        return Sql(f"(',' || substr({cell.text}, 2))", cell.params)

    def array(self, column_id: str) -> Sql:
        cell = self.plain(column_id)
        text = f"CASE WHEN json_valid({cell.text}) AND json_type({cell.text}) = 'array' THEN {cell.text} END"
        return Sql(text, cell.params * 3)

    def elements(self, column_id: str, *, alias: str) -> Sql:
        cell = self.array(column_id)
        return Sql(f"json_each(coalesce({cell.text}, '[null]')) AS {alias}", cell.params)

    def names(self, column_id: str) -> Sql:
        cell = self.plain(column_id)
        return Sql(f"names_of_files({cell.text})", cell.params)

    def folded_names(self, column_id: str) -> Sql:
        names = self.names(column_id)
        return Sql(f"casefold({names.text})", names.params)

    def option_indexes(self, column_id: str, options: Sequence[str]) -> list[Sql]:
        cell = self.plain(column_id)
        return [Sql(f"option_indexes({cell.text}, %s)", (*cell.params, json.dumps(list(options))))]

    def indexes_of_options(self, values: Sequence[str], options: Sequence[str]) -> list[Sql]:
        return [Sql("%s", (option_indexes(json.dumps(list(values)), json.dumps(list(options))),))]

    def has_any(self, column_id: str, values: Sequence[str]) -> Sql:
        tests = self._element_tests(column_id, values)
        if tests:
            return Sql.joined(tests, between=" OR ", around="({})") if len(tests) > 1 else tests[0]
        cell = self.array(column_id)
        listed = "(SELECT v.value FROM json_each(%s) AS v)"
        text = f"EXISTS (SELECT 1 FROM json_each({cell.text}) AS e WHERE e.value IN {listed})"
        return Sql(text, (*cell.params, json.dumps(list(values))))

    def has_all(self, column_id: str, values: Sequence[str]) -> Sql:
        tests = self._element_tests(column_id, values)
        if tests:
            return Sql.joined(tests, between=" AND ", around="({})") if len(tests) > 1 else tests[0]
        cell = self.array(column_id)
        elements = f"(SELECT e.value FROM json_each({cell.text}) AS e)"
        text = f"NOT EXISTS (SELECT 1 FROM json_each(%s) AS v WHERE v.value NOT IN {elements})"
        return Sql(text, (json.dumps(list(values)), *cell.params))

    def _element_tests(self, column_id: str, values: Sequence[str]) -> list[Sql]:
        """Return a test for each element, many times as fast as reading the list; [] if it would not be exact.

        An element is quoted JSON after a comma. The end of another element and the comma after it look like the start
        of an element that is a comma.
        """
        if len(values) > MAX_ELEMENT_TESTS or "," in values:
            return []
        cell, tests = self.listed(column_id), []
        for value in values:
            # Django writes ASCII only, other code does not.
            forms = dict.fromkeys((encode_basestring(value), json.dumps(value)))
            found = [Sql(f"instr({cell.text}, %s) > 0", (*cell.params, f",{form}")) for form in forms]
            tests.append(Sql.joined(found, between=" OR "))
        return tests

    def among(self, column_id: str, values: Sequence[str]) -> Sql:
        cell = self.plain(column_id)
        if len(values) == 1:
            # The rows with one value are in order in an index, those with several are not.
            return Sql(f"{cell.text} = %s", (*cell.params, values[0]))
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
        # Parsed in the same way as cells, because SQLite's own literals may differ in the last bit.
        return Sql("CAST(json_extract(%s, '$') AS REAL)", (json.dumps(value),))

    def local_day(self, column_id: str, *, zone: str) -> Sql:
        cell = self.plain(column_id)
        return Sql(f"local_day({cell.text}, %s)", (*cell.params, zone))

    def found(self, text: Sql, word: Sql) -> Sql:
        return Sql(f"instr({text.text}, {word.text})", text.params + word.params)


class Postgres:
    """PostgreSQL: jsonb operators. ICU folds case regardless of the locale of the database."""

    def __init__(self, cells: str) -> None:
        self._cells = cells

    def plain(self, column_id: str) -> Sql:
        if isinstance(column_id, RowField):
            return row_field(column_id)
        return Sql(f'({self._cells} ->> %s::text) COLLATE "C"', (column_id,))

    # An index entry has at most 2,700 bytes, and a longer one fails the write. Therefore only beginnings are indexed.
    def short(self, column_id: str) -> Sql:
        if isinstance(column_id, RowField):
            return row_field(column_id)
        return Sql(f'left({self._cells} ->> %s::text, {MAX_OPTION_LENGTH}) COLLATE "C"', (column_id,))

    def raw(self, column_id: str) -> Sql:
        return Sql(f'left(({self._cells} -> %s::text)::text, {MAX_OPTION_LENGTH}) COLLATE "C"', (column_id,))

    def head(self, text: Sql) -> Sql | None:
        return Sql(f'left({text.text}, {MAX_HEAD_LENGTH}) COLLATE "C"', text.params)

    def folded(self, column_id: str) -> Sql:
        if isinstance(column_id, RowField):
            return Sql(f'lower({row_field(column_id).text} COLLATE "und-x-icu") COLLATE "C"')
        return Sql(f'lower(({self._cells} ->> %s::text) COLLATE "und-x-icu") COLLATE "C"', (column_id,))

    def number(self, column_id: str) -> Sql:
        if isinstance(column_id, RowField):
            return Sql(f"{row_field(column_id).text}::double precision")
        # Only CASE guarantees the order of evaluation: rows of other tables may hold text at this key.
        cell = f"({self._cells} ->> %s::text)::double precision"
        kind = f"jsonb_typeof({self._cells} -> %s::text) = 'number'"
        return Sql(f"CASE WHEN {kind} THEN {cell} END", (column_id, column_id))

    def boolean(self, column_id: str) -> Sql:
        return Sql(f"(({self._cells} ->> %s::text) = 'true')::int", (column_id,))

    def option_index(self, column_id: str, options: Sequence[str]) -> Sql:
        cell = self.short(column_id)
        return Sql(f"array_position(%s::text[], {cell.text})", (list(options), *cell.params))

    def person_index(self, column_id: str, people: Sequence[int]) -> Sql:
        cell = self.short(column_id)
        index = f"coalesce(array_position(%s::text[], {cell.text}) - 1, {OTHER_PERSON})"
        listed = [str(each) for each in people]
        return Sql(f"CASE WHEN {cell.text} IS NOT NULL THEN {index} END", (*cell.params, listed, *cell.params))

    def among_people(self, column_id: str, people: Sequence[int]) -> Sql:
        return self.among(column_id, [str(each) for each in people])

    def index_of_option(self, option: str, options: Sequence[str]) -> Sql:
        return Sql("%s", (options.index(option) + 1,))

    def listed(self, column_id: str) -> Sql:
        return Sql(f"({self._cells} -> %s::text)", (column_id,))

    def array(self, column_id: str) -> Sql:
        cell = self.listed(column_id)
        return Sql(f"CASE WHEN jsonb_typeof({cell.text}) = 'array' THEN {cell.text} END", cell.params * 2)

    def elements(self, column_id: str, *, alias: str) -> Sql:
        cell = self.array(column_id)
        values = f"jsonb_array_elements_text(coalesce({cell.text}, '[null]'::jsonb))"
        return Sql(f"LATERAL {values} AS {alias}(value)", cell.params)

    def names(self, column_id: str) -> Sql:
        cell = self.array(column_id)
        files = f"jsonb_array_elements({cell.text}) WITH ORDINALITY AS e(value, number)"
        text = f"(SELECT string_agg(e.value ->> 'name', E'\\n' ORDER BY e.number) COLLATE \"C\" FROM {files})"
        return Sql(text, cell.params)

    def folded_names(self, column_id: str) -> Sql:
        names = self.names(column_id)
        return Sql(f'lower({names.text} COLLATE "und-x-icu") COLLATE "C"', names.params)

    def option_indexes(self, column_id: str, options: Sequence[str]) -> list[Sql]:
        return option_order.option_indexes(self.listed(column_id), options)

    def indexes_of_options(self, values: Sequence[str], options: Sequence[str]) -> list[Sql]:
        return option_order.indexes_of_options(values, options)

    def has_any(self, column_id: str, values: Sequence[str]) -> Sql:
        cell = self.listed(column_id)
        return Sql(f"{cell.text} ?| %s::text[]", (*cell.params, list(values)))

    def has_all(self, column_id: str, values: Sequence[str]) -> Sql:
        cell = self.listed(column_id)
        return Sql(f"{cell.text} ?& %s::text[]", (*cell.params, list(values)))

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

    def local_day(self, column_id: str, *, zone: str) -> Sql:
        cell = self.short(column_id)
        # Within the years of Python. CASE guarantees that other cells, such as those of other tables, are not cast.
        text = (
            "to_char(greatest(least("
            f"({cell.text})::timestamptz AT TIME ZONE %s, '9999-12-31'::timestamp), '0001-01-01'::timestamp), "
            "'YYYY-MM-DD')"
        )
        test = f"({cell.text}) ~ '^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}T[0-9]{{2}}:[0-9]{{2}}Z$'"
        return Sql(f"CASE WHEN {test} THEN {text} END", (*cell.params, *cell.params, zone))

    def found(self, text: Sql, word: Sql) -> Sql:
        return Sql(f"strpos({text.text}, {word.text})", text.params + word.params)


def dialect() -> Dialect:
    """Return the dialect of the database in use, for cells of the table of rows."""
    quote = connection.ops.quote_name
    cells = f"{quote(Row._meta.db_table)}.{quote('data')}"
    return Sqlite(cells) if connection.vendor == "sqlite" else Postgres(cells)
