"""Intents of the demo model, each in many words: groups, filling by words, duplicates, extremes, the longest text."""

from __future__ import annotations

from typing import Any

import pytest

from chat.links import without_links
from tests.chat.demo.asking import ask
from tests.chat.demo.test_answers import DESCRIBED, after

Json = dict[str, Any]

GROUP = """
how many per status?
How many applications are there per status?
how many applications do I have in each status
how many of each status
count how many applications there are in every status
show the applications grouped by status
what is the split between statuses?
most common status
which status is most common?
how many in each status?
how many have each status
count by status
count the applications by status
can you count them by status?
count the number of applications per status
number of applications per status
what is the number of rows per status?
tally up the applications by status
group by status
group the applications by status
break it down by status
break all the rows down by status
split the rows by status
summarize the table by status
pivot by status
breakdown by status
what's the breakdown by status?
give me an overview by status
show me the counts by status
distribution of status
status distribution
status summary
the status statistics
how does status break down?
how is the status distributed
how are the applications distributed by status?
how are my applications spread over the statuses
which statuses are there and how many of each
what statuses do I have and how often
list the statuses with their counts
show me all the statuses and how many have each
applications by status
applications per status column
"""
FILL = """
use the notes to fill status
use the notes column to fill in the status column
update status based on the notes
please update the status based on what is written in the notes
read the notes and set the status
read through the notes and fill in status
use what the notes say to update status
based on the notes, fill in status
look at the notes and update the status accordingly
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
remove rows with the same company
delete all rows that have the same company
delete applications sharing the same company
keep only one of each company
keep just one row per company
only keep the first for each company
keep one application from each company
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
who pays the most
which company pays best?
which application pays the most money
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
who pays the least?
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
LONGEST = """
longest notes
the longest notes
what is the longest note?
which row has the longest notes
which application has the longest notes?
who has the longest notes
show me the longest notes in the table
most detailed notes
which notes are the longest?
"""


def listed(text: str) -> list[str]:
    return text.strip().splitlines()


NOTES = ("They sent an offer!", "Unfortunately a rejection", "who knows")


@pytest.mark.parametrize("words", listed(GROUP))
def test_groups_are_counted_however_it_is_said(words: str) -> None:
    assert "24 rows by Status:\n\n- Rejected: 12\n- Applied: 9\n- no value: 3" in after(words, DESCRIBED).text


@pytest.mark.parametrize("words", ["how many purple ones per status?", "count the zzz by status"])
def test_groups_of_rows_that_cannot_be_told_are_not_counted(words: str) -> None:
    reply = ask(words)

    assert reply.tool_use is None
    assert "could not tell" in reply.text


@pytest.mark.parametrize("words", listed(FILL))
def test_a_column_is_filled_by_words_in_another_however_it_is_said(words: str) -> None:
    rows = [{"row_id": number, "data": {"Notes": notes}} for number, notes in enumerate(NOTES, start=1)]

    reply = after(words, {"rows": rows, "matching_rows": 3})

    [_, proposal] = reply.element.split("_PROPOSAL: ")
    assert '"row_id": 1, "changes": {"Status": "Offer"}' in proposal
    assert '"row_id": 2, "changes": {"Status": "Rejected"}' in proposal
    assert '"row_id": 3' not in proposal


DOUBLED = {"groups": [{"rows": 2, "row_ids": [1, 2], "first": {}}], "groups_total": 1, "repeated_rows": 1}


@pytest.mark.parametrize("words", listed(DUPLICATES))
def test_duplicates_are_deleted_however_it_is_said(words: str) -> None:
    reply = after(words, DOUBLED)

    assert '"operations": [{"action": "delete", "row_id": 2, "reason": "Repeats an earlier row"}]' in reply.element


@pytest.mark.parametrize(
    ("words", "sort"), [(words, sort) for sort, text in EXTREMES.items() for words in listed(text)]
)
def test_the_highest_and_the_lowest_are_found_however_they_are_called(words: str, sort: str) -> None:
    used = ask(words).tool_use

    assert used is not None
    assert (used.name, used.input["sort"], used.input["limit"]) == ("get_rows", sort, 3)


def test_duplicates_may_be_told_by_several_columns() -> None:
    used = ask("delete rows with the same company and position").tool_use

    assert used is not None
    assert used.input["columns"] == ["Company", "Position"]


def test_rows_with_the_same_name_as_one_that_is_named_are_no_duplicates() -> None:
    assert ask("delete rows with the same company as Acme").tool_use is None


@pytest.mark.parametrize("words", listed(LONGEST))
def test_the_longest_text_is_found_however_it_is_asked(words: str) -> None:
    texts = [("Acme", "short"), ("Globex", "They called twice"), ("Initech", "ok")]
    rows = [{"row_id": n, "data": {"Company": name, "Notes": notes}} for n, (name, notes) in enumerate(texts, start=1)]

    text = without_links(after(words, {"rows": rows, "matching_rows": 3}).text)

    assert text == "The longest text in Notes has 17 characters, Globex:\n\n“They called twice”"


def test_which_of_two_texts_that_are_shown_cut_is_longer_is_not_guessed() -> None:
    rows = [{"row_id": n, "data": {"Company": f"Company {n}", "Notes": "x" * 199 + "…"}} for n in (1, 2)]

    assert "will not guess" in after("longest notes", {"rows": rows, "matching_rows": 2}).text
    assert "Company 1" in after("shortest notes", {"rows": rows[:1], "matching_rows": 1}).text


@pytest.mark.parametrize("intent", [GROUP, FILL, DUPLICATES, "".join(EXTREMES.values()).replace("\n\n", "\n")])
def test_each_is_shown_in_fifteen_ways_at_least(intent: str) -> None:
    assert len(set(listed(intent))) >= 15
