"""Take the pictures of the README and the documentation: `python -m tests.browser.doc_pictures [FOLDER]`."""
from __future__ import annotations

import json
import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect, sync_playwright

from chatproject.testing.programs import find_browser
from tests.browser.actions import send_message, wait_for_answer
from tests.browser.app_process import RunningApp, started_app
from tests.browser.commands import ROOT
from tests.browser.reviews import apply_button
from tests.browser.small_table import api, cell, create_table, row_ids, send
from tests.browser.states.reviews import COLUMN_CHANGES
from tests.scripted_model import ScriptedModel
from tests.scripted_model import say as reply
from tests.scripted_server import serving

PATIENCE = 30_000  # ms
CONTACT_COLUMNS: list[dict[str, Any]] = [
    {"name": "Name", "type": "text"},
    {"name": "E-mail", "type": "text"},
    {"name": "Customer", "type": "boolean"},
    {"name": "Domain", "type": "text"},
]
CONTACTS: list[dict[str, Any]] = [
    {"Name": "Ada Berg", "E-mail": "ada@northwind.example", "Customer": True},
    {"Name": "Bruno Lang", "E-mail": "bruno.lang@atelier-lang.example"},
    {"Name": "Chiara Conti", "E-mail": "chiara@conti.example", "Customer": True},
    {"Name": "Dmitri Orlov", "E-mail": "d.orlov@orlov-partners.example"},
    {"Name": "Elif Kaya", "E-mail": "elif@kaya.example", "Customer": True},
    {"Name": "Farid Aziz", "E-mail": "", "Customer": True},
    {"Name": "Grace Obi", "E-mail": "grace@obi-foods.example"},
    {"Name": "Hanna Vogel", "E-mail": "hanna@vogel.example"},
    {"Name": "Igor Novak", "E-mail": "igor@novak-steel.example", "Customer": True},
    {"Name": "Julia Reis", "E-mail": "julia@reis.example"},
]


def take(folder: Path) -> None:
    """Write proposal.png, fill.png, columns.png and conflict.png to the folder."""
    expect.set_options(timeout=PATIENCE)
    model = ScriptedModel()
    unsandboxed = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=unsandboxed)
        with started_app() as app:
            _sample_rows(_new_page(browser, app, width=1440, height=900), path=folder / "proposal.png")
            _found_values(_new_page(browser, app, width=1440, height=900), app, path=folder / "fill.png")
        with serving(lambda: model) as url, started_app(ANTHROPIC_API_KEY="unused", ANTHROPIC_BASE_URL=url) as app:
            page = _new_page(browser, app, width=1280, height=800)
            _open_table(page, app)
            _column_changes(page, model, path=folder / "columns.png")
            page = _new_page(browser, app, width=1280, height=800)
            _open_table(page, app)
            page.emulate_media(color_scheme="dark", reduced_motion="reduce")
            _conflict(page, model, path=folder / "conflict.png")
        browser.close()


def _new_page(browser: Browser, app: RunningApp, *, width: int, height: int) -> Page:
    """Open the list of tables as a new user."""
    page = browser.new_context(viewport={"width": width, "height": height}, locale="en-US").new_page()
    page.emulate_media(reduced_motion="reduce")
    page.goto(app.link_for_new_user())
    return page


def _open_table(page: Page, app: RunningApp) -> None:
    """Open a new table whose salaries are in euros."""
    page.goto(create_table(page, app))
    salary = next(each["id"] for each in send(page, "GET", api(page))["columns"] if each["name"] == "Salary")
    send(page, "PATCH", f"{api(page)}columns/{salary}/", {"format": "currency", "currency": "EUR"})
    page.reload()


