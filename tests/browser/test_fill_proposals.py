"""The card of a proposed fill: tried on three rows, changed, and started."""
from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.actions import send_message
from tests.browser.small_table import OpenTable, api, send


def test_a_proposed_fill_is_tried_changed_and_started(open_demo_table: OpenTable) -> None:
    page = open_demo_table([{"Company": "Acme"}, {"Company": "Bolt and Sons", "Salary": 1}])
    send_message(page, "Fill salary with the number of characters of the company")
    card = page.get_by_role("region", name="Fill with the assistant")
    instruction = card.get_by_role("textbox", name="Instruction")
    expect(instruction).to_have_value("Take the number of characters out of {Company}.")
    expect(card.get_by_role("button", name="Fill 1 row")).to_be_visible()
    card.get_by_role("button", name="Try 3 rows").click()
    expect(card.get_by_text("Acme 4 High confidence")).to_be_visible()
    instruction.fill("How many words has {Company}?")
    card.get_by_role("button", name="Try again").click()
    expect(card.get_by_text("Acme 1 High confidence")).to_be_visible()
    card.get_by_role("button", name="Fill 1 row").click()
    expect(page.get_by_role("log").get_by_text("Filling Salary in 1 row")).to_be_visible()
    expect(page.get_by_role("link", name="Progress and results")).to_be_visible()
    (fill,) = send(page, "GET", f"{api(page)}fills/")["fills"]
    assert (fill["state"] in {"running", "done"}, fill["instruction"]) == (True, "How many words has {Company}?")
    # Nothing is written before the results are applied.
    assert send(page, "GET", f"{api(page)}rows/")["rows"][0]["data"].get("Salary") is None
