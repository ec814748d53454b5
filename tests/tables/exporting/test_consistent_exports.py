"""A file shows the table at one moment, whoever writes meanwhile; few are made at a time, and none is left behind."""
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
    export_slots,
    make_export,
    write_export,
)
from tests.conftest import Api
from tests.tables.exporting.conftest import ROWS, whole
from tests.tables.exporting.readers import csv_rows, json_rows

pytestmark = pytest.mark.django_db(transaction=True)


def elsewhere(work: Callable[[], Any]) -> Any:
    """Does it on another connection, and comes back when it is committed."""

    def done() -> Any:
        try:
            return work()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(done).result()


def table_of(user: User, table: str) -> selectors.Table:
    return selectors.get_table(user, int(table.split("/")[3]))


def test_what_is_written_meanwhile_is_not_in_the_file(user: User, api: Api, table: str) -> None:
    def view(shape: TableShape) -> View:
        column = shape.columns[0].id
        elsewhere(lambda: api.post(f"{table}rows/", {"Company": "Late"}))
        elsewhere(lambda: api.patch(f"{table}columns/{column}/", {"name": "Firm"}))
        elsewhere(lambda: api.delete(f"{table}columns/{shape.columns[1].id}/"))
        return View()

    file = io.BytesIO()
    write_export(file, find=lambda: table_of(user, table), view=view, ending="json")

    rows = json_rows(file.getvalue())
    assert rows[0][:2] == ["Company", "=Salary"]
    assert [row[:2] for row in rows[1:]] == [[row.get("Company"), row.get("=Salary")] for row in ROWS]
    now = csv_rows(whole(api.get(f"{table}export/")))
    assert (now[0][0], now[-1][0], len(now)) == ("Firm", "Late", len(rows) + 1)


def test_nobody_waits_for_a_file_that_is_made(user: User, api: Api, table: str) -> None:
    with selectors.snapshot():
        assert table_of(user, table).name.startswith("Café")
        assert elsewhere(lambda: api.post(f"{table}rows/", {"Company": "At once"})).status_code == 201


@pytest.mark.postgres_only
def test_in_a_snapshot_nothing_can_be_written() -> None:
    with selectors.snapshot(), connection.cursor() as cursor:
        cursor.execute("SHOW transaction_isolation")
        assert cursor.fetchone() == ("repeatable read",)
        cursor.execute("SHOW transaction_read_only")
        assert cursor.fetchone() == ("on",)


def fail_in_a_snapshot() -> None:
    with selectors.snapshot():
        raise ZeroDivisionError


def test_after_a_snapshot_the_thread_has_its_own_connection_back(table: str) -> None:
    mine = connections["default"]
    with selectors.snapshot():
        assert connections["default"] is not mine

    with pytest.raises(ZeroDivisionError):
        fail_in_a_snapshot()

    assert connections["default"] is mine


def test_more_files_at_a_time_than_there_are_places_are_refused(api: Api, table: str) -> None:
    with export_slots.take(), export_slots.take():
        refused = api.get(f"{table}export/")

    assert (refused.status_code, refused.json()["error"]) == (429, "too_many_requests")
    assert refused.headers["Retry-After"] == str(RETRY_AFTER)
    assert api.get(f"{table}export/").status_code == 200


def test_a_client_has_one_file_made_at_a_time(user: User, table: str) -> None:
    request: Any = RequestFactory().get("/")
    request.client = "user:1"

    def export() -> None:
        async_to_sync(export_response)(request, find=lambda: table_of(user, table)).close()

    with export_slots.take("user:2"):
        export()
    with export_slots.take("user:1"), pytest.raises(TooMany):
        export()
    export()


