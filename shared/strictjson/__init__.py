"""Strict reading and writing of JSON: values that a database or a later reader would not accept are refused.

Read in this order: `reader`, `writer`, `datetimes` (date-times in JSON), `invisible` (invisible characters).
"""
from __future__ import annotations

from shared.strictjson.reader import MAX_DEPTH, StrictJsonError, check_storable, loads, loads_stored
from shared.strictjson.writer import (
    CanonicalEncoder,
    as_json,
    byte_size,
    canonical_dumps,
    content_hash,
    dumps,
    dumps_with_members,
    replace_unstorable,
    replace_unstorable_text,
)

__all__ = [
    "MAX_DEPTH",
    "CanonicalEncoder",
    "StrictJsonError",
    "as_json",
    "byte_size",
    "canonical_dumps",
    "check_storable",
    "content_hash",
    "dumps",
    "dumps_with_members",
    "loads",
    "loads_stored",
    "replace_unstorable",
    "replace_unstorable_text",
]
