"""The pages of fills, which work without scripts."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tables.selectors import Table
from tests.conftest import Api
from tests.fills.conftest import Workers
from tests.fills.test_running import domains
from tests.logins import sign_in

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_fill_is_set_up_tried_run_and_applied_by_forms(
    client: Client, user: User, other_user: User, api: Api, people: Table, workers: Callable[..., Workers],
    provider: Any,
) -> None:
    provider.FILL_MODELS = ["claude-haiku"]
    sign_in(client, user)
    domain = api.get(f"/api/tables/{people.pk}/").json()["columns"][2]["id"]
    form = f"/tables/{people.pk}/fill/"
    shown = client.get(form, {"column": domain}).content.decode()
    last = api.get(f"/api/tables/{people.pk}/rows/").json()["rows"][-1]["id"]
    offered = ("{E-mail}", 'value="web"', "claude-haiku", f'name="example" value="{last}"', 'value="confident"')
    assert [each in shown for each in (*offered, 'name="notify"')] == [True] * 5 + [False]
    refused = client.post(form, {"instruction": "Take {Mail}."})
    assert refused.status_code == 422
    assert refused.content.decode().count("field__fault") == 2
    body = {"instruction": "Take the domain out of {E-mail}.", "column": domain, "rows": "empty", "example": last}
    created = client.post(form, {**body, "model": "claude-haiku"})
    made = api.get(f"/api{created['Location']}").json()
    assert (made["model"], made["examples"], made["apply"]) == ("claude-haiku", [last], "review")
    page = created["Location"]
    assert client.post(page, {"do": "try"}).status_code == 302
    worker = workers()
    worker.work(page)
    assert "firm1.example" in client.get(page).content.decode()
    assert client.post(page, {"do": "apply"}).status_code == 302
    assert client.post(page, {"do": "run"}).status_code == 302
    cards = client.get("/tables/").content.decode()
    assert [each in cards for each in ("Filling Domain", "3 of 5")] == [True, True]
    worker.work(page)
    assert client.post(page, {"do": "run"}).status_code == 409
    assert client.post(page, {"do": "erase"}).status_code == 404
    assert client.post(page, {"do": "apply"}).status_code == 302
    assert domains(api, people) == [f"firm{number}.example" for number in range(6)]
    sign_in(client, other_user)
    assert [client.get(each).status_code for each in (form, page)] == [404, 404]
