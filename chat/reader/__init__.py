"""Reads what the model writes: text for the person, elements for the page; pure, one pass."""
from __future__ import annotations

from chat.reader.element import Element
from chat.reader.rules import ReadingRules
from chat.reader.scan import ResponseReader
from chat.reader.turn_reading import TurnReading

__all__ = ["Element", "ReadingRules", "ResponseReader", "TurnReading"]