def _sample_rows(page: Page, *, path: Path) -> None:
    """The first steps of the tour in the README, with the demo model: two of eight proposed rows are not selected."""
    send_message(page, "Track my job applications with company, position, status and date applied")
    create = page.get_by_role("button", name="Create table").locator("visible=true").first
    expect(create).to_be_enabled()
    create.click()
    expect(page.locator("table-grid [data-add-row]")).to_be_enabled()
    wait_for_answer(page, "What would you like to do next?")
    send_message(page, "Add 8 sample rows")
    expect(apply_button(page)).to_contain_text("Apply 8 changes")
    for index in (2, 5):
        page.locator(f'tr[data-index="{index}"]').get_by_role("checkbox").uncheck()
    expect(page.get_by_role("heading", name="6 of 8 changes selected")).to_be_visible()
    _picture(page, path)


def _found_values(page: Page, app: RunningApp, *, path: Path) -> None:
    """A column filled from addresses with the demo model: one value is not found, and one is shown with its card."""
    page.goto(create_table(page, app, name="Contacts", columns=CONTACT_COLUMNS, rows=CONTACTS))
    page.get_by_role("columnheader", name="Domain").click(button="right")
    page.get_by_role("menuitem", name="Fill with the assistant").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="What should be found").fill("Take the domain out of {E-mail}.")
    dialog.get_by_role("button", name=f"Fill {len(CONTACTS)} rows").click()
    expect(page.get_by_role("button", name=f"Apply {len(CONTACTS) - 1} rows")).to_be_visible()
    cell(page, 3, 3).click()
    expect(page.get_by_role("group", name="Result", exact=True)).to_be_visible()
    _picture(page, path)


def _column_changes(page: Page, model: ScriptedModel, *, path: Path) -> None:
    """A proposal with an added, two changed and a removed column."""
    changes = COLUMN_CHANGES | {"reasoning": "Sort by priority instead of due date"}
    model.add(_answer("I propose four changes to the columns.", "SCHEMA_PROPOSAL", changes))
    send_message(page, "Add a priority, rename Salary to Base salary, make Status a number and remove Due")
    expect(apply_button(page)).to_be_enabled()
    _picture(page, path)


def _conflict(page: Page, model: ScriptedModel, *, path: Path) -> None:
    """Proposed rows, one of which has been changed since."""
    first, _, third = row_ids(page)
    changes = {"reasoning": "Two new applications, and no reply from Acme", "operations": [
        {"action": "add", "data": {"Company": "Dyno", "Status": "Offer", "Salary": 3000}},
        {"action": "add", "data": {"Company": "Echo", "Status": "Applied"}},
        {"action": "update", "row_id": first, "changes": {"Status": "Rejected"}, "reason": "No reply"},
        {"action": "delete", "row_id": third, "reason": "Withdrawn"},
    ]}  # fmt: skip
    model.add(_answer("I propose four changes.", "DATA_PROPOSAL", changes))
    send_message(page, "Add Dyno and Echo, mark Acme as rejected and delete Crux")
    expect(apply_button(page)).to_be_enabled()
    send(page, "PATCH", f"{api(page)}rows/{first}/", {"data": {"Status": "Offer"}})
    page.reload()
    expect(page.get_by_text("1 conflict").first).to_be_visible()
    expect(apply_button(page)).to_be_enabled()
    _picture(page, path)


def _answer(words: str, marker: str, content: dict[str, Any]) -> Any:
    return reply(f"{words}\n\n{marker}: {json.dumps(content)}")


def _picture(page: Page, path: Path) -> None:
    """Take the picture once the answer is complete and no toast is left."""
    expect(page.get_by_role("log")).to_have_attribute("aria-busy", "false")
    expect(page.locator("#toasts > *")).to_have_count(0)
    page.mouse.move(0, 0)
    page.screenshot(path=path)


if __name__ == "__main__":
    parser = ArgumentParser(prog="python -m tests.browser.doc_pictures", description=__doc__)
    parser.add_argument("folder", metavar="FOLDER", type=Path, nargs="?", default=ROOT / "docs",
                        help="target folder (default: docs/)")  # fmt: skip
    take(parser.parse_args().folder)
