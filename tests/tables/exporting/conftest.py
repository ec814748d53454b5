"""A table with values of every type and with text that means harm; and what comes out of it."""
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
    """Its address. The file is made on a connection of its own, which sees only what was committed."""
    made = api.post("/api/tables/", {"name": "Café = 1/2", "columns": COLUMNS, "rows": ROWS})
    assert made.status_code == 201, made.json()
    return f"/api/tables/{made.json()['id']}/"


def whole(response: Any) -> bytes:
    """All bytes of an answer that is streamed; closes it, as a server does."""

    async def read() -> bytes:
        return b"".join([piece async for piece in response])

    content = async_to_sync(read)() if response.streaming else response.content
    response.close()
    return content
