"""By what a row of a file is found among those of a table: a mark of some of its cells, the same for equal ones."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Protocol

import strictjson
from tables.operations.upserts import merge_key

# Of so many bytes no two keys of all tables there may ever be have the same.
MARK_BYTES = 16


@dataclass(frozen=True, slots=True)
class Met:
    """What is known of a key: how many rows of the table have it, the first of them, and whether an earlier row of the
    file had it as well."""

    rows: int = 0
    row_id: int | None = None
    before: bool = False


class Keys(Protocol):
    """Knows the keys of a table, and those of a file that have passed, however many they are."""

    def meet(self, marks: Sequence[str]) -> Mapping[str, Met]:
        """What was known of these keys until now, of those of which anything was; from now on they have passed."""


def mark_of(data: Mapping[str, Any], columns: Sequence[str]) -> str | None:
    """The mark of a row by what it holds in these columns (ids); None where one of them is empty."""
    key = merge_key(data, columns)
    if not key or None in key:
        return None
    return blake2b(strictjson.dump(list(key)).encode(), digest_size=MARK_BYTES).hexdigest()
