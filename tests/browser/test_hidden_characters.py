"""Where a proposal is looked over, characters that nobody sees are spelled out: names, heads, options and reasons."""
from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.actions import say
from tests.browser.app_process import RunningApp
from tests.browser.small_table import COLUMNS, ROWS, send
from tests.scripted_model import ScriptedModel
from tests.scripted_model import say as reply

HIDING = "pay\u200bpal \u202efdp"
SEEN = "payU+200Bpal U+202Efdp"
COLUMN = {"name": f"Kind {HIDING}", "type": "select", "options": [f"Option {HIDING}", "Plain"]}


@pytest.fixture
def page(scripted_app: RunningApp, scripted_cookies: list[Any], open_page: Callable[..., Page]) -> Page:
    page = open_page()
    page.context.add_cookies(scripted_cookies)
    page.goto(f"{scripted_app.address}/tables/")
    return page


def proposal(**fields: Any) -> str:
    return f"Like this:\nSCHEMA_PROPOSAL: {json.dumps({'reasoning': f'Because {HIDING}', **fields})}"


def test_in_a_new_table(page: Page, scripted: ScriptedModel) -> None:
    scripted.add(
        reply(
            proposal(
                mode="create", table_name=f"Name {HIDING}", table_description=f"What {HIDING}",
                operations=[{"action": "add", "column": COLUMN}], sample_rows=[{COLUMN["name"]: f"Option {HIDING}"}],
            )
        )
    )  # fmt: skip
    say(page, "make a table")
    table = page.get_by_role("region", name="Proposed table").or_(page.locator(".newtable"))
    for words in (f"Name: Name {SEEN}", f"What {SEEN}", f"Kind {SEEN}", f"Option {SEEN}"):
        expect(table.get_by_text(words).first).to_be_visible()
    expect(page.get_by_role("log")).to_contain_text(f"Name {SEEN}")


def test_in_columns_of_an_open_table(page: Page, scripted: ScriptedModel) -> None:
    table = send(page, "POST", "/api/tables/", {"name": "Jobs", "columns": COLUMNS, "rows": ROWS})
    page.goto(f"{page.url}{table['id']}/")
    rename = {"action": "modify", "column_id": table["columns"][0]["id"], "changes": {"name": f"Name {HIDING}"}}
    remove = {"action": "remove", "column_id": table["columns"][1]["id"], "reason": f"Since {HIDING}"}
    add = {"action": "add", "column": COLUMN, "after_column_id": table["columns"][0]["id"]}
    scripted.add(reply(proposal(mode="update", table_name=f"Called {HIDING}", operations=[rename, remove, add])))
    say(page, "change the columns")
    review = page.get_by_role("region", name="Proposed column changes")
    for words in (f"Because {SEEN}", f"Name {SEEN}", f"Add Kind {SEEN}", f"Option {SEEN}", f"Called {SEEN}"):
        expect(review.get_by_text(words).first).to_be_visible()
    heads = page.get_by_role("grid").locator("thead")
    for words in (f"Name {SEEN}", f"Kind {SEEN}"):
        expect(heads.get_by_text(words)).to_be_visible()


def test_what_cannot_be_in_a_sample_row_is_said_and_not_kept_unasked(page: Page, scripted: ScriptedModel) -> None:
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
    say(page, "make a table")
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
