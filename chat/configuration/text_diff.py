"""Says how two values differ, line by line, in time that does not run away with what is compared."""
from __future__ import annotations

import json
from collections import Counter
from difflib import SequenceMatcher
from typing import Any

# Lines that are alike are shown around what differs; longer stretches of them are counted.
AROUND = 3
# As many pairs of like lines are worth finding the smallest difference for.
MOST_PAIRS = 100_000

Told = list[tuple[str, str]]


def difference(before: Any, after: Any) -> Told:
    """The lines of two values, each with its sign: " " in both, "−" only before, "+" only after; "…" says how many
    like lines are left out."""
    old, new = _lines(before), _lines(after)
    head = _alike(old, new)
    tail = _alike(old[head:][::-1], new[head:][::-1])
    middle_old, middle_new = old[head : len(old) - tail], new[head : len(new) - tail]
    told = [*_kept(old[:head]), *_middle(middle_old, middle_new), *_kept(old[len(old) - tail :])]
    return _shortened(told)


def _middle(old: list[str], new: list[str]) -> Told:
    """From the first line that differs to the last."""
    counts = Counter(new)
    if sum(counts[line] for line in old) > MOST_PAIRS:
        # So many like lines are compared for minutes: somebody pasted them, and nobody reads them.
        return [*(("−", line) for line in old), *(("+", line) for line in new)]
    told: Told = []
    for tag, start, end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            told += _kept(old[start:end])
        else:
            told += [("−", line) for line in old[start:end]] + [("+", line) for line in new[new_start:new_end]]
    return told


def _shortened(told: Told) -> Told:
    """Without the like lines that are far from any difference; where nothing differs, nothing is left."""
    near: set[int] = set()
    for at, (sign, _) in enumerate(told):
        if sign != " ":
            near.update(range(at - AROUND, at + AROUND + 1))
    short: Told = []
    left_out = 0
    for at, line in enumerate(told):
        if at in near:
            if left_out:
                short.append(_left_out(left_out))
            left_out = 0
            short.append(line)
        else:
            left_out += 1
    return [*short, _left_out(left_out)] if short and left_out else short


def _left_out(count: int) -> tuple[str, str]:
    return ("…", f"{count:,} lines the same" if count > 1 else "1 line the same")


def _alike(old: list[str], new: list[str]) -> int:
    """How many lines both begin with."""
    count = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        count += 1
    return count


def _kept(lines: list[str]) -> Told:
    return [(" ", line) for line in lines]


def _lines(value: Any) -> list[str]:
    """A value as lines of text."""
    if isinstance(value, str):
        return value.splitlines()
    if isinstance(value, list):
        return [str(item) for item in value]
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, indent=2).splitlines()
    return [] if value is None else ["on" if value is True else "off" if value is False else str(value)]
