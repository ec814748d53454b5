"""The sentence that a column's menu sends to fill its empty cells, as the page has it in both languages."""
from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from chat.demo.mind import answer
from chat.demo.reply import Reply
from chat.demo.request import read_turn
from tests.chat.demo.asking import STATUSES, answered, element, request_body

Json = dict[str, Any]
STATIC = Path(__file__).parents[3] / "static"
# No word of these may be read as anything but a name.
TABLE, STATUS, SALARY = "Rows of the table, where it is empty", "Zeilen", "The salary"
COLUMNS: list[Json] = [
    {"id": "col_company1", "name": "Company", "type": "text", "required": True},
    {"id": "col_status01", "name": STATUS, "type": "select", "options": STATUSES},
    {"id": "col_salary01", "name": SALARY, "type": "number"},
    {"id": "col_notes001", "name": "Notes", "type": "text"},
]
ROWS = [
    {"row_id": 7, "data": {"Company": "Acme", "Notes": "They made an offer"}},
    {"row_id": 8, "data": {"Company": "Globex", "Notes": "Nice people"}},
]
NO_GAPS: Json = {"rows": [], "matching_rows": 0}


def sentence(language: str, *, column: str) -> str:
    """What the menu sends."""
    script = (STATIC / "tables" / "column_acts.js").read_text(encoding="utf-8")
    [english] = re.findall(r'filling = t\("([^"]+)"', script)
    words = english
    if language == "de":
        german = (STATIC / "languages" / "de.js").read_text(encoding="utf-8")
        [line] = [line for line in german.splitlines() if line.startswith("\"Fill in the column")]
        words = json.loads("{" + line.rstrip(",") + "}")[english]
    return words.replace("{column}", column).replace("{table}", TABLE)


def asked(words: str, *, result: Json | None = None) -> Reply:
    """The reply, or the one after the tool has answered with `result`."""
    table: Json = {"id": 5, "name": TABLE, "description": "", "columns": COLUMNS, "rows": 24}
    body = request_body(words, table=table, sample_rows=[])
    reply = answer(read_turn(body))
    return answer(read_turn(answered(body, reply=reply, result=result))) if result else reply


@pytest.mark.parametrize(("language", "says"), [("en", "Where Zeilen is empty"), ("de", "Wo Zeilen leer ist")])
def test_the_rows_where_the_column_is_empty_are_filled_by_their_texts(language: str, says: str) -> None:
    words = sentence(language, column=STATUS)
    asks = asked(words).tool_use
    reply = asked(words, result={"rows": ROWS, "matching_rows": 2})

    assert asks is not None
    assert asks.input["filter"] == {"and": [{"column": STATUS, "op": "empty"}]}
    [operation] = element(reply, "DATA_PROPOSAL")["operations"]
    assert (operation["row_id"], operation["changes"]) == (7, {STATUS: "Offer"})
    assert reply.text.startswith(says)


@pytest.mark.parametrize(
    ("language", "no_gaps", "no_options"),
    [("en", "Zeilen is empty in no row.", "I can fill select columns"),
     ("de", "Zeilen ist in keiner Zeile leer.", "Füllen kann ich Auswahlspalten")],
)  # fmt: skip
def test_where_it_cannot_fill_it_says_why(language: str, no_gaps: str, no_options: str) -> None:
    assert asked(sentence(language, column=STATUS), result=NO_GAPS).text.startswith(no_gaps)
    assert asked(sentence(language, column=SALARY)).text.startswith(no_options)
