"""Every page is completely in German for German readers and in English for others; names are escaped."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import Profile
from accounts.tokens import create_token
from chat.configuration import Address
from chat.services.configuration.changes import Edit, change_configuration
from tables import selectors
from tables.models import Change, Table
from tests.conftest import Api

GERMAN = {"HTTP_ACCEPT_LANGUAGE": "de-DE,de;q=0.9,en;q=0.7"}
HOSTILE = "<b>%(x)s {y} \"'</b>"


@pytest.fixture
def german(user: User) -> Api:
    """The client of a user with a German browser."""
    api = Api(user)
    api.client = Client(**GERMAN)
    api.client.force_login(user)
    return api


def page(api: Api, path: str, **query: Any) -> str:
    answer = api.get(path, **query)
    assert answer.status_code < 500
    return str(answer.content.decode())


def make_table(api: Api, *, name: str = "Bewerbungen") -> Table:
    columns = [{"name": "Firma", "type": "text"}, {"name": "Betrag", "type": "number"},
               {"name": "Stand", "type": "select", "options": ["offen", "fertig"]}]  # fmt: skip
    created = api.post("/api/tables/", {"name": name, "description": "", "columns": columns}).json()
    return Table.objects.get(pk=created["id"])


WORDS: dict[str, tuple[str, str]] = {
    "/tables/": ("Welche Tabelle brauchen Sie?", "Describe the table you need"),
    "/tables/?trashed=1": ("Papierkorb", "Trash"),
    "/profile/": ("Zahlen und Daten", "Numbers and dates"),
    "/profile/sessions/": ("Überall abmelden", "Sign out everywhere"),
    "/profile/second-step/": ("Wiederherstellungscodes", "Recovery codes"),
    "/profile/delete/": ("Das lässt sich nicht rückgängig machen", "This cannot be undone"),
    "/nowhere/": ("Seite nicht gefunden", "Page not found"),
}


@pytest.mark.parametrize("path", WORDS)
def test_page_is_in_the_language_of_its_reader(german: Api, api: Api, path: str) -> None:
    in_german, in_english = WORDS[path]
    html, usual = page(german, path), page(api, path)
    assert (in_german in html, in_english in html) == (True, False)
    assert (in_german in usual, in_english in usual) == (False, True)
    assert ('<html lang="de"' in html, '<html lang="en"' in usual) == (True, True)


@pytest.mark.parametrize("path", ["/sign-in/", "/sign-up/"])
@pytest.mark.django_db
def test_visitor_gets_the_language_of_the_browser(path: str) -> None:
    assert "Passwort" in Client(**GERMAN).get(path).content.decode()
    assert "Passwort" not in Client().get(path).content.decode()


def test_chosen_language_applies_in_every_browser(german: Api, user: User) -> None:
    Profile.objects.create(user=user, language="en")
    assert "Describe the table you need" in page(german, "/tables/")
    german.client.post("/profile/", {"do": "change", "theme": "system", "language": "de"})
    html = page(german, "/profile/")
    assert ("Gespeichert." in html, "Profil" in html) == (True, True)
    assert "Papierkorb" in page(Api(user), "/tables/", trashed=1)


def test_pages_of_a_table_are_in_german(german: Api) -> None:
    table = make_table(german)
    grid, edit = page(german, f"/tables/{table.pk}/"), page(german, f"/tables/{table.pk}/edit/")
    words = ("Zeile hinzufügen", "0 Zeilen", "Sortieren", "enthält", "Ansicht")
    assert [word for word in words if word not in grid] == []
    assert [word for word in ("Spalten bearbeiten", "Auswahl", "Zahl") if word not in edit] == []


def test_history_is_stored_in_english_and_shown_in_the_language_of_its_reader(german: Api, api: Api) -> None:
    table = make_table(german)
    done = german.post(f"/api/tables/{table.pk}/rows/", {"data": {"Firma": "Bolt"}})
    assert done.status_code == 201
    change = selectors.changes_of(table)[0]
    assert change.summary == "Added 1 row"
    assert "1 Zeile hinzugefügt" in page(german, f"/tables/{table.pk}/history/")
    assert "Added 1 row" in page(api, f"/tables/{table.pk}/history/")
    german.client.post(f"/tables/{table.pk}/history/", {"change": change.id})
    assert "Rückgängig gemacht: 1 Zeile hinzugefügt" in page(german, f"/tables/{table.pk}/history/")
    assert selectors.changes_of(table)[0].summary == "Undid: Added 1 row"


@pytest.mark.parametrize("path", ["/tables/{}/", "/tables/{}/edit/", "/tables/{}/history/", "/tables/{}/sharing/"])
def test_names_in_translated_sentences_are_escaped(german: Api, path: str) -> None:
    table = make_table(german, name=HOSTILE)
    html = page(german, path.format(table.pk))
    assert ("<b>%(x)s" in html, "&lt;b&gt;%(x)s {y}" in html) == (False, True)


def test_hostile_token_name_is_escaped(german: Api, user: User) -> None:
    create_token(user=user, name=HOSTILE, now=timezone.now())
    html = page(german, "/profile/")
    assert ("<b>%(x)s" in html, "&lt;b&gt;%(x)s {y} &quot;&#x27;&lt;/b&gt; widerrufen" in html) == (False, True)


def test_error_is_in_the_language_of_the_page_and_in_english_for_api_clients(german: Api, user: User) -> None:
    table = make_table(german)
    address, wrong = f"/api/tables/{table.pk}/rows/", {"data": {"Stand": "offn"}}
    html = german.post(address, wrong).json()
    assert html["errors"][0]["detail"] == "Stand: „offn“ ist keine Option von „Stand“. Meinten Sie „offen“?"
    _, secret = create_token(user=user, name="Bericht", now=timezone.now(), scope="write")
    program = Client(HTTP_AUTHORIZATION=f"Bearer {secret}", **GERMAN)
    usual = program.post(address, wrong, content_type="application/json").json()
    assert usual["errors"][0]["detail"] == "Stand: “offn” is not an option of “Stand”. Did you mean “offen”?"
    without_text = [{**each["errors"][0], "detail": ""} for each in (html, usual)]
    assert (html["error"], without_text[0]) == (usual["error"], without_text[1])


def test_error_has_code_and_parameters_of_its_message(api: Api) -> None:
    table = make_table(api)
    refused = api.post(f"/api/tables/{table.pk}/rows/", {"data": {"Stand": "offn"}}).json()
    hint = {"code": "did_you_mean", "params": {"name": "offen"}}
    option = {"value": "offn", "column": "Stand", "hint": hint}
    fault = {"column": "Stand", "fault": {"code": "not_an_option", "params": option}}
    assert (refused["message_code"], refused["params"]) == ("rows_cannot_be_written", {})
    assert [refused["errors"][0][name] for name in ("code", "message_code", "params")] == [
        "unknown_option", "in_column", fault,
    ]  # fmt: skip


def test_form_shows_the_error_of_a_cell_in_german(german: Api) -> None:
    table = make_table(german)
    amount = selectors.table_shape(table).columns[1]
    sent = german.client.post(f"/tables/{table.pk}/rows/new/", {f"cell-{amount.id}": "1.2.3", "was": "{}"})
    assert (sent.status_code, "Betrag: „1.2.3“ ist keine Zahl wie 1200" in sent.content.decode()) == (422, True)


def test_change_without_a_message_code_is_shown_as_stored(german: Api) -> None:
    table = make_table(german)
    german.post(f"/api/tables/{table.pk}/rows/", {"data": {"Firma": "Bolt"}})
    Change.objects.filter(table=table).update(summary="Did this & that", summary_message=None)
    change = selectors.changes_of(table)[0]
    german.client.post(f"/tables/{table.pk}/history/", {"change": change.id})
    html = page(german, f"/tables/{table.pk}/history/")
    assert ("Did this &amp; that" in html, "Rückgängig gemacht: Did this &amp; that" in html) == (True, True)


def test_german_takes_as_many_queries_as_english(german: Api, api: Api) -> None:
    table = make_table(german)

    def count_queries(client: Api, path: str) -> int:
        page(client, path)
        with CaptureQueriesContext(connection) as queries:
            page(client, path)
        return len(queries)

    for path in ("/tables/", f"/tables/{table.pk}/", "/profile/"):
        assert count_queries(german, path) == count_queries(api, path)


@pytest.fixture
def database_outage() -> Callable[[], Any]:
    def refuse(execute: Any, sql: Any, params: Any, many: Any, context: Any) -> Any:
        raise OperationalError("the database is away")

    return lambda: connection.execute_wrapper(refuse)


def test_error_page_needs_no_database_and_uses_the_language_of_the_browser(
    german: Api, database_outage: Callable[[], Any]
) -> None:
    german.client.raise_request_exception = False
    with database_outage():
        answer = german.client.get("/tables/")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert "Bei uns ist etwas schiefgegangen" in answer.content.decode()


@pytest.mark.django_db
def test_refusal_before_authentication_uses_the_language_of_the_browser() -> None:
    answer = Client(**GERMAN).get("/tables/", HTTP_HOST="elsewhere.example")
    assert (answer.status_code, "Diese Anfrage ist ungültig" in answer.content.decode()) == (400, True)


def test_stored_texts_of_a_table_are_english_except_the_name_of_a_copy(german: Api, api: Api) -> None:
    table = make_table(german)
    german.client.post("/tables/", {"do": "copy", "table": table.pk})
    copy = Table.objects.exclude(pk=table.pk).get()
    for do in ("trash", "restore"):
        german.client.post("/tables/", {"do": do, "table": copy.pk})
    assert [change.summary for change in selectors.changes_of(copy)] == [
        "Restored the table from the trash", "Moved the table to the trash", "Created “Bewerbungen (Kopie)”",
    ]  # fmt: skip
    address = f"/api/tables/{table.pk}/duplicate/"
    assert [each.post(address, {}).json()["name"] for each in (german, api)] == [
        "Bewerbungen (Kopie)", "Bewerbungen (copy)",
    ]  # fmt: skip


def test_name_of_a_copy_has_the_maximum_length(german: Api) -> None:
    table = make_table(german, name="{name} %" + "x" * 247)
    name = german.post(f"/api/tables/{table.pk}/duplicate/", {}).json()["name"]
    assert (len(name), name[:8], name[-10:]) == (255, "{name} %", "xx (Kopie)")


def test_numbers_and_dates_are_german_without_scripts(german: Api, api: Api) -> None:
    columns = [{"name": "Firma", "type": "text"}, {"name": "Betrag", "type": "number"}, {"name": "Am", "type": "date"}]
    rows = [{"Firma": "1,5", "Betrag": -1234.5, "Am": "0987-03-05"}, {"Firma": "x", "Betrag": 1.5e21}]
    created = german.post("/api/tables/", {"name": "Rechnungen", "columns": columns, "rows": rows}).json()
    query = {"filter": '[{"column": "Betrag", "op": "lt", "value": 2e22}]'}
    html, usual = (page(each, f"/tables/{created['id']}/", **query) for each in (german, api))
    german_texts, english_texts = (">-1234,5<", ">05.03.987<"), (">-1234.5<", ">Mar 5, 987<")
    assert [text in html for text in (*german_texts, *english_texts)] == [True, True, False, False]
    assert [text in usual for text in (*german_texts, *english_texts)] == [False, False, True, True]
    assert [text in html for text in (">1,5<", "1.5e+21", "ist kleiner als 2e+22")] == [True] * 3


def test_notes_of_a_preview_are_in_the_language_of_the_page(german: Api, api: Api) -> None:
    table = make_table(german)
    row = german.post(f"/api/tables/{table.pk}/rows/", {"data": {"Firma": "Bolt", "Betrag": 5}}).json()["id"]
    rows = {"operations": [{"action": "update", "row_id": row, "changes": {"Betrag": None}}]}
    change = {"action": "modify", "column_id": "Firma", "changes": {"type": "number"}}
    column = {"mode": "update", "operations": [change]}
    data, schema = (f"/api/tables/{table.pk}/proposals/{each}/?dry_run=true" for each in ("data", "schema"))

    def notes(client: Api, address: str, body: dict[str, Any]) -> list[str]:
        answer = client.post(address, body)
        return [note["detail"] for operation in answer.json()["operations"] for note in operation["notes"]]

    assert (notes(german, data, rows), notes(api, data, rows)) == (["Leert Betrag."], ["Empties Betrag."])
    assert notes(german, schema, column) == ["1 Wert lässt sich nicht umwandeln und würde geleert."]
    assert notes(api, schema, column) == ["1 value cannot be converted; on_unconvertible “clear” clears it."]


def test_chat_offers_default_starters_in_german_and_custom_ones_as_written(
    german: Api, api: Api, user: User
) -> None:
    offers, usual = (each.get("/api/chat/pages/tables_list/").json() for each in (german, api))
    labels = {tool["name"]: tool["label"] for tool in offers["tools"]}
    titles = {kind["name"]: kind["frontend_config"]["title"] for kind in offers["payload_types"]}
    assert (labels["list_tables"], titles["schema_proposal"]) == ("Tabellen auflisten", "Vorgeschlagene Spalten")
    assert offers["starters"][-1] == "Welche Tabellen habe ich?"
    assert usual["starters"][-1] == "What tables do I have?"
    own = Edit(Address("page", "tables_list"), {"starters": ["Trash", "What tables do I have?"]})
    change_configuration(user=user, edits=[own], now=timezone.now())
    offers = german.get("/api/chat/pages/tables_list/").json()
    assert offers["starters"] == ["Trash", "Welche Tabellen habe ich?"]
