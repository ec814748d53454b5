"""The list of tables and the trash without scripts."""
from __future__ import annotations

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tables.models import Table
from tables.operations import Origin
from tables.services import create_table, trash_table
from tests.captured_queries import CapturedQueries
from tests.conftest import Api
from tests.tables.sample_tables import write_table
from tests.tables.shared_table import make_member

LIST, TRASH = "/tables/", "/tables/?trashed=1"
FORM = Origin("form")
ALL_FORMS = ("trash", "restore", "copy")


def page_text(api: Api, url: str = LIST) -> str:
    return unescape(api.client.get(url).content.decode())


def submit(api: Api, action: str, table: Any, *, url: str = LIST) -> Any:
    """Submit a form of the page and return the response."""
    return api.client.post(url, {"do": action, "table": getattr(table, "pk", table)})


def card_of(page: str, name: str) -> str:
    return next(card for card in re.findall(r"<article.*?</article>", page, re.DOTALL) if f">{name}<" in card)


def headings(page: str) -> list[str]:
    return re.findall(r"<h2>(?:<a[^>]*>)?([^<]+)", page)


def tables(user: User, *names: str) -> list[Table]:
    return [create_table(user=user, name=name, columns=[{"name": "A", "type": "text"}], origin=FORM) for name in names]


def test_cards_show_the_last_editor_and_the_owner(api: Api, other_api: Api, user: User, jobs: Table) -> None:
    make_member(jobs, other_api.user, role="editor")
    row = api.get(f"/api/tables/{jobs.pk}/rows/").json()["rows"][0]["id"]
    assert "by you" in card_of(page_text(api), "Jobs")
    other_api.patch(f"/api/tables/{jobs.pk}/rows/{row}/", {"data": {"Salary": 12}})
    mine, theirs = card_of(page_text(api), "Jobs"), card_of(page_text(other_api), "Jobs")
    assert ("by grace" in mine, "by you" in theirs) == (True, True)
    assert ("Shared by" in mine, 'Shared by </span>ada' in theirs) == (False, True)


def test_tables_are_trashed_and_restored_with_a_notice(api: Api, jobs: Table) -> None:
    answer = submit(api, "trash", jobs, url="/tables/?sort=name")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/tables/?sort=name")
    page = page_text(api)
    assert ("“Jobs” moved to trash." in page, 'value="restore"' in page) == (True, True)
    assert (headings(page), api.get(f"/tables/{jobs.pk}/").status_code) == ([], 404)
    assert submit(api, "restore", jobs).status_code == 302
    page = page_text(api)
    assert ("“Jobs” restored." in page, headings(page)) == (True, ["Jobs"])
    assert len(api.get(f"/api/tables/{jobs.pk}/rows/").json()["rows"]) == 3


def test_the_trash_shows_when_tables_are_deleted(api: Api, user: User, jobs: Table) -> None:
    trash_table(user=user, table_id=jobs.pk, origin=FORM)
    jobs.refresh_from_db()
    assert jobs.deleted_at is not None
    page = page_text(api, TRASH)
    last = jobs.deleted_at + timedelta(days=30)
    assert last.isoformat() in card_of(page, "Jobs")
    assert f'href="/tables/{jobs.pk}/"' not in page
    assert submit(api, "restore", jobs, url=TRASH).headers["Location"] == TRASH
    page = page_text(api, TRASH)
    assert ("The trash is empty" in page, f'href="/tables/{jobs.pk}/">Open</a>' in page) == (True, True)


def test_users_with_only_trashed_tables_see_the_start_page_and_the_trash(api: Api, jobs: Table) -> None:
    assert "trashed=1" not in page_text(api)
    submit(api, "trash", jobs)
    page = page_text(api)
    assert ("Describe the table you need</h1>" in page, 'href="?trashed=1"' in page) == (True, True)


def test_search_and_order_of_the_trash_are_kept_in_the_url(api: Api, user: User) -> None:
    for table in tables(user, "Beta", "alpha", "Gamma"):
        trash_table(user=user, table_id=table.pk, origin=FORM)
    active = tables(user, "Delta")[0]
    assert headings(page_text(api, TRASH)) == ["Gamma", "alpha", "Beta"]
    assert headings(page_text(api, f"{TRASH}&sort=name")) == ["alpha", "Beta", "Gamma"]
    page = page_text(api, f"{TRASH}&search=a&sort=name")
    assert 'href="?trashed=1&search=a&sort=name"' in page
    assert 'href="?trashed=1&search=a"' in page
    assert headings(page_text(api, f"{TRASH}&search=gam")) == ["Gamma"]
    assert "No table matches “zebra”" in page_text(api, f"{TRASH}&search=zebra")
    assert headings(page_text(api)) == [active.name]


