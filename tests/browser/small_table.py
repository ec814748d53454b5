"""The table with three rows that most grid tests use: created by its owner, with helpers for the page and the API."""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.app_process import RunningApp

OpenTable = Callable[..., Page]
"""A function that opens a new table and waits until its grid works: `open_table(rows, width=390)`."""
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
  const status = document.querySelector("[data-saving]");
  window.statusTexts = [];
  new MutationObserver(() => window.statusTexts.push(status.textContent)).observe(status, {childList: true});
}"""


def send(page: Page, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
    """Send a request to the API as the user of the page; return the body of the response."""
    return page.evaluate(SEND, [method, path, body])


def share_table(owner: Page, other: Page, table: str, *, role: str = "viewer") -> None:
    """Make the user of the other page a member of the owner's table with this address."""
    name = send(other, "GET", "/api/me/")["username"]
    number = table.strip("/").rpartition("/")[2]
    invited = send(owner, "POST", f"/api/tables/{number}/members/", {"kind": "user", "name": name, "role": role})
    send(other, "POST", f"/api/tables/invitations/{invited['id']}/accept/", {})


def create_table(
    page: Page,
    app: RunningApp,
    *,
    name: str = "Jobs",
    columns: list[dict[str, Any]] = COLUMNS,
    rows: list[dict[str, Any]] = ROWS,
) -> str:
    """Create a table for the user of the page; return its URL."""
    table = send(page, "POST", "/api/tables/", {"name": name, "columns": columns, "rows": rows})
    return f"{app.address}/tables/{table['id']}/"


def create_small_table(context: BrowserContext, app: RunningApp, *, rows: list[dict[str, Any]]) -> str:
    """Create a table with these rows for the user of the context, before a page is open; return its URL."""
    token = next(cookie["value"] for cookie in context.cookies() if cookie["name"] == "csrftoken")
    body = {"name": "Jobs", "columns": COLUMNS, "rows": rows}
    response = context.request.post(f"{app.address}/api/tables/", data=body, headers={"X-CSRFToken": token})
    return f"{app.address}/tables/{response.json()['id']}/"


def api(page: Page) -> str:
    """Return the API path of the open table: `/api/tables/5/`."""
    found = re.search(r"/tables/\d+/", page.url)
    assert found is not None
    return f"/api{found[0]}"


def cell(page: Page, row: int, column: int) -> Locator:
    """Return a cell of the saved rows that are drawn; both indexes start at 0."""
    return page.locator('tbody[data-body="rows"] tr').nth(row).locator("td.cell").nth(column)


def saved(page: Page) -> None:
    """Wait until all changes are saved."""
    expect(page.locator("[data-saving]")).to_have_attribute("data-saving", "well")


def watch_status(page: Page) -> None:
    """Record each text of the saving status, which is shown only briefly, from now on."""
    page.evaluate(WATCH_STATUS)


def status_shown(page: Page, text: str) -> None:
    """Wait until the saving status has had this text since `watch_status`."""
    page.wait_for_function("text => window.statusTexts.includes(text)", arg=text)


def status_texts(page: Page) -> list[str]:
    """Return the texts that the saving status has had since `watch_status`."""
    texts: list[str] = page.evaluate("() => window.statusTexts")
    return texts


def values(page: Page) -> list[dict[str, Any]]:
    """Return the rows stored on the server, each by column names."""
    return [row["data"] for row in send(page, "GET", f"{api(page)}rows/")["rows"]]


def row_ids(page: Page) -> list[int]:
    """Return the ids of the rows stored on the server."""
    return [row["id"] for row in send(page, "GET", f"{api(page)}rows/")["rows"]]
