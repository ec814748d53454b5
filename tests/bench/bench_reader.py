"""Prints what the response reader costs a delta; `python -m tests.bench.bench_reader`."""
from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from chat.reader import ResponseReader

MARKERS = {"SCHEMA_PROPOSAL": "{", "DATA_PROPOSAL": "{", "SUGGESTED_VALUES": "[", "SUGGESTED_ACTIONS": "["}
PROSE = "The quick brown fox jumps over the Dog. Some people say `code` and **bold** things.\n"
OPERATION = '{"action": "add", "data": {"Company": "Acme", "Status": "Open"}},'


def texts(size: int) -> dict[str, str]:
    """Texts of about `size` characters."""
    return {
        "prose": PROSE * (size // len(PROSE)),
        "one proposal": 'DATA_PROPOSAL: {"operations": [' + OPERATION * (size // len(OPERATION)) + "1]}",
        "many elements": "DATA_PROPOSAL: {} " * (size // 18),
        "backticks": "`" * size,
        "white space after a marker": "DATA_PROPOSAL:" + " " * size,
        "doubtful inline code": "` DATA_PROPOSAL: {}" + '"abc`` ' * (size // 7),
    }


def seconds(work: Callable[[list[str]], object], pieces: list[str]) -> float:
    """The quickest of three runs."""
    times = []
    for _ in range(3):
        began = time.perf_counter()
        work(pieces)
        times.append(time.perf_counter() - began)
    return min(times)


def bare(pieces: Iterable[str]) -> str:
    """One look at each delta, and all of them joined."""
    return "".join([piece for piece in pieces if piece.find("`") < 0])


def read(pieces: Iterable[str]) -> str:
    """The reader's work."""
    reader = ResponseReader(MARKERS)
    shown = [reader.feed(piece) for piece in pieces]
    return "".join([*shown, reader.end()])


def main() -> None:
    """1 MB and 100 kB in deltas of four characters."""
    small = texts(100_000)
    for name, text in texts(1_000_000).items():
        pieces = [text[at : at + 4] for at in range(0, len(text), 4)]
        fewer = [small[name][at : at + 4] for at in range(0, len(small[name]), 4)]
        taken, base = seconds(read, pieces), seconds(bare, pieces)
        grows = taken / seconds(read, fewer)
        each = taken / len(pieces) * 1e6
        print(f"{name:28} {each:5.2f} µs a delta, {taken / base:5.1f} × bare, 10 × the text: {grows:4.1f} × the time")


if __name__ == "__main__":
    main()
