"""What of a turn's text is sent: white space around the whole is held back, and only the server makes tool cards."""
from __future__ import annotations

ZERO_WIDTH_SPACE = "\u200b"
TOOL_MARK = "[[tool:"


class VisibleText:
    """The text of one turn on its way out, call after call; what the methods give back, joined, is the message."""

    def __init__(self) -> None:
        self._space = ""  # white space at the end so far, sent only when something follows
        self._tail = ""  # the last characters sent, for finding tool marks across pieces

    def of(self, text: str) -> str:
        """What may be sent now that the model has written this."""
        if not text:
            return ""
        if not self._tail:
            text = text.lstrip()
        kept = text.rstrip()
        if not kept:
            self._space += text if self._tail else ""
            return ""
        kept_space, self._space = self._space, text[len(kept) :]
        kept = kept_space + kept
        if ":" in kept:
            kept = self._unmarked(kept)
        self._tail = (self._tail + kept)[-len(TOOL_MARK) :] if len(kept) < len(TOOL_MARK) else kept[-len(TOOL_MARK) :]
        return kept

    def flush_whitespace(self) -> str:
        """White space held back at the end of the text so far, now that something follows."""
        space, self._space = (self._space, "") if self._tail else ("", "")
        return space

    def tool_mark(self, index: int) -> str:
        """The place of a tool's card in the text."""
        self._tail = "]"
        return f"{TOOL_MARK}{index}]]"

    def append_paragraph(self, sentence: str) -> str:
        """A sentence of the application's own, as a paragraph at the end; the answer is the text to send."""
        self._space = ""
        # It may quote what the model wrote.
        text = self._unmarked(f"\n\n{sentence}" if self._tail else sentence)
        self._tail = text[-1:]
        return text

    def _unmarked(self, text: str) -> str:
        """A zero-width space goes before the colon of a mark the model wrote."""
        joined = self._tail + text
        start = len(self._tail)
        at = joined.find(TOOL_MARK)
        while at >= 0:
            colon = at + len(TOOL_MARK) - 1
            if colon >= start:
                joined = joined[:colon] + ZERO_WIDTH_SPACE + joined[colon:]
            at = joined.find(TOOL_MARK, colon)
        return joined[start:]
