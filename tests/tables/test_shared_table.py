"""The reading link: access to the rows of one table and nothing else."""
from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from tables.models import ReadOnlyLink
from tests.conftest import Api
from tests.tables.shared_table import make_table, share


@pytest.fixture
def table(api: Api) -> str:
    return make_table(api)


def link(api: Api, table: str, **body: Any) -> str:
    answer = api.post(f"{table}link/", body)
    assert (answer.status_code, answer["Cache-Control"]) == (201, "no-store")
    return answer.json()["url"].removeprefix("http://testserver")


def test_visitors_with_the_link_can_read_the_rows(api: Api, anonymous_api: Api, table: str) -> None:
    page = anonymous_api.get(link(api, table))
    text = page.content.decode()
    assert page.status_code == 200
    assert "Acme" in text
    assert "Bolt" in text
    assert (page["Referrer-Policy"], "no-store" in page["Cache-Control"]) == ("strict-origin", True)
    assert "noindex" in page["X-Robots-Tag"]


def test_the_page_has_no_links_to_other_pages(api: Api, other_api: Api, anonymous_api: Api, table: str) -> None:
    share(api, table, other_api, role="editor")
    path = link(api, table)
    # The key of the link is random and may contain any letters.
    text = anonymous_api.get(path).content.decode().replace(path, "")
    for absent in ("chat-tray", "table-grid", "/edit/", "/history/", "<script", "checkbox", "ada", "grace", "/api/"):
        assert absent not in text


def test_the_query_selects_the_view(api: Api, anonymous_api: Api, table: str) -> None:
    path = link(api, table)
    found = anonymous_api.get(path, search="acme").content.decode()
    assert [bool(re.search(rf"\b{name}\b", found)) for name in ("Acme", "Bolt")] == [True, False]
    nothing = anonymous_api.get(path, search="zebra").content.decode()
    assert "No matching rows" in nothing


def test_tables_without_rows_or_columns_are_shown_as_empty(api: Api, anonymous_api: Api, table: str) -> None:
    for column in api.get(f"{table}columns/").json()["columns"]:
        api.delete(f"{table}columns/{column['id']}/")
    text = anonymous_api.get(link(api, table)).content.decode()
    assert "No columns yet" in text
    assert "/edit/" not in text


def test_the_link_gives_no_other_access(api: Api, anonymous_api: Api, table: str) -> None:
    path = link(api, table)
    assert anonymous_api.get(table).status_code in {401, 403}
    assert anonymous_api.get(table.removeprefix("/api")).status_code == 302
    assert anonymous_api.client.post(path).status_code == 405


def test_signed_in_visitors_can_copy_the_table(
    api: Api, other_api: Api, anonymous_api: Api, table: str
) -> None:
    path = link(api, table)
    assert f'href="{path}copy/"' in anonymous_api.get(path).content.decode()
    assert anonymous_api.client.post(f"{path}copy/")["Location"] == "/sign-in/"
    assert "Make a copy" in other_api.get(path).content.decode()
    created = other_api.client.post(f"{path}copy/")
    copy = f"/api{created['Location']}"
    assert other_api.get(copy).json()["role"] == "owner"
    assert [row["data"] for row in other_api.get(f"{copy}rows/").json()["rows"]] == [
        row["data"] for row in api.get(f"{table}rows/").json()["rows"]
    ]
    assert other_api.get(table).status_code == 404
    api.delete(f"{table}link/")
    assert other_api.client.post(f"{path}copy/").status_code == 404


def test_a_new_link_replaces_the_old_one(api: Api, anonymous_api: Api, table: str) -> None:
    old = link(api, table)
    new = link(api, table)
    assert (anonymous_api.get(old).status_code, anonymous_api.get(new).status_code) == (404, 200)
    assert ReadOnlyLink.objects.count() == 1


def test_a_removed_link_is_404(api: Api, anonymous_api: Api, table: str) -> None:
    path = link(api, table)
    assert api.get(f"{table}members/").json()["link"]["expires_at"] is None
    assert api.delete(f"{table}link/").status_code == 204
    assert anonymous_api.get(path).status_code == 404
    assert api.get(f"{table}members/").json()["link"] is None


def test_a_link_can_expire(api: Api, anonymous_api: Api, table: str) -> None:
    path = link(api, table, expires_at=(timezone.now() + timedelta(hours=1)).isoformat())
    assert anonymous_api.get(path).status_code == 200
    ReadOnlyLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert anonymous_api.get(path).status_code == 404


@pytest.mark.parametrize(
    ("when", "status"),
    [
        ("soon", 400),
        (5, 400),
        ("2020-01-01", 422),
        ("0001-01-01T00:00:00+14:00", 400),
        ("9999-12-31T23:59:59-12:00", 400),
        ("9999-12-31T23:59:59Z", 400),
        ("0001-01-02T00:00:00Z", 422),
    ],
)
def test_an_expiry_must_be_in_the_future(api: Api, table: str, when: Any, status: int) -> None:
    answer = api.post(f"{table}link/", {"expires_at": when})
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (status, "expires_at")
    assert not ReadOnlyLink.objects.exists()


def test_trashed_tables_are_not_shown(api: Api, anonymous_api: Api, table: str) -> None:
    path = link(api, table)
    api.delete(table)
    assert anonymous_api.get(path).status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize("token", ["x", "%00", "%ED%A0%80", "a" * 5000])
def test_unknown_links_are_404(anonymous_api: Api, token: str) -> None:
    assert anonymous_api.get(f"/shared/{token}/").status_code == 404


def test_links_of_inactive_owners_are_404(
    api: Api, other_api: Api, anonymous_api: Api, user: User, table: str
) -> None:
    path = link(api, table)
    User.objects.filter(pk=user.pk).update(is_active=False)
    answers = [anonymous_api.get(each) for each in (path, "/shared/made-up/")]
    assert [response.status_code for response in answers] == [404, 404]
    assert other_api.client.post(f"{path}copy/").status_code == 404
    User.objects.filter(pk=user.pk).update(is_active=True)
    assert anonymous_api.get(path).status_code == 200
