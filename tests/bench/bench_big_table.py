"""Measure a table of 1,000,000 rows against one of 10,000; `python -m tests.bench.bench_big_table [rows]`.

SQLite: 100,000 rows. Everything goes through the API. Besides the time it prints statements and, on PostgreSQL, how
many rows or index entries and pages were read: these do not depend on other load.
Unrelated work must not grow with the table; what does is listed at the end, and the command then fails.
"""
from __future__ import annotations

import tests.bench.scratch_settings  # noqa: F401  imported for what it does

# isort: split
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from chat.page_config import PageContext, pages
from tables.models import Change, Table
from tables.operations.queries.filters import parse_filter
from tables.operations.queries.measures import GroupKey, Measure
from tables.operations.queries.sorts import parse_sort
from tables.selectors import aggregate, find_duplicates, read_rows, table_shape
from tables.services import record_column_use, update_cell_indexes
from tests.bench.databases import Work, by_hand, compare, prepare, seeded

POSTGRESQL = connection.vendor == "postgresql"
# The maximum of a table, except for the rows added here.
ROWS = int(sys.argv[1]) if sys.argv[1:] else 995_000 if POSTGRESQL else 100_000
FEW = 10_000
OPERATIONS = 1_000
# More than this, and three times as much as in the small table, counts as growth.
FREE, GROWTH = 3_000, 3
MAX_BY_HAND = 2
TIMES = 11
LATE = {"column": "Salary", "op": "gt", "value": 115_000}
ONE = {"column": "Company", "op": "eq", "value": "Company 7919"}
OPEN = {"column": "Status", "op": "any_of", "value": ["Offer"]}
FOUND = "SELECT sum(seq_tup_read) FROM pg_stat_all_tables WHERE relname LIKE 'tables\\_row\\_p%'"
ENTRIES = "SELECT sum(idx_tup_read) FROM pg_stat_all_indexes WHERE relname LIKE 'tables\\_row\\_p%'"
PAGES = (
    "SELECT sum(heap_blks_read + heap_blks_hit + coalesce(idx_blks_read + idx_blks_hit, 0))"
    " FROM pg_statio_all_tables WHERE relname LIKE 'tables\\_row\\_p%'"
)
Ask = Callable[["Big"], Any]


@dataclass(frozen=True)
class Cost:
    """Cost of one request: seconds, statements, rows and entries read, pages."""

    seconds: float
    statements: int
    rows_read: int
    pages: int

    def text(self) -> str:
        reads = f" {self.rows_read:9,} rows read {self.pages:8,} pages" if POSTGRESQL else ""
        return f"{self.seconds * 1e3:8.1f} ms {self.statements:4} statements{reads}"


