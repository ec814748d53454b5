"""The menu of the table's page, and the pages that say why there is no file; all of it without scripts."""
from __future__ import annotations

import html
import re

import pytest
from django.urls import reverse

from tests.conftest import Api
from tests.tables.exporting.conftest import ROWS, whole
from tests.tables.exporting.readers import csv_rows, json_rows
from tests.tables.shared_table import share

LINK = re.compile(r'<a class="menu__item" href="([^"]*format=(\w+))"')


def page_of(table: str) -> str:
    return table.removeprefix("/api")


def links(page: str) -> list[tuple[str, str]]:
    """The addresses of the menu, with their kinds of file."""
    return [(html.unescape(href), ending) for href, ending in LINK.findall(page)]


def test_the_menu_leads_to_what_is_filtered_and_to_all_rows_and_says_how_many(api: Api, table: str) -> None:
    page = api.get(page_of(table), search="quoted", sort="-Company").content.decode()

    assert "Filtered rows: 1<" in page
    assert "All rows: 6<" in page
    assert [ending for _, ending in links(page)] == ["csv", "xlsx", "json"] * 2
    filtered, everything = (json_rows(whole(api.client.get(links(page)[place][0]))) for place in (2, 5))
    assert [row[0] for row in filtered[1:]] == [ROWS[2]["Company"]]
    assert len(everything) == 1 + len(ROWS)
    assert everything[1][0] == "Zebra"


def test_without_a_filter_there_are_all_rows_alone(api: Api, table: str) -> None:
    page = api.get(page_of(table)).content.decode()

    assert re.search(r'data-export-part="shown" hidden', page)
    assert csv_rows(whole(api.client.get(links(page)[3][0])))[1][0] == "Zebra"


def test_what_does_not_fit_into_a_workbook_is_said_on_a_page_that_offers_csv(api: Api, table: str) -> None:
    api.post(f"{table}rows/", {"Company": "bell\x07"})

    refused = api.get(f"{page_of(table)}export/", format="xlsx", search="bell")

    page = refused.content.decode()
    assert (refused.status_code, refused.headers["Content-Type"]) == (422, "text/html; charset=utf-8")
    assert "Row 1 of the export" in page
    instead = html.unescape(re.findall(r'href="(\?[^"]+)"', page)[0])
    assert meant_of(api, f"{page_of(table)}export/{instead}") == ["bell\x07"]


def meant_of(api: Api, address: str) -> list[str]:
    return [row[0] for row in csv_rows(whole(api.client.get(address)))[1:]]


def test_whoever_comes_while_files_are_made_is_asked_to_try_again(api: Api, table: str) -> None:
    from tables.interchange.exporting import export_slots

    with export_slots.take(), export_slots.take():
        refused = api.get(f"{page_of(table)}export/", format="json", search="x")

    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "5")
    assert 'href="?format=json&amp;search=x"' in refused.content.decode()


@pytest.mark.parametrize("query", [{"sort": "Compny"}, {"format": "xls"}, {"limti": "3"}, {"filter": "{"}], ids=str)
def test_an_address_that_cannot_be_read_is_a_page_that_says_so(api: Api, table: str, query: dict[str, str]) -> None:
    refused = api.get(f"{page_of(table)}export/", **query)

    assert (refused.status_code in (400, 422), refused.headers["Content-Type"]) == (True, "text/html; charset=utf-8")


def test_members_follow_the_same_link_and_others_find_nothing(
    api: Api, other_api: Api, anonymous_api: Api, table: str
) -> None:
    address = f"{page_of(table)}export/"
    assert other_api.get(address).status_code == 404
    asked_in = anonymous_api.get(address)
    assert (asked_in.status_code, asked_in.headers["Location"]) == (302, f"{reverse('account_login')}?next={address}")

    share(api, table, other_api, role="viewer")

    assert whole(other_api.get(address)) == whole(api.get(address))


def test_who_has_the_link_for_reading_takes_along_what_it_shows(api: Api, anonymous_api: Api, table: str) -> None:
    shared = api.post(f"{table}link/").json()["url"]
    address = "/" + shared.split("/", 3)[3]

    page = anonymous_api.get(address, search="quoted").content.decode()

    assert meant_of(anonymous_api, links(page)[0][0]) == [ROWS[2]["Company"]]
    assert whole(anonymous_api.get(f"{address}export/")) == whole(api.get(f"{table}export/"))
    api.delete(f"{table}link/")
    assert anonymous_api.get(f"{address}export/").status_code == 404
