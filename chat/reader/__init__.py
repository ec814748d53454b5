"""Reads what the model writes: text for the person, elements for the page; pure, one pass."""
from __future__ import annotations

from chat.reader.scan import Element, ResponseReader

__all__ = ["Element", "ResponseReader"]
