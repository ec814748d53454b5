"""Greetings, thanks, help, and what is said when nothing else was understood."""

from __future__ import annotations

import re

from chat.demo.intents.offers import offers_for
from chat.demo.language.words import shown
from chat.demo.reply import Reply, say
from chat.demo.request import Turn

_HELLO = re.compile(
    r"^(?:hi|hello|hey|hiya|yo|good (?:morning|afternoon|evening|day)|greetings)(?: there| all| you| "
    r"assistant)?[\s!.,]*$",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"^(?:(?:many |thank|thanks|thx|ty|cheers|great|perfect|nice|awesome|cool|good job|well done|lovely"
    r"|excellent|got it|ok(?:ay)?|fine)"
    r"[\w\s,!.]{0,40})$",
    re.IGNORECASE,
)
_HELP = re.compile(
    r"^(?:help|\?|menu|commands?|examples?|instructions)$|^help\b.{0,20}$"
    r"|\bwhat (?:can|could|do) (?:you|i) (?:do|ask|say|help|understand|type|offer)\b|\bwhat (?:are|is) (?:you"
    r"|this)(?: (?:able|good|for|page|tray|chat|app)\b.*)?$"
    r"|\bhow (?:do|does|can|should) (?:i|this|you|it|that)\b.{0,40}\b(?:work|use|start|begin|works|help)\b"
    r"|\bwho are you\b|\bwhat(?:'s| is) (?:possible|this|your name)\b"
    r"|\bare you (?:a |an )?(?:real|claude|gpt|ai|bot|human|robot|demo|chat\w*)\b|\bexplain (?:yourself|what "
    r"you|how (?:this|you))\b|\bhow to (?:start|begin|use)\b"
    r"|\bwhich (?:commands|sentences|questions|model)\b|\bwhat model\b|\btell me about yourself\b|\bi(?:'m| "
    r"am) (?:new|lost|stuck)\b|\bget(?:ting)? started\b"
    r"|^explain (?:this|the) (?:page|chat|app|tray)$|^show me what you can do$|^can you help me\??$"
    r"|^(?:explain|tell me|what) (?:how |what |is |are )?(?:a )?proposals?(?: (?:work|is|are|do|does))?\??$"
    r"|^what are my options\??$|\bwhat now\b|\bwhat(?:'s| is)? next\b|\bwhat should i do\b",
    re.IGNORECASE,
)
OFFER_NEXT = "Offer what to do next"
_SELF = (
    "I am the demo model: a small program inside this application "
    "that reads English and German sentences of a few kinds. "
)
_CAN = {
    "tables_list": "Describe what you want to keep track of, or paste a list, and I propose a table with columns. "
    "I can also tell you which tables you have.",
    "table_view": "I can add sample rows, add one row, set a column where something holds, delete rows by a condition, "
    "count and group, find the highest or lowest, and change columns.",
    "table_edit": "I can add, rename, move, retype and remove columns, and change the options of a select column.",
}
_ELSEWHERE = "Open your tables, or one of them, and tell me what you need."


def greet(turn: Turn) -> Reply | None:
    """Hello."""
    if not _HELLO.match(turn.words.strip()):
        return None
    return say(f"Hello! {_SELF}{_can(turn)}{_safety(turn)}", offers=offers_for(turn))


def thank(turn: Turn) -> Reply | None:
    """Thanks. The conversation may end here: nothing is offered."""
    words = turn.words.strip()
    if not _THANKS.match(words) or len(words.split()) > 6:
        return None
    return say("You are welcome.")


def explain(turn: Turn) -> Reply | None:
    """What it is and what it can do."""
    if not _HELP.search(turn.wish) and not _HELP.search(turn.words.strip()):
        return None
    return say(f"{_SELF}{_can(turn)}{_safety(turn)}", offers=offers_for(turn))


def offer_next(turn: Turn) -> Reply | None:
    """What it announces with a new table: once that is there, sentences that fit it."""
    if turn.words.strip() != OFFER_NEXT:
        return None
    name = shown(turn.page.table_name)
    there = f"{name} is there, with the sample rows." if turn.page.rows else f"{name} is there, and still empty."
    return say(f"{there} What would you like to do next?", offers=offers_for(turn))


def not_understood(turn: Turn) -> Reply:
    """The last resort, said plainly."""
    return say(f"I did not understand that. {_SELF}{_can(turn)} These sentences work here:", offers=offers_for(turn))


def _safety(turn: Turn) -> str:
    """What is written at once, and what is proposed first."""
    if "create_row" in turn.tools and turn.page.takes_data:
        return " A row that you give me is added at once. Other changes are proposed first, and all can be undone."
    return " Every change is shown as a proposal first, and everything applied can be undone."


def _can(turn: Turn) -> str:
    return _CAN.get(turn.page.name, _ELSEWHERE)
