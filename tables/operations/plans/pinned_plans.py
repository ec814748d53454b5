"""Plans of dry runs: what operations would write, as a short text that an apply is compared with.

A plan is `<version of the table>.<SHA-256 of the operations>.<SHA-256 of the body>`. The first hash covers the
resolved operations, the versions of the rows of row operations, the values that column operations convert, copy or
delete, and what the decisions, such as `on_conflict`, make of all this: which operations have an open conflict or are
skipped, the converted values, and the sample rows. A decision that confirms what the dry run showed without it, such as
that values are cleared, does not change the plan. The second hash, shortened, distinguishes faults of another body from
those that a change of the table has caused.
"""
from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import Any

from shared import strictjson
from shared.user_messages import declare
from tables.exceptions import Malformed
from tables.operations.cells import StoredRow
from tables.operations.plans.data_plan import DataPlan
from tables.operations.plans.planned import Planned
from tables.operations.plans.schema_plan import SchemaPlan

Json = dict[str, Any]
PLAN_PATTERN = r"^[0-9]{1,18}\.[0-9a-f]{64}\.[0-9a-f]{16}$"
BODY_HASH_LENGTH = 16
NOT_A_PLAN = declare("not_a_plan", "This must be the plan of a dry run.")
ROW_PARTS = ("action", "row_id", "row_version", "changes", "data", "after_row_id", "before_row_id", "expected")
TABLE_PARTS = ("mode", "table_id", "table_name", "table_description", "sample_rows")
COLUMN_PARTS = ("action", "column_id", "column", "copy_of", "changes", "before", "expected", "after_column_id")
COLUMN_ID = re.compile(r"col_[a-z0-9]{8}")


def read_plan(text: str) -> str:
    """Return the plan of a dry run, "" for none. Raises Malformed."""
    if text and not re.fullmatch(PLAN_PATTERN, text):
        raise Malformed.at("plan", NOT_A_PLAN(), code="not_a_plan")
    return text


def version_of(plan: str) -> int:
    """Return the version of the table for which a plan was made."""
    return int(plan.partition(".")[0])


def is_same_plan(plan: str, other: str) -> bool:
    """Return whether two plans do the same, whatever the version of the table."""
    return plan.split(".")[1] == other.split(".")[1]


def with_body(plan: str, body: Any) -> str:
    """Return the plan of the operations in the body of a request, completed with the hash of the body."""
    return f"{plan}.{strictjson.content_hash(body)[:BODY_HASH_LENGTH]}"


def is_of_body(plan: str, body: Any) -> bool:
    """Return whether a plan was made for this body."""
    return plan == with_body(plan.rpartition(".")[0], body)


def data_plan(operations: Sequence[Json], plan: DataPlan, *, version: int) -> str:
    """Return the plan of row operations, without a body. New rows are hashed with the defaults of their cells."""
    digest = hashlib.sha256()
    for operation in operations:
        digest.update(strictjson.dumps([operation.get(part) for part in ROW_PARTS]).encode())
    for _, data in plan.adds:
        digest.update(strictjson.dumps(sorted(data.items())).encode())
    digest.update(_conflicts(plan.planned))
    return f"{version}.{digest.hexdigest()}"


def schema_plan(
    prepared: Json,
    plan: SchemaPlan,
    *,
    rows: Iterable[tuple[StoredRow, Json, Json]],
    with_sample_rows: bool = False,
    version: int,
) -> str:
    """Return the plan of column operations, without a body; `rows` are those of `convert_rows`."""
    digest = hashlib.sha256()
    number = _Numbers({column.id for column in plan.before})
    parts = [[prepared.get(part) for part in TABLE_PARTS]]
    parts += [[operation.get(part) for part in COLUMN_PARTS] for operation in prepared["operations"]]
    # Defaults and colors of removed options depend on the decision about these.
    changed = (column for column in plan.after if column.id in plan.last_operations)
    parts += [[column.id, column.default, sorted(column.colors.items())] for column in changed]
    for part in parts:
        digest.update(number.in_text(strictjson.dumps(part)).encode())
    for row, was, now in rows:
        kept = sorted((key, value) for key, value in was.items() if key not in plan.copies)
        # The ids of copied columns are new in each request.
        copied = [now[key] for key in plan.copies if key in now]
        converted = sorted((key, value) for key, value in now.items() if key not in plan.copies)
        digest.update(strictjson.dumps([row.id, kept, copied, converted]).encode())
    digest.update(_conflicts(plan.planned))
    digest.update(b"with sample rows" if with_sample_rows else b"")
    return f"{version}.{digest.hexdigest()}"


def _conflicts(planned: Sequence[Planned]) -> bytes:
    """Return what is decided about each operation: whether it has an open conflict, and why it is skipped."""
    return strictjson.dumps([[each.state == "conflict", each.skipped] for each in planned]).encode()


class _Numbers:
    """Replaces the ids of new columns, which are random in each request, by numbers in order of appearance."""

    def __init__(self, known: set[str]) -> None:
        self._known, self._numbers = known, dict[str, str]()

    def in_text(self, text: str) -> str:
        return COLUMN_ID.sub(self._replaced, text)

    def _replaced(self, found: re.Match[str]) -> str:
        if found[0] in self._known:
            return found[0]
        return self._numbers.setdefault(found[0], f"new:{len(self._numbers)}")
