"""Reads what the model writes: text for the person, elements for the page; pure, one pass."""
from __future__ import annotations

from chat.reader.element import Element
from chat.reader.rules import ReaderRules
from chat.reader.scan import ResponseReader
from chat.reader.turn_reading import TurnReader

__all__ = ["Element", "ReaderRules", "ResponseReader", "TurnReader"]
