"""Messages are codes with parameters; their text is rendered in the language of the reader."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.utils.timezone import override as zone
from django.utils.translation import override

from shared.user_messages import Message, declare, literal, message_fields, sentence
from shared.user_messages.rendering import localize_detail, localize_preview, message_html, message_text
from tables.column_types.date import NOT_A_DATE
from tables.column_types.names import AVAILABLE_NAMES
from tables.column_types.select import NOT_AN_OPTION
from tables.operations.plans.data_plan import CELL_EMPTIED
from tables.operations.plans.summaries import ADDED_COLUMNS, ADDED_ROWS, NAMES_AND_MORE, RENAMED_TABLE
from tables.operations.plans.upserts import COLUMNS_AND_COLUMN, MANY_MATCHES, ROWS_AND_MORE
from tables.operations.proposals.data_proposal import NO_MATCH
from tables.services.undo.changes import UNDID
from tables.services.undo.history_restore import RESTORED_AS_OF

MOMENT = RESTORED_AS_OF(moment=datetime(2026, 11, 26, 13, 5, tzinfo=UTC).isoformat())
NO_OPTION = NOT_AN_OPTION(value="x", column="S", hint=AVAILABLE_NAMES(names=["y", "z, 1"]))
TEXTS = {
    "number decides the plural form": (
        sentence([ADDED_ROWS(count=1)]), "Added 1 row", "1 Zeile hinzugefügt"),
    "grouping and several clauses": (
        sentence([ADDED_ROWS(count=1234), RENAMED_TABLE()]),
        "Added 1,234 rows, renamed the table", "1.234 Zeilen hinzugefügt, Tabelle umbenannt"),
    "message in a message": (
        UNDID(summary=sentence([ADDED_COLUMNS(count=4, names=NAMES_AND_MORE(names=["A", "{b}", "C"], count=1))])),
        "Undid: Added columns A, {b}, C and 1 more",
        "Rückgängig gemacht: Spalten A, {b}, C und 1 weitere hinzugefügt"),
    "quotation marks": (
        NO_OPTION, "“x” is not an option of “S”. Available: “y”, “z, 1”.",
        "„x“ ist keine Option von „S“. Verfügbar: „y“, „z, 1“."),
    "message for a quoted list": (
        MANY_MATCHES(
            rows=ROWS_AND_MORE(rows=[1, 2, 3], count=1234), columns=COLUMNS_AND_COLUMN(columns=["A"], column="B")),
        "Rows 1, 2, 3 and 1,234 more have the same “A” and “B”, so the match is not clear.",
        "Die Zeilen 1, 2, 3 und 1.234 weitere haben diesen Wert in „A“ und „B“; welche gemeint ist, ist unklar."),
    "number without quotation marks": (
        NOT_AN_OPTION(value=2.5, column="S", hint=literal("")),
        "2.5 is not an option of “S”.", "2,5 ist keine Option von „S“."),
}  # fmt: skip


@pytest.mark.parametrize(("message", "english", "german"), TEXTS.values(), ids=TEXTS)
def test_messages_follow_the_rules_of_the_language(message: Message, english: str, german: str) -> None:
    assert (str(message), message_text(message)) == (english, english)
    with override("de"):
        assert (str(message), message_text(message)) == (english, german)


def test_the_text_for_users_differs_from_the_api_text() -> None:
    message = NOT_A_DATE(value="abc")
    assert str(message) == "“abc” is not a date in the format YYYY-MM-DD."
    assert message_text(message) == "“abc” is not a date. Try 24 Dec 2026 or 2026-12-24."


def test_datetimes_are_in_the_time_zone_of_the_reader() -> None:
    with zone("Europe/Berlin"):
        assert str(MOMENT) == "Restored as of 2026-11-26 13:05 UTC"
        assert message_text(MOMENT) == "Restored as of Nov 26, 2026, 2:05 PM"
        assert '<time datetime="2026-11-26T14:05:00+01:00" data-moment>' in message_html(MOMENT)


def test_user_input_is_escaped_in_html() -> None:
    hostile = NOT_AN_OPTION(value="<b>", column="{hint}&", hint=literal("<i>"))
    assert message_html(hostile) == "“&lt;b&gt;” is not an option of “{hint}&amp;”.&lt;i&gt;"


@pytest.mark.parametrize("message", [*(each for each, *_ in TEXTS.values()), MOMENT], ids=str)
def test_a_stored_message_is_read_back(message: Message) -> None:
    assert Message.from_json(message.as_json()) == message


@pytest.mark.parametrize("hint", [{}, {"hint": ""}, {"hint": literal("")}], ids=str)
def test_an_empty_hint_is_no_parameter(hint: dict[str, Any]) -> None:
    message = NOT_AN_OPTION(value="a", column="b", **hint)
    assert message.as_json()["params"] == {"value": "a", "column": "b"}
    assert (Message.from_json(message.as_json()), str(message)) == (message, "“a” is not an option of “b”.")


STORED = {
    "record without a message": None,
    "removed template": {"code": "no_longer_declared", "params": {}},
    "other placeholders": {"code": ADDED_ROWS.code, "params": {"rows": 1}},
    "removed template in a message": {
        "code": UNDID.code, "params": {"summary": {"code": "no_longer_declared", "params": {}}}},
    "not a number": {"code": ADDED_ROWS.code, "params": {"count": "1"}},
    "another form": {"code": ["a"], "params": 5},
}


@pytest.mark.parametrize("stored", STORED.values(), ids=STORED)
def test_the_stored_text_replaces_an_unreadable_message(stored: object) -> None:
    message = Message.from_json(stored, text="Added {count} rows")
    assert (str(message), message_text(message)) == ("Added {count} rows", "Added {count} rows")


def test_json_is_localized_from_its_code_and_parameters() -> None:
    fields = message_fields(NOT_A_DATE(value="abc"))
    assert fields == {
        "detail": "“abc” is not a date in the format YYYY-MM-DD.", "message_code": "not_a_date",
        "params": {"value": "abc"},
    }  # fmt: skip
    with override("de"):
        assert localize_detail(fields)["detail"] == (
            "„abc“ ist kein Datum. Schreiben Sie zum Beispiel 24.12.2026 oder 2026-12-24."
        )


def test_warnings_and_notes_of_a_preview_are_localized() -> None:
    warning = {"path": "operations[0].where", "code": "no_match", **message_fields(NO_MATCH())}
    note = {"code": "emptied", **message_fields(CELL_EMPTIED(column="A"))}
    preview = {"operations": [{"index": 0, "notes": [note]}, {"index": 1}], "warnings": [warning]}
    with override("de"):
        preview = localize_preview(preview)
    assert preview["warnings"][0]["detail"] == "Keine Zeile erfüllt diese Bedingung."
    assert preview["operations"][0]["notes"][0]["detail"] == "Leert A."


@pytest.mark.parametrize("params", [{}, {"count": 1, "rows": 2}, {"rows": 1}], ids=str)
def test_missing_and_unknown_parameters_are_refused(params: dict[str, int]) -> None:
    with pytest.raises(TypeError, match="added_rows takes"):
        ADDED_ROWS(**params)


@pytest.mark.parametrize(("code", "text"), [(ADDED_ROWS.code, "Twice."), ("Not snake", "x"), ("new", "{a:unknown}")])
def test_invalid_templates_are_refused(code: str, text: str) -> None:
    with pytest.raises(ValueError, match=r"must be unique|unknown placeholder style"):
        declare(code, text)
