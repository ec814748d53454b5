"""Measure applying 10,000 operations against bare statements; `python -m tests.bench.bench_apply`.

Through the API: the request, all checks, and the record for undo. The baseline, alternating with it, is what any Django
program would do to as many rows of the same database.
"""
from __future__ import annotations

import tests.bench.scratch_settings  # noqa: F401  imported for what it does

# isort: split
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.utils import timezone

from chat.models import Conversation, Payload
from tables.column_types import search_text
from tables.models import Row, Table
from tables.operations import Origin
from tables.selectors import table_shape
from tables.services import create_table, prepare_data, prepare_schema
from tables.services.pipeline.row_writing import insert_rows
from tests.bench.databases import COLUMNS, Work, cells, compare, prepare

ROWS = 10_000
FEW = 1_000
TIMES = 5
# Django's bulk_update takes many seconds.
TIMES_UPDATED = 2
ALL_FILLED = {"column": "Company", "op": "not_empty"}


class Bench:
    """Creates tables, and has a signed-in client."""

    def __init__(self, user: User) -> None:
        self.user = user
        self.client = Client(SERVER_NAME="localhost")
        self.client.force_login(user)
        self.table = self.another()

    def another(self) -> Table:
        self.table = create_table(user=self.user, name="Bench", columns=COLUMNS, origin=Origin("api"))
        return self.table

    def send(self, method: str, below: str, body: Any) -> None:
        self.ask(method, f"/api/tables/{self.table.pk}/{below}", body)

    def ask(self, method: str, where: str, body: Any) -> None:
        answer = getattr(self.client, method)(where, body, content_type="application/json")
        assert answer.status_code in (200, 201), answer.content[:300]

    def filled(self) -> list[int]:
        """Create a table with 10,000 rows and return their ids."""
        table = self.another()
        columns = table_shape(table).columns
        ids = {column.name: column.id for column in columns}
        rows = [{ids[name]: value for name, value in cells(number).items()} for number in range(ROWS)]
        with transaction.atomic():
            created = insert_rows(table, rows, columns=columns, user=self.user, now=timezone.now())
            # Written without the services, which would update the count.
            table.counted_rows, table.counted_version = ROWS, table.version
            table.save()
        return created

    def proposed(self, operations: list[Any]) -> str:
        """Return the id of a pending proposal for rows of the table, stored as by a turn."""
        data = {"operations": operations}
        prepared = prepare_data(user=self.user, table_id=self.table.pk, proposal=data)
        return self._stored("data_proposal", data=data, prepared=prepared)

    def columns_proposed(self, operations: list[Any]) -> str:
        """Return the id of a pending proposal for its columns."""
        data = {"mode": "update", "operations": operations}
        prepared = prepare_schema(user=self.user, table_id=self.table.pk, proposal=data)
        return self._stored("schema_proposal", data=data, prepared=prepared)

    def _stored(self, kind: str, *, data: Any, prepared: Any) -> str:
        location = {"page": "table_view", "object_id": str(self.table.pk)}
        payload = Payload.objects.create(
            user=self.user, conversation=Conversation.objects.create(user=self.user, **location), type=kind,
            source="llm", subject_id=str(self.table.pk), data=data, resolved=prepared,
            status=Payload.Status.PENDING, content_hash=prepared["content_hash"],
        )  # fmt: skip
        return str(payload.pk)

    def apply(self, payload_id: str) -> None:
        self.ask("post", f"/api/chat/payloads/{payload_id}/apply/", {"operations": "all"})


def bare_rows(table: Table, *, count: int) -> list[Row]:
    shape = table_shape(table)
    ids = {column.name: column.id for column in shape.columns}
    rows = [{ids[name]: value for name, value in cells(number).items()} for number in range(count)]
    return [
        Row(
            table=table, position=position, data=data,
            search_text=search_text(shape.columns, data),
        )
        for position, data in enumerate(rows)
    ]  # fmt: skip


