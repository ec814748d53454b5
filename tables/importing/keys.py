"""Match rows of a file to rows of a table by a hash of their key cells."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Protocol

from shared import strictjson
from tables.operations.plans.upserts import merge_key

# Long enough that the keys of all tables together have no collision.
KEY_HASH_BYTES = 16


@dataclass(frozen=True, slots=True)
class KeyMatch:
    """Number of table rows with a key, the first of them, and whether an earlier row of the file has it."""

    rows: int = 0
    row_id: int | None = None
    before: bool = False


class Keys(Protocol):
    """The keys of a table and of the rows of a file read so far, however many there are."""

    def match(self, marks: Sequence[str]) -> Mapping[str, KeyMatch]:
        """Return the known ones of these keys, and mark all of them as read."""


def key_hash(data: Mapping[str, Any], columns: Sequence[str]) -> str | None:
    """Return the hash of a row's values in these columns (ids); None if one of them is empty."""
    key = merge_key(data, columns)
    if not key or None in key:
        return None
    return blake2b(strictjson.dumps(list(key)).encode(), digest_size=KEY_HASH_BYTES).hexdigest()
