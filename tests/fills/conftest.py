"""A table of people with addresses, and functions that fill it with a scripted model."""
from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User

from chat.turns.model_clients import use_transport
from fills.batch_worker import work_on_batches
from fills.worker import Worked, work
from tables.operations import Origin
from tables.selectors import Table
from tables.services import create_table
from tests.conftest import Api
from tests.scripted_model import Reply, ScriptedModel, use
from tests.waiting_clock import WaitingClock

Json = dict[str, Any]
COLUMNS: list[Json] = [
    {"name": "Name", "type": "text"},
    {"name": "E-mail", "type": "text"},
    {"name": "Domain", "type": "text"},
    {"name": "Kind", "type": "select", "options": ["Firm", "School"]},
]
START = datetime(2027, 3, 1, 9, tzinfo=UTC)


@pytest.fixture
def people(user: User) -> Table:
    """Create a table of six people, of whom the last has a domain."""
    rows: list[Json] = [{"Name": f"Person {n}", "E-mail": f"p{n}@firm{n}.example"} for n in range(6)]
    rows[5]["Domain"] = "firm5.example"
    return create_table(user=user, name="People", description="", columns=COLUMNS, rows=rows, origin=Origin("api"))


@pytest.fixture
def url(people: Table) -> str:
    return f"/api/tables/{people.pk}/fills/"


@pytest.fixture
def draft(api: Api, url: str) -> Callable[..., str]:
    """Return a function that sets up a fill over REST and returns its URL."""

    def create(**fields: Any) -> str:
        body = {"columns": ["Domain"], "instruction": "Take the domain out of {E-mail}.", **fields}
        answer = api.post(url, body)
        assert answer.status_code == 201, answer.content
        return f"{url}{answer.json()['id']}/"

    return create


class Workers:
    """Work on fills with a scripted model, on a clock on which waiting takes no time."""

    def __init__(self, model: ScriptedModel) -> None:
        self.model = model
        self.clock = WaitingClock()

    def now(self) -> datetime:
        return START + timedelta(seconds=self.clock.now)

    def work(self, url: str, **options: Any) -> Worked:
        """Work on the fill of this URL until nothing is left to do, or for `seconds`."""
        return self.work_together(url, count=1, **options)[0]

    def work_on_batches(self, url: str) -> datetime | None:
        """Do what a task does with batches: check them, send rows, and call for those that batches cannot answer."""
        with use_transport(self.model.transport()):
            moment = async_to_sync(work_on_batches)(_fill_id(url), clock=self.clock, now=self.now)
        self.work(url)
        return moment

    def wait_until(self, moment: datetime | None) -> None:
        """Let the time pass until a moment."""
        assert moment is not None
        self.clock.now = max(self.clock.now, (moment - START).total_seconds())

    def work_together(self, url: str, *, count: int, **options: Any) -> list[Worked]:
        """Have this many workers work on the fill at the same time."""
        fill_id = _fill_id(url)
        arguments = {"seconds": 10_000, "clock": self.clock, "now": self.now} | options

        async def together() -> list[Worked]:
            return await asyncio.gather(*(work(fill_id, **arguments) for _ in range(count)))

        with use_transport(self.model.transport()):
            return async_to_sync(together)()


def _fill_id(url: str) -> UUID:
    return UUID(url.rstrip("/").rpartition("/")[2])


@pytest.fixture
def workers() -> Callable[..., Workers]:
    """Return a function that makes workers of a model with these replies, which else records the row's domain."""

    def make(*replies: Any) -> Workers:
        return Workers(ScriptedModel(*replies, otherwise=domain_of_row))

    return make


def row_text(request: Json) -> str:
    """Return the message about the row."""
    text: str = request["messages"][0]["content"][0]["text"]
    return text


def record(request: Json, value: Any, **changes: Any) -> Reply:
    """Return a call of the tool with one value for the first column."""
    column = next(iter(request["tools"][0]["input_schema"]["properties"]["values"]["properties"]))
    answer = {"values": {column: value}, "confidence": "high", "note": "From the address.", "sources": []}
    return use(("record_result", answer | changes))


def domain_of_row(request: Json) -> Reply:
    return record(request, row_text(request).partition("@")[2].partition('"')[0])


@pytest.fixture
def provider(settings: Any) -> Any:
    """Configure Anthropic's API, which has tools to search the web; a scripted model answers in its place."""
    settings.ANTHROPIC_API_KEY = "test-key"
    return settings


def searched(*results: tuple[str, str], error: str = "") -> list[Json]:
    """Return the blocks of a search with these results (address, title), or that has failed."""
    found: Any = [
        {"type": "web_search_result", "url": url, "title": title, "encrypted_content": "x", "page_age": None}
        for url, title in results
    ]
    if error:
        found = {"type": "web_search_tool_result_error", "error_code": error}
    return [
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "firm"}},
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": found},
    ]


def opened(url: str, text: str) -> list[Json]:
    """Return the blocks of an opened page."""
    source = {"type": "text", "media_type": "text/plain", "data": text}
    document = {"type": "document", "source": source, "title": "Page", "citations": {"enabled": True}}
    result = {"type": "web_fetch_result", "url": url, "content": document, "retrieved_at": None}
    return [
        {"type": "server_tool_use", "id": "srvtoolu_2", "name": "web_fetch", "input": {"url": url}},
        {"type": "web_fetch_tool_result", "tool_use_id": "srvtoolu_2", "content": result},
    ]
