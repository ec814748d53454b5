"""Runs of backticks of one paragraph that have not been answered: each may turn out to begin inline code."""
from __future__ import annotations

LONGEST = 32  # longer ones begin no inline code: so few lengths are looked for in a paragraph


class OpenRuns:
    """The first of them is the one that may be open: inside it the others are nothing."""

    def __init__(self) -> None:
        self.open = 0  # how many backticks would close what may be open; 0: nothing is
        self._others: list[tuple[int, int]] = []  # the runs behind the first: how many would close it, how long it is
        self._leaf = 0
        self._unanswered: set[int] = set()  # lengths of which no run follows in this paragraph

    def reach(self, leaf: int) -> None:
        """The place that is read stands in this paragraph; what another left open is only text."""
        if leaf != self._leaf:
            self._leaf = leaf
            self.open = 0
            self._others.clear()
            self._unanswered.clear()

    def take(self, length: int, *, escaped: bool = False) -> None:
        """One more run of the paragraph; behind a backslash its first backtick opens nothing, though it may close."""
        self._take(length - escaped, length)

    def close(self) -> None:
        """What was open has been closed."""
        self.open = 0
        self._others.clear()

    def abandon(self) -> None:
        """What may be open is not: no run of its length follows. One of the others may be."""
        self._unanswered.add(self.open)
        others, self._others, self.open = self._others, [], 0
        for opens, length in others:
            self._take(opens, length)

    def _take(self, opens: int, length: int) -> None:
        if self.open == length:
            self.open = 0
            self._others.clear()
        elif self.open:
            self._others.append((opens, length))
        elif opens <= LONGEST and opens not in self._unanswered:
            self.open = opens
