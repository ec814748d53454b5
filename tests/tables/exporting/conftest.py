"""A table with values of all types and hostile texts, and the content of its exports."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.http import HttpResponse

from tests.conftest import Api

COLUMNS = [
    {"name": "Company", "type": "text"},
    {"name": "=Salary", "type": "number"},
    {"name": "Due, or not", "type": "date"},
    {"name": "Open", "type": "boolean"},
    {"name": "Status", "type": "select", "options": ["To do", "-done", "=1+1"]},
]
ROWS = [
    {"Company": "Zebra", "=Salary": -1200.5, "Due, or not": "2024-02-29", "Open": True, "Status": "=1+1"},
    {"Company": '=cmd|"/c calc"!A1', "=Salary": 1e21, "Due, or not": "1850-01-01", "Open": False, "Status": "-done"},
    {"Company": 'a "quoted",\nsecond line\nthird', "=Salary": 0.1},
    {"Company": "'=already", "Status": "To do"},
    {},
    {"Company": "  Ärger & <b>bold</b> _x0041_ 😀 ", "=Salary": 9007199254740991},
]
Download = Callable[..., HttpResponse]


@pytest.fixture
def table(transactional_db: None, api: Api) -> str:
    """Return the URL of the table. Exports use another connection, so that the table has to be committed."""
    response = api.post("/api/tables/", {"name": "Café = 1/2", "columns": COLUMNS, "rows": ROWS})
    assert response.status_code == 201, response.json()
    return f"/api/tables/{response.json()['id']}/"


def content_of(response: Any) -> bytes:
    """Return all bytes of a response and close it, as a server does."""

    async def read() -> bytes:
        return b"".join([piece async for piece in response])

    content = async_to_sync(read)() if response.streaming else response.content
    response.close()
    return content
