"""Errors about invalid dates: users get examples, API clients the required format."""
from __future__ import annotations

import pytest
from django.test import Client
from django.utils import timezone

from accounts.tokens import create_token
from tests.conftest import Api

COLUMNS = [{"name": "Company", "type": "text"}, {"name": "Due", "type": "date"}]


@pytest.mark.parametrize("skips", [False, True])
def test_pages_and_the_api_have_different_texts_for_invalid_dates(api: Api, *, skips: bool) -> None:
    created = api.post("/api/tables/", {"name": "Jobs", "columns": COLUMNS})
    address = f"/api/tables/{created.json()['id']}/rows/?typecast=true" + ("&on_invalid=skip" if skips else "")
    secret = create_token(user=api.user, name="script", now=timezone.now(), scope="write")[1]
    program = Client(headers={"Authorization": f"Bearer {secret}"})
    german = Client(headers={"Accept-Language": "de"})
    german.force_login(api.user)
    found = []
    body = {"rows": [{"Company": "Acme", "Due": "abc"}]}
    for client in (api.client, german, program):
        answer = client.post(address, body, content_type="application/json").json()
        found.append((answer["skipped"] if skips else answer["errors"])[0]["detail"].removeprefix("Due: "))
    assert found == [
        "“abc” is not a date. Try 24 Dec 2026 or 2026-12-24.",
        "„abc“ ist kein Datum. Schreiben Sie zum Beispiel 24.12.2026 oder 2026-12-24.",
        "“abc” is not a date in the format YYYY-MM-DD.",
    ]
