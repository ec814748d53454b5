"""The list of tables used without scripts: who changed what last, whose it is, the trash and the way out of it."""
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


def words(api: Api, address: str = LIST) -> str:
    return unescape(api.client.get(address).content.decode())


def do(api: Api, what: str, table: Any, *, at: str = LIST) -> Any:
    """One of the page's forms, as a browser without scripts sends it."""
    return api.client.post(at, {"do": what, "table": getattr(table, "pk", table)})


def card_of(page: str, name: str) -> str:
    return next(card for card in re.findall(r"<article.*?</article>", page, re.DOTALL) if f">{name}<" in card)


def headings(page: str) -> list[str]:
    return re.findall(r"<h2>(?:<a[^>]*>)?([^<]+)", page)


def tables(user: User, *names: str) -> list[Table]:
    return [create_table(user=user, name=name, columns=[{"name": "A", "type": "text"}], origin=FORM) for name in names]


def test_a_card_says_who_changed_it_last_and_whose_it_is(api: Api, other_api: Api, user: User, jobs: Table) -> None:
    make_member(jobs, other_api.user, role="editor")
    row = api.get(f"/api/tables/{jobs.pk}/rows/").json()["rows"][0]["id"]
    assert "by you" in card_of(words(api), "Jobs")
    other_api.patch(f"/api/tables/{jobs.pk}/rows/{row}/", {"data": {"Salary": 12}})
    mine, theirs = card_of(words(api), "Jobs"), card_of(words(other_api), "Jobs")
    assert ("by grace" in mine, "by you" in theirs) == (True, True)
    assert ("Shared by" in mine, 'Shared by </span>ada' in theirs) == (False, True)


def test_a_table_is_put_in_the_trash_and_taken_out_where_that_is_said(api: Api, jobs: Table) -> None:
    answer = do(api, "trash", jobs, at="/tables/?sort=name")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/tables/?sort=name")
    page = words(api)
    assert ("“Jobs” moved to trash." in page, 'value="restore"' in page) == (True, True)
    assert (headings(page), api.get(f"/tables/{jobs.pk}/").status_code) == ([], 404)
    assert do(api, "restore", jobs).status_code == 302
    page = words(api)
    assert ("“Jobs” restored." in page, headings(page)) == (True, ["Jobs"])
    assert len(api.get(f"/api/tables/{jobs.pk}/rows/").json()["rows"]) == 3


def test_the_trash_says_until_when_a_table_can_be_taken_out(api: Api, user: User, jobs: Table) -> None:
    trash_table(user=user, table_id=jobs.pk, origin=FORM)
    jobs.refresh_from_db()
    assert jobs.deleted_at is not None
    page = words(api, TRASH)
    last = jobs.deleted_at + timedelta(days=30)
    assert last.isoformat() in card_of(page, "Jobs")
    assert f'href="/tables/{jobs.pk}/"' not in page
    assert do(api, "restore", jobs, at=TRASH).headers["Location"] == TRASH
    page = words(api, TRASH)
    assert ("The trash is empty" in page, f'href="/tables/{jobs.pk}/">Open</a>' in page) == (True, True)


def test_whoever_has_tables_only_in_the_trash_is_a_newcomer_who_can_take_them_out(api: Api, jobs: Table) -> None:
    assert "trashed=1" not in words(api)
    do(api, "trash", jobs)
    page = words(api)
    assert ("Describe the table you need</h1>" in page, 'href="?trashed=1"' in page) == (True, True)


def test_search_and_order_of_the_trash_are_in_the_address_and_stay_in_it(api: Api, user: User) -> None:
    for table in tables(user, "Beta", "alpha", "Gamma"):
        trash_table(user=user, table_id=table.pk, origin=FORM)
    kept = tables(user, "Delta")[0]
    assert headings(words(api, TRASH)) == ["Gamma", "alpha", "Beta"]
    assert headings(words(api, f"{TRASH}&sort=name")) == ["alpha", "Beta", "Gamma"]
    page = words(api, f"{TRASH}&search=a&sort=name")
    assert 'href="?trashed=1&search=a&sort=name"' in page
    assert 'href="?trashed=1&search=a"' in page
    assert headings(words(api, f"{TRASH}&search=gam")) == ["Gamma"]
    assert "No table matches “zebra”" in words(api, f"{TRASH}&search=zebra")
    assert headings(words(api)) == [kept.name]


@pytest.mark.parametrize("query", ["?trashed=maybe", "?trashed=1&sort=rows", "?page=0&sort[]=x", "?search=%00&page=x"])
def test_an_address_that_asks_for_nonsense_still_shows_a_list(api: Api, jobs: Table, query: str) -> None:
    assert api.client.get(f"{LIST}{query}").status_code == 200


