"""The demo model goes on with what it announced, in the words with which the application tells it to."""

from __future__ import annotations

import json

from chat.demo.mind import answer
from chat.demo.request import read_turn
from chat.instructions import GOING_ON
from tests.chat.demo.asking import COLUMNS, answered, ask, context, element, request_body

PRIORITY = {"id": "col_priori1", "name": "Priority", "type": "select", "options": ["High", "Medium", "Low"]}


def told(intention: str) -> str:
    """As the application says that a proposal was applied."""
    return GOING_ON.format(id="5f0c", status="applied 1 of 1", intention=json.dumps(intention))


def test_a_new_column_is_filled_once_it_is_there() -> None:
    table = context()["table"] | {"columns": [*COLUMNS, PRIORITY]}
    body = request_body(told("Fill Priority from the notes"), table=table)
    asking = answer(read_turn(body))
    rows = [{"row_id": 1, "data": {"Notes": "urgent, call back"}}, {"row_id": 2, "data": {"Notes": "no rush"}}]
    reply = answer(read_turn(answered(body, reply=asking, result={"rows": rows, "matching_rows": 2})))

    operations = element(reply, "DATA_PROPOSAL")["operations"]
    assert [operation["changes"] for operation in operations] == [{"Priority": "High"}, {"Priority": "Low"}]


def test_with_a_new_table_it_announces_that_it_will_say_what_is_next_and_does() -> None:
    announced = element(ask("I need a table for my vendors", page="tables_list"), "SCHEMA_PROPOSAL")["next"]

    reply = ask(told(announced))

    assert "What would you like to do next?" in reply.text
    offers = [offer["value"] for offer in element(reply, "SUGGESTED_VALUES")]
    assert len(offers) == 3
    assert all("did not understand" not in ask(offer).text for offer in offers)


def test_what_only_looks_like_that_is_read_as_the_persons_words() -> None:
    assert "did not understand" in ask("As the next step you announced: nothing").text


def test_a_second_wish_is_no_part_of_a_new_name() -> None:
    proposal = element(ask("rename Notes to Remarks and then add a Priority column"), "SCHEMA_PROPOSAL")

    assert [operation["changes"] for operation in proposal["operations"]] == [{"name": "Remarks"}]
    assert proposal["next"] == "Add a Priority column"
