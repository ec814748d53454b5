"""Indexes of the searchable texts of large tables: names, and the rows that they find.

On SQLite, `search_<table id>` is an FTS5 table of the three-character parts (trigrams) of the texts. It has the rows up
to an id, and may have parts of earlier texts, so that adding and deleting rows does not write to it: a trigger only
lists changed rows, and a worker adds rows from time to time. Therefore readers test what it finds, the listed rows and
the later ones. The trigger uses no extension, so that programs without FTS5 can write the file.

On PostgreSQL, the index is a GIN index of `pg_trgm`, which `LIKE` uses. A query of its own finds
the rows, if there are few.
"""
from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.db import OperationalError, connection

from tables.column_types import get_column_type
from tables.column_types.operators import get_operator
from tables.models import Row, Table
from tables.operations.queries.filters import AnyOf, Filter
from tables.selectors.sql.cell_indexes import LARGE, IndexedSqlite, live_rows_of, reading_dialect
from tables.selectors.sql.conditions import tests_of, words_of
from tables.selectors.sql.expressions import Sql, row_among, row_column, row_is_live, row_text

PREFIX = "search_"
# Length of the indexed parts.
PART = 3
# Maximum number of rows that are read by id. If more match, reading in order finds a page of them sooner.
MAX_CANDIDATES = 2_000
# Number of rows for which a better word is not worth looking for.
FEW = 100
# Maximum number of rows that are not in the index yet.
MAX_UNINDEXED = 5_000
# A query has a part for each character of a text; these are enough to exclude most rows.
MAX_TEXTS, MAX_PARTS = 5, 16
# Whether an index of PostgreSQL exists and is complete; no row without it.
IS_VALID = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)"
# Operators whose value is part of the searchable text of each matching row.
CONTAINED = ("contains", "starts_with")


def index_name(table_id: int) -> str:
    """Return the name of the index of a table."""
    return f"{PREFIX}{table_id:d}"


def progress_name(table_id: int) -> str:
    """Return the name of the table with the id of the last indexed row, and the number of rows indexed again."""
    return f"{index_name(table_id)}_progress"


def changed_name(table_id: int) -> str:
    """Return the name of the table with the ids of rows whose text was changed since they were indexed."""
    return f"{index_name(table_id)}_changed"


def trigger_name(table_id: int) -> str:
    """Return the name of the trigger that lists changed rows."""
    return f"{index_name(table_id)}_update"


def contained_texts(filter: Filter | None, *, search: str) -> list[str]:  # noqa: A002
    """Return texts that the searchable text of each matching row contains, as far as an index can find them."""
    texts = [word.casefold() for word in words_of(search)]
    for clause in filter.clauses if filter else ():
        condition = clause.conditions[0]
        kind = get_column_type(condition.type)
        is_searched = kind.searchable and kind.text_is_value
        if len(clause.conditions) == 1 and is_searched and condition.op in CONTAINED:
            texts.append(str(condition.value).casefold())
    return list(dict.fromkeys(text for text in texts if len(text) >= PART))


class Narrowing(NamedTuple):
    """A condition that all matching rows fulfil and that an index finds; None if no index helps.

    `many`: an index shows that so many rows may match that they are found sooner in the order of the view.
    """

    condition: Sql | None = None
    many: bool = False

    def of(self, table: Table, *, live: Sql | None = None) -> list[Sql]:
        """Return conditions for the live rows of the table. `live` is the first, if no ids are known."""
        live = live or row_is_live(table)
        if self.condition is None:
            return [live]
        if connection.vendor == "sqlite":
            # With a plus sign, the planner cannot use an index on `table_id` instead of the ids.
            live = Sql(f"+{live.text}", live.params)
        return [live, self.condition]


def narrowing(table: Table, filter: Filter | None, *, search: str = "") -> Narrowing:  # noqa: A002
    """Return what the search index of a table has for this view."""
    if table.next_position < LARGE:
        return Narrowing()
    texts = contained_texts(filter, search=search)
    if connection.vendor != "sqlite":
        return _matching_rows(table, texts) if texts else Narrowing()
    return _candidates(table, texts) if texts and is_indexed(table.pk) else _rows_with_options(table, filter)


def _rows_with_options(table: Table, filter: Filter | None) -> Narrowing:  # noqa: A002
    """Return the rows whose lists have the options of a condition, if SQLite finds few of them in an index alone.

    PostgreSQL uses its indexes of lists without help.
    """
    conditions = [clause.conditions[0] for clause in filter.clauses if len(clause.conditions) == 1] if filter else []
    lists = [each for each in conditions if get_column_type(each.type).has_lists and not get_operator(each.op).negates]
    read = reading_dialect(table) if lists else None
    if not isinstance(read, IndexedSqlite):
        return Narrowing()
    for condition in lists:
        index = read.index_of(condition)
        if index is None or get_operator(condition.op).operand != "options":
            continue
        live = live_rows_of(table, read=read)
        test = tests_of(Filter((AnyOf((condition,)),)), read=read)
        text = f"SELECT id FROM {Row._meta.db_table} INDEXED BY {index} WHERE {live.text} AND ({test.text}) LIMIT %s"
        with connection.cursor() as cursor:
            cursor.execute(text, [*live.params, *test.params, MAX_CANDIDATES + 1])
            found = [pk for (pk,) in cursor.fetchall()]
        if len(found) <= MAX_CANDIDATES:
            return Narrowing(row_among(found))
    return Narrowing()


