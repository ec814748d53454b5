"""Files in cells: added in the details of a row and by dropping them into a cell, opened, and removed."""
from __future__ import annotations

import base64
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.small_table import OpenTable, api, cell, saved, send, values

FILES_COLUMN = 5
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
DROP = """td => {
  const data = new DataTransfer();
  data.items.add(new File(["Total: 12"], "bill.txt", {type: "text/plain"}));
  td.dispatchEvent(new DragEvent("drop", {bubbles: true, cancelable: true, dataTransfer: data}));
}"""


def names(page: Page, row: int) -> list[Any]:
    saved(page)
    return [each["name"] for each in values(page)[row].get("Files") or []]


def add_to_message(page: Page, files: list[Any]) -> None:
    """Upload a PDF document and a text for the message that has photo.png, and send it."""
    composer = page.get_by_role("textbox", name="Message the assistant")
    expect(composer).to_be_focused()
    added = page.get_by_role("list", name="Files of the message")
    expect(added).to_have_text("photo.png70 bytes")
    add_files = page.get_by_role("button", name="Add files", exact=True).and_(page.locator("chat-tray button"))
    # The browser reports file choosers soon after it was asked to, but not at once.
    with page.expect_file_chooser() as chooser:
        add_files.press("Enter")
        expect(page.get_by_role("menuitem", name="photo.png, 70 bytes")).to_be_visible()
        page.keyboard.press("Enter")
    chooser.value.set_files(files)
    expect(added.get_by_role("listitem")).to_have_text(["photo.png70 bytes", "offer.pdf8 bytes"])
    expect(page.get_by_role("alert").filter(has_text="notes.txt was not added.")).to_be_visible()
    composer.fill("What is this?")
    composer.press("Enter")
    expect(page.get_by_role("log").get_by_text("(image/png, 70 bytes)")).to_be_visible()
    expect(added).to_have_count(0)


def test_files_are_added_in_details_and_by_dropping_downloaded_and_removed(open_demo_table: OpenTable) -> None:
    page = open_demo_table()
    send(page, "POST", f"{api(page)}columns/", {"name": "Files", "type": "attachment"})
    page.reload()
    cell(page, 0, FILES_COLUMN).dblclick()
    sheet = page.get_by_role("dialog", name="Acme")
    add = sheet.get_by_role("button", name="Add files to Files")
    expect(add).to_be_focused()
    files = [
        {"name": "photo.png", "mimeType": "image/png", "buffer": PICTURE},
        {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"Call on Monday"},
    ]
    sheet.locator("input[type=file]").set_input_files(files)  # type: ignore[arg-type]
    listed = sheet.get_by_role("list", name="Files").get_by_role("listitem")
    expect(listed).to_have_text(["photo.png70 bytes", "notes.txt14 bytes"])
    assert names(page, 0) == ["photo.png", "notes.txt"]
    # A worker creates the thumbnail after the upload.
    for shown in (listed.first, cell(page, 0, FILES_COLUMN)):
        expect(shown.locator("img")).to_have_js_property("complete", value=True)
        expect(shown.locator("img")).to_have_js_property("naturalWidth", value=1)
    expect(cell(page, 0, FILES_COLUMN)).to_have_text("photo.png +1", use_inner_text=True)
    sheet.get_by_role("link", name="photo.png", exact=True).click()
    viewer = page.get_by_role("dialog", name="photo.png")
    expect(viewer.get_by_role("img", name="photo.png")).to_have_js_property("naturalWidth", value=1)
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("dialog", name="notes.txt").get_by_text("Call on Monday")).to_be_visible()
    expect(viewer.get_by_role("button", name="Add notes.txt to the message")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(sheet.get_by_role("link", name="photo.png", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    viewer.get_by_role("button", name="Add photo.png to the message").click()
    add_to_message(page, [{"name": "offer.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.7"}, files[1]])
    with page.expect_download() as download:
        sheet.get_by_role("link", name="Download notes.txt").click()
    assert download.value.path().read_bytes() == b"Call on Monday"
    sheet.get_by_role("button", name="Remove photo.png").click()
    expect(listed).to_have_count(1)
    page.keyboard.press("Escape")

    cell(page, 0, FILES_COLUMN).evaluate(DROP)
    expect(cell(page, 0, FILES_COLUMN).locator(".file")).to_have_text(["notes.txt", "bill.txt"])
    assert names(page, 0) == ["notes.txt", "bill.txt"]
    cell(page, 0, 0).click()
    page.keyboard.press("Control+z")
    expect(cell(page, 0, FILES_COLUMN).locator(".file")).to_have_text(["notes.txt"])
