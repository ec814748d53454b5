"""The answer to a turn: each intent in turn, and the honest sentence where none understands."""

from collections.abc import Callable
from dataclasses import replace

from chat.agent.followup_prompts import FROM_APPLICATION
from chat.demo_model import dates
from chat.demo_model.intents import columns, new_rows, new_tables, questions, revising, row_changes, talk, view
from chat.demo_model.reply import Reply, ToolNeeded, Unclear, say, with_offers
from chat.demo_model.request import Turn
from chat.demo_model.starters import in_english
from chat.demo_model.text import bare

INTENTS: tuple[Callable[[Turn], Reply | None], ...] = (
    talk.answer_talk, revising.revise, view.act_on_view, row_changes.handle_duplicates, columns.change_columns,
    questions.answer_question, new_tables.create_table, new_rows.add_rows, row_changes.change_rows, view.show_rows,
)  # fmt: skip
# Longer texts are no requests that these rules know, except pasted lists.
MAX_CHARACTERS = 300
_REPLACES = "This proposal takes the place of the open one."


def answer(turn: Turn) -> Reply:
    """Return the reply to a turn."""
    words = turn.words.strip()
    if words.startswith(FROM_APPLICATION):
        # Asked to correct its own proposal, it has no better one.
        return Reply(text="")
    if known := in_english(words):
        turn = replace(turn, words=known, wish=bare(known))
    intents = INTENTS
    if len(words) > MAX_CHARACTERS or "\n" in words:
        intents = (new_tables.create_pasted, new_rows.add_pasted)
    try:
        reply = next((reply for intent in intents if (reply := intent(turn))), say(f"{talk.HONEST} {talk.HOW}"))
    except ToolNeeded as needed:
        return needed.reply
    except Unclear as unclear:
        reply = say(str(unclear))
    marker = reply.element.partition(": ")[0]
    if marker.endswith("_PROPOSAL") and marker not in turn.markers:
        reply = say("I cannot propose that here: this page, or your right to the table, does not allow it.")
    elif marker.endswith("_PROPOSAL") and turn.opened:
        reply = replace(reply, text=f"{reply.text} {_REPLACES}")
    far = dates.far_day(turn.wish, today=turn.page.today)
    if far and any(day.isoformat() in reply.text + reply.element for day in far[1]):
        reply = replace(reply, text=f"{reply.text}\n\nI took “{far[0]}” as {far[0]} {far[1][0].year}.")
    return reply if reply.element or reply.text == talk.WELCOME else with_offers(reply, talk.offers_for(turn))
