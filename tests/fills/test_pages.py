"""The pages of fills, which work without scripts."""
from __future__ import annotations

from collections.abc import Callable

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
    client: Client, user: User, other_user: User, api: Api, people: Table, workers: Callable[..., Workers]
) -> None:
    sign_in(client, user)
    domain = api.get(f"/api/tables/{people.pk}/").json()["columns"][2]["id"]
    form = f"/tables/{people.pk}/fill/"
    assert "{E-mail}" in client.get(form).content.decode()
    refused = client.post(form, {"instruction": "Take {Mail}."})
    assert refused.status_code == 422
    assert refused.content.decode().count("field__fault") == 2
    created = client.post(form, {"instruction": "Take the domain out of {E-mail}.", "column": domain, "rows": "empty"})
    page = created["Location"]
    assert client.post(page, {"do": "try"}).status_code == 302
    worker = workers()
    worker.work(page)
    assert "firm1.example" in client.get(page).content.decode()
    assert client.post(page, {"do": "apply"}).status_code == 302
    assert client.post(page, {"do": "run"}).status_code == 302
    worker.work(page)
    assert client.post(page, {"do": "run"}).status_code == 409
    assert client.post(page, {"do": "erase"}).status_code == 404
    assert client.post(page, {"do": "apply"}).status_code == 302
    assert domains(api, people) == [f"firm{number}.example" for number in range(6)]
    sign_in(client, other_user)
    assert [client.get(each).status_code for each in (form, page)] == [404, 404]
