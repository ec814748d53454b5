"""Concurrent requests for the same apply or undo have one effect."""
from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.utils import timezone

from chat.models import Payload
from chat.selectors import lock_payload
from chat.services import undo_payload
from tables.exceptions import Conflict
from tables.models import Change, Row, Table
from tables.operations import Origin
from tables.services import create_table, restore_as_of, undo_change
from tests.conftest import Api
from tests.stored_proposals import apply_url, rows_proposal, stored_proposal
from tests.tables.concurrency.conftest import At
from tests.tables.concurrency.threads import is_waiting_for_lock, together

SENDS = 32
COLUMN = {"name": "Name", "type": "text"}


def new_rows(user: User) -> Payload:
    table = create_table(user=user, name="People", columns=[COLUMN], origin=Origin("api"))
    return rows_proposal(user, *({"action": "add", "data": {"Name": name}} for name in "abc"), table_id=table.pk)


def new_table(user: User) -> Payload:
    data = {
        "mode": "create",
        "reasoning": "Asked for.",
        "table_name": "People",
        "table_description": "All of them",
        "operations": [{"action": "add", "column": COLUMN}],
        "sample_rows": [{"Name": name} for name in "abc"],
    }
    return stored_proposal(user, kind="schema_proposal", data=data)


@pytest.mark.parametrize("proposal", [new_rows, new_table])
def test_concurrent_applies_have_one_effect_and_one_outcome(at: At, user: User, proposal: Any) -> None:
    payload = proposal(user)
    changes = Change.objects.count()
    body = {"operations": "all", "include_sample_rows": True}

    responses = together(SENDS, lambda number: at(number).request("POST", apply_url(payload), body)[:2])

    counts = Counter((status, response.get("error")) for status, response in responses)
    assert counts == {(200, None): 1, (409, "already_applied"): SENDS - 1}
    outcomes = [response["outcome"] for _, response in responses]
    assert outcomes == [outcomes[0]] * SENDS
    assert (Table.objects.count(), Row.objects.count(), Change.objects.count()) == (1, 3, changes + 1)


def undo(user: User, change: Change) -> Change:
    return undo_change(user=user, table_id=change.table_id, change_id=change.pk)


def restore(user: User, change: Change) -> Change:
    first = Change.objects.get(table_id=change.table_id, version=change.version - 1)
    return restore_as_of(user=user, table_id=change.table_id, change_id=first.pk)


@pytest.mark.postgres_only
@pytest.mark.parametrize("reverse", [undo, restore])
def test_an_undo_of_a_change_waits_for_the_undo_of_its_payload(
    user: User, transactional_db: None, reverse: Any
) -> None:
    payload = new_rows(user)
    Api(user).post(apply_url(payload), {"operations": "all"})
    change = Change.objects.get(proposal_id=payload.pk)

    def reverse_change() -> str:
        try:
            reverse(user, change)
        except Conflict as error:
            return error.code
        finally:
            connection.close()
        return ""

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            lock_payload(user, payload.pk)
            reversing = pool.submit(reverse_change)
            while not is_waiting_for_lock():
                assert not reversing.done(), reversing.result()
            undo_payload(user=user, payload_id=payload.pk, now=timezone.now())
        outcome = reversing.result()

    assert outcome in ("already_undone", "nothing_left")
    assert (Payload.objects.get(pk=payload.pk).status, Row.objects.filter(deleted_at=None).count()) == ("undone", 0)
