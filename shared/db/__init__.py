"""Statements by hand, for what is sent so often that putting it together each time costs more than the rest."""
from __future__ import annotations

from shared.db.compiled import Compiled, Statement, readers_of, send
from shared.db.giving_back import giving_back
from shared.db.questions import Question, ask, ask_together
from shared.db.writing import insertion, json_text, update

__all__ = [
    "Compiled",
    "Question",
    "Statement",
    "ask",
    "ask_together",
    "giving_back",
    "insertion",
    "json_text",
    "readers_of",
    "send",
    "update",
]
