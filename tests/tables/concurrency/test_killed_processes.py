"""kill −9 of a real server at any instant of an apply: it is wholly there or not at all, and happens once."""
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
LOST = (OSError, HTTPException)


class Doomed:
    """A server that is killed again and again, each time in the middle of something."""

    def __init__(self, user: User) -> None:
        self.user = user
        self.server = ServerProcess()
        self.pool = ThreadPoolExecutor(1)

    def apply(self, payload: Payload) -> tuple[int, Json]:
        """Status and answer of an apply that nobody disturbs."""
        return apply(Browser(self.server.wait().address, self.user), payload)

    def killed_in(self, payload: Payload, *, after: float) -> tuple[int, Json] | None:
        """Sends an apply, kills the server so many seconds into it, starts it again; the answer if there was one."""
        browser = Browser(self.server.wait().address, self.user)
        sent: Future[tuple[int, Json]] = self.pool.submit(apply, browser, payload)
        wait([sent], timeout=after)
        self.server.kill()
        failure = sent.exception(timeout=SECONDS)
        assert failure is None or isinstance(failure, LOST), failure
        self.server = ServerProcess()
        return sent.result() if failure is None else None

    def end(self) -> None:
        self.server.kill()
        self.pool.shutdown()


def apply(browser: Browser, payload: Payload) -> tuple[int, Json]:
    return browser.request("POST", apply_url(payload), {"operations": "all"})[:2]


@pytest.fixture
def doomed(transactional_db: None, user: User) -> Iterator[Doomed]:
    server = Doomed(user)
    try:
        yield server
    finally:
        server.end()


def proposal_of_1000(user: User) -> Payload:
    """Changes, deletes and adds, for a table of its own."""
    column = {"name": "Name", "type": "text"}
    names = [{"Name": f"old {number}"} for number in range(3 * PART)]
    table = create_table(user=user, name="Thousand", columns=[column], rows=names, origin=Origin("api"))
    ids = [row.id for row in read_rows(table, limit=len(names))]
    updates = [{"action": "update", "row_id": row, "changes": {"Name": "changed"}} for row in ids[: 2 * PART]]
    deletes = [{"action": "delete", "row_id": row} for row in ids[2 * PART :]]
    adds = [{"action": "add", "data": {"Name": "added"}} for _ in range(PART)]
    return rows_proposal(user, *updates, *deletes, *adds, table_id=table.pk)


def state_of(payload: Payload) -> Json:
    """All an apply writes: the table, its changes with the steps they remember, the proposal and its outcome."""
    # A killed server's transaction may still be ending in the database; whoever gets the lock comes after it.
    with transaction.atomic():
        payload = Payload.objects.select_for_update().get(pk=payload.pk)
        changes = Change.objects.filter(table_id=payload.subject_id).prefetch_related("pieces")
        return {
            "table": snapshot(int(payload.subject_id)),
            "version": Table.objects.get(pk=payload.subject_id).version,
            "steps": [[len(piece.steps.get("rows", ())) for piece in change.pieces.all()] for change in changes],
            "status": payload.status,
            "outcome": payload.outcome,
        }


def names_in(state: Json) -> list[str]:
    return [next(iter(data.values())) for _, _, data in state["table"]["rows"]]


def kill_and_check(doomed: Doomed, *, after: float) -> None:
    payload = proposal_of_1000(doomed.user)
    before = state_of(payload)

    answer = doomed.killed_in(payload, after=after)

    found = state_of(payload)
    status, again = doomed.apply(payload)
    after_all = state_of(payload)
    assert names_in(after_all) == ["changed"] * 2 * PART + ["added"] * PART
    assert (after_all["status"], after_all["version"]) == ("applied", before["version"] + 1)
    if found == before:
        assert (answer, status) == (None, 200)
    else:
        assert (found, status, again["error"]) == (after_all, 409, "already_applied")
        assert again["outcome"] == after_all["outcome"]


def seconds_of_one(doomed: Doomed) -> float:
    """How long an apply takes here and now that nobody disturbs."""
    payload = proposal_of_1000(doomed.user)
    doomed.server.wait()
    began = monotonic()
    assert doomed.apply(payload)[0] == 200
    return monotonic() - began


@pytest.mark.parametrize("kills", [3, pytest.param(50, marks=pytest.mark.soak)])
def test_an_apply_of_1000_operations_survives_no_kill_in_part(doomed: Doomed, kills: int) -> None:
    random = SystemRandom()
    seconds = [seconds_of_one(doomed) for _ in range(3)][-1]  # the first request of a server takes longer

    for number in range(kills):
        # An instant somewhere in each part of the time an apply takes, and a little beyond.
        kill_and_check(doomed, after=1.3 * seconds * (number + random.random()) / kills)
