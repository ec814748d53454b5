"""Database access below the ORM, for queries that run so often that building them costs more than running them.

Read in this order: `statements`, `compiled_queries`, `connections`, `time_limits`, `large_work`.
"""
from __future__ import annotations

from shared.db.compiled_queries import CompiledQuery, Query, run_queries, run_query
from shared.db.connections import call_and_close, close_connections
from shared.db.statements import (
    Statement,
    field_converters,
    insert_statement,
    raw_json,
    run_statements,
    update_statement,
)

__all__ = [
    "CompiledQuery",
    "Query",
    "Statement",
    "call_and_close",
    "close_connections",
    "field_converters",
    "insert_statement",
    "raw_json",
    "run_queries",
    "run_query",
    "run_statements",
    "update_statement",
]
