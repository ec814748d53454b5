"""The ways to a new table, and that of a file: dropped, looked into, refused in part, imported."""
from __future__ import annotations

from collections.abc import Iterator

from playwright.sync_api import FilePayload, expect

from tests.browser.states.stage import Stage, Stop

# A worker looks for work once a second, and the machine may have much else to do.
PATIENCE = 60_000
JOBS = "Company,Since,Salary,Remote\nAcme,03/04/2024,1200,yes\n" + "Bolt,05/06/2024,1300,no\n" * 20 + "Dune,,much,\n"


def files(stage: Stage) -> Iterator[Stop]:
    """A file becomes a table, but for a row that cannot be read."""
    page = stage.arrive("/tables/new/")
    expect(page.get_by_role("button", name="Upload")).to_be_hidden(timeout=PATIENCE)
    yield Stop("new-table", page)
    page = stage.arrive("/tables/import/")
    # The script has begun: what is chosen is sent at once, and nothing is left to press.
    expect(page.get_by_role("button", name="Upload")).to_be_hidden(timeout=PATIENCE)
    page.locator("[data-file-drop]").dispatch_event("dragover")
    yield Stop("import", page)
    chosen: FilePayload = {"name": "jobs.csv", "mimeType": "text/csv", "buffer": JOBS.encode()}
    page.locator("input[type=file]").set_input_files(chosen)
    expect(page.get_by_text("Is the day or the month first? Both would fit.")).to_be_visible(timeout=PATIENCE)
    yield Stop("import-columns", page)
    page.get_by_label("Format of Since").select_option(label="Day first: 31/12/2024")
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text("1 cell is not valid.")).to_be_visible(timeout=PATIENCE)
    yield Stop("import-refused", page)
    page.get_by_role("button", name="Import only 21 valid rows").click()
    expect(page.get_by_text("21 rows were added.")).to_be_visible(timeout=PATIENCE)
    yield Stop("import-done", page)
    page.get_by_role("link", name="Open table").click()
    page.goto(f"{stage.app.address}/tables/import/?table={page.url.rstrip('/').split('/')[-1]}")
    page.get_by_role("textbox", name="Pasted rows").fill("Company\tSalary\tCity\nAcme\t1250\tBerlin\n")
    page.get_by_role("button", name="Preview rows").click()
    expect(page.get_by_text("Update existing rows")).to_be_visible(timeout=PATIENCE)
    yield Stop("import-merge", page)
    page.get_by_role("button", name="Cancel import").click()
    expect(page.get_by_text("This import was cancelled.")).to_be_visible()
    yield Stop("import-cancelled", page)
