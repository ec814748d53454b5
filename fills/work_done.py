"""What workers have done, as numbers for `fills.signals.work_done`."""
from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fills import signals
from fills.services import CallOutcome

TOKEN_KINDS = {"in": "input_tokens", "out": "output_tokens", "cached": "cache_read_tokens"}


@dataclass
class WorkDone:
    """Numbers of a piece of work: calls, tokens by kind, and results by state."""

    calls: int = 0
    tokens: Counter[str] = field(default_factory=Counter)
    results: Counter[str] = field(default_factory=Counter)

    def add(self, outcomes: Sequence[CallOutcome], *, results: Mapping[str, int]) -> None:
        """Add stored outcomes."""
        self.results.update(results)
        for outcome in outcomes:
            self.calls += outcome.calls
            self.tokens.update({kind: outcome.usage.get(name, 0) for kind, name in TOKEN_KINDS.items()})

    def send(self, *, sources: str) -> None:
        """Send the signal; `sources` are those of the fill."""
        signals.work_done.send_robust(
            sender=WorkDone, sources=sources, calls=self.calls, tokens=dict(self.tokens), results=dict(self.results)
        )
