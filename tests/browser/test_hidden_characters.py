"""The review of a proposal spells out invisible characters in names, headers, options and reasons."""
from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.actions import send_message
from tests.browser.app_process import RunningApp
from tests.browser.small_table import COLUMNS, ROWS, send
from tests.scripted_model import ScriptedModel
from tests.scripted_model import say as reply

HIDDEN = "pay\u200bpal \u202efdp"
SHOWN = "payU+200Bpal U+202Efdp"
COLUMN = {"name": f"Kind {HIDDEN}", "type": "select", "options": [f"Option {HIDDEN}", "Plain"]}


@pytest.fixture
def page(scripted_app: RunningApp, scripted_cookies: list[Any], open_page: Callable[..., Page]) -> Page:
    page = open_page()
    page.context.add_cookies(scripted_cookies)
    page.goto(f"{scripted_app.address}/tables/")
    return page


def proposal(**fields: Any) -> str:
    return f"Like this:\nSCHEMA_PROPOSAL: {json.dumps({'reasoning': f'Because {HIDDEN}', **fields})}"


def test_hidden_characters_in_a_new_table_are_spelled_out(page: Page, scripted: ScriptedModel) -> None:
    scripted.add(
        reply(
            proposal(
                mode="create", table_name=f"Name {HIDDEN}", table_description=f"What {HIDDEN}",
                operations=[{"action": "add", "column": COLUMN}], sample_rows=[{COLUMN["name"]: f"Option {HIDDEN}"}],
            )
        )
    )  # fmt: skip
    send_message(page, "make a table")
    table = page.get_by_role("region", name="Proposed table").or_(page.locator(".newtable"))
    for words in (f"Name: Name {SHOWN}", f"What {SHOWN}", f"Kind {SHOWN}", f"Option {SHOWN}"):
        expect(table.get_by_text(words).first).to_be_visible()
    expect(page.get_by_role("log")).to_contain_text(f"Name {SHOWN}")


def test_hidden_characters_in_column_changes_are_spelled_out(page: Page, scripted: ScriptedModel) -> None:
    table = send(page, "POST", "/api/tables/", {"name": "Jobs", "columns": COLUMNS, "rows": ROWS})
    page.goto(f"{page.url}{table['id']}/")
    rename = {"action": "modify", "column_id": table["columns"][0]["id"], "changes": {"name": f"Name {HIDDEN}"}}
    remove = {"action": "remove", "column_id": table["columns"][1]["id"], "reason": f"Since {HIDDEN}"}
    add = {"action": "add", "column": COLUMN, "after_column_id": table["columns"][0]["id"]}
    scripted.add(reply(proposal(mode="update", table_name=f"Called {HIDDEN}", operations=[rename, remove, add])))
    send_message(page, "change the columns")
    review = page.get_by_role("region", name="Proposed column changes")
    for words in (f"Because {SHOWN}", f"Name {SHOWN}", f"Add Kind {SHOWN}", f"Option {SHOWN}", f"Called {SHOWN}"):
        expect(review.get_by_text(words).first).to_be_visible()
    heads = page.get_by_role("grid").locator("thead")
    for words in (f"Name {SHOWN}", f"Kind {SHOWN}"):
        expect(heads.get_by_text(words)).to_be_visible()


def test_an_invalid_sample_row_is_reported_and_unchecked(page: Page, scripted: ScriptedModel) -> None:
    column = {"name": "Stars", "type": "number"}
    scripted.add(
        reply(
            proposal(
                mode="create", table_name="Films", table_description="Seen",
                operations=[{"action": "add", "column": column}], sample_rows=[{"Stars": 5}, {"Stars": "lots"}],
            )
        ),
        reply("I leave it like that."),
    )  # fmt: skip
    send_message(page, "make a table")
    foot = page.locator(".newtable__foot")
    expect(foot).to_contain_text("Stars: “lots” is not a number")
    keep = foot.get_by_label("Include the 2 sample rows")
    expect(keep).not_to_be_checked()
    keep.check()
    page.get_by_role("button", name="Create table").click()
    expect(page.get_by_role("alert").filter(has_text="A sample row is not valid.")).to_be_visible()
    keep.uncheck()
    page.get_by_role("button", name="Create table").click()
    page.wait_for_url("**/tables/*/")
    expect(page.get_by_role("heading", name="No rows yet")).to_be_visible()
