"""The source of changes in the history: page, form, API or token."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.tokens import create_token
from tables.models import Change, Table
from tests.conftest import Api

ROW = {"Company": "Dyn"}
COLUMN = {"name": "Due", "type": "date"}
WORDS = {"api": "through the API", "grid": "in the table", "form": "in a form or menu"}


def write(client: Client, path: str, body: Any, **headers: str) -> str:
    answer = client.post(path, body, content_type="application/json", headers=headers)
    assert answer.status_code == 201, answer.json()
    return Change.objects.latest("pk").source


@pytest.mark.parametrize(("path", "body", "page"), [("rows/", ROW, "grid"), ("columns/", COLUMN, "form")])
def test_sources_of_pages_and_api_clients(
    api: Api, jobs: Table, path: str, body: Any, page: str
) -> None:
    url = f"/api/tables/{jobs.pk}/{path}"
    again = {key: f"{value} 2" if key in {"Company", "name"} else value for key, value in body.items()}
    assert write(api.client, url, body, **{"X-From-Page": "yes"}) == page
    assert write(api.client, url, again) == "api"
    history = api.get(f"/tables/{jobs.pk}/history/").content.decode()
    assert WORDS[page] in history
    assert WORDS["api"] in history


def test_token_requests_always_have_the_source_api(api: Api, jobs: Table) -> None:
    assert api.user is not None
    secret = create_token(user=api.user, name="x", now=timezone.now(), scope="write")[1]
    headers = {"Authorization": f"Bearer {secret}", "X-From-Page": "yes"}
    assert write(Client(), f"/api/tables/{jobs.pk}/rows/", ROW, **headers) == "api"


def test_tables_created_through_the_api_have_the_source_api(api: Api) -> None:
    created = api.post("/api/tables/", {"name": "New", "columns": [COLUMN], "rows": [{"Due": "2026-11-21"}]}).json()
    assert set(Change.objects.filter(table_id=created["id"]).values_list("source", flat=True)) == {"api"}


def test_a_single_cell_change_is_summarized_by_its_values(api: Api, jobs: Table) -> None:
    row = api.get(f"/api/tables/{jobs.pk}/rows/").json()["rows"][0]
    api.patch(f"/api/tables/{jobs.pk}/rows/{row['id']}/", {"data": {"Company": "Apex"}})
    history = api.get(f"/tables/{jobs.pk}/history/").content.decode()
    assert f"Company {row['data']['Company']} → Apex" in history
    assert "Changed 1 row" not in history
