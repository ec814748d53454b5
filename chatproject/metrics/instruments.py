"""Counters and histograms of one process, and the text in which Prometheus reads them; of what, it does not know.

Own, for the usual library would share the numbers of several processes through files in a folder that has to be emptied
at every start; here every process is asked by itself, as it is told to be anyway.
"""
from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

Labels = tuple[str, ...]
# An address or a code that somebody makes up must not fill the memory: what comes after so many is counted as one.
MOST_SERIES = 2_000
OTHER = "other"


@dataclass
class Instrument:
    """Something that is measured, by the values of its labels. Safe to use from any thread."""

    name: str
    says: str
    labels: Labels = ()
    kind: str = "counter"
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def _within(self, series: dict[Labels, object], labels: Labels) -> Labels:
        assert len(labels) == len(self.labels), f"{self.name} has the labels {self.labels}"
        full = len(series) >= MOST_SERIES and labels not in series
        return (OTHER,) * len(labels) if full else labels

    def lines(self) -> Iterator[str]:
        """What Prometheus reads."""
        yield f"# HELP {self.name} {self.says}"
        yield f"# TYPE {self.name} {self.kind}"
        yield from self._samples()

    def _samples(self) -> Iterator[str]:
        raise NotImplementedError


@dataclass
class Counter(Instrument):
    """A number that grows; a gauge is one that may also become smaller."""

    _values: dict[Labels, float] = field(default_factory=dict, repr=False)

    def add(self, *labels: str, amount: float = 1) -> None:
        """Adds to the number of these labels."""
        with self._lock:
            key = self._within(self._values, labels)  # type: ignore[arg-type]  # it only looks at keys
            self._values[key] = self._values.get(key, 0) + amount

    def _samples(self) -> Iterator[str]:
        with self._lock:
            values = sorted(self._values.items())
        if not values and not self.labels:
            values = [((), 0)]
        for labels, value in values:
            yield sample(self.name, zip(self.labels, labels, strict=True), value)


@dataclass
class Histogram(Instrument):
    """How long things took, in seconds: how many of them at most so long, their sum, their number."""

    kind: str = "histogram"
    bounds: Sequence[float] = (0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
    _values: dict[Labels, tuple[list[int], float]] = field(default_factory=dict, repr=False)

    def observe(self, *labels: str, seconds: float) -> None:
        """Something took so long."""
        with self._lock:
            key = self._within(self._values, labels)  # type: ignore[arg-type]  # it only looks at keys
            counts, total = self._values.get(key) or ([0] * (len(self.bounds) + 1), 0.0)
            counts[bisect_left(self.bounds, seconds)] += 1
            self._values[key] = (counts, total + seconds)

    def _samples(self) -> Iterator[str]:
        with self._lock:
            values = sorted((labels, list(counts), total) for labels, (counts, total) in self._values.items())
        for labels, counts, total in values:
            named = list(zip(self.labels, labels, strict=True))
            so_far = 0
            for bound, count in zip([*map(number, self.bounds), "+Inf"], counts, strict=True):
                so_far += count
                yield sample(f"{self.name}_bucket", [*named, ("le", bound)], so_far)
            yield sample(f"{self.name}_sum", named, total)
            yield sample(f"{self.name}_count", named, so_far)


def sample(name: str, labels: Iterable[tuple[str, str]], value: float) -> str:
    """One line: `name{label="value"} 1`."""
    inside = ",".join(f'{label}="{_escaped(said)}"' for label, said in labels)
    return f"{name}{{{inside}}} {number(value)}" if inside else f"{name} {number(value)}"


def gauge(name: str, says: str, value: float) -> Iterator[str]:
    """How something stands at this moment."""
    yield f"# HELP {name} {says}"
    yield f"# TYPE {name} gauge"
    yield sample(name, (), value)


def number(value: float) -> str:
    """Whole numbers without a point."""
    return str(int(value)) if value == int(value) else repr(float(value))


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