def test_a_table_is_copied_from_its_card(api: Api, other_api: Api, user: User, jobs: Table) -> None:
    make_member(jobs, other_api.user, role="viewer")
    answer = do(other_api, "copy", jobs)
    made = Table.objects.get(owner=other_api.user)
    assert (answer.headers["Location"], made.name) == (f"/tables/{made.pk}/", "Jobs (copy)")


def test_what_cannot_be_copied_is_told_with_the_reason(api: Api, user: User) -> None:
    bare = write_table(user, [], [])
    answer = do(api, "copy", bare)
    assert (answer.status_code, "add a column first" in words(api)) == (302, True)


@pytest.mark.parametrize("role", ["viewer", "editor"])
def test_only_its_owner_is_offered_the_trash_and_may_use_it(
    api: Api, other_api: Api, user: User, jobs: Table, role: str
) -> None:
    make_member(jobs, other_api.user, role=role)
    offered = [('value="trash"' in page) for page in (words(api), words(other_api))]
    in_the_table = [('value="trash"' in words(who, f"/tables/{jobs.pk}/")) for who in (api, other_api)]
    assert (offered, in_the_table) == ([True, False], [True, False])
    assert do(other_api, "trash", jobs).status_code == 403
    do(api, "trash", jobs)
    assert do(other_api, "restore", jobs).status_code == 404
    assert not re.search(r"\bJobs\b", words(other_api, TRASH))


@pytest.mark.parametrize("role", ["viewer", "editor"])
def test_cards_and_the_tables_menu_offer_to_share_to_its_owner_and_the_way_out_to_members(
    api: Api, other_api: Api, user: User, jobs: Table, role: str
) -> None:
    make_member(jobs, other_api.user, role=role)
    page, sharing = f"/tables/{jobs.pk}/", f'href="/tables/{jobs.pk}/sharing/'
    cards = [card_of(words(who), "Jobs") for who in (api, other_api)]
    assert [f'{sharing}"' in card for card in cards] == [True, False]
    assert [f'{sharing}#leave"' in card for card in cards] == [False, True]
    tables = [words(who, page) for who in (api, other_api)]
    # Only the owner's opens the dialog, which the API would refuse to anybody else; a member's leads to a page.
    assert [" data-share>" in table for table in tables] == [True, False]
    assert [f'{sharing}"' in table for table in tables] == [True, True]


def test_a_card_in_the_trash_offers_nothing_but_the_way_back(api: Api, user: User, jobs: Table) -> None:
    trash_table(user=user, table_id=jobs.pk, origin=FORM)
    card = card_of(words(api, TRASH), "Jobs")
    offered = re.findall(r'value="(restore|trash|copy)"|sharing|history', card)
    assert offered == ["restore"]


@pytest.mark.parametrize("what", ALL_FORMS)
def test_somebody_elses_table_and_a_missing_one_are_the_same(
    other_api: Api, user: User, jobs: Table, what: str
) -> None:
    if what == "restore":
        trash_table(user=user, table_id=jobs.pk, origin=FORM)
    before = list(Table.objects.values())
    assert [do(other_api, what, table).status_code for table in (jobs, 10**9)] == [404, 404]
    assert list(Table.objects.values()) == before


@pytest.mark.parametrize("named", ["", "x", "-1", "0", "9" * 40, "１"])
@pytest.mark.parametrize("what", [*ALL_FORMS, "", "delete"])
def test_forms_that_the_page_does_not_have_do_nothing(api: Api, jobs: Table, what: str, named: str) -> None:
    assert do(api, what, named).status_code == 404
    assert Table.objects.count() == 1


def test_forms_from_elsewhere_are_refused(user: User, jobs: Table) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(user)
    assert browser.post(LIST, {"do": "trash", "table": jobs.pk}).status_code == 403
    assert Table.objects.get().deleted_at is None


def test_names_in_notices_are_shown_as_text(api: Api, user: User) -> None:
    table = tables(user, "<img src=x>")[0]
    do(api, "trash", table)
    assert "<img" not in api.client.get(LIST).content.decode()


def test_the_list_and_the_trash_take_as_many_queries_for_many_tables_as_for_one(api: Api, user: User) -> None:
    def asked() -> list[int]:
        counts = []
        for address in (LIST, TRASH):
            with CapturedQueries() as queries:
                api.client.get(address)
            counts.append(len(queries))
        return counts

    trash_table(user=user, table_id=tables(user, "A", "B")[1].pk, origin=FORM)
    few = asked()
    for table in tables(user, *(f"T{number}" for number in range(5))):
        trash_table(user=user, table_id=table.pk, origin=FORM)
    tables(user, *(f"U{number}" for number in range(5)))
    assert asked() == few
    assert max(few) <= 8
