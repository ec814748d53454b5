"""What the demo model explains, in many words: itself, the open table, and how a change is taken back."""
from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser

from chat.agent.tools import ToolContext, tools
from chat.demo.intents.undoing import TOPIC
from chat.demo.mind import answer
from chat.demo.reply import ToolUse
from chat.demo.request import read_turn
from chat.links import without_links
from tests.chat.demo.asking import answered, ask, element, request_body
from tests.chat.demo.test_answers import DESCRIBED, after
from tests.chat.demo.test_phrasings import listed

EXPLAIN_TABLE = """
explain this table
Explain the table
explain this table to me
describe this table
describe my table
summarize the table
tell me about this table
what is this table?
what's this table about
what is in this table
what does this table contain?
give me an overview of this table
walk me through the table
can you explain the table?
a description of this table
"""
UNDO = """
how do I undo?
How can I undo that?
how to undo
how do I undo the last change
how can I revert a change?
how do I take that back
how can I get my rows back?
how can I get back a deleted row
can I undo this?
undo
undo that
revert the last change
take it back
is there an undo?
can it be undone
how does undo work?
"""
EXPLAIN = """
help
Help me
what can you do?
What can I do here?
how does this work?
I'm new, help me
what now?
explain this page
explain yourself
show me what you can do
can you help me
what is a proposal
explain how proposals work
what are my options
who are you?
are you an AI?
how do I start
"""


@pytest.mark.parametrize("words", listed(EXPLAIN_TABLE))
def test_the_table_is_explained_however_it_is_asked(words: str) -> None:
    text = without_links(after(words, DESCRIBED | {"description": "Where I applied"}).text)

    assert text.startswith("Job Applications has 24 rows and 7 columns (Where I applied):")
    assert "- Company: text, required\n" in text
    assert "- Status: select (Rejected 12, Applied 9)\n" in text
    assert "- Salary: number (from 40000 to 120000)\n" in text
    assert "- Remote: boolean (no 20, yes 4)\n" in text


@pytest.mark.parametrize("page", ["tables_list", "table_view", "table_edit"])
@pytest.mark.parametrize("words", listed(UNDO))
def test_how_to_undo_is_told_from_the_help_however_it_is_asked(words: str, page: str) -> None:
    body = request_body(words, page=page, tools=("get_help",))
    first = answer(read_turn(body))
    assert first.tool_use == ToolUse("get_help", {"topic": "changes/undo"})

    topic = "# Undo and history\n\nHow it goes.\n\nEvery apply is\none change."
    reply = answer(read_turn(answered(body, reply=first, result=topic)))

    assert reply.text.startswith("Every apply is one change.\n\nI cannot undo a change on this page")
    assert "Ctrl+Z" in answer(read_turn(request_body(words, page=page, tools=()))).text


def test_what_is_told_of_undo_is_the_help_that_there_is() -> None:
    tool = tools.get("get_help")
    assert tool is not None
    topic = tool.executor({"topic": TOPIC}, user=AnonymousUser(), context=ToolContext(page="table_view"))
    body = request_body("how do I undo?", tools=("get_help",))
    reply = answer(read_turn(answered(body, reply=answer(read_turn(body)), result=topic)))

    assert reply.text.startswith("Every apply, edit and import is one change")
    assert "which lists who changed what, when and through what. Undo can itself be undone (redo)." in reply.text


@pytest.mark.parametrize("words", ["explain the columns", "describe the columns here", "which columns are there?"])
def test_the_columns_are_explained(words: str) -> None:
    assert "Job Applications has 7 columns:\n\n- Company: text, required\n" in ask(words).text


@pytest.mark.parametrize("words", ["how do I get back to my tables?", "how do I get started?", "how do I take notes?"])
def test_another_way_back_is_no_undo(words: str) -> None:
    assert "cannot undo" not in ask(words).text


@pytest.mark.parametrize("words", listed(EXPLAIN))
def test_it_explains_itself_however_it_is_asked(words: str) -> None:
    reply = ask(words)

    assert reply.text.startswith("I am the demo model")
    assert len(element(reply, "SUGGESTED_VALUES")) == 3


@pytest.mark.parametrize("intent", [EXPLAIN, EXPLAIN_TABLE, UNDO])
def test_each_is_shown_in_fifteen_ways_at_least(intent: str) -> None:
    assert len(set(listed(intent))) >= 15
