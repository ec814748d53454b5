"""Every page says everything in German to who reads German, and in English to all others; names stay text."""
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
from accounts.tokens import make_token
from tables import selectors
from tables.models import Table
from tests.conftest import Api

GERMAN = {"HTTP_ACCEPT_LANGUAGE": "de-DE,de;q=0.9,en;q=0.7"}
HOSTILE = "<b>%(x)s {y} \"'</b>"


@pytest.fixture
def german(user: User) -> Api:
    """Signed in, with a German browser."""
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
    made = api.post("/api/tables/", {"name": name, "description": "", "columns": columns}).json()
    return Table.objects.get(pk=made["id"])


WORDS: dict[str, tuple[str, str]] = {
    "/tables/": ("Beschreiben Sie die Tabelle, die Sie brauchen", "Describe the table you need"),
    "/tables/?trashed=1": ("Papierkorb", "Trash"),
    "/profile/": ("Sprache dieser Seiten", "Language of these pages"),
    "/profile/delete/": ("Das lässt sich nicht rückgängig machen", "This cannot be undone"),
    "/nowhere/": ("Hier ist nichts", "There is nothing here"),
}


@pytest.mark.parametrize("path", WORDS)
def test_a_page_is_in_the_language_of_its_reader(german: Api, api: Api, path: str) -> None:
    in_german, in_english = WORDS[path]
    told, usual = page(german, path), page(api, path)
    assert (in_german in told, in_english in told) == (True, False)
    assert (in_german in usual, in_english in usual) == (False, True)
    assert ('<html lang="de"' in told, '<html lang="en"' in usual) == (True, True)


@pytest.mark.parametrize("path", ["/sign-in/", "/sign-up/"])
@pytest.mark.django_db
def test_a_visitor_is_received_in_their_language(path: str) -> None:
    assert "Passwort" in Client(**GERMAN).get(path).content.decode()
    assert "Passwort" not in Client().get(path).content.decode()


def test_what_the_person_chose_counts_in_every_browser(german: Api, user: User) -> None:
    Profile.objects.create(user=user, language="en")
    assert "Describe the table you need" in page(german, "/tables/")
    german.client.post("/profile/", {"do": "change", "theme": "system", "language": "de"})
    told = page(german, "/profile/")
    assert ("Gespeichert." in told, "Profil" in told) == (True, True)
    assert "Papierkorb" in page(Api(user), "/tables/", trashed=1)


def test_the_pages_of_a_table_are_in_german(german: Api) -> None:
    table = make_table(german)
    grid, edit = page(german, f"/tables/{table.pk}/"), page(german, f"/tables/{table.pk}/edit/")
    words = ("Zeile hinzufügen", "0 Zeilen", "Sortieren", "enthält", "Ansicht")
    assert [word for word in words if word not in grid] == []
    assert [word for word in ("Spalten bearbeiten", "Auswahl", "Zahl") if word not in edit] == []


def test_the_history_keeps_english_and_tells_it_in_the_language_of_who_reads(german: Api, api: Api) -> None:
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
def test_names_in_translated_sentences_are_text(german: Api, path: str) -> None:
    table = make_table(german, name=HOSTILE)
    told = page(german, path.format(table.pk))
    assert ("<b>%(x)s" in told, "&lt;b&gt;%(x)s {y}" in told) == (False, True)


def test_a_hostile_name_of_a_token_is_text(german: Api, user: User) -> None:
    make_token(user=user, name=HOSTILE, now=timezone.now())
    told = page(german, "/profile/")
    assert ("<b>%(x)s" in told, "&lt;b&gt;%(x)s {y} &quot;&#x27;&lt;/b&gt; widerrufen" in told) == (False, True)


def test_a_failure_is_told_to_a_page_in_its_language_and_to_a_program_in_english(german: Api, user: User) -> None:
    table = make_table(german)
    address, wrong = f"/api/tables/{table.pk}/rows/", {"data": {"Stand": "offn"}}
    told = german.post(address, wrong).json()
    assert told["errors"][0]["detail"] == "Stand: „offn“ ist keine Option von „Stand“. Meinten Sie „offen“?"
    _, secret = make_token(user=user, name="Bericht", now=timezone.now(), scope="write")
    program = Client(HTTP_AUTHORIZATION=f"Bearer {secret}", **GERMAN)
    usual = program.post(address, wrong, content_type="application/json").json()
    assert usual["errors"][0]["detail"] == "Stand: “offn” is not an option of “Stand”. Did you mean “offen”?"
    assert (told["error"], told["errors"][0]["code"]) == (usual["error"], usual["errors"][0]["code"])


def test_german_takes_as_many_statements_as_english(german: Api, api: Api) -> None:
    table = make_table(german)

    def asked(client: Api, path: str) -> int:
        page(client, path)
        with CaptureQueriesContext(connection) as queries:
            page(client, path)
        return len(queries)

    for path in ("/tables/", f"/tables/{table.pk}/", "/profile/"):
        assert asked(german, path) == asked(api, path)


@pytest.fixture
def database_away() -> Callable[[], Any]:
    def refuse(execute: Any, sql: Any, params: Any, many: Any, context: Any) -> Any:
        raise OperationalError("the database is away")

    return lambda: connection.execute_wrapper(refuse)


def test_the_page_of_a_failure_needs_no_database_and_speaks_the_language_of_the_browser(
    german: Api, database_away: Callable[[], Any]
) -> None:
    german.client.raise_request_exception = False
    with database_away():
        answer = german.client.get("/tables/")
    assert answer.status_code == 500
    assert "Bei uns ist etwas schiefgegangen" in answer.content.decode()


@pytest.mark.django_db
def test_what_is_refused_before_anybody_knows_the_reader_is_told_in_the_language_of_the_browser() -> None:
    answer = Client(**GERMAN).get("/tables/", HTTP_HOST="elsewhere.example")
    assert (answer.status_code, "Diese Anfrage ist nicht lesbar" in answer.content.decode()) == (400, True)


def test_a_table_made_on_a_german_page_holds_no_german_of_ours(german: Api) -> None:
    table = make_table(german)
    german.client.post("/tables/", {"do": "copy", "table": table.pk})
    copy = Table.objects.exclude(pk=table.pk).get()
    for do in ("trash", "restore"):
        german.client.post("/tables/", {"do": do, "table": copy.pk})
    assert [change.summary for change in selectors.changes_of(copy)] == [
        "Took the table out of the trash", "Moved the table to the trash", "Created “Bewerbungen (copy)”",
    ]  # fmt: skip
