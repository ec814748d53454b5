"""States of the pages in German, for screenshots only."""
from __future__ import annotations

from collections.abc import Iterator

from playwright.sync_api import Page, expect

from tests.browser.small_table import api, cell, send
from tests.browser.states.stage import Stage, State

LONG = "Bewerbungen für den Herbst in Berlin, Hamburg und überall sonst in Reichweite"
COLUMNS = [
    {"name": "Firma", "type": "text", "required": True},
    {"name": "Status", "type": "select", "options": ["Beworben", "Gespräch", "Abgelehnt"], "filterDisplay": "tab"},
    {"name": "Gehalt", "type": "number"},
    {"name": "Nachfassdatum", "type": "date"},
    {"name": "Homeoffice", "type": "boolean"},
    {"name": "Vertragsart", "type": "select", "options": ["Befristet", "Unbefristet"]},
]
ROWS = [
    {"Firma": "Straßenbau Böhm GmbH", "Status": "Beworben", "Gehalt": 54500.5, "Nachfassdatum": "2026-03-15",
     "Homeoffice": True},
    {"Firma": "Äpfel & Öle", "Status": "Gespräch", "Gehalt": 61000, "Vertragsart": "Unbefristet"},
    {"Firma": "Kreiskrankenhaus Süd", "Status": "Beworben"},
]  # fmt: skip


def open_german_table(stage: Stage, page: Page, *, name: str = "Bewerbungen") -> str:
    """Create a table, open it and return its URL."""
    table = send(page, "POST", "/api/tables/", {"name": name, "columns": COLUMNS, "rows": ROWS})
    address = f"{stage.app.address}/tables/{table['id']}/"
    page.goto(address)
    expect(page.locator("table-grid [data-add-row]")).to_be_enabled()
    return address


def german_sign_in(stage: Stage) -> Iterator[State]:
    """Sign-in and sign-up, both refused; the profile."""
    page = stage.open("/sign-in/")
    yield State("sign-in", page)
    page.locator("#id_username").fill("niemand")
    page.locator("#id_password").fill("falsch")
    page.locator("button[type=submit]").click()
    expect(page.get_by_role("alert")).to_be_visible()
    yield State("sign-in-refused", page)
    page.goto(f"{stage.app.address}/sign-in/forgotten/")
    yield State("forgotten", page)
    page.goto(f"{stage.app.address}/sign-up/")
    page.locator("[name=username]").fill("..")
    for box in page.locator("[type=password]").all():
        box.fill("12345678")
    page.locator("button[type=submit]").click()
    expect(page.get_by_role("alert").first).to_be_visible()
    yield State("sign-up-refused", page)
    page = stage.open_as_new_user("/profile/")
    yield State("profile", page)
    page.get_by_label(stage.translate("Token name")).fill("Nächtlicher Bericht")
    page.get_by_role("button", name=stage.translate("Create token")).click()
    expect(page.get_by_label(stage.translate("New token"))).to_be_visible()
    yield State("profile-token", page)
    page.goto(f"{stage.app.address}/profile/delete/")
    yield State("delete-account", page)


def german_lists(stage: Stage) -> Iterator[State]:
    """The list of tables: of a new user, with tables, with its menus; the trash; the import page."""
    page = stage.open_as_new_user()
    expect(page.locator("chat-tray [data-part=title]")).to_be_attached()
    yield State("list-newcomer", page)
    for name in ("Bewerbungen", LONG, "Leseliste"):
        send(page, "POST", "/api/tables/", {"name": name, "description": "Von Hand geführt", "columns": COLUMNS,
                                            "rows": ROWS})  # fmt: skip
    page.goto(page.url)
    yield State("list", page)
    page.locator("[popovertarget=orderings]").click()
    yield State("list-orderings", page)
    page.keyboard.press("Escape")
    page.locator(".card [popovertarget]").first.click()
    yield State("list-card-menu", page)
    page.get_by_role("button", name=stage.translate("Move to trash")).locator("visible=true").click()
    expect(page.get_by_role("button", name=stage.translate("Restore")).first).to_be_visible()
    yield State("list-moved-to-trash", page)
    page.goto(f"{stage.app.address}/tables/?trashed=1")
    yield State("trash", page)
    page.goto(f"{stage.app.address}/tables/?search=nirgends")
    yield State("list-nothing-found", page)
    page.goto(f"{stage.app.address}/tables/import/")
    yield State("import", page)