def test_many_who_ask_at_once_open_no_more_connections_than_there_are_places(user: User, table: str) -> None:
    """The file is made in a thread of its own; who asks is allowed in, and told of the wait, by theirs."""
    opened: list[threading.Thread] = []
    answers: list[Any] = []

    def note(**_: Any) -> None:
        opened.append(threading.current_thread())

    async def ask_fifty_times() -> None:
        asking = (export_response(RequestFactory().get("/"), find=lambda: table_of(user, table)) for _ in range(50))
        answers.extend(await asyncio.gather(*asking, return_exceptions=True))

    connection_created.connect(note)
    try:
        with export_slots.take(), export_slots.take():
            async_to_sync(ask_fifty_times)()
    finally:
        connection_created.disconnect(note)

    assert [(type(each), each.extra["retry_after"]) for each in answers] == [(TooMany, RETRY_AFTER)] * 50
    assert set(opened) == {threading.current_thread()}


def test_a_place_is_given_back_by_whoever_fails(api: Api, table: str) -> None:
    api.post(f"{table}rows/", {"Company": "\x07"})

    refused = [api.get(f"{table}export/", format="xlsx").status_code for _ in range(MAX_PARALLEL_EXPORTS + 1)]

    assert refused == [422] * (MAX_PARALLEL_EXPORTS + 1)
    with export_slots.take(), export_slots.take(), pytest.raises(TooMany), export_slots.take():
        pass


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_rows_are_read_no_further_once_the_file_has_failed(user: User, api: Api, table: str, ending: str) -> None:
    """An error may live on, and with it all that was in use: a cursor left open would be closed at any later time."""
    api.post(f"{table}rows/", {"Company": "\x07"})
    stop = threading.Event()
    if ending == "csv":
        stop.set()

    with pytest.raises((Invalid, Stopped)) as failed:
        write_export(
            io.BytesIO(), find=lambda: table_of(user, table), view=lambda shape: View(), ending=ending, stop=stop
        )

    rows = next(entry.frame.f_locals["rows"] for entry in failed.traceback if entry.name == "write_export")
    assert inspect.getgeneratorstate(rows) == inspect.GEN_CLOSED


def test_who_may_not_have_the_file_takes_no_place(api: Api, table: str) -> None:
    with export_slots.take(), export_slots.take():
        assert api.get("/api/tables/999999999/export/").status_code == 404
        assert api.get(f"{table}export/", sort="Compny").status_code == 422


def test_a_file_is_closed_with_its_answer_however_much_of_it_was_read(user: User, table: str) -> None:
    answer: Any = async_to_sync(export_response)(RequestFactory().get("/"), find=lambda: table_of(user, table))
    file = answer._iterator._file
    assert not file.closed

    answer.close()

    assert file.closed


def test_who_leaves_while_the_file_is_made_has_the_making_stopped(user: User, table: str) -> None:
    """At a real server that is what happens when a client closes its connection."""
    found, left = threading.Event(), threading.Event()
    outcomes: list[str] = []
    ended = threading.Event()
    asked: list[int] = []

    def find() -> selectors.Table:
        asked.append(1)
        # At first it is only asked whether there may be a file.
        if len(asked) == 2:
            found.set()
            left.wait()
        return table_of(user, table)

    def note(*, outcome: str, **_: Any) -> None:
        outcomes.append(outcome)
        ended.set()

    async def leave() -> None:
        asking = asyncio.create_task(export_response(RequestFactory().get("/"), find=find))
        await asyncio.to_thread(found.wait)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        left.set()
        await asyncio.to_thread(ended.wait)

    signals.export_ended.connect(note)
    try:
        async_to_sync(leave)()
    finally:
        signals.export_ended.disconnect(note)

    assert outcomes == ["stopped"]
    with export_slots.take(), export_slots.take():
        pass


def test_what_became_of_each_file_is_told(user: User, table: str) -> None:
    told: list[tuple[str, str]] = []

    def note(*, ending: str, outcome: str, **_: Any) -> None:
        told.append((ending, outcome))

    signals.export_ended.connect(note)
    try:
        make_export(find=lambda: table_of(user, table), view=lambda shape: View(), ending="csv").file.close()
        with export_slots.take(), export_slots.take(), pytest.raises(TooMany):
            make_export(find=lambda: table_of(user, table), view=lambda shape: View(), ending="xlsx")
    finally:
        signals.export_ended.disconnect(note)

    assert told == [("csv", "made"), ("xlsx", "too_many_requests")]
