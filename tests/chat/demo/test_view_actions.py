"""What the demo model has the page do at once, in English and in German, and only where the page can do it."""
from __future__ import annotations

from typing import Any

import pytest

from chat.actions import client_actions
from chat.catalogue import CODE
from chat.demo.mind import answer
from chat.demo.reply import Reply, run
from chat.demo.request import read_turn
from chat.json_schema import faults_of
from chat.pages.table_view_actions import TABLE_ACTIONS
from chat.prompt import system_blocks, system_sections
from tests.chat.demo.asking import ACTIONS, ask, element, request_body
from tests.chat.demo.in_german import asked

Json = dict[str, Any]
BY_SALARY = {"by": [{"column": "Salary"}]}
OFFERS = {"filter": {"and": [{"column": "Status", "op": "any_of", "value": ["Offer"]}]}}
ENGLISH: list[tuple[str, str, Json]] = [
    ("sort by salary", "sort_rows", BY_SALARY),
    ("Could you please sort the table by salary?", "sort_rows", BY_SALARY),
    ("Sort by Salary, highest first", "sort_rows", {"by": [{"column": "Salary", "descending": True}]}),
    ("order the rows by status then by date applied descending", "sort_rows",
     {"by": [{"column": "Status"}, {"column": "Date Applied", "descending": True}]}),
    ("clear the sorting", "sort_rows", {"by": []}),
    ("show only offers", "filter_rows", OFFERS),
    ("only show rows where status = Offer", "filter_rows", OFFERS),
    ("filter: status is Offer", "filter_rows", OFFERS),
    ("remove all filters", "filter_rows", {"filter": None}),
    ("search for Acme", "search_table", {"text": "Acme"}),
    ("hide column Notes", "hide_columns", {"columns": ["Notes"]}),
    ("hide Notes, Salary and Remote", "hide_columns", {"columns": ["Notes", "Salary", "Remote"]}),
    ("show the Notes column again", "show_columns", {"columns": ["Notes"]}),
    ("show only the columns Company and Status", "show_columns", {"columns": ["Company", "Status"], "only": True}),
    ("show all columns", "show_columns", {}),
    ("export as Excel", "export_table", {"format": "xlsx", "rows": "shown"}),
    ("download all rows", "export_table", {"format": "csv", "rows": "all"}),
    ("print", "print_table", {}),
    ("show the history", "open_history", {}),
    ("share this table", "open_sharing", {}),
    ("undo that", "undo_change", {}),
    ("undo the last change", "undo_change", {}),
    ("redo", "redo_change", {}),
]  # fmt: skip
ANGEBOTE = {"filter": {"and": [{"column": "Status", "op": "any_of", "value": ["Angebot"]}]}}
GERMAN: list[tuple[str, str, Json]] = [
    ("Sortiere nach Gehalt", "sort_rows", {"by": [{"column": "Gehalt"}]}),
    ("Sortieren Sie die Tabelle bitte nach Status, dann nach Gehalt absteigend", "sort_rows",
     {"by": [{"column": "Status"}, {"column": "Gehalt", "descending": True}]}),
    ("Sortiere nach Gehalt, höchste zuerst", "sort_rows", {"by": [{"column": "Gehalt", "descending": True}]}),
    ("Nach Firma sortieren", "sort_rows", {"by": [{"column": "Firma"}]}),
    ("Zeige nur Zeilen, wo Status Angebot ist", "filter_rows", ANGEBOTE),
    ("Filtere nach Status Angebot", "filter_rows", ANGEBOTE),
    ("Filter aufheben", "filter_rows", {"filter": None}),
    ("Suche nach Acme", "search_table", {"text": "Acme"}),
    ("Blende die Spalte Notizen aus", "hide_columns", {"columns": ["Notizen"]}),
    ("Blende Notizen wieder ein", "show_columns", {"columns": ["Notizen"]}),
    ("Alle Spalten einblenden", "show_columns", {}),
    ("Exportiere als Excel", "export_table", {"format": "xlsx", "rows": "shown"}),
    ("Tabelle drucken", "print_table", {}),
    ("Verlauf anzeigen", "open_history", {}),
    ("Tabelle teilen", "open_sharing", {}),
    ("Mach die letzte Änderung rückgängig", "undo_change", {}),
    ("Rückgängig", "undo_change", {}),
]  # fmt: skip


def run_by(reply: Any) -> tuple[str, Json]:
    """The one action that the reply has the page run, which its data fits."""
    (entry,) = element(reply, "SUGGESTED_ACTIONS")
    action = client_actions.get(entry["action"])
    assert entry["run"] is True
    assert action is not None
    assert faults_of(entry.get("data", {}), action.schema) == ()
    return entry["action"], entry.get("data", {})