def german_grid(stage: Stage) -> Iterator[State]:
    """The grid with its menus, editors and selections."""
    page = stage.open_as_new_user()
    address = open_german_table(stage, page)
    yield State("grid", page)
    cell(page, 0, 2).click()
    page.keyboard.press("Shift+ArrowDown")
    yield State("grid-range", page)
    for column, name in enumerate(("text", "select", "number", "date")):
        cell(page, 0, column).dblclick()
        yield State(f"grid-editing-{name}", page)
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
    header = page.locator("thead th").filter(has_text="Gehalt")
    header.hover()
    header.locator("button").last.click()
    expect(page.get_by_role("menu").first).to_be_visible()
    yield State("grid-column-menu", page)
    page.keyboard.press("Escape")
    cell(page, 0, 0).click()
    page.keyboard.press("Shift+Enter")
    expect(page.get_by_role("dialog").first).to_be_visible()
    yield State("grid-row-details", page)
    page.keyboard.press("Escape")
    page.locator("tbody .gutter .check").first.check(force=True)
    yield State("grid-selected-row", page)
    yield from _menus(stage, page)
    either = '{"or":[{"column":"Firma","op":"not_empty"},{"column":"Nachfassdatum","op":"empty"}]}'
    narrowed = f'[{{"column":"Gehalt","op":"gte","value":1500.5}},{either}]'
    page.goto(f"{address}?sort=Gehalt,-Firma&search=e&filter={narrowed}")
    yield State("grid-sorted-found", page)
    page.goto(f"{address}?search=nirgends")
    yield State("grid-nothing-found", page)


def _menus(stage: Stage, page: Page) -> Iterator[State]:
    page.goto(page.url)
    expect(page.locator("table-grid [data-add-row]")).to_be_enabled()
    hidden = [] if stage.phone else ["shown-columns"]
    for menu in ("table-menu", "export-menu", "account", *hidden, "sort-menu", "filter-builder"):
        if menu == "export-menu":
            page.locator('[popovertarget="table-menu"]').first.click()
        page.locator(f'[popovertarget="{menu}"]').locator("visible=true").first.click()
        expect(page.locator(f"#{menu}")).to_be_visible()
        yield State(f"grid-menu-{menu}", page)
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
    page.locator("[data-sort-button]").focus()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    yield State("shortcuts", page)
    page.keyboard.press("Escape")
    page.locator("[popovertarget=table-menu]").click()
    page.locator("#table-menu a[data-share]").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name=stage.translate("Create read-only link")).click()
    dialog.get_by_role("button", name=stage.translate("Invitation link")).click()
    expect(dialog.locator("input[readonly]").first).to_be_visible()
    yield State("share", page)
    page.keyboard.press("Escape")


def german_columns(stage: Stage) -> Iterator[State]:
    """The columns, unsaved, with errors and before values are lost; the history; the members."""
    page = stage.open_as_new_user()
    address = open_german_table(stage, page)
    page.goto(f"{address}edit/")
    expect(page.locator("[data-add-column]")).to_be_enabled()
    yield State("edit", page)
    for opener in page.locator("[data-columns-list] [aria-expanded]").all()[1:3]:
        opener.click()
    page.locator("[data-add-column]").click()
    page.locator("[data-columns-list] select").first.select_option("date")
    yield State("edit-unsaved", page)
    page.keyboard.press("Control+s")
    expect(page.get_by_role("alert")).to_be_visible()
    yield State("edit-faults", page)
    page.goto(page.url)
    expect(page.locator("[data-add-column]")).to_be_enabled()
    page.locator("[data-columns-list] select").first.select_option("date")
    page.locator("[data-save]").click()
    expect(page.get_by_role("dialog").or_(page.get_by_role("alert")).first).to_be_visible()
    yield State("edit-values-lost", page)
    send(page, "POST", f"{api(page)}rows/", {"Firma": "Neubau"})
    page.goto(f"{address}history/")
    page.get_by_role("button", name=stage.translate("Undo")).first.click()
    page.get_by_text(stage.translate("Show changes")).first.click()
    yield State("history", page)
    page.goto(f"{address}sharing/")
    yield State("sharing", page)
