"""Importing a file: choosing or dropping it, checking its columns, and deciding about refused cells."""
from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import FilePayload, Page, expect

from tests.browser.app_process import RunningApp
from tests.browser.held_responses import HeldRequests
from tests.browser.interception import intercept

OpenPage = Callable[..., Page]
# The worker polls once a second, and the machine may be busy.
PATIENCE = 60_000  # ms
IMPORTS_URL = "**/api/imports/"
HEAD = "Company,Since,Salary,Site\nAcme,03/04/2024,1200,https://acme.example\nBolt,05/06/2024,1300,\n"
CSV = HEAD + "Crux,07/08/2024,5,\n" * 20 + "Dune,,much,\n"


def file(text: str, *, name: str = "jobs.csv") -> FilePayload:
    return {"name": name, "mimeType": "text/csv", "buffer": text.encode()}


def drop(page: Page, text: str, *names: str) -> None:
    """Drop files with this content on the form."""
    page.evaluate(
        """([text, names]) => {
          const given = new DataTransfer();
          for (const name of names) given.items.add(new File([text], name));
          const form = document.querySelector("[data-file-drop]");
          form.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: given }));
        }""",
        [text, names],
    )


def test_a_chosen_file_becomes_a_table_after_questions_about_it(app: RunningApp, open_page: OpenPage) -> None:
    page = open_page(sign_in=app.link_for_new_user(), width=1280)
    page.goto(f"{app.address}/tables/")
    field = page.get_by_label("Choose a file", exact=True)
    # The texts are those of the app: those of the browser may be in another language.
    expect(field).to_have_css("opacity", "0")
    field.set_input_files(file(CSV))
    expect(page.get_by_text("Is the day or the month first? The dates match both.")).to_be_visible(timeout=PATIENCE)
    page.get_by_label("Name of Company").fill("Firm")
    page.get_by_label("Format of Since").select_option(label="Day first: 31/12/2024")
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text("1 cell is not valid.")).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_role("cell", name="much", exact=True)).to_be_visible()
    page.get_by_role("button", name="Import only 22 valid rows").click()
    expect(page.get_by_text("22 rows were added.")).to_be_visible(timeout=PATIENCE)
    page.get_by_role("link", name="Open table").click()
    expect(page.get_by_role("gridcell", name="Acme", exact=True)).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_role("columnheader", name=re.compile("Firm"))).to_be_visible()


def test_a_file_chosen_before_scripts_are_loaded_is_uploaded(app: RunningApp, open_page: OpenPage) -> None:
    page = open_page(sign_in=app.link_for_new_user())
    script = HeldRequests(page, re.compile(r"/static/tables/file_drop\.[0-9a-f]+\.js"))
    with page.expect_request(script.address):
        page.goto(f"{app.address}/tables/import/", wait_until="commit")
    page.get_by_label("Choose a file", exact=True).set_input_files(file(CSV))
    script.release()
    expect(page.get_by_text("Is the day or the month first? The dates match both.")).to_be_visible(timeout=PATIENCE)


def test_a_dropped_file_is_analyzed_and_shows_its_column_types(app: RunningApp, open_page: OpenPage) -> None:
    page = open_page(sign_in=app.link_for_new_user(), width=390)
    page.goto(f"{app.address}/tables/import/")
    # The script has run: a chosen file is sent at once, without a button.
    expect(page.get_by_role("button", name="Upload")).to_be_hidden(timeout=PATIENCE)
    # A refused file is reported where it was dropped, and another file can be dropped.
    drop(page, "no table", "also.csv", "more.csv")
    expect(page.get_by_role("alert")).to_have_text("Upload one file at a time.")
    drop(page, "\0" * 99, "bytes.csv")
    expect(page.get_by_role("alert")).to_have_text("This file is neither text nor a spreadsheet.", timeout=PATIENCE)
    intercept(page, IMPORTS_URL, lambda route: None)  # never answered
    drop(page, CSV, "wrong.csv")
    expect(page.get_by_text("wrong.csv")).to_be_visible(timeout=PATIENCE)
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Choose a file, or drop it here")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)
    page.unroute(IMPORTS_URL)
    drop(page, CSV, "dropped.csv")
    expect(page.get_by_role("heading", name="dropped.csv")).to_be_visible(timeout=PATIENCE)
    page.get_by_label("Import column Salary").uncheck()
    expect(page.get_by_label("Name of Salary")).to_be_hidden(timeout=PATIENCE)
    page.get_by_label("Type of Since").select_option("text")
    expect(page.get_by_label("Format of Since")).to_be_hidden()
    detected, kind = page.get_by_label("Format: Web address"), page.get_by_label("Type of Site")
    kind.select_option("number")
    expect(detected).to_be_hidden()
    kind.select_option("text")
    expect(detected).to_be_checked()
    expect(detected).to_be_visible()
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text("23 rows were added.")).to_be_visible(timeout=PATIENCE)
