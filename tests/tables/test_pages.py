"""Pages as rendered by the server: content without scripts, access and escaping."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tables.models import Change, Table
from tables.operations import Origin
from tables.services import create_table, update_rows
from tests.conftest import Api
from tests.tables.shared_table import make_member

FORM = Origin("form")
HOSTILE = "<img src=x onerror=alert(1)>"
PAGES = ("", "edit/", "history/")


def html_of(response: Any) -> str:
    return response.content.decode()


def path(table: Table, rest: str = "") -> str:
    return f"/tables/{table.pk}/{rest}"


def many_rows(user: User, *, count: int) -> Table:
    rows = [{"Name": f"Row {number}", "Size": number} for number in range(1, count + 1)]
    columns = [{"name": "Name", "type": "text"}, {"name": "Size", "type": "number"}]
    return create_table(user=user, name="Many", columns=columns, rows=rows, origin=FORM)


def test_a_user_without_tables_gets_a_prompt(api: Api) -> None:
    page = html_of(api.get("/tables/"))
    assert "Describe the table you need" in page
    assert 'class="card"' not in page


def test_tables_are_listed_as_cards_with_their_content(api: Api, jobs: Table) -> None:
    page = html_of(api.get("/tables/"))
    assert f'href="/tables/{jobs.pk}/">Jobs</a>' in page
    assert "4 columns" in page
    assert "3 rows" in page


def test_the_list_distinguishes_no_results_from_no_tables(api: Api, jobs: Table) -> None:
    page = html_of(api.get("/tables/", search="zebra"))
    assert "No table matches “zebra”" in page
    assert "data-say" not in page


def test_names_are_sorted_case_insensitively_and_by_code_point(api: Api, user: User) -> None:
    for name in ("étude", "Zebra", "apple", "Äpfel", "_draft", "APPLE 2"):
        create_table(user=user, name=name, columns=[{"name": "A", "type": "text"}], origin=FORM)
    listed = api.get("/api/tables/", ordering="name").json()["tables"]
    wanted = ["_draft", "apple", "APPLE 2", "Zebra", "Äpfel", "étude"]
    assert [table["name"] for table in listed] == wanted
    page = html_of(api.get("/tables/", sort="name"))
    assert sorted(wanted, key=page.index) == wanted
    backwards = api.get("/api/tables/", ordering="-name").json()["tables"]
    assert [table["name"] for table in backwards] == wanted[::-1]


def test_queries_of_the_list_do_not_grow_with_the_tables(api: Api, user: User, jobs: Table) -> None:
    with CaptureQueriesContext(connection) as one:
        api.get("/tables/")
    for number in range(5):
        create_table(user=user, name=f"T{number}", columns=[{"name": "A", "type": "text"}], origin=FORM)
    with CaptureQueriesContext(connection) as many:
        api.get("/tables/")
    assert len(many) == len(one)


def test_the_first_rows_are_shown_without_scripts(api: Api, jobs: Table) -> None:
    page = html_of(api.get(path(jobs)))
    assert re.search(r'<tr data-row="\d+">', page)
    for text in ("Acme", "Bolt", "Crux", ">Open</span>", "3 rows"):
        assert text in page


def test_the_grid_gets_its_columns_and_rows_as_data(api: Api, jobs: Table) -> None:
    page = html_of(api.get(path(jobs)))
    columns = json.loads(unescape(re.search(r'data-columns="([^"]*)"', page)[1]))  # type: ignore[index]  # it is there
    rows = json.loads(unescape(re.search(r'data-rows="([^"]*)"', page)[1]))  # type: ignore[index]  # it is there
    assert [column["name"] for column in columns] == ["Company", "Status", "Salary", "Note"]
    assert rows[0]["data"][columns[0]["id"]] == "Acme"


def test_rows_beyond_the_first_hundred_are_on_further_pages(api: Api, user: User) -> None:
    table = many_rows(user, count=120)
    first, second = html_of(api.get(path(table))), html_of(api.get(path(table), page="2"))
    assert first.count("<tr data-row=") == 100
    assert 'href="?page=2"' in first
    assert second.count("<tr data-row=") == 20
    assert "Row 101" in second


def test_queries_of_a_table_page_do_not_grow_with_the_rows(api: Api, user: User) -> None:
    table = many_rows(user, count=2)
    with CaptureQueriesContext(connection) as few:
        api.get(path(table))
    table = many_rows(user, count=120)
    with CaptureQueriesContext(connection) as many:
        api.get(path(table))
    assert len(many) == len(few)


def test_rows_are_counted_once_for_an_unchanged_table(api: Api, user: User) -> None:
    table = many_rows(user, count=5)
    api.get(path(table))
    with CaptureQueriesContext(connection) as again:
        assert "5 rows" in html_of(api.get(path(table)))
    assert not [query for query in again.captured_queries if "COUNT(" in query["sql"] and "tables_row" in query["sql"]]


def test_search_and_sort_are_in_the_url(api: Api, jobs: Table) -> None:
    column = jobs.columns.get(name="Company").pk
    page = html_of(api.get(path(jobs), search="o", sort=f"-{column}"))
    assert 'aria-sort="descending"' in page
    assert page.index("B<mark>o</mark>lt</span>") < page.index("Acme</span>")
    assert "2 matching rows" in page


def test_filters_in_the_url_are_applied(api: Api, jobs: Table) -> None:
    status = jobs.columns.get(name="Status").pk
    page = html_of(api.get(path(jobs), filter=json.dumps({"column": status, "op": "any_of", "value": ["Done"]})))
    assert page.count("<tr data-row=") == 1
    assert "Bolt" in page


NONSENSE = [
    {"sort": "nowhere"},
    {"filter": "{"},
    {"filter": '{"column":"x"}'},
    {"page": "0"},
    {"page": "9" * 30},
    {"page": "٣"},
    {"search": "\0"},
]


@pytest.mark.parametrize("query", NONSENSE)
def test_invalid_queries_still_show_the_table(api: Api, jobs: Table, query: dict[str, str]) -> None:
    response = api.get(path(jobs), **query)
    assert response.status_code == 200
    assert "Company" in html_of(response)
    assert api.get("/tables/", **query).status_code == 200


def test_a_search_of_a_hundred_words_is_accepted(api: Api, jobs: Table) -> None:
    many = " ".join(f"word{number}" for number in range(100))
    assert api.get("/tables/", search=many).status_code == api.get(path(jobs), search=many).status_code == 200


def test_the_page_distinguishes_no_results_from_no_rows(api: Api, user: User, jobs: Table) -> None:
    assert "No matching rows" in html_of(api.get(path(jobs), search="zebra"))
    empty = create_table(user=user, name="Empty", columns=[{"name": "A", "type": "text"}], origin=FORM)
    assert "No rows yet" in html_of(api.get(path(empty)))


def test_a_select_column_with_tabs_is_filtered_by_links(api: Api, jobs: Table) -> None:
    page = html_of(api.get(path(jobs), search="o"))
    tabs = re.search(r'aria-label="Status">(.*?)</div>', page, re.DOTALL)
    assert tabs is not None
    links = [unescape(href) for href in re.findall(r'href="([^"]*)"', tabs[1])]
    assert len(links) == 3
    assert re.findall(r'class="n">(\d+)<', tabs[1]) == ["1", "1"]
    done = html_of(api.client.get(path(jobs) + links[2]))
    assert done.count("<tr data-row=") == 1
    assert "Bolt" in done
    assert 'aria-current="true"' in done
    assert "Clear" in done


@pytest.mark.parametrize("rest", PAGES)
def test_hostile_text_is_escaped(api: Api, user: User, rest: str) -> None:
    table = create_table(
        user=user,
        name=HOSTILE,
        description=HOSTILE,
        columns=[{"name": HOSTILE, "type": "select", "options": [HOSTILE]}],
        rows=[{HOSTILE: HOSTILE}],
        origin=FORM,
    )
    for page in (html_of(api.get(path(table, rest))), html_of(api.get("/tables/"))):
        assert "<img" not in page
        assert "&lt;img" in page


@pytest.mark.parametrize("rest", PAGES)
def test_pages_have_no_inline_scripts_or_styles(api: Api, jobs: Table, rest: str) -> None:
    for page in (html_of(api.get(path(jobs, rest))), html_of(api.get("/tables/"))):
        assert not re.search(r"<script(?![^>]*\ssrc=)", page)
        assert "<style" not in page
        assert not re.search(r"<[^>]+\s(style|on[a-z]+)=", page)
        assert not re.search(r'(src|href)="(https?:)?//', page)


@pytest.mark.parametrize("rest", PAGES)
def test_inaccessible_and_missing_tables_get_the_same_404(other_api: Api, jobs: Table, rest: str) -> None:
    theirs, missing = other_api.get(path(jobs, rest)), other_api.get(f"/tables/999999/{rest}")
    assert theirs.status_code == missing.status_code == 404
    assert not re.search(r"\bJobs\b", html_of(theirs))


@pytest.mark.parametrize("url", ["/tables/", "/tables/1/", "/tables/1/edit/", "/tables/1/history/"])
def test_anonymous_users_are_redirected_to_sign_in(db: None, url: str) -> None:
    response = Client().get(url)
    assert response.status_code == 302
    assert response["Location"].startswith("/sign-in/")


def test_viewers_are_offered_no_changes(api: Api, other_api: Api, user: User, jobs: Table) -> None:
    make_member(jobs, other_api.user, role="viewer")
    page = html_of(other_api.get(path(jobs)))
    assert "data-read-only" in page
    assert "/edit/" not in page
    assert "data-read-only" not in html_of(api.get(path(jobs)))


def test_the_history_shows_actors_and_offers_undo(api: Api, user: User, jobs: Table) -> None:
    row = jobs.rows.first()
    assert row is not None
    update_rows(user=user, table_id=jobs.pk, rows=[{"id": row.pk, "data": {"Company": "Apex"}}], origin=Origin("grid"))
    page = html_of(api.get(path(jobs, "history/")))
    assert "You in the table" in page
    assert page.count('name="change"') == Change.objects.filter(table=jobs).count()


def test_a_change_is_undone_from_the_history(api: Api, user: User, jobs: Table) -> None:
    row = jobs.rows.first()
    assert row is not None
    update_rows(user=user, table_id=jobs.pk, rows=[{"id": row.pk, "data": {"Company": "Apex"}}], origin=Origin("grid"))
    change = Change.objects.filter(table=jobs).order_by("-version")[0]
    response = api.client.post(path(jobs, "history/"), {"change": change.pk}, follow=True)
    assert response.status_code == 200
    assert "Acme" in html_of(api.get(path(jobs)))


def test_undoing_the_creation_of_a_table_redirects_to_the_list(api: Api, jobs: Table) -> None:
    for change in Change.objects.filter(table=jobs).order_by("-version"):
        response = api.client.post(path(jobs, "history/"), {"change": change.pk})
    assert response["Location"] == "/tables/"


@pytest.mark.parametrize("change", ["", "x", "999999", "-1", "٣"])
def test_invalid_change_ids_are_404(api: Api, jobs: Table, change: str) -> None:
    assert api.client.post(path(jobs, "history/"), {"change": change}).status_code == 404


def test_changes_of_other_users_cannot_be_undone(other_api: Api, jobs: Table) -> None:
    change = Change.objects.filter(table=jobs).order_by("-version")[0]
    assert other_api.client.post(path(jobs, "history/"), {"change": change.pk}).status_code == 404


def test_name_and_description_are_saved_without_scripts(api: Api, jobs: Table) -> None:
    response = api.client.post(path(jobs, "edit/"), {"name": "Work", "description": "All of it"})
    assert response["Location"] == path(jobs)
    jobs.refresh_from_db()
    assert (jobs.name, jobs.description) == ("Work", "All of it")
    assert Change.objects.filter(table=jobs).order_by("-version")[0].source == "form"


def test_invalid_names_are_refused_with_a_message(api: Api, jobs: Table) -> None:
    response = api.client.post(path(jobs, "edit/"), {"name": "", "description": "x"}, follow=True)
    assert "Nothing was saved." in html_of(response)
    jobs.refresh_from_db()
    assert jobs.name == "Jobs"


def test_the_theme_of_the_cookie_is_rendered(api: Api) -> None:
    api.client.cookies["theme"] = "dark"
    assert 'data-theme="dark"' in html_of(api.get("/tables/"))
    api.client.cookies["theme"] = '"><script>'
    assert "data-theme" not in html_of(api.get("/tables/")).split("<head>")[0]