@pytest.mark.parametrize(("words", "action", "data"), ENGLISH, ids=[words for words, _, _ in ENGLISH])
def test_a_clear_request_runs(words: str, action: str, data: Json) -> None:
    assert run_by(ask(words, actions=ACTIONS)) == (action, data)


@pytest.mark.parametrize(("words", "action", "data"), GERMAN, ids=[words for words, _, _ in GERMAN])
def test_a_clear_request_in_german_runs(words: str, action: str, data: Json) -> None:
    reply = asked(words, runs=True)
    assert run_by(reply) == (action, data)
    assert reply.text.startswith(("Das ändert", "Die Datei", "Hier", "Ich mache"))


@pytest.mark.parametrize(
    ("action", "words", "runs"),
    [("filter_rows", "undo that", False), ("sort_rows", "Mach das rückgängig", False),
     ("filter_rows", "undo the last change", True), ("sort_rows", "Mach die letzte Änderung rückgängig", True),
     ("export_table", "undo that", True)],
)  # fmt: skip
def test_undo_right_after_a_change_of_the_view_leaves_the_table_alone(action: str, words: str, runs: bool) -> None:
    before = run("Done.", action=action, data={})
    body = request_body(words, actions=ACTIONS)
    said = [{"type": "text", "text": f"{before.text}\n\n{before.element}"}]
    earlier = [{"role": "user", "content": "Show only offers"}, {"role": "assistant", "content": said}]
    reply = answer(read_turn(body | {"messages": [*earlier, *body["messages"]]}))
    assert ("undo_change" in reply.element) is runs
    # Where it changed nothing, or was taken back before, there is no such button.
    assert runs or ("Lässt es sich zurücknehmen" if "Mach" in words else "If it can be taken back") in reply.text
    # What the button is called depends on the language of the page, not on that of the answer.
    assert "“Take back”" not in reply.text
    assert "„Zurücknehmen“" not in reply.text


def after_each(*said: str, words: str) -> Reply:
    """What is answered to the words, after these answers to earlier ones."""
    body = request_body(words, actions=ACTIONS)
    earlier: list[Json] = []
    for text in said:
        earlier.append({"role": "user", "content": words})
        earlier.append({"role": "assistant", "content": [{"type": "text", "text": text}]})
    return answer(read_turn(body | {"messages": [*earlier, *body["messages"]]}))


def ran(action: str) -> str:
    """An answer that had the page do this."""
    reply = run("Done.", action=action, data={})
    return f"{reply.text}\n\n{reply.element}"


@pytest.mark.parametrize("words", ["undo that", "take that back", "Mach das rückgängig", "Nimm das zurück"])
def test_undo_said_again_leaves_the_table_alone(words: str) -> None:
    refusal = after_each(ran("sort_rows"), words=words)
    again = after_each(ran("sort_rows"), refusal.text, "24 rows.", words=words)
    assert again.text == refusal.text
    assert "undo_change" not in refusal.element + again.element
    undone = after_each(ran("undo_change"), words=words)
    assert undone.element == ""
    assert ("undone a change already" if "that" in words else "schon rückgängig gemacht") in undone.text
    assert after_each(ran("undo_change"), undone.text, words=words) == undone


@pytest.mark.parametrize(
    "said", [ran("redo_change"), "Look.\n\nDATA_PROPOSAL: {}", ran("export_table"), "There are 24 rows."]
)
def test_undo_after_something_else_undoes_the_last_change(said: str) -> None:
    assert "undo_change" in after_each(said, words="undo that").element
    assert "undo_change" in after_each(ran("undo_change"), words="undo the last change").element


@pytest.mark.parametrize(
    "words",
    ["How do I undo?", "Show rows where status is Offer", "Remove the Notes column", "Hide the wages", "Longest notes"],
)
def test_other_wishes_run_nothing(words: str) -> None:
    assert "SUGGESTED_ACTIONS" not in ask(words, actions=ACTIONS).element


@pytest.mark.parametrize("writes", [True, False])
def test_the_actions_are_those_that_the_prompt_lists(writes: bool) -> None:
    reach = CODE.resolve("table_view", writes=writes)
    assert reach is not None
    turn = read_turn({"system": system_blocks(system_sections(reach))})
    assert turn.actions == {entry.action for entry in TABLE_ACTIONS if writes or not entry.writes}


@pytest.mark.parametrize("words", ["sort by salary", "undo that", "hide Notes"])
def test_a_page_without_the_actions_runs_nothing(words: str) -> None:
    assert "SUGGESTED_ACTIONS" not in ask(words).element
