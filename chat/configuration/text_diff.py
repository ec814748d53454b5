"""Difference of two values by lines, with the changed words marked, in bounded time."""
from __future__ import annotations

import json
import re
from collections import Counter
from difflib import SequenceMatcher
from typing import Any

# Equal lines shown around a difference; longer runs of them are counted.
CONTEXT_LINES = 3
# Up to this number of pairs of equal lines, the smallest difference is computed.
MAX_PAIRS = 100_000

# Words are marked only in lines that have at least this share of their characters in common.
MIN_SIMILARITY = 0.4
WORDS = re.compile(r"\w+[^\S\n]*|[^\w\s]+[^\S\n]*|\n|[^\S\n]+")

DiffLines = list[tuple[str, str]]
Parts = list[tuple[bool, str]]
MarkedLine = tuple[str, Parts]


def difference(before: Any, after: Any) -> DiffLines:
    """Return the lines of two values with signs: " " in both, "−" only before, "+" only after, "…" omitted lines."""
    old, new = _lines(before), _lines(after)
    head = _common_prefix_length(old, new)
    tail = _common_prefix_length(old[head:][::-1], new[head:][::-1])
    middle_old, middle_new = old[head : len(old) - tail], new[head : len(new) - tail]
    lines = [*_equal_lines(old[:head]), *_middle(middle_old, middle_new), *_equal_lines(old[len(old) - tail :])]
    return _shortened(lines)


def _middle(old: list[str], new: list[str]) -> DiffLines:
    """Return the lines from the first difference to the last."""
    counts = Counter(new)
    if sum(counts[line] for line in old) > MAX_PAIRS:
        # Comparing this many equal lines would take minutes.
        return [*(("−", line) for line in old), *(("+", line) for line in new)]
    lines: DiffLines = []
    for tag, start, end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            lines += _equal_lines(old[start:end])
        else:
            lines += [("−", line) for line in old[start:end]] + [("+", line) for line in new[new_start:new_end]]
    return lines


def _shortened(lines: DiffLines) -> DiffLines:
    """Return the lines without equal ones far from any difference; nothing if there is no difference."""
    near: set[int] = set()
    for at, (sign, _) in enumerate(lines):
        if sign != " ":
            near.update(range(at - CONTEXT_LINES, at + CONTEXT_LINES + 1))
    short: DiffLines = []
    left_out = 0
    for at, line in enumerate(lines):
        if at in near:
            if left_out:
                short.append(_left_out(left_out))
            left_out = 0
            short.append(line)
        else:
            left_out += 1
    return [*short, _left_out(left_out)] if short and left_out else short


def _left_out(count: int) -> tuple[str, str]:
    return ("…", f"{count:,} unchanged lines" if count > 1 else "1 unchanged line")


def _common_prefix_length(old: list[str], new: list[str]) -> int:
    """Return the number of equal lines at the start of both."""
    count = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        count += 1
    return count


def _equal_lines(lines: list[str]) -> DiffLines:
    return [(" ", line) for line in lines]


def _lines(value: Any) -> list[str]:
    """Return a value as lines of text."""
    if isinstance(value, str):
        return value.splitlines()
    if isinstance(value, list):
        return [str(item) for item in value]
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, indent=2).splitlines()
    return [] if value is None else ["on" if value is True else "off" if value is False else str(value)]


def marked_words(lines: DiffLines) -> list[MarkedLine]:
    """Return the lines as (sign, parts), each part as (whether it differs from the other text, text).

    Removed lines are compared with the added lines that follow them. Lines with little in common have no marks.
    """
    marked: list[MarkedLine] = []
    at = 0
    while at < len(lines):
        removed = _run(lines, start=at, sign="−")
        added = _run(lines, start=at + len(removed), sign="+")
        if removed and added:
            old, new = _mark("\n".join(removed), "\n".join(added))
            marked += [("−", line) for line in old] + [("+", line) for line in new]
            at += len(removed) + len(added)
        else:
            sign, text = lines[at]
            marked.append((sign, [(False, text)]))
            at += 1
    return marked


def _run(lines: DiffLines, *, start: int, sign: str) -> list[str]:
    """Return the texts of the lines of this sign from `start` on."""
    end = start
    while end < len(lines) and lines[end][0] == sign:
        end += 1
    return [text for _, text in lines[start:end]]


def _mark(old: str, new: str) -> tuple[list[Parts], list[Parts]]:
    """Return the lines of both texts in parts, in which words that only one of them has are marked."""
    words, others = WORDS.findall(old), WORDS.findall(new)
    counts = Counter(others)
    if sum(counts[word] for word in words) > MAX_PAIRS:
        return _lines_of_parts([(False, old)]), _lines_of_parts([(False, new)])
    codes = SequenceMatcher(None, words, others, autojunk=False).get_opcodes()
    common = sum(len("".join(words[start:end]).strip()) for tag, start, end, _, _ in codes if tag == "equal")
    if 2 * common < MIN_SIMILARITY * (len(old) + len(new)):
        return _lines_of_parts([(False, old)]), _lines_of_parts([(False, new)])
    return (
        _lines_of_parts([(tag != "equal", "".join(words[start:end])) for tag, start, end, _, _ in codes]),
        _lines_of_parts([(tag != "equal", "".join(others[start:end])) for tag, _, _, start, end in codes]),
    )


def _lines_of_parts(parts: Parts) -> list[Parts]:
    """Return the parts, split at line ends."""
    lines: list[Parts] = [[]]
    for changed, text in parts:
        first, *rest = text.split("\n")
        lines[-1].append((changed, first))
        lines += [[(changed, line)] for line in rest]
    return [[(changed, text) for changed, text in line if text] for line in lines]
