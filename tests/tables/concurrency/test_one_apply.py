"""Concurrent requests for the same apply, at two processes, have one effect."""
from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.models import Payload
from tables.models import Change, Row, Table
from tables.operations import Origin
from tables.services import create_table
from tests.stored_proposals import apply_url, rows_proposal, stored_proposal
from tests.tables.concurrency.conftest import At
from tests.tables.concurrency.threads import together

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