@pytest.mark.parametrize("query", ["?trashed=maybe", "?trashed=1&sort=rows", "?page=0&sort[]=x", "?search=%00&page=x"])
def test_invalid_queries_still_show_a_list(api: Api, jobs: Table, query: str) -> None:
    assert api.client.get(f"{LIST}{query}").status_code == 200


def test_a_table_is_copied_from_its_card(api: Api, other_api: Api, user: User, jobs: Table) -> None:
    make_member(jobs, other_api.user, role="viewer")
    answer = submit(other_api, "copy", jobs)
    created = Table.objects.get(owner=other_api.user)
    assert (answer.headers["Location"], created.name) == (f"/tables/{created.pk}/", "Jobs (copy)")


def test_failed_copies_are_explained(api: Api, user: User) -> None:
    bare = write_table(user, [], [])
    answer = submit(api, "copy", bare)
    assert (answer.status_code, "add a column first" in page_text(api)) == (302, True)


@pytest.mark.parametrize("role", ["viewer", "editor"])
def test_only_owners_can_trash_a_table(
    api: Api, other_api: Api, user: User, jobs: Table, role: str
) -> None:
    make_member(jobs, other_api.user, role=role)
    offered = [('value="trash"' in page) for page in (page_text(api), page_text(other_api))]
    in_the_table = [('value="trash"' in page_text(client, f"/tables/{jobs.pk}/")) for client in (api, other_api)]
    assert (offered, in_the_table) == ([True, False], [True, False])
    assert submit(other_api, "trash", jobs).status_code == 403
    submit(api, "trash", jobs)
    assert submit(other_api, "restore", jobs).status_code == 404
    assert not re.search(r"\bJobs\b", page_text(other_api, TRASH))


@pytest.mark.parametrize("role", ["viewer", "editor"])
def test_owners_are_offered_sharing_and_members_leaving(
    api: Api, other_api: Api, user: User, jobs: Table, role: str
) -> None:
    make_member(jobs, other_api.user, role=role)
    page, sharing = f"/tables/{jobs.pk}/", f'href="/tables/{jobs.pk}/sharing/'
    cards = [card_of(page_text(client), "Jobs") for client in (api, other_api)]
    assert [f'{sharing}"' in card for card in cards] == [True, False]
    assert [f'{sharing}#leave"' in card for card in cards] == [False, True]
    tables = [page_text(client, page) for client in (api, other_api)]
    # Owners get a button for the dialog, whose requests the API refuses to members; members get a link to a page.
    assert [" data-share>" in table for table in tables] == [True, False]
    assert [f'{sharing}"' in table for table in tables] == [True, True]


def test_trashed_cards_offer_only_a_restore(api: Api, user: User, jobs: Table) -> None:
    trash_table(user=user, table_id=jobs.pk, origin=FORM)
    card = card_of(page_text(api, TRASH), "Jobs")
    offered = re.findall(r'value="(restore|trash|copy)"|sharing|history', card)
    assert offered == ["restore"]


@pytest.mark.parametrize("action", ALL_FORMS)
def test_inaccessible_and_missing_tables_get_the_same_404(
    other_api: Api, user: User, jobs: Table, action: str
) -> None:
    if action == "restore":
        trash_table(user=user, table_id=jobs.pk, origin=FORM)
    before = list(Table.objects.values())
    assert [submit(other_api, action, table).status_code for table in (jobs, 10**9)] == [404, 404]
    assert list(Table.objects.values()) == before


@pytest.mark.parametrize("action", [*ALL_FORMS, "", "delete"])
def test_unknown_forms_are_404(api: Api, jobs: Table, action: str) -> None:
    for named in ("", "x", "-1", "0", "9" * 40, "１"):
        assert submit(api, action, named).status_code == 404, named
    assert Table.objects.count() == 1


def test_cross_site_forms_are_refused(user: User, jobs: Table) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(user)
    assert browser.post(LIST, {"do": "trash", "table": jobs.pk}).status_code == 403
    assert Table.objects.get().deleted_at is None


def test_names_in_notices_are_escaped(api: Api, user: User) -> None:
    table = tables(user, "<img src=x>")[0]
    submit(api, "trash", table)
    assert "<img" not in api.client.get(LIST).content.decode()


def test_queries_do_not_grow_with_the_tables(api: Api, user: User) -> None:
    def query_counts() -> list[int]:
        counts = []
        for url in (LIST, TRASH):
            with CapturedQueries() as queries:
                api.client.get(url)
            counts.append(len(queries))
        return counts

    trash_table(user=user, table_id=tables(user, "A", "B")[1].pk, origin=FORM)
    few = query_counts()
    for table in tables(user, *(f"T{number}" for number in range(5))):
        trash_table(user=user, table_id=table.pk, origin=FORM)
    tables(user, *(f"U{number}" for number in range(5)))
    assert query_counts() == few
    assert max(few) <= 9
