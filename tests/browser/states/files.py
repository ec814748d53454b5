"""States of creating a table and of importing a file: dropped, checked, partly refused, imported."""
from __future__ import annotations

from collections.abc import Iterator

from playwright.sync_api import FilePayload, expect

from tests.browser.states.stage import Stage, State

# The worker polls once a second, and the machine may be busy.
PATIENCE = 60_000  # ms
JOBS = "Company,Since,Salary,Remote\nAcme,03/04/2024,1200,yes\n" + "Bolt,05/06/2024,1300,no\n" * 20 + "Dune,,much,\n"


def files(stage: Stage) -> Iterator[State]:
    """The import of a file, except for one row that cannot be read."""
    page = stage.open_as_new_user("/tables/new/")
    expect(page.get_by_role("button", name="Upload")).to_be_hidden(timeout=PATIENCE)
    yield State("new-table", page)
    page = stage.open_as_new_user("/tables/import/")
    # The script has run: a chosen file is sent at once, without a button.
    expect(page.get_by_role("button", name="Upload")).to_be_hidden(timeout=PATIENCE)
    page.locator("[data-file-drop]").dispatch_event("dragover")
    yield State("import", page)
    chosen: FilePayload = {"name": "jobs.csv", "mimeType": "text/csv", "buffer": JOBS.encode()}
    page.locator("input[type=file]").set_input_files(chosen)
    expect(page.get_by_text("Is the day or the month first? The dates match both.")).to_be_visible(timeout=PATIENCE)
    yield State("import-columns", page)
    page.get_by_label("Format of Since").select_option(label="Day first: 31/12/2024")
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text("1 cell is not valid.")).to_be_visible(timeout=PATIENCE)
    yield State("import-refused", page)
    page.get_by_role("button", name="Import only 21 valid rows").click()
    expect(page.get_by_text("21 rows were added.")).to_be_visible(timeout=PATIENCE)
    yield State("import-done", page)
    page.get_by_role("link", name="Open table").click()
    page.goto(f"{stage.app.address}/tables/import/?table={page.url.rstrip('/').split('/')[-1]}")
    page.get_by_role("textbox", name="Pasted rows").fill("Company\tSalary\tCity\nAcme\t1250\tBerlin\n")
    page.get_by_role("button", name="Preview rows").click()
    expect(page.get_by_text("Update existing rows")).to_be_visible(timeout=PATIENCE)
    yield State("import-merge", page)
    page.get_by_role("button", name="Cancel import").click()
    expect(page.get_by_text("This import was cancelled.")).to_be_visible()
    yield State("import-cancelled", page)
