"""Check that statements on partitioned relations name the table of the rows, so that others do not affect their cost.

It is also the condition for partitions and shards by `table_id`: the database then reads only one of them.
"""
from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

ROOT = Path(__file__).parents[1]
# Where a partitioned relation is read or changed, with its alias.
MENTION = re.compile(
    r'(?:\b(?:FROM|JOIN|UPDATE|USING)|,) "?(tables_(?:row|changepiece|stagedrows))"?(?![\w."])'
    r'(?: (?:AS )?"?(?!(?:WHERE|SET|INNER|LEFT|CROSS|ORDER|JOIN|ON|LIMIT|GROUP|FOR|USING|UNION)\b)(\w+))?'
)
# Conditions on the table of the rows, with the name before the column.
CONDITION = re.compile(r'(?:(?<![\w"])"?(\w+)"?\.|(?<![\w."]))"?table_id"? (?:= |IN \()')
# Statements on the rows of any table, with the reason.
WITHOUT_TABLE = {
    'UPDATE "tables_row" SET "created_by_id" = NULL WHERE': "a user is deleted",
    'UPDATE "tables_row" SET "updated_by_id" = NULL WHERE': "a user is deleted",
    'DELETE FROM "tables_stagedrows" WHERE "tables_stagedrows"."imported_id" IN': "a user or table is deleted",
}
# Modules that may read and write the rows of all tables: tests, migrations, and the move to partitions.
ALL_TABLES = ("tests/", "tables/migrations/", "tables/services/partitions.py")
# Modules that send the statements of others.
SENDERS = ("shared/db/", "chatproject/backends/")


@lru_cache(maxsize=2_000)
def names_table(sql: str) -> bool:
    """Return whether each mention of a partitioned relation has its own condition on `table_id`, or defines the schema.

    A condition without a name belongs to one of the mentions that have no other.
    """
    if sql.startswith(("CREATE ", "DROP ")):
        return True
    mentions = Counter(alias or relation for relation, alias in MENTION.findall(sql))
    conditions = Counter(CONDITION.findall(sql))
    missing = mentions - conditions
    return missing.total() <= conditions[""]


def check_row_statements(connection: BaseDatabaseWrapper, **kwargs: Any) -> None:
    """Have this connection refuse statements of the project on rows that do not name their table."""
    if connection.vendor == "postgresql" and _check not in connection.execute_wrappers:
        connection.execute_wrappers.append(_check)


def _check(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
    if not names_table(sql) and not sql.startswith(tuple(WITHOUT_TABLE)):
        module = _calling_module()
        assert module.startswith(ALL_TABLES), f"{module} sent this without table_id: {sql}"
    return execute(sql, params, many, context)


def _calling_module() -> str:
    """Return the module of the project whose code sent the current statement, not those of wrappers around it."""
    frame = sys._getframe()
    # Wrappers are called by the cursor.
    while frame.f_back is not None and frame.f_code.co_name not in ("execute", "executemany"):
        frame = frame.f_back
    while frame.f_back is not None:
        frame = frame.f_back
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(ROOT) and "site-packages" not in path.parts:
            module = path.relative_to(ROOT).as_posix()
            if not module.startswith(SENDERS):
                return module
    return ""
