"""Sends files to the door for imports as a person's program would, and has the worker work."""
from __future__ import annotations

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse

from tests.background_worker import work
from tests.conftest import Api

Json = dict[str, Any]
DOOR = "/api/imports/"


def send(api: Api, content: str | bytes, *, name: str = "jobs.csv", table: int | None = None) -> HttpResponse:
    """What the door answers to a file."""
    raw = content.encode() if isinstance(content, str) else content
    fields: Json = {"file": SimpleUploadedFile(name, raw)}
    return api.client.post(DOOR, {**fields, **({"table": table} if table is not None else {})})


def uploaded(api: Api, content: str | bytes, *, name: str = "jobs.csv", table: int | None = None) -> Json:
    """What is found in a file that can be read."""
    answer = send(api, content, name=name, table=table)
    assert answer.status_code == 201, answer.json()
    return dict(answer.json())


def decide(api: Api, imported: Json, **choices: Any) -> Json:
    """The import after something was decided about it."""
    answer = api.patch(f"{DOOR}{imported['id']}/", choices)
    assert answer.status_code == 200, answer.json()
    return dict(answer.json())


def run(api: Api, imported: Json, **said: Any) -> Json:
    """The import after a worker has done what it can."""
    answer = api.post(f"{DOOR}{imported['id']}/run/", said)
    assert answer.status_code == 202, answer.json()
    work()
    return dict(api.get(f"{DOOR}{imported['id']}/").json())


def rows_of(api: Api, table: int, *, limit: int = 1_000) -> list[Json]:
    """The cells of a table's first rows by name."""
    rows: list[Json] = []
    address: str | None = f"/api/tables/{table}/rows/?limit=1000"
    while address is not None and len(rows) < limit:
        body = api.get(address).json()
        rows += [row["data"] for row in body["rows"]]
        address = body["next"]
    return rows[:limit]
