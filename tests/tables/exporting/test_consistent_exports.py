"""Exports show the table at one moment, are limited in number, and leave no files."""
from __future__ import annotations

import asyncio
import inspect
import io
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.db import connection, connections
from django.db.backends.signals import connection_created
from django.test import RequestFactory

from tables import selectors, signals
from tables.api.exporting import export_response
from tables.column_types import TableShape
from tables.exceptions import Invalid, TooMany
from tables.interchange.exporting import (
    MAX_PARALLEL_EXPORTS,
    RETRY_AFTER,
    Stopped,
    View,
    create_export,
    export_slots,
    write_export,
)
from tests.conftest import Api
from tests.tables.exporting.conftest import ROWS, content_of
from tests.tables.exporting.readers import csv_rows, json_rows

pytestmark = pytest.mark.django_db(transaction=True)


def on_other_connection(work: Callable[[], Any]) -> Any:
    """Run the work on another connection and return its result after the commit."""

    def run() -> Any:
        try:
            return work()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(run).result()


def table_of(user: User, table: str) -> selectors.Table:
    return selectors.get_table(user, int(table.split("/")[3]))


def test_concurrent_writes_are_not_exported(user: User, api: Api, table: str) -> None:
    def view(shape: TableShape) -> View:
        column = shape.columns[0].id
        on_other_connection(lambda: api.post(f"{table}rows/", {"Company": "Late"}))
        on_other_connection(lambda: api.patch(f"{table}columns/{column}/", {"name": "Firm"}))
        on_other_connection(lambda: api.delete(f"{table}columns/{shape.columns[1].id}/"))
        return View()

    file = io.BytesIO()
    write_export(file, find=lambda: table_of(user, table), view=view, ending="json")

    rows = json_rows(file.getvalue())
    assert rows[0][:2] == ["Company", "=Salary"]
    assert [row[:2] for row in rows[1:]] == [[row.get("Company"), row.get("=Salary")] for row in ROWS]
    now = csv_rows(content_of(api.get(f"{table}export/")))
    assert (now[0][0], now[-1][0], len(now)) == ("Firm", "Late", len(rows) + 1)


def test_exports_do_not_block_writers(user: User, api: Api, table: str) -> None:
    with selectors.snapshot():
        assert table_of(user, table).name.startswith("Café")
        assert on_other_connection(lambda: api.post(f"{table}rows/", {"Company": "At once"})).status_code == 201


@pytest.mark.postgres_only
def test_snapshots_are_read_only() -> None:
    with selectors.snapshot(), connection.cursor() as cursor:
        cursor.execute("SHOW transaction_isolation")
        assert cursor.fetchone() == ("repeatable read",)
        cursor.execute("SHOW transaction_read_only")
        assert cursor.fetchone() == ("on",)


def fail_in_a_snapshot() -> None:
    with selectors.snapshot():
        raise ZeroDivisionError


def test_the_connection_is_restored_after_a_snapshot(table: str) -> None:
    own_connection = connections["default"]
    with selectors.snapshot():
        assert connections["default"] is not own_connection

    with pytest.raises(ZeroDivisionError):
        fail_in_a_snapshot()

    assert connections["default"] is own_connection


def test_too_many_concurrent_exports_are_refused(api: Api, table: str) -> None:
    with export_slots.take(), export_slots.take():
        refusals = api.get(f"{table}export/")

    assert (refusals.status_code, refusals.json()["error"]) == (429, "too_many_requests")
    assert refusals.headers["Retry-After"] == str(RETRY_AFTER)
    assert api.get(f"{table}export/").status_code == 200


def test_a_client_can_run_one_export_at_a_time(user: User, table: str) -> None:
    request: Any = RequestFactory().get("/")
    request.client = "user:1"

    def export() -> None:
        async_to_sync(export_response)(request, find=lambda: table_of(user, table)).close()

    with export_slots.take("user:2"):
        export()
    with export_slots.take("user:1"), pytest.raises(TooMany):
        export()
    export()


