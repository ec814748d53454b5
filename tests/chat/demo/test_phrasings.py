"""Four of the demo model's intents, each in many words: filling by words, duplicates, extremes, explaining itself."""
from __future__ import annotations

from typing import Any

import pytest

from tests.chat.demo.asking import ask, element
from tests.chat.demo.test_answers import after

Json = dict[str, Any]

FILL = """
fill status from the notes
Fill the status column from the notes column
fill in status based on the notes
fill out Status by what the notes say
set status from the notes
set the status according to what is written in the notes
complete status using the notes
populate the Status column from Notes
derive status from notes
guess the status from the notes
work out status from what the notes say
infer the status from the notes
classify status by the words in the notes
assign status based on what's in the notes
take status from the notes
please fill status from the notes field
could you fill the status based on the notes?
"""
DUPLICATES = """
delete the duplicates
Delete duplicates
remove duplicate rows
remove all duplicates
drop the duplicate rows
get rid of duplicates
get rid of the doubles
clean up duplicates
dedupe
dedupe the table
deduplicate this list
eliminate duplicates
erase the repeated rows
purge duplicate rows
delete rows that are duplicated
delete identical rows
please remove the duplicates
can you delete duplicates?
remove duplicate entries
throw out the duplicates
delete duplicates by company
"""
EXTREMES = {
    "-col_salary01": """
highest salary
which application has the highest salary
max salary?
the maximum salary
what's the biggest salary
which pays the largest salary
top salary
""",
    "col_salary01": """
what is the minimum salary?
smallest salary
min salary
""",
    "-col_applied1": """
newest application
latest date applied?
most recent application
""",
    "col_applied1": """
the earliest date applied
oldest application
which company has been waiting longest
which one have I waited for longest?
when did I first apply?
which is the oldest row
""",
}
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


def listed(text: str) -> list[str]:
    return text.strip().splitlines()


NOTES = ("They sent an offer!", "Unfortunately a rejection", "who knows")


@pytest.mark.parametrize("words", listed(FILL))
def test_a_column_is_filled_by_words_in_another_however_it_is_said(words: str) -> None:
    rows = [{"row_id": number, "data": {"Notes": notes}} for number, notes in enumerate(NOTES, start=1)]

    reply = after(words, {"rows": rows, "matching_rows": 3})

    [_, proposal] = reply.element.split("_PROPOSAL: ")
    assert '"row_id": 1, "changes": {"Status": "Offer"}' in proposal
    assert '"row_id": 2, "changes": {"Status": "Rejected"}' in proposal
    assert '"row_id": 3' not in proposal


@pytest.mark.parametrize("words", listed(DUPLICATES))
def test_duplicates_are_deleted_however_it_is_said(words: str) -> None:
    rows = [{"row_id": n, "data": {"Company": name}} for n, name in ((1, "Acme"), (2, "acme"), (3, "Globex"))]

    reply = after(words, {"rows": rows, "matching_rows": 3})

    assert '"operations": [{"action": "delete", "row_id": 2, "reason": "Same as row 1"}]' in reply.element


@pytest.mark.parametrize(
    ("words", "sort"), [(words, sort) for sort, text in EXTREMES.items() for words in listed(text)]
)
def test_the_highest_and_the_lowest_are_found_however_they_are_called(words: str, sort: str) -> None:
    used = ask(words).tool_use

    assert used is not None
    assert (used.name, used.input["sort"], used.input["limit"]) == ("get_rows", sort, 3)


@pytest.mark.parametrize("words", listed(EXPLAIN))
def test_it_explains_itself_however_it_is_asked(words: str) -> None:
    reply = ask(words)

    assert reply.text.startswith("I am the demo model")
    assert len(element(reply, "SUGGESTED_VALUES")) == 3


@pytest.mark.parametrize("intent", [FILL, DUPLICATES, EXPLAIN, "".join(EXTREMES.values()).replace("\n\n", "\n")])
def test_each_is_shown_in_fifteen_ways_at_least(intent: str) -> None:
    assert len(set(listed(intent))) >= 15