def _matching_rows(table: Table, texts: Sequence[str]) -> Narrowing:
    """Return the rows with all texts, which PostgreSQL finds with the index or, if many match, without it.

    One statement, which reads no rows if there is no index, and returns no ids if there are too many.
    """
    live, tests = row_is_live(table), contained(texts)
    found = (
        f"SELECT {row_column('id').text} AS id FROM {Row._meta.db_table}"
        f" WHERE ({IS_VALID}) AND {live.text} AND {tests.text} LIMIT {MAX_CANDIDATES + 1}"
    )
    name = index_name(table.pk)
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT ({IS_VALID}), SUM(1), CASE WHEN SUM(1) <= {MAX_CANDIDATES} THEN array_agg(id) END"
            f" FROM ({found}) AS found",
            [name, name, *live.params, *tests.params],
        )
        is_valid, count, ids = cursor.fetchone()
    if not is_valid:
        return Narrowing()
    return Narrowing(many=True) if (count or 0) > MAX_CANDIDATES else Narrowing(row_among(ids or []))


def contained(texts: Sequence[str]) -> Sql:
    """Test whether the searchable text of a row contains all texts, as an index of PostgreSQL can.

    The same as `strpos`, but the index serves LIKE only.
    """
    escaped = [text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") for text in texts]
    return Sql(" AND ".join([f"{row_text().text} LIKE %s"] * len(texts)), tuple(f"%{text}%" for text in escaped))


def _candidates(table: Table, texts: Sequence[str]) -> Narrowing:
    """Return the rows that may have all texts. Deleted rows, and others that do not match, may be among them."""
    try:
        later = _unindexed(table.pk)
        texts = sorted(texts, key=len, reverse=True)[:MAX_TEXTS]
        found = None if later is None else _found(table.pk, texts)
    except OperationalError:
        # Dropped meanwhile.
        if is_indexed(table.pk):
            raise
        return Narrowing()
    if later is None or found is None:
        return Narrowing(many=later is not None)
    return Narrowing(row_among(sorted({*found, *later})))


def is_indexed(table_id: int) -> bool:
    """Return whether a table has a complete index, on SQLite with its trigger."""
    names = (index_name(table_id), trigger_name(table_id))
    with connection.cursor() as cursor:
        if connection.vendor != "sqlite":
            cursor.execute(IS_VALID, names[:1])
            return cursor.fetchone() == (True,)
        cursor.execute("SELECT name FROM sqlite_master WHERE name IN (%s, %s)", names)
        return len(cursor.fetchall()) == len(names)


def unindexed_rows(table_id: int, *, limit: int) -> tuple[list[int], list[int]]:
    """Return ids of changed rows, and of later ones in order, also of deleted ones; at most `limit` of each."""
    later = (
        f"SELECT id FROM {Row._meta.db_table} WHERE table_id = %s AND id > (SELECT last_row_id FROM"
        f" {progress_name(table_id)}) ORDER BY id LIMIT %s"
    )
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT row_id FROM {changed_name(table_id)} LIMIT %s", [limit])
        changed = [pk for (pk,) in cursor.fetchall()]
        cursor.execute(later, [table_id, limit])
        return changed, [pk for (pk,) in cursor.fetchall()]


def _unindexed(table_id: int) -> list[int] | None:
    changed, later = unindexed_rows(table_id, limit=MAX_UNINDEXED + 1)
    return changed + later if len(changed) + len(later) <= MAX_UNINDEXED else None


def _found(table_id: int, texts: Sequence[str]) -> list[int] | None:
    """Return the rows of the index that may contain all texts; None if there are too many."""
    # Most searches have a rare word, which alone is found sooner than all of them.
    steps = [([text], limit) for limit in (FEW, MAX_CANDIDATES) for text in texts]
    if len(texts) > 1:
        steps.append((list(texts), MAX_CANDIDATES))
    for searched, limit in steps:
        found = _matches(table_id, [part for text in searched for part in _parts(text)], limit=limit)
        if found is not None:
            return found
    return None


def _matches(table_id: int, parts: Iterable[str], *, limit: int) -> list[int] | None:
    """Return the rows with all parts, None if there are more than `limit`."""
    wanted = " AND ".join('"' + part.replace('"', '""') + '"' for part in dict.fromkeys(parts))
    name = index_name(table_id)
    with connection.cursor() as cursor:
        # One row, because Python takes longer for thousands than SQLite.
        cursor.execute(
            "SELECT SUM(1), json_group_array(rowid)"
            f" FROM (SELECT rowid FROM {name} WHERE {name} MATCH %s LIMIT %s)",
            [wanted, limit + 1],
        )
        count, found = cursor.fetchone()
        return list(json.loads(found)) if (count or 0) <= limit else None


def _parts(text: str) -> list[str]:
    """Return parts of a text, from all of its length."""
    starts = range(len(text) - PART + 1)
    if len(starts) > MAX_PARTS:
        starts = range(0, len(starts), -(-len(starts) // MAX_PARTS))
    return [text[start : start + PART] for start in starts]
