"""No update is lost when writers send the expected value and retry after a conflict."""
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


def increment(browser: Browser, url: str, *, times: int) -> None:
    """Add one this many times; a 409 response contains the current value."""
    seen: Any = browser.request("GET", url)[1]["data"]["N"]
    done = 0
    while done < times:
        status, response, _ = browser.request("PATCH", url, {"data": {"N": seen + 1}, "expected": {"N": seen}})
        assert status in (200, 409), response
        done += status == 200
        seen = response["data"]["N"] if status == 200 else response["errors"][0]["value"]


@pytest.mark.parametrize(("writers", "increments"), [(4, 8), pytest.param(8, 40, marks=pytest.mark.soak)])
def test_concurrent_increments_are_all_counted(at: At, user: User, writers: int, increments: int) -> None:
    table = create_table(user=user, name="Counter", columns=[COLUMN], rows=[{"N": 0}], origin=Origin("api"))
    url = f"/api/tables/{table.pk}/rows/{read_rows(table)[0].id}/"

    together(writers, lambda number: increment(at(number), url, times=increments))

    assert at(0).request("GET", url)[1]["data"]["N"] == writers * increments
