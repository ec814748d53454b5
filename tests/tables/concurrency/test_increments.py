"""No update is lost when writers send the value they expect and try again after a conflict."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from tables.operations import Origin
from tables.selectors import read_rows
from tables.services import create_table
from tests.chat.stream_client import Browser
from tests.tables.concurrency.conftest import At
from tests.tables.concurrency.threads import together

COLUMN = {"name": "N", "type": "number"}


def increment(browser: Browser, address: str, *, times: int) -> None:
    """Adds one, so many times; a 409 says what is there now."""
    seen: Any = browser.request("GET", address)[1]["data"]["N"]
    done = 0
    while done < times:
        status, answer, _ = browser.request("PATCH", address, {"data": {"N": seen + 1}, "expected": {"N": seen}})
        assert status in (200, 409), answer
        done += status == 200
        seen = answer["data"]["N"] if status == 200 else answer["errors"][0]["value"]


@pytest.mark.parametrize(("writers", "increments"), [(4, 8), pytest.param(8, 40, marks=pytest.mark.soak)])
def test_every_increment_of_every_writer_counts(at: At, user: User, writers: int, increments: int) -> None:
    table = create_table(user=user, name="Counter", columns=[COLUMN], rows=[{"N": 0}], origin=Origin("api"))
    address = f"/api/tables/{table.pk}/rows/{read_rows(table)[0].id}/"

    together(writers, lambda number: increment(at(number), address, times=increments))

    assert at(0).request("GET", address)[1]["data"]["N"] == writers * increments
