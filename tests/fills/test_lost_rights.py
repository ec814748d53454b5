"""Fills whose user may not edit the table any more: they pause, and others review, discard and take them over."""
from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from accounts.deletion import close_account
from fills.models import Fill, StandingFill
from tables.selectors import Table
from tests.conftest import Api
from tests.fills.conftest import Workers
from tests.logins import sign_in
from tests.tables.shared_table import make_member

pytestmark = pytest.mark.django_db(transaction=True)
Make = Callable[..., Workers]
BODY = {"columns": ["Domain"], "instruction": "Take the domain out of {E-mail}."}


def running(api: Api, url: str) -> str:
    """Start a fill and return its URL."""
    fill = f"{url}{api.post(url, BODY).json()['id']}/"
    assert api.post(f"{fill}run/", {}).status_code == 202
    return fill


def state_and_reason(api: Api, fill: str) -> tuple[str, str]:
    shown = api.get(fill).json()
    return shown["state"], (shown["reason"] or {}).get("message_code", "")


def test_a_fill_pauses_when_its_user_leaves_and_another_editor_takes_it_over(
    api: Api, other_api: Api, other_user: User, make_user: Callable[[str], User], people: Table, url: str,
    workers: Make, client: Client,
) -> None:
    make_member(people, other_user, role="editor")
    colleague = make_user("joan")
    make_member(people, colleague, role="editor")
    editor, member = Api(colleague), f"/api/tables/{people.pk}/members/{other_user.get_username()}/"
    fill, worker = f"{url}{other_api.post(url, BODY).json()['id']}/", workers()
    assert other_api.post(f"{fill}try/", {"rows": 1}).status_code == 202
    worker.work(fill)
    assert other_api.post(f"{fill}run/", {}).status_code == 202
    assert [each.get(fill).json()["may_manage"] for each in (other_api, api, editor)] == [True, True, False]
    assert editor.post(f"{fill}take-over/", {}).json()["message_code"] == "only_fill_managers"
    assert editor.delete(fill).status_code == 403
    assert api.delete(member).status_code == 204
    worker.work(fill)
    assert len(worker.model.requests) == 1
    assert state_and_reason(api, fill) == ("paused", "fill_right_lost")
    assert api.get(fill).json()["counts"]["found"] == 1
    assert other_api.post(f"{fill}take-over/", {}).status_code == 404
    assert editor.post(f"{fill}resume/", {}).status_code == 403

    sign_in(client, colleague)
    page = fill.removeprefix("/api")
    assert 'value="take_over"' in client.get(page).content.decode()
    assert client.post(page, {"do": "take_over"}).status_code == 302
    shown = editor.get(fill).json()
    assert (shown["user"], shown["may_manage"], state_and_reason(editor, fill)) == (
        colleague.get_username(), True, ("paused", "")
    )  # fmt: skip
    assert editor.post(f"{fill}resume/", {}).status_code == 202
    worker.work(fill)
    assert state_and_reason(editor, fill) == ("done", "")
    assert client.post(page, {"do": "discard"})["Location"] == f"/tables/{people.pk}/"
    assert editor.get(fill).status_code == 404


def test_a_deactivated_user_pauses_and_a_restored_table_resumes(
    api: Api, user: User, people: Table, url: str, workers: Make
) -> None:
    fill = running(api, url)
    User.objects.filter(pk=user.pk).update(is_active=False)
    worker = workers()
    worker.work(fill)
    User.objects.filter(pk=user.pk).update(is_active=True)
    assert state_and_reason(api, fill) == ("paused", "fill_right_lost")
    assert api.post(f"{fill}resume/", {}).status_code == 202
    assert api.delete(f"/api/tables/{people.pk}/").status_code in (200, 204)
    worker.work(fill)
    assert api.post(f"/api/tables/{people.pk}/restore/", {}).status_code == 200
    assert (state_and_reason(api, fill), worker.model.requests) == (("paused", "fill_table_in_trash"), [])


def test_fills_of_a_closed_account_go_to_the_owner_of_the_table(
    api: Api, user: User, other_api: Api, other_user: User, people: Table, url: str, workers: Make
) -> None:
    make_member(people, other_user, role="editor")
    standing = url.replace("/fills/", "/standing-fills/")
    stored = other_api.post(standing, {**BODY, "trigger": "changes"}).json()["id"]
    fill, draft = running(other_api, url), other_api.post(url, BODY).json()["id"]
    workers().work(fill)
    close_account(user=other_user, choices={}, now=timezone.now())
    User.objects.filter(pk=other_user.pk).delete()
    shown = {each["id"]: each for each in api.get(url).json()["fills"]}
    assert draft not in shown
    assert {each["user_id"] for each in shown.values()} == {user.pk}
    assert shown[fill.rstrip("/").rpartition("/")[2]]["counts"]["found"] == 5
    assert StandingFill.objects.get(pk=stored).trigger == "manual"
    assert Fill.objects.count() == 2
