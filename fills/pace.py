"""How many calls a worker makes at the same time: half as many after a refusal, and slowly more afterwards."""
from __future__ import annotations


class Pace:
    """The number of calls at the same time: `limit`, at least 1 and at most `most`.

    Refusals of calls that were made before the last reduction do not reduce it again.
    """

    def __init__(self, most: int, *, limit: int | None = None) -> None:
        self.most = max(1, most)
        self.limit = min(max(1, limit or self.most), self.most)
        self._answered = 0
        self._generation = 0

    @property
    def generation(self) -> int:
        """The number of reductions so far, which a call remembers when it is made."""
        return self._generation

    def answered(self) -> None:
        """Count an answered call. After four rounds of answers, one more call is made at the same time."""
        self._answered += 1
        if self._answered >= 4 * self.limit and self.limit < self.most:
            self.limit += 1
            self._answered = 0

    def refused(self, generation: int) -> None:
        """Halve the number of calls, because the provider refused one that was made in this generation."""
        self._answered = 0
        if generation == self._generation:
            self.limit = max(1, self.limit // 2)
            self._generation += 1
