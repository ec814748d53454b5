"""A table and the sockets of its pages, with a manual clock."""
from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from tables.models import Table
from tables.operations import Origin
from tables.services import create_table
from tests.manual_clock import ManualClock
from tests.tables.consumers.sockets import Page, session_of


@pytest.fixture
def jobs(user: User) -> Table:
    columns = [{"name": "Company", "type": "text"}, {"name": "Salary", "type": "number"}]
    return create_table(user=user, name="Jobs", columns=columns, rows=[{"Company": "Acme"}], origin=Origin("api"))


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def page_of(jobs: Table, clock: ManualClock) -> Callable[..., Page]:
    """Return a function that creates an unopened page of this or another table for a user."""
    return lambda user, table_id=jobs.pk: Page(session_of(user), table_id, clock=clock)
