"""SIGKILL of a server at any moment of an apply leaves all or nothing, and the apply happens once."""
from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from http.client import HTTPException
from random import SystemRandom
from time import monotonic
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from chat.models import Payload
from tables.models import Change, Table
from tables.operations import Origin
from tables.selectors import read_rows
from tables.services import create_table
from tests.chat.stream_client import Browser
from tests.stored_proposals import apply_url, rows_proposal
from tests.tables.concurrency.processes import ServerProcess
from tests.tables.concurrency.threads import SECONDS
from tests.tables.snapshots import snapshot

Json = dict[str, Any]
PART = 250  # the operations are two such parts of updates, one of deletes, one of adds
CONNECTION_ERRORS = (OSError, HTTPException)


class KilledServer:
    """A server that is killed repeatedly during requests."""

    def __init__(self, user: User) -> None:
        self.user = user
        self.server = ServerProcess()
        self.pool = ThreadPoolExecutor(1)

    def apply(self, payload: Payload) -> tuple[int, Json]:
        """Apply without a kill; return the status and the response."""
        return apply(Browser(self.server.wait().address, self.user), payload)

    def kill_during_apply(self, payload: Payload, *, after: float) -> tuple[int, Json] | None:
        """Apply, kill the server after this many seconds and restart it; return the response, if any."""
        browser = Browser(self.server.wait().address, self.user)
        sent: Future[tuple[int, Json]] = self.pool.submit(apply, browser, payload)
        wait([sent], timeout=after)
        self.server.kill()
        failure = sent.exception(timeout=SECONDS)
        assert failure is None or isinstance(failure, CONNECTION_ERRORS), failure
        self.server = ServerProcess()
        return sent.result() if failure is None else None

    def stop(self) -> None:
        self.server.kill()
        self.pool.shutdown()


def apply(browser: Browser, payload: Payload) -> tuple[int, Json]:
    return browser.request("POST", apply_url(payload), {"operations": "all"})[:2]


@pytest.fixture
def killed_server(transactional_db: None, user: User) -> Iterator[KilledServer]:
    server = KilledServer(user)
    try:
        yield server
    finally:
        server.stop()


def proposal_of_1000(user: User) -> Payload:
    """Return a proposal of 1,000 updates, deletes and adds for a new table."""
    column = {"name": "Name", "type": "text"}
    names = [{"Name": f"old {number}"} for number in range(3 * PART)]
    table = create_table(user=user, name="Thousand", columns=[column], rows=names, origin=Origin("api"))
    ids = [row.id for row in read_rows(table, limit=len(names))]
    updates = [{"action": "update", "row_id": row, "changes": {"Name": "changed"}} for row in ids[: 2 * PART]]
    deletes = [{"action": "delete", "row_id": row} for row in ids[2 * PART :]]
    adds = [{"action": "add", "data": {"Name": "added"}} for _ in range(PART)]
    return rows_proposal(user, *updates, *deletes, *adds, table_id=table.pk)


def state_of(payload: Payload) -> Json:
    """Return all that an apply writes: the table, its changes and their steps, the proposal and its outcome."""
    # The transaction of a killed server may still be ending; the lock waits for it.
    with transaction.atomic():
        payload = Payload.objects.select_for_update().get(pk=payload.pk)
        changes = Change.objects.filter(table_id=payload.subject_id)
        return {
            "table": snapshot(int(payload.subject_id)),
            "version": Table.objects.get(pk=payload.subject_id).version,
            "steps": [[len(piece.steps.get("rows", ())) for piece in change.pieces.all()] for change in changes],
            "status": payload.status,
            "outcome": payload.outcome,
        }


def names_in(state: Json) -> list[str]:
    return [next(iter(data.values())) for _, _, data in state["table"]["rows"]]


def kill_and_check(killed_server: KilledServer, *, after: float) -> None:
    payload = proposal_of_1000(killed_server.user)
    before = state_of(payload)

    response = killed_server.kill_during_apply(payload, after=after)

    after_kill = state_of(payload)
    status, retry = killed_server.apply(payload)
    final = state_of(payload)
    assert names_in(final) == ["changed"] * 2 * PART + ["added"] * PART
    assert (final["status"], final["version"]) == ("applied", before["version"] + 1)
    if after_kill == before:
        assert (response, status) == (None, 200)
    else:
        assert (after_kill, status, retry["error"]) == (final, 409, "already_applied")
        assert retry["outcome"] == final["outcome"]


def measure_apply(killed_server: KilledServer) -> float:
    """Return the duration of an apply without a kill."""
    payload = proposal_of_1000(killed_server.user)
    killed_server.server.wait()
    started = monotonic()
    assert killed_server.apply(payload)[0] == 200
    return monotonic() - started


# The next process recovers the journal of SQLite. PostgreSQL rolls back in a server of its own: there, the ordinary run
# only kills a worker that imports.
@pytest.mark.parametrize(
    "kills", [pytest.param(3, marks=pytest.mark.sqlite_only), pytest.param(50, marks=pytest.mark.soak)]
)
def test_a_killed_apply_is_complete_or_absent(killed_server: KilledServer, kills: int) -> None:
    random = SystemRandom()
    seconds = [measure_apply(killed_server) for _ in range(3)][-1]  # the first request of a server takes longer

    for number in range(kills):
        # A random moment in each part of the duration of an apply, and slightly beyond.
        kill_and_check(killed_server, after=1.3 * seconds * (number + random.random()) / kills)
