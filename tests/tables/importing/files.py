"""Send files to the import API and run the worker."""
from __future__ import annotations

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse

from tests.background_worker import work
from tests.conftest import Api

Json = dict[str, Any]
IMPORTS_URL = "/api/imports/"


def send(api: Api, content: str | bytes, *, name: str = "jobs.csv", table: int | None = None) -> HttpResponse:
    """Upload a file and return the response."""
    raw = content.encode() if isinstance(content, str) else content
    fields: Json = {"file": SimpleUploadedFile(name, raw)}
    return api.client.post(IMPORTS_URL, {**fields, **({"table": table} if table is not None else {})})


def uploaded(api: Api, content: str | bytes, *, name: str = "jobs.csv", table: int | None = None) -> Json:
    """Upload a readable file and return the import."""
    response = send(api, content, name=name, table=table)
    assert response.status_code == 201, response.json()
    return dict(response.json())


def decide(api: Api, imported: Json, **choices: Any) -> Json:
    """Send choices and return the import."""
    response = api.patch(f"{IMPORTS_URL}{imported['id']}/", choices)
    assert response.status_code == 200, response.json()
    return dict(response.json())


def run(api: Api, imported: Json, **options: Any) -> Json:
    """Start the import, run the worker and return the import."""
    response = api.post(f"{IMPORTS_URL}{imported['id']}/run/", options)
    assert response.status_code == 202, response.json()
    work()
    return dict(api.get(f"{IMPORTS_URL}{imported['id']}/").json())


def rows_of(api: Api, table: int, *, limit: int = 1_000) -> list[Json]:
    """Return the cells of the first rows by column name."""
    rows: list[Json] = []
    url: str | None = f"/api/tables/{table}/rows/?limit=1000"
    while url is not None and len(rows) < limit:
        body = api.get(url).json()
        rows += [row["data"] for row in body["rows"]]
        url = body["next"]
    return rows[:limit]
