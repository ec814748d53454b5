"""Read the model's text while it streams, in one pass: visible text for the user, elements for the page.

In reading order:

- `turn_reader` reads the calls of a turn, by the `rules` of a page, with its `suggestions`.
- `response_reader` reads the text of one call. It passes the text to one of four modes, which share a `scan_state`:
  `prose`, `element_mode`, `code_block` and `inline_code`.
- `markers` finds the markers of elements, `blocks` the Markdown blocks that code depends on.
- `elements` are a marker and its JSON, and the operations of a proposal that is arriving.
"""
from __future__ import annotations

from chat.reader.elements import Element
from chat.reader.response_reader import ResponseReader
from chat.reader.rules import ReaderRules
from chat.reader.turn_reader import TurnReader

__all__ = ["Element", "ReaderRules", "ResponseReader", "TurnReader"]
