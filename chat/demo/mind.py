"""Which wish is it? The intents in the order they are asked; the first that answers has understood."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from chat.agent.asking import FROM_APPLICATION
from chat.demo.german import in_german
from chat.demo.intents.about_table import explain_table
from chat.demo.intents.advice import advise
from chat.demo.intents.column_changes import change_columns
from chat.demo.intents.columns import add_columns
from chat.demo.intents.count import count_rows
from chat.demo.intents.create import create_table
from chat.demo.intents.delete import delete_rows
from chat.demo.intents.duplicates import find_duplicates
from chat.demo.intents.extremes import find_extreme
from chat.demo.intents.fill import fill_column
from chat.demo.intents.gaps import fill_gaps
from chat.demo.intents.longest import find_longest
from chat.demo.intents.one_row import add_row
from chat.demo.intents.options import change_options
from chat.demo.intents.pasted import take_pasted
from chat.demo.intents.revise import revise_proposal
from chat.demo.intents.revise_columns import revise_columns
from chat.demo.intents.samples import add_samples
from chat.demo.intents.show import show_rows
from chat.demo.intents.tables import list_tables
from chat.demo.intents.talk import explain, greet, not_understood, offer_next, thank
from chat.demo.intents.undoing import tell_undo
from chat.demo.intents.update import update_rows
from chat.demo.intents.view_actions import act_on_page
from chat.demo.language.words import bare
from chat.demo.meaning.selection import without_selection
from chat.demo.reply import Reply
from chat.demo.request import ToolAnswer, Turn

Intent = Callable[[Turn], Reply | None]

INTENTS: tuple[Intent, ...] = (
    offer_next,
    greet,
    thank,
    act_on_page,
    fill_gaps,
    take_pasted,
    revise_proposal,
    revise_columns,
    tell_undo,
    explain_table,
    explain,
    advise,
    find_duplicates,
    list_tables,
    count_rows,
    find_longest,
    find_extreme,
    add_samples,
    create_table,
    add_columns,
    change_options,
    change_columns,
    fill_column,
    update_rows,
    delete_rows,
    add_row,
    show_rows,
)


# Those of them that can be about the selected rows alone.
QUESTIONS: tuple[Intent, ...] = (find_duplicates, count_rows, find_longest, find_extreme, show_rows)
REVISIONS: tuple[Intent, ...] = (revise_proposal, revise_columns)
REPLACES = "This proposal takes the place of the open one."

# Wishes are sentences. Reading longer texts with the same patterns would take time and hold up everybody else.
MOST_CHARACTERS = 1_200
_QUESTION = re.compile(r"(?<=\?)\s+")
_MOST_QUESTIONS = 3


def answer(turn: Turn) -> Reply:
    """The reply to a turn; several questions in one message are answered one after the other."""
    words = turn.words.strip()
    if words.startswith(FROM_APPLICATION):
        # Asked to put its own proposal right, it has nothing better to offer.
        return Reply(text="")
    return in_german(turn, answer=_answer) or _answer(turn)


def _answer(turn: Turn) -> Reply:
    words = turn.words.strip()
    # What goes on over several lines, or does not end in a question, is one wish with whatever it brings along.
    questions = _QUESTION.split(words) if words.endswith("?") and "\n" not in words else []
    if not 1 < len(questions) <= _MOST_QUESTIONS or len(words) > MOST_CHARACTERS:
        return _answer_one(turn)
    texts, left = [], turn.answers
    for question in questions:
        reply, left = _answer_next(replace(turn, words=question, wish=bare(question)), left=left)
        if reply.tool_use is not None or "_PROPOSAL: " in reply.element:
            return reply
        texts.append(reply.text)
    return replace(reply, text="\n\n".join(texts))


def _answer_next(turn: Turn, *, left: tuple[ToolAnswer, ...]) -> tuple[Reply, tuple[ToolAnswer, ...]]:
    """The reply to one question of several, and the answers of tools it did not need: they belong to those after it."""
    for needed in range(len(left) + 1):
        reply = _answer_one(replace(turn, answers=left[:needed]))
        if reply.tool_use is None:
            return reply, left[needed:]
    return reply, ()


def _answer_one(turn: Turn) -> Reply:
    intents = INTENTS if len(turn.words) <= MOST_CHARACTERS else (take_pasted,)
    question, about_selected = without_selection(turn.wish, page=turn.page)
    asked = replace(turn, wish=question, about_selected=True) if about_selected else turn
    for intent in intents:
        reply = intent(asked if intent in QUESTIONS else turn)
        if reply is not None:
            return reply if intent in REVISIONS else _with_replaced(turn, reply=reply)
    return not_understood(turn)


def _with_replaced(turn: Turn, *, reply: Reply) -> Reply:
    """The reply with a word that its proposal takes the place of the one that is open."""
    if turn.open_proposal is None or not re.match(r"(?:DATA|SCHEMA)_PROPOSAL: ", reply.element):
        return reply
    return replace(reply, text=f"{reply.text} {REPLACES}")