class Big:
    """A table, and a user who works with it."""

    def __init__(self, user: User, *, rows: int) -> None:
        self.user = user
        began = time.perf_counter()
        self.table: Table = seeded(user, rows=rows, name=f"Bench {rows}")
        print(f"{rows:,} rows, made in {time.perf_counter() - began:.0f} s", flush=True)
        self.client = Client(SERVER_NAME="localhost")
        self.client.force_login(user)
        self.rows, self._edits = rows, 0
        self.some = list(self.table.rows.filter(position__lt=OPERATIONS).order_by("pk").values_list("pk", flat=True))

    def get(self, below: str = "", **query: Any) -> Any:
        params = {key: json.dumps(value) if isinstance(value, dict) else value for key, value in query.items()}
        answer = self.client.get(f"/api/tables/{self.table.pk}/{below}", params)
        assert answer.status_code == 200, answer.content[:300]
        return answer.json()

    def page(self, where: str = "") -> None:
        answer = self.client.get(where or f"/tables/{self.table.pk}/")
        assert answer.status_code == 200, answer.status_code

    def send(self, method: str, below: str, body: Any) -> Any:
        where = f"/api/tables/{self.table.pk}/{below}"
        answer = getattr(self.client, method)(where, body, content_type="application/json")
        assert answer.status_code in (200, 201), answer.content[:300]
        return answer.json()

    def edit(self) -> None:
        self._edits += 1
        self.send("patch", f"rows/{self.some[0]}/", {"data": {"Note": f"Edited {self._edits} times"}})

    def add(self) -> None:
        self.send("post", "rows/", {"rows": [{"Company": "One more"}]})

    def apply(self) -> None:
        self._edits += 1
        third = OPERATIONS // 4
        updated, deleted = self.some[1 : 2 * third], self.some[-third:]
        operations = [
            *({"action": "update", "row_id": pk, "changes": {"Salary": self._edits}} for pk in updated),
            *({"action": "delete", "row_id": pk} for pk in deleted),
            *({"action": "add", "data": {"Company": f"New {number}"}} for number in range(third + 1)),
        ]
        assert len(operations) == OPERATIONS
        self.send("post", "proposals/data/", {"operations": operations})

    def undo(self) -> None:
        last = Change.objects.filter(table=self.table).order_by("-version").values_list("pk", flat=True)[0]
        self.send("post", f"changes/{last}/undo/", {})

    def context(self) -> None:
        """Return the context of the page for the assistant, with cached counts where available."""
        config = pages.get("table_view")
        assert config is not None
        assert config.context_builder is not None
        config.context_builder(PageContext(self.user, page="table_view", object_id=str(self.table.pk), view={}))

    def next_page(self) -> None:
        """Read the page after the first, by its cursor."""
        following = self.get("rows/", sort="-Salary", limit=100)["next"]
        assert self.client.get(following).status_code == 200

    def middle(self) -> None:
        self.get("rows/", offset=self.rows // 2, limit=100)

    def sums(self) -> None:
        """Sum salaries by status with the assistant's tool."""
        _, status, salary, *_ = table_shape(self.table).columns
        aggregate(self.table, group_by=[GroupKey(status.id)], measures=[Measure("sum", salary.id)])

    def end(self) -> None:
        self.get("rows/", offset=self.rows - 1_000, limit=100)


# None of these may grow with the table.
CONSTANT: dict[str, Ask] = {
    "first page": lambda it: it.get("rows/", limit=100),
    "the table's page": lambda it: it.page(),
    "the table": lambda it: it.get(),
    "the list of tables": lambda it: it.page("/tables/"),
    "tables by API": lambda it: it.client.get("/api/tables/"),
    "one row": lambda it: it.get(f"rows/{it.some[5]}/"),
    "history": lambda it: it.get("changes/"),
    "sorted by a number": lambda it: it.get("rows/", sort="-Salary", limit=100),
    "the next page of it": lambda it: it.next_page(),
    "sorted by a text": lambda it: it.get("rows/", sort="Company", limit=100),
    "sorted by two": lambda it: it.get("rows/", sort="Due,Company", limit=100),
    "an edit of a cell": lambda it: it.edit(),
    "first page after it": lambda it: it.get("rows/", limit=100),
    "the list after it": lambda it: it.page("/tables/"),
    "undo of it": lambda it: it.undo(),
    "a new row": lambda it: it.add(),
    "undo of that": lambda it: it.undo(),
    "1,000 operations": lambda it: it.apply(),
    "undo of them": lambda it: it.undo(),
    "the assistant's look": lambda it: it.context(),
}
# These may grow: they are about all rows.
GROWING: dict[str, Ask] = {
    "filtered, few rows": lambda it: it.get("rows/", filter=ONE, limit=100),
    "filtered and sorted": lambda it: it.get("rows/", filter=LATE, sort="-Salary", limit=100),
    "filtered by a fifth": lambda it: it.get("rows/", filter=OPEN, limit=100),
    "search, found": lambda it: it.get("rows/", search="number 77", limit=100),
    "search, nothing": lambda it: it.get("rows/", search="nowhere at all", limit=100),
    "a window in the middle": lambda it: it.middle(),
    "a window at the end": lambda it: it.end(),
    "statistics": lambda it: it.get("stats/", search="fair"),
    "counts of options": lambda it: it.get("choices/", search="fair"),
    "sums by option": lambda it: it.sums(),
    "duplicates": lambda it: find_duplicates(it.table, columns=table_shape(it.table).columns[:1]),
}
BY_HAND = {"unfiltered": (None, ""), "sorted": (None, "-Salary"), "filtered and sorted": (LATE, "-Salary")}


def main() -> None:
    """Measure both tables, then the first page against the same SQL."""
    user = prepare()
    few, many = Big(user, rows=FEW), Big(user, rows=ROWS)
    for each in (few, many):
        each.context()
        _indexed(each)
    grown = [name for name, ask in CONSTANT.items() if report(name, ask=ask, few=few, many=many)]
    print("asked for:")
    for name, ask in GROWING.items():
        report(name, ask=ask, few=few, many=many)
    compare_first_pages(many)
    if grown:
        sys.exit(f"Grows with the table, though not asked for: {', '.join(grown)}")


def report(name: str, *, ask: Ask, few: Big, many: Big) -> bool:
    """Print the cost of both tables; return whether the large one exceeds the limit of unrelated work."""
    small, large = measured(lambda: ask(few)), measured(lambda: ask(many))
    print(f"{name:24} {large.text()}   few rows: {small.text()}", flush=True)
    more = large.rows_read > max(FREE, GROWTH * small.rows_read) or large.pages > max(FREE, GROWTH * small.pages)
    return more or large.statements > small.statements


def measured(ask: Callable[[], Any]) -> Cost:
    """Measure once, with warm caches."""
    before = _reads()
    with CaptureQueriesContext(connection) as sent:
        began = time.perf_counter()
        ask()
        seconds = time.perf_counter() - began
    after = _reads()
    return Cost(seconds, len(sent), after[0] - before[0], after[1] - before[1])


def compare_first_pages(big: Big) -> None:
    """Measure first pages of the selector against the same SQL, alternating."""
    shape = table_shape(big.table)
    for name, (raw, order) in BY_HAND.items():
        wanted = parse_filter(raw, shape=shape, today=timezone.now().date())
        sort = parse_sort(order, shape=shape)

        def read(wanted: Any = wanted, sort: Any = sort) -> Any:
            return read_rows(big.table, shape=shape, filter=wanted, sort=sort, limit=100)

        ours, bare, ratio = compare(Work(lambda _, read=read: read()), bare=by_hand(read), times=TIMES)
        print(
            f"first 100 of {big.rows:,}, {name}: {ours * 1e3:.1f} ms, by hand {bare * 1e3:.1f} ms:"
            f" {ratio:.1f} × (target ≤ {MAX_BY_HAND})"
        )


def _indexed(big: Big) -> None:
    """Build the indexes for these reads, as a worker does."""
    shape = table_shape(big.table)
    for sort in ("-Salary", "Company", "Due"):
        record_column_use(big.table, sort=parse_sort(sort, shape=shape))
    for condition in (LATE, ONE):
        record_column_use(big.table, filter=parse_filter(condition, shape=shape, today=timezone.now().date()))
    took = Work(lambda _: update_cell_indexes()).seconds()
    print(f"indexes of {big.rows:,} rows, made in {took:.1f} s", flush=True)


def _reads() -> tuple[int, int]:
    """Return rows and index entries read so far, and pages."""
    if not POSTGRESQL:
        return 0, 0
    with connection.cursor() as cursor:
        # PostgreSQL publishes statistics with a delay; flush them now.
        cursor.execute("SELECT pg_stat_force_next_flush()")
        found = []
        for text in (FOUND, ENTRIES, PAGES):
            cursor.execute(text)
            found.append(int(cursor.fetchone()[0] or 0))
    return found[0] + found[1], found[2]


if __name__ == "__main__":
    main()
