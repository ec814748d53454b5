"""The same pages as somebody meets them who reads German: for pictures, which no test can look at."""
from __future__ import annotations

from collections.abc import Iterator

from playwright.sync_api import Page, expect

from tests.browser.small_table import cell, send
from tests.browser.states.stage import Stage, Stop

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
    """Makes a table and goes to it; gives its address."""
    table = send(page, "POST", "/api/tables/", {"name": name, "columns": COLUMNS, "rows": ROWS})
    address = f"{stage.app.address}/tables/{table['id']}/"
    page.goto(address)
    expect(page.locator("table-grid [data-add-row]")).to_be_enabled()
    return address


def german_doors(stage: Stage) -> Iterator[Stop]:
    """Signing in and making an account, both refused; the page about oneself."""
    page = stage.open("/sign-in/")
    yield Stop("sign-in", page)
    page.locator("#id_username").fill("niemand")
    page.locator("#id_password").fill("falsch")
    page.locator("button[type=submit]").click()
    expect(page.get_by_role("alert")).to_be_visible()
    yield Stop("sign-in-refused", page)
    page.goto(f"{stage.app.address}/sign-in/forgotten/")
    yield Stop("forgotten", page)
    page.goto(f"{stage.app.address}/sign-up/")
    page.locator("[name=username]").fill("..")
    for box in page.locator("[type=password]").all():
        box.fill("12345678")
    page.locator("button[type=submit]").click()
    expect(page.get_by_role("alert").first).to_be_visible()
    yield Stop("sign-up-refused", page)
    page = stage.arrive("/profile/")
    yield Stop("profile", page)
    page.get_by_label(stage.said("Token name")).fill("Nächtlicher Bericht")
    page.get_by_role("button", name=stage.said("Create token")).click()
    expect(page.get_by_label(stage.said("New token"))).to_be_visible()
    yield Stop("profile-token", page)
    page.goto(f"{stage.app.address}/profile/delete/")
    yield Stop("delete-account", page)


def german_lists(stage: Stage) -> Iterator[Stop]:
    """The list of tables: of a newcomer, with tables, with its menus; the trash; the way of a file."""
    page = stage.arrive()
    expect(page.locator("chat-tray [data-part=title]")).to_be_attached()
    yield Stop("list-newcomer", page)
    for name in ("Bewerbungen", LONG, "Leseliste"):
        send(page, "POST", "/api/tables/", {"name": name, "description": "Von Hand geführt", "columns": COLUMNS,
                                            "rows": ROWS})  # fmt: skip
    page.goto(page.url)
    yield Stop("list", page)
    page.locator("[popovertarget=orderings]").click()
    yield Stop("list-orderings", page)
    page.keyboard.press("Escape")
    page.locator(".card [popovertarget]").first.click()
    yield Stop("list-card-menu", page)
    page.get_by_role("button", name=stage.said("Move to trash")).locator("visible=true").click()
    expect(page.get_by_role("button", name=stage.said("Restore")).first).to_be_visible()
    yield Stop("list-moved-to-trash", page)
    page.goto(f"{stage.app.address}/tables/?trashed=1")
    yield Stop("trash", page)
    page.goto(f"{stage.app.address}/tables/?search=nirgends")
    yield Stop("list-nothing-found", page)
    page.goto(f"{stage.app.address}/tables/import/")
    yield Stop("import", page)


def german_grid(stage: Stage) -> Iterator[Stop]:
    """The grid, what is opened on it, and what is selected."""
    page = stage.arrive()
    address = open_german_table(stage, page)
    yield Stop("grid", page)
    cell(page, 0, 2).click()
    page.keyboard.press("Shift+ArrowDown")
    yield Stop("grid-range", page)
    for column, name in enumerate(("text", "select", "number", "date")):
        cell(page, 0, column).dblclick()
        yield Stop(f"grid-editing-{name}", page)
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
    header = page.locator("thead th").filter(has_text="Gehalt")
    header.hover()
    header.locator("button").last.click()
    expect(page.get_by_role("menu").first).to_be_visible()
    yield Stop("grid-column-menu", page)
    page.keyboard.press("Escape")
    cell(page, 0, 0).click()
    page.keyboard.press("Shift+Enter")
    expect(page.get_by_role("dialog").first).to_be_visible()
    yield Stop("grid-row-details", page)
    page.keyboard.press("Escape")
    page.locator("tbody .gutter .check").first.check(force=True)
    yield Stop("grid-selected-row", page)
    yield from _menus(stage, page)
    either = '{"or":[{"column":"Firma","op":"not_empty"},{"column":"Nachfassdatum","op":"empty"}]}'
    narrowed = f'[{{"column":"Gehalt","op":"gte","value":1500.5}},{either}]'
    page.goto(f"{address}?sort=Gehalt,-Firma&search=e&filter={narrowed}")
    yield Stop("grid-sorted-found", page)
    page.goto(f"{address}?search=nirgends")
    yield Stop("grid-nothing-found", page)


def _menus(stage: Stage, page: Page) -> Iterator[Stop]:
    page.goto(page.url)
    expect(page.locator("table-grid [data-add-row]")).to_be_enabled()
    hidden = [] if stage.phone else ["shown-columns"]
    for menu in ("table-menu", "export-menu", "account", *hidden, "sort-menu", "filter-builder"):
        if menu == "export-menu":
            page.locator('[popovertarget="table-menu"]').first.click()
        page.locator(f'[popovertarget="{menu}"]').locator("visible=true").first.click()
        expect(page.locator(f"#{menu}")).to_be_visible()
        yield Stop(f"grid-menu-{menu}", page)
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
    page.locator("[data-sort-button]").focus()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    yield Stop("shortcuts", page)
    page.keyboard.press("Escape")
    page.locator("[popovertarget=table-menu]").click()
    page.locator("#table-menu a[data-share]").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name=stage.said("Create read-only link")).click()
    dialog.get_by_role("button", name=stage.said("Invitation link")).click()
    expect(dialog.locator("input[readonly]").first).to_be_visible()
    yield Stop("share", page)
    page.keyboard.press("Escape")


def german_columns(stage: Stage) -> Iterator[Stop]:
    """The columns, unsaved, with faults, before values are lost; the history; who it is shared with."""
    page = stage.arrive()
    address = open_german_table(stage, page)
    page.goto(f"{address}edit/")
    expect(page.locator("[data-add-column]")).to_be_enabled()
    yield Stop("edit", page)
    for opener in page.locator("[data-columns-list] [aria-expanded]").all()[1:3]:
        opener.click()
    page.locator("[data-add-column]").click()
    page.locator("[data-columns-list] select").first.select_option("date")
    yield Stop("edit-unsaved", page)
    page.keyboard.press("Control+s")
    expect(page.get_by_role("alert")).to_be_visible()
    yield Stop("edit-faults", page)
    page.goto(page.url)
    expect(page.locator("[data-add-column]")).to_be_enabled()
    page.locator("[data-columns-list] select").first.select_option("date")
    page.locator("[data-save]").click()
    expect(page.get_by_role("dialog").or_(page.get_by_role("alert")).first).to_be_visible()
    yield Stop("edit-values-lost", page)
    page.goto(f"{address}history/")
    page.get_by_role("button", name=stage.said("Undo")).first.click()
    page.get_by_text(stage.said("Show changes")).first.click()
    yield Stop("history", page)
    page.goto(f"{address}sharing/")
    yield Stop("sharing", page)