def test_refused_exports_open_no_connections(user: User, table: str) -> None:
    """Access is checked in the thread of the request; only the export itself needs another connection."""
    connection_threads: list[threading.Thread] = []
    responses: list[Any] = []

    def record(**_: Any) -> None:
        connection_threads.append(threading.current_thread())

    async def ask_fifty_times() -> None:
        requests = (export_response(RequestFactory().get("/"), find=lambda: table_of(user, table)) for _ in range(50))
        responses.extend(await asyncio.gather(*requests, return_exceptions=True))

    connection_created.connect(record)
    try:
        with export_slots.take(), export_slots.take():
            async_to_sync(ask_fifty_times)()
    finally:
        connection_created.disconnect(record)

    assert [(type(response), response.extra["retry_after"]) for response in responses] == [(TooMany, RETRY_AFTER)] * 50
    assert set(connection_threads) == {threading.current_thread()}


def test_failed_exports_release_their_slot(api: Api, table: str) -> None:
    api.post(f"{table}rows/", {"Company": "\x07"})

    refusals = [api.get(f"{table}export/", format="xlsx").status_code for _ in range(MAX_PARALLEL_EXPORTS + 1)]

    assert refusals == [422] * (MAX_PARALLEL_EXPORTS + 1)
    with export_slots.take(), export_slots.take(), pytest.raises(TooMany), export_slots.take():
        pass


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_the_row_cursor_is_closed_after_a_failure(user: User, api: Api, table: str, ending: str) -> None:
    """A stored error keeps its frames alive, so that an open cursor would be closed at any later time."""
    api.post(f"{table}rows/", {"Company": "\x07"})
    stop = threading.Event()
    if ending == "csv":
        stop.set()

    with pytest.raises((Invalid, Stopped)) as error:
        write_export(
            io.BytesIO(), find=lambda: table_of(user, table), view=lambda shape: View(), ending=ending, stop=stop
        )

    rows = next(entry.frame.f_locals["rows"] for entry in error.traceback if entry.name == "_write_rows")
    assert inspect.getgeneratorstate(rows) == inspect.GEN_CLOSED


def test_refused_requests_take_no_slot(api: Api, table: str) -> None:
    with export_slots.take(), export_slots.take():
        assert api.get("/api/tables/999999999/export/").status_code == 404
        assert api.get(f"{table}export/", sort="Compny").status_code == 422


def test_the_file_is_closed_with_its_response(user: User, table: str) -> None:
    response: Any = async_to_sync(export_response)(RequestFactory().get("/"), find=lambda: table_of(user, table))
    file = response._iterator._file
    assert not file.closed

    response.close()

    assert file.closed


def test_a_cancelled_request_stops_its_export(user: User, table: str) -> None:
    """A real server cancels the request when the client closes its connection."""
    found, cancelled = threading.Event(), threading.Event()
    outcomes: list[str] = []
    ended = threading.Event()
    calls: list[int] = []

    def find() -> selectors.Table:
        calls.append(1)
        # The first call only checks access.
        if len(calls) == 2:
            found.set()
            cancelled.wait()
        return table_of(user, table)

    def record(*, outcome: str, **_: Any) -> None:
        outcomes.append(outcome)
        ended.set()

    async def cancel_export() -> None:
        requests = asyncio.create_task(export_response(RequestFactory().get("/"), find=find))
        await asyncio.to_thread(found.wait)
        requests.cancel()
        with pytest.raises(asyncio.CancelledError):
            await requests
        cancelled.set()
        await asyncio.to_thread(ended.wait)

    signals.export_ended.connect(record)
    try:
        async_to_sync(cancel_export)()
    finally:
        signals.export_ended.disconnect(record)

    assert outcomes == ["stopped"]
    with export_slots.take(), export_slots.take():
        pass


def test_the_outcome_of_each_export_is_signalled(user: User, table: str) -> None:
    outcomes: list[tuple[str, str]] = []

    def record(*, ending: str, outcome: str, **_: Any) -> None:
        outcomes.append((ending, outcome))

    signals.export_ended.connect(record)
    try:
        create_export(find=lambda: table_of(user, table), view=lambda shape: View(), ending="csv").file.close()
        with export_slots.take(), export_slots.take(), pytest.raises(TooMany):
            create_export(find=lambda: table_of(user, table), view=lambda shape: View(), ending="xlsx")
    finally:
        signals.export_ended.disconnect(record)

    assert outcomes == [("csv", "made"), ("xlsx", "too_many_requests")]
