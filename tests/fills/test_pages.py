"""The pages of fills, which work without scripts."""
from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from fills.models import Fill, ModelWait
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
    ModelWait.objects.create(model="claude-haiku", until=timezone.now() + timedelta(minutes=5))
    shown = client.get("/tables/").content.decode() + client.get(page).content.decode()
    assert ["Filling Domain" in shown, "3 of 5" in shown, shown.count("Waiting for the")] == [True, True, 2]
    worker.work(page)
    assert client.post(page, {"do": "run"}).status_code == 409
    notice = "Filling Domain in “People” is finished."
    cards, notices = client.get("/tables/").content.decode(), client.get("/tables/fill-notices/").content.decode()
    assert [notice in cards, "Ready to review" in cards, notice in notices] == [True] * 3
    for referer, back in (("http://testserver/tables/",) * 2, ("http://evil.example/", f"/tables/{people.pk}/")):
        assert client.post(f"{page}dismiss/", headers={"referer": referer})["Location"] == back
    assert notice not in client.get("/tables/").content.decode()
    assert client.post(page, {"do": "erase"}).status_code == 404
    Fill.objects.update(is_unseen=True)
    assert api.post(f"/api{page}refill/", {"ids": [last - 1]}).status_code == 202
    assert notice not in client.get("/tables/fill-notices/").content.decode()
    worker.work(page)
    assert notice in client.get("/tables/fill-notices/").content.decode()
    assert client.post(page, {"do": "apply"}).status_code == 302
    assert notice not in client.get("/tables/fill-notices/").content.decode()
    assert domains(api, people) == [f"firm{number}.example" for number in range(6)]
    assert f"/tables/{people.pk}/history/" in client.get(page).content.decode()
    sign_in(client, other_user)
    assert [client.get(each).status_code for each in (form, page, f"{page}review/")] == [404, 404, 404]
    assert client.post(f"{page}dismiss/").status_code == 404


def test_standing_fills_are_stored_changed_run_and_deleted_by_forms(
    client: Client, user: User, other_user: User, api: Api, people: Table, workers: Callable[..., Workers]
) -> None:
    sign_in(client, user)
    columns = {each["name"]: each["id"] for each in api.get(f"/api/tables/{people.pk}/").json()["columns"]}
    page = f"/tables/{people.pk}/standing-fills/"
    condition = '{"column": "Name", "op": "contains", "value": "Person"}'
    form = {"do": "store", "column": columns["Domain"], "trigger": "new_rows", "filter": condition, "filtered": "1"}
    assert "Person" in client.get(page, {"column": columns["Domain"], "filter": condition}).content.decode()
    refused = client.post(page, {**form, "instruction": "From {Domain}"})
    assert (refused.status_code, "Domain → Domain" in refused.content.decode()) == (422, True)
    assert client.post(page, {**form, "instruction": "The domain of {E-mail}"}).status_code == 302
    shown = client.get(page).content.decode()
    assert "5 of 6 are out of date" in shown
    assert "new_rows" in client.get(f"/tables/{people.pk}/").content.decode()
    [standing] = api.get(f"/api/tables/{people.pk}/standing-fills/").json()["standing_fills"]
    one = {"fill": standing["id"]}
    assert client.post(page, {**one, "do": "run"}).status_code == 302
    running = {**one, "do": "change", "instruction": "The domain of {E-mail}"}
    assert client.post(page, {**running, "trigger": "changes"}).status_code == 302
    assert client.post(page, {**running, "trigger": "changes", "instruction": "X"}).status_code == 422
    workers().work(f"{page}{standing['id']}/")
    assert "All rows are up to date" in client.get(page).content.decode()
    assert client.post(page, {**one, "do": "run"}).status_code == 422
    assert [client.post(page, {**one, "do": name}).status_code for name in ("erase", "delete")] == [404, 302]
    assert client.post(page, {"fill": "x", "do": "delete"}).status_code == 404
    # The fill that is left has the same instruction, and is stored again with its results.
    assert client.post(page, {**form, "instruction": "The domain of {E-mail}"}).status_code == 302
    assert "All rows are up to date" in client.get(page).content.decode()
    sign_in(client, other_user)
    assert [client.get(page).status_code, client.post(page, form).status_code] == [404, 404]
