"""Measure reading an answer per delta, alone and with the progress of its proposal after each;
`python -m tests.bench.bench_reader`."""
from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from chat.reader import ResponseReader, TurnReader
from tests.chat.reader.rules import MARKERS, RULES

PROSE = "The quick brown fox jumps over the Dog. Some people say `code` and **bold** things.\n"
OPERATION = '{"action": "add", "data": {"Company": "Acme", "Status": "Open"}},'


LONG = '{"action": "add", "data": {"Notes": "' + "a word " * 400 + '"}},'


def texts(size: int) -> dict[str, str]:
    """Return texts of about `size` characters."""
    return {
        "prose": PROSE * (size // len(PROSE)),
        "one proposal": 'DATA_PROPOSAL: {"operations": [' + OPERATION * (size // len(OPERATION)) + "1]}",
        "proposal of long cells": 'DATA_PROPOSAL: {"operations": [' + LONG * (size // len(LONG)) + "1]}",
        "many elements": "DATA_PROPOSAL: {} " * (size // 18),
        "backticks": "`" * size,
        "white space after a marker": "DATA_PROPOSAL:" + " " * size,
        "doubtful inline code": "` DATA_PROPOSAL: {}" + '"abc`` ' * (size // 7),
    }


def seconds(work: Callable[[list[str]], object], pieces: list[str]) -> float:
    """Return the CPU time of the fastest of five runs, because other programs may be running."""
    times = []
    for _ in range(5):
        began = time.process_time()
        work(pieces)
        times.append(time.process_time() - began)
    return min(times)


def bare(pieces: Iterable[str]) -> str:
    """Inspect each delta once, and join all."""
    return "".join([piece for piece in pieces if piece.find("`") < 0])


def read(pieces: Iterable[str]) -> str:
    """Read with the reader."""
    reader = ResponseReader(MARKERS)
    shown = [reader.feed(piece) for piece in pieces]
    return "".join([*shown, reader.end()])


def read_with_progress(pieces: Iterable[str]) -> int:
    """Read as the loop of a turn does: text and progress, delta by delta."""
    reading = TurnReader(RULES)
    count = 0
    for piece in pieces:
        reading.feed(piece)
        for event in reading.progress():
            count += len(event.operations)
    reading.end_call(tool_use=False)
    return count


def main() -> None:
    """Measure 1 MB and 100 kB in deltas of four characters."""
    small = texts(100_000)
    for name, text in texts(1_000_000).items():
        pieces = [text[at : at + 4] for at in range(0, len(text), 4)]
        fewer = [small[name][at : at + 4] for at in range(0, len(small[name]), 4)]
        base = seconds(bare, pieces)
        for work, words in ((read, "read"), (read_with_progress, "read with progress")):
            taken = seconds(work, pieces)
            grows = taken / seconds(work, fewer)
            each = taken / len(pieces) * 1e6
            print(
                f"{name:26} {words:20} {each:5.2f} µs a delta, {taken / base:5.1f} × bare, "
                f"10 × the text: {grows:4.1f} × the time"
            )


if __name__ == "__main__":
    main()