def report(name: str, *, ours: Work, bare: Work, of: str, times: int = TIMES, most_ms: int | None = None) -> None:
    own, baseline, ratio = compare(ours, bare=bare, times=times)
    absolute = "" if most_ms is None else f" and ≤ {most_ms:,} ms"
    figures = f"{own * 1e3:7.0f} ms, {of} {baseline * 1e3:6.0f} ms: {ratio:4.1f} ×"
    print(f"{name:34} {figures} (target ≤ 3 ×{absolute})", flush=True)


def adds(bench: Bench) -> None:
    operations = [{"action": "add", "data": cells(number)} for number in range(ROWS)]
    rows = {"rows": [cells(number) for number in range(ROWS)]}

    def bulk_create(rows: list[Row]) -> None:
        with transaction.atomic():
            Row.objects.bulk_create(rows)

    def bare(count: int) -> Work:
        return Work(bulk_create, make=lambda: bare_rows(bench.another(), count=count))

    def stored() -> str:
        bench.another()
        return bench.proposed(operations)

    direct = Work(lambda _: bench.send("post", "proposals/data/", {"operations": operations}), make=bench.another)
    by_rows = Work(lambda _: bench.send("post", "rows/", rows), make=bench.another)
    few = Work(lambda _: bench.send("post", "proposals/data/", {"operations": operations[:FEW]}), make=bench.another)
    report("10,000 adds, proposals/data/", ours=direct, bare=bare(ROWS), of="bulk_create", most_ms=2_000)
    report("10,000 adds, a stored proposal", ours=Work(bench.apply, make=stored), bare=bare(ROWS), of="bulk_create")
    report("10,000 adds, rows/", ours=by_rows, bare=bare(ROWS), of="bulk_create", most_ms=2_000)
    report("1,000 adds, proposals/data/", ours=few, bare=bare(FEW), of="bulk_create", most_ms=300)


def updates(bench: Bench) -> None:
    def patched(ids: list[int]) -> None:
        bench.send("patch", "rows/", {"rows": [{"id": pk, "data": {"Salary": 1}} for pk in ids]})

    def stored() -> str:
        bench.filled()
        return bench.proposed([{"action": "update", "where": ALL_FILLED, "changes": {"Salary": 1}}])

    def rows_changed() -> list[Row]:
        ids = bench.filled()
        salary = table_shape(bench.table).columns[2].id
        found = list(Row.objects.filter(pk__in=ids[:5_000])) + list(Row.objects.filter(pk__in=ids[5_000:]))
        for row in found:
            row.data = {**row.data, salary: 1}
        return found

    def bulk_update(rows: list[Row]) -> None:
        with transaction.atomic():
            Row.objects.bulk_update(rows, ["data", "search_text"], batch_size=1_000)

    bare = Work(bulk_update, make=rows_changed)
    direct = Work(patched, make=bench.filled)
    report("10,000 updates of one cell, rows/", ours=direct, bare=bare, of="bulk_update", times=TIMES_UPDATED)
    stored_work = Work(bench.apply, make=stored)
    report("10,000 updates, a stored proposal", ours=stored_work, bare=bare, of="bulk_update", times=TIMES_UPDATED)


def deletes(bench: Bench) -> None:
    by_condition = {"operations": [{"action": "delete", "where": ALL_FILLED}]}

    def soft_delete(ids: list[int]) -> None:
        with transaction.atomic():
            for start in range(0, ROWS, 5_000):
                Row.objects.filter(pk__in=ids[start : start + 5_000]).update(deleted_at=timezone.now())

    def stored() -> str:
        bench.filled()
        return bench.proposed(by_condition["operations"])

    bare = Work(soft_delete, make=bench.filled)
    direct = Work(lambda ids: bench.send("post", "rows/delete/", {"ids": ids}), make=bench.filled)
    found = Work(lambda _: bench.send("post", "proposals/data/", by_condition), make=bench.filled)
    report("10,000 deletes, rows/delete/", ours=direct, bare=bare, of="soft delete")
    report("10,000 deletes, by a condition", ours=found, bare=bare, of="soft delete")
    report("10,000 deletes, a stored proposal", ours=Work(bench.apply, make=stored), bare=bare, of="soft delete")


def main() -> None:
    """Measure adds, deletes and updates."""
    bench = Bench(prepare())
    adds(bench)
    deletes(bench)
    updates(bench)


if __name__ == "__main__":
    main()
