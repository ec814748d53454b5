"""Exports without scripts: the menu of a table's page and the error pages."""
from __future__ import annotations

import html
import re

import pytest
from django.urls import reverse

from tests.conftest import Api
from tests.tables.exporting.conftest import ROWS, content_of
from tests.tables.exporting.readers import csv_rows, json_rows
from tests.tables.shared_table import share

LINK = re.compile(r'<a class="menu__item" href="([^"]*format=(\w+))"')


def page_of(table: str) -> str:
    return table.removeprefix("/api")


def links(page: str) -> list[tuple[str, str]]:
    """Return the URLs and formats of the menu."""
    return [(html.unescape(href), ending) for href, ending in LINK.findall(page)]


def test_the_menu_links_to_filtered_and_all_rows_with_counts(api: Api, table: str) -> None:
    page = api.get(page_of(table), search="quoted", sort="-Company").content.decode()

    assert "Filtered rows: 1<" in page
    assert "All rows: 6<" in page
    assert [ending for _, ending in links(page)] == ["csv", "xlsx", "json"] * 2
    filtered, everything = (json_rows(content_of(api.client.get(links(page)[index][0]))) for index in (2, 5))
    assert [row[0] for row in filtered[1:]] == [ROWS[2]["Company"]]
    assert len(everything) == 1 + len(ROWS)
    assert everything[1][0] == "Zebra"


def test_the_menu_hides_filtered_rows_without_a_filter(api: Api, table: str) -> None:
    page = api.get(page_of(table)).content.decode()

    assert re.search(r'data-export-part="shown" hidden', page)
    assert csv_rows(content_of(api.client.get(links(page)[3][0])))[1][0] == "Zebra"


def test_the_error_page_of_a_workbook_offers_csv(api: Api, table: str) -> None:
    api.post(f"{table}rows/", {"Company": "bell\x07"})

    response = api.get(f"{page_of(table)}export/", format="xlsx", search="bell")

    page = response.content.decode()
    assert (response.status_code, response.headers["Content-Type"]) == (422, "text/html; charset=utf-8")
    assert "Row 1 of the export" in page
    instead = html.unescape(re.findall(r'href="(\?[^"]+)"', page)[0])
    assert first_column(api, f"{page_of(table)}export/{instead}") == ["bell\x07"]


def first_column(api: Api, url: str) -> list[str]:
    return [row[0] for row in csv_rows(content_of(api.client.get(url)))[1:]]


def test_too_many_exports_show_a_page_with_a_retry_link(api: Api, table: str) -> None:
    from tables.interchange.exporting import export_slots

    with export_slots.take(), export_slots.take():
        response = api.get(f"{page_of(table)}export/", format="json", search="x")

    assert (response.status_code, response.headers["Retry-After"]) == (429, "5")
    assert 'href="?format=json&amp;search=x"' in response.content.decode()


@pytest.mark.parametrize("query", [{"sort": "Compny"}, {"format": "xls"}, {"limti": "3"}, {"filter": "{"}], ids=str)
def test_invalid_queries_show_an_error_page(api: Api, table: str, query: dict[str, str]) -> None:
    response = api.get(f"{page_of(table)}export/", **query)

    assert (response.status_code in (400, 422), response.headers["Content-Type"]) == (True, "text/html; charset=utf-8")


def test_members_can_export_from_the_page_and_others_get_a_404(
    api: Api, other_api: Api, anonymous_api: Api, table: str
) -> None:
    url = f"{page_of(table)}export/"
    assert other_api.get(url).status_code == 404
    redirect = anonymous_api.get(url)
    assert (redirect.status_code, redirect.headers["Location"]) == (302, f"{reverse('account_login')}?next={url}")

    share(api, table, other_api, role="viewer")

    assert content_of(other_api.get(url)) == content_of(api.get(url))


def test_visitors_with_the_link_can_export(api: Api, anonymous_api: Api, table: str) -> None:
    shared = api.post(f"{table}link/").json()["url"]
    url = "/" + shared.split("/", 3)[3]

    page = anonymous_api.get(url, search="quoted").content.decode()

    assert first_column(anonymous_api, links(page)[0][0]) == [ROWS[2]["Company"]]
    assert content_of(anonymous_api.get(f"{url}export/")) == content_of(api.get(f"{table}export/"))
    api.delete(f"{table}link/")
    assert anonymous_api.get(f"{url}export/").status_code == 404
