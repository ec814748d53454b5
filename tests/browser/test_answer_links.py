"""Links in an answer to a row, a column and another table; invalid links are plain text."""
from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.actions import send_message, wait_for_answer
from tests.browser.reviews import toasts
from tests.browser.small_table import COLUMNS, OpenTable, api, send
from tests.scripted_model import ScriptedModel
from tests.scripted_model import say as reply

MANY = [{"Company": f"C {number}", "Status": "Applied"} for number in range(300)]


def expect_cursor_on(page: Page, text: str) -> None:
    """Expect the cursor on a visible cell with this text."""
    here = page.locator("td.cell.is-focus")
    expect(here).to_have_text(text)
    expect(here).to_be_in_viewport()


def test_links_in_an_answer_open_rows_columns_and_tables(
    open_scripted_table: OpenTable, scripted: ScriptedModel
) -> None:
    page = open_scripted_table(MANY)
    (row,) = send(page, "GET", f"{api(page)}rows/?search=C%20250")["rows"]
    (deleted,) = send(page, "GET", f"{api(page)}rows/?search=C%20299")["rows"]
    columns = {column["name"]: column["id"] for column in send(page, "GET", api(page))["columns"]}
    other = send(page, "POST", "/api/tables/", {"name": "Vendors", "columns": COLUMNS, "rows": MANY[:200]})
    (there,) = send(page, "GET", f"/api/tables/{other['id']}/rows/?search=C%20199")["rows"]
    scripted.add(
        reply(
            f"The row [C 250](row:{row['id']}), then [C 299](row:{deleted['id']}); "
            f"the column [Pay](column:{columns['Salary']}); "
            f"in [Vendors](table:{other['id']}) there is [C 199](row:{there['id']}). "
            "Not [this one](row:999999), [that](table:999999) or [a page](/admin/).",
            sizes=(11,),
        )
    )
    send_message(page, "Which?")
    wait_for_answer(page, "or [a page](/admin/).")
    log = page.get_by_role("log")
    expect(log.get_by_role("link")).to_have_text(["C 250", "C 299", "Pay", "Vendors", "C 199"])
    expect(log).to_contain_text("Not this one, that or [a page](/admin/).")

    # A search that matches the row is not removed, although the row has to be read first.
    page.get_by_role("searchbox", name="Search rows").fill("C")
    expect(page).to_have_url(re.compile("search=C"))
    expect(page.get_by_text("300 matching rows")).to_be_visible()
    log.get_by_role("link", name="C 250").click()
    expect_cursor_on(page, "C 250")
    expect(page).to_have_url(re.compile("search=C"))

    log.get_by_role("link", name="Pay").press("Enter")
    expect(page.locator("td.cell.is-focus")).to_have_attribute("data-col", columns["Salary"])
    expect(page.get_by_role("columnheader", name="Salary")).to_be_in_viewport()

    send(page, "POST", f"{api(page)}rows/delete/", {"ids": [deleted["id"]]})
    expect(page.get_by_text("299 matching rows")).to_be_visible()
    log.get_by_role("link", name="C 299").click()
    expect(toasts(page)).to_contain_text("That row no longer exists.")

    page.reload()
    log.get_by_role("link", name="C 199").click()
    page.wait_for_url(f"**/tables/{other['id']}/**")
    expect_cursor_on(page, "C 199")
