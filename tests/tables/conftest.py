"""A table of jobs and functions that propose and apply changes, for tests of writing."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from tables.models import Table
from tables.operations import Choice, Origin
from tables.services import Applied, apply_data, apply_schema, create_table, prepare_data, prepare_schema
from tests.conftest import Api

API = Origin("api")
COLUMNS: list[dict[str, Any]] = [
    {"name": "Company", "type": "text", "required": True},
    {"name": "Status", "type": "select", "options": ["Open", "Done"], "filterDisplay": "tab"},
    {"name": "Salary", "type": "number"},
    {"name": "Note", "type": "text"},
]
ROWS = [
    {"Company": "Acme", "Status": "Open", "Salary": 10, "Note": "12"},
    {"Company": "Bolt", "Status": "Done", "Note": "soon"},
    {"Company": "Crux", "Salary": 30},
]

TWO_COLUMNS = [{"name": "Company", "type": "text", "required": True}, {"name": "Salary", "type": "number"}]

ApplyData = Callable[..., Applied]


@pytest.fixture
def jobs(user: User) -> Table:
    """Create a table of three rows and four columns."""
    return create_table(user=user, name="Jobs", description="Mine", columns=COLUMNS, rows=ROWS, origin=API)


@pytest.fixture
def table(api: Api) -> str:
    """Create a table of two rows and two columns over REST and return its URL."""
    rows = [{"Company": "Acme", "Salary": 10}, {"Company": "Bolt"}]
    body = {"name": "Jobs", "columns": TWO_COLUMNS, "rows": rows}
    return f"/api/tables/{api.post('/api/tables/', body).json()['id']}/"


@pytest.fixture
def apply_rows(user: User, jobs: Table) -> ApplyData:
    """Return `apply_rows(operation, …, **choice)`, which proposes row operations and applies them."""

    def apply(*operations: dict[str, Any], **choice: Any) -> Applied:
        prepared = prepare_data(user=user, table_id=jobs.pk, proposal={"operations": list(operations)})
        return apply_data(user=user, prepared=prepared, choice=Choice(**choice), origin=API)

    return apply


@pytest.fixture
def apply_columns(user: User, jobs: Table) -> ApplyData:
    """Return `apply_columns(operation, …, words={}, **choice)`, which proposes column operations and applies them."""

    def apply(*operations: dict[str, Any], words: dict[str, Any] | None = None, **choice: Any) -> Applied:
        proposal = {"mode": "update", "operations": list(operations), **(words or {})}
        prepared = prepare_schema(user=user, table_id=jobs.pk, proposal=proposal)
        return apply_schema(user=user, prepared=prepared, choice=Choice(**choice), origin=API)

    return apply
