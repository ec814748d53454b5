"""Which wish is it? The intents in the order they are asked; the first that answers has understood."""
from __future__ import annotations

from collections.abc import Callable

from chat.demo.intents.count import count_rows
from chat.demo.intents.create import create_table
from chat.demo.intents.samples import add_samples
from chat.demo.intents.talk import explain, greet, not_understood, thank
from chat.demo.reply import Reply
from chat.demo.request import Turn

Intent = Callable[[Turn], Reply | None]

INTENTS: tuple[Intent, ...] = (
    greet,
    thank,
    explain,
    count_rows,
    add_samples,
    create_table,
)


def answer(turn: Turn) -> Reply:
    """The reply to a turn."""
    for intent in INTENTS:
        reply = intent(turn)
        if reply is not None:
            return reply
    return not_understood(turn)
