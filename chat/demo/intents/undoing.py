"""How a change is undone, as the help says: "how do I undo?"."""

from __future__ import annotations

import re

from chat.demo.intents.offers import offers_for
from chat.demo.language.words import shown
from chat.demo.reply import Reply, say, use
from chat.demo.request import Turn

TOPIC = "changes/undo"
_WHAT = (
    r"(?:it|that|this|these|them|everything|something|what (?:i|we|you) did"
    r"|(?:(?:an?|the|my|your|our|all) )?(?:last |latest |previous )?(?:changes?|apply|edits?|steps?|things?|mistakes?))"
)
_ASKS = re.compile(
    r"^(?:how (?:do|can|could|would|should|does|to)(?: (?:i|we|you|one))? "
    r"(?:(?:undo|revert|reverse|restore|roll[ -]?back|redo|take back)\b.*|get back (?!to\b).*|(?:take|get)\b.*\bback)"
    rf"|(?:undo|revert|reverse|roll[ -]?back)(?: {_WHAT})?|take (?:{_WHAT} back|back {_WHAT})"
    rf"|(?:can|could) {_WHAT} be (?:undone|reverted|reversed|taken back)"
    r"|(?:is there|do you have|where is) (?:an? |the )?(?:undo|way back)(?: button)?|how does undo(?:ing)? work)$",
    re.IGNORECASE,
)
_IN_SHORT = (
    "Every applied change can be taken back as one step: with Undo on its receipt in the chat, with Ctrl+Z in the "
    "table for your own last change, or in the table's history."
)
_MOST_CHARACTERS = 700


def tell_undo(turn: Turn) -> Reply | None:
    """What the help says of it; in short where there is no help."""
    if not _ASKS.match(turn.wish.rstrip("? ")):
        return None
    answer = turn.answer("get_help")
    if answer is None and "get_help" in turn.tools:
        return use("get_help", {"topic": TOPIC}, text="Let me look that up.")
    # What comes back is a heading, a line on what it is about, and paragraphs.
    parts = answer.text.split("\n\n")[2:] if answer is not None and not answer.is_error else []
    said = "\n\n".join(shown(part, limit=_MOST_CHARACTERS) for part in parts if part.strip())
    return say(f"{said or _IN_SHORT}\n\n{_here(turn)}", offers=offers_for(turn))


def _here(turn: Turn) -> str:
    if "undo_change" in turn.actions:
        return "Say “undo the last change”, and I undo it."
    return "I cannot undo a change on this page: that is for you to do."
