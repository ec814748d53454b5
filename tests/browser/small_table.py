"""A table of three rows, as most tests of the grid have it: made by its owner, looked at, asked for at the API."""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.app_process import RunningApp

OpenTable = Callable[..., Page]
"""Opens a new table whose grid is alive: `open_table(rows, width=390)`."""
COLUMNS = [
    {"name": "Company", "type": "text", "required": True},
    {"name": "Status", "type": "select", "options": ["Applied", "Offer", "Rejected"]},
    {"name": "Salary", "type": "number"},
    {"name": "Due", "type": "date"},
    {"name": "Remote", "type": "boolean"},
]
ROWS: list[dict[str, Any]] = [
    {"Company": "Acme", "Status": "Applied", "Salary": 1000, "Due": "2026-03-15", "Remote": True},
    {"Company": "Bolt", "Status": "Offer", "Salary": 2000},
    {"Company": "Crux", "Status": "Applied"},
]
SEND = """async ([method, path, body]) => {
  const token = document.cookie.split("csrftoken=")[1].split(";")[0];
  const headers = {"Content-Type": "application/json", "X-CSRFToken": token};
  const text = await (await fetch(path, {method, headers, body: body && JSON.stringify(body)})).text();
  return text ? JSON.parse(text) : null;
}"""
PASTE = """text => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  document.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data}));
}"""
COPY = """() => {
  const data = new DataTransfer();
  document.dispatchEvent(new ClipboardEvent("copy", {clipboardData: data}));
  return data.getData("text/plain");
}"""
WATCH_STATUS = """() => {
  const place = document.querySelector("[data-saving]");
  window.statusTexts = [];
  new MutationObserver(() => window.statusTexts.push(place.textContent)).observe(place, {childList: true});
}"""


def send(page: Page, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
    """What the API answers to this person."""
    return page.evaluate(SEND, [method, path, body])


def share_table(owner: Page, other: Page, table: str, *, role: str = "viewer") -> None:
    """Make the user of the other page a member of the owner's table with this address."""
    name = send(other, "GET", "/api/me/")["username"]
    number = table.strip("/").rpartition("/")[2]
    invited = send(owner, "POST", f"/api/tables/{number}/members/", {"kind": "user", "name": name, "role": role})
    send(other, "POST", f"/api/tables/invitations/{invited['id']}/accept/", {})


def made_table(
    page: Page,
    app: RunningApp,
    *,
    name: str = "Jobs",
    columns: list[dict[str, Any]] = COLUMNS,
    rows: list[dict[str, Any]] = ROWS,
) -> str:
    """The address of a new table of whoever is signed in on this page."""
    table = send(page, "POST", "/api/tables/", {"name": name, "columns": columns, "rows": rows})
    return f"{app.address}/tables/{table['id']}/"


def own_table(context: BrowserContext, app: RunningApp, *, rows: list[dict[str, Any]]) -> str:
    """The address of a new table of these rows; its owner, whose cookies the context has, has opened no page yet."""
    token = next(cookie["value"] for cookie in context.cookies() if cookie["name"] == "csrftoken")
    asked = {"name": "Jobs", "columns": COLUMNS, "rows": rows}
    answer = context.request.post(f"{app.address}/api/tables/", data=asked, headers={"X-CSRFToken": token})
    return f"{app.address}/tables/{answer.json()['id']}/"


def api(page: Page) -> str:
    """Where the API has the table that is open: `/api/tables/5/`."""
    found = re.search(r"/tables/\d+/", page.url)
    assert found is not None
    return f"/api{found[0]}"


def cell(page: Page, row: int, column: int) -> Locator:
    """A cell of the saved rows in sight, both counted from 0."""
    return page.locator('tbody[data-body="rows"] tr').nth(row).locator("td.cell").nth(column)


def saved(page: Page) -> None:
    """What was written has been saved: a mark that stays."""
    expect(page.locator("[data-saving]")).to_have_attribute("data-saving", "well")


def watch_status(page: Page) -> None:
    """From now on, record each text of the saving status, which is shown for a moment only."""
    page.evaluate(WATCH_STATUS)


def status_shown(page: Page, text: str) -> None:
    """Wait until the saving status has had this text since `watch_status`."""
    page.wait_for_function("text => window.statusTexts.includes(text)", arg=text)


def status_texts(page: Page) -> list[str]:
    """The texts that the saving status has had since `watch_status`."""
    texts: list[str] = page.evaluate("() => window.statusTexts")
    return texts


def values(page: Page) -> list[dict[str, Any]]:
    """The rows as the server has them, by the names of their columns."""
    return [row["data"] for row in send(page, "GET", f"{api(page)}rows/")["rows"]]


def row_ids(page: Page) -> list[int]:
    """The ids of the rows as the server has them."""
    return [row["id"] for row in send(page, "GET", f"{api(page)}rows/")["rows"]]
