"""A column type of another app in the browser: its own script, under the same Content Security Policy."""
from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.app_process import RunningApp, started_app
from tests.browser.small_table import saved, send
from tests.shared_files import prepare_data_dir

TABLE = {
    "name": "People",
    "columns": [{"name": "Name", "type": "text"}, {"name": "Mail", "type": "email"}],
    "rows": [{"Name": "Ada", "Mail": "ada@lovelace.org"}],
}


@pytest.fixture(scope="module")
def addresses(migrated_database: Path | None) -> Iterator[RunningApp]:
    prepare = partial(prepare_data_dir, apps=["tests.addresses"])
    with started_app(prepare, DJANGO_SETTINGS_MODULE="tests.addresses.settings") as running:
        yield running


@pytest.fixture
def page(addresses: RunningApp, open_page: Callable[..., Page]) -> Page:
    """A table with a column of the custom type, opened by its owner."""
    page = open_page(sign_in=addresses.link)
    table = send(page, "POST", "/api/tables/", TABLE)
    page.goto(f"{addresses.address}/tables/{table['id']}/")
    return page


def test_the_script_of_the_app_edits_and_draws_the_values(page: Page) -> None:
    for selector, attribute in (("script[type=module]", "src"), ("link[rel=modulepreload]", "href")):
        named = page.locator(f'{selector}[{attribute}*="email_type"]')
        expect(named).to_have_attribute(attribute, re.compile(r"/static/addresses/email_type\.[0-9a-f]{12}\.js$"))
    cell = page.locator("tbody tr[data-row] td").nth(2)
    expect(cell.get_by_role("link")).to_have_attribute("href", "mailto:ada@lovelace.org")
    cell.click(position={"x": 4, "y": 4})
    page.keyboard.press("Enter")
    editor = cell.locator("input[type=email]")
    expect(editor).to_be_focused()
    editor.fill("Grace@Navy.MIL")
    page.keyboard.press("Enter")
    expect(cell.locator("a.address")).to_have_text("grace@navy.mil")
    saved(page)
    page.reload()
    expect(cell.get_by_role("link")).to_have_attribute("href", "mailto:grace@navy.mil")
    page.goto(f"{page.url}edit/")
    kinds = page.get_by_label("Type of Mail")
    expect(kinds).to_have_value("email")
    expect(kinds.locator("option:checked")).to_have_text("E-mail")
