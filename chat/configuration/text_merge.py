"""Three-way merge of texts by lines, in bounded time."""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import NamedTuple

from chat.configuration.text_diff import MAX_PAIRS

MINE_MARK, MIDDLE_MARK, THEIRS_MARK = "<<<<<<< mine", "=======", ">>>>>>> theirs"


class Merge(NamedTuple):
    """A merged text. `clean`: the changes do not overlap; otherwise both versions of a part are between marks."""

    text: str
    clean: bool


class _Common(NamedTuple):
    """Lines that all three texts have: from `start` to `end` of the base, and where they start in the others."""

    start: int
    end: int
    mine: int
    theirs: int


def merge_texts(base: str, *, mine: str, theirs: str) -> Merge:
    """Return the changes of both texts to the base in one text."""
    old, ours, others = base.split("\n"), mine.split("\n"), theirs.split("\n")
    merged: list[str] = []
    clean = True
    at = _Common(0, 0, 0, 0)
    for common in [*_common_lines(old, ours, theirs=others), _Common(len(old), len(old), len(ours), len(others))]:
        before = old[at.end : common.start]
        left, right = ours[at.mine : common.mine], others[at.theirs : common.theirs]
        if right in (before, left):
            merged += left
        elif left == before:
            merged += right
        else:
            clean = False
            merged += [MINE_MARK, *left, MIDDLE_MARK, *right, THEIRS_MARK]
        merged += old[common.start : common.end]
        length = common.end - common.start
        at = _Common(common.start, common.end, common.mine + length, common.theirs + length)
    return Merge("\n".join(merged), clean)


def has_conflict_marks(text: str) -> bool:
    """Return whether marks of a merge are left in the text."""
    return any(line.strip() in {MINE_MARK, THEIRS_MARK} for line in text.splitlines())


def _common_lines(old: list[str], mine: list[str], *, theirs: list[str]) -> Iterator[_Common]:
    left, right = _matches(old, mine), _matches(old, theirs)
    i = j = 0
    while i < len(left) and j < len(right):
        (old_left, at_left, length_left), (old_right, at_right, length_right) = left[i], right[j]
        start, end = max(old_left, old_right), min(old_left + length_left, old_right + length_right)
        if start < end:
            yield _Common(start, end, at_left + start - old_left, at_right + start - old_right)
        if old_left + length_left < old_right + length_right:
            i += 1
        else:
            j += 1


def _matches(old: list[str], new: list[str]) -> list[tuple[int, int, int]]:
    """Return runs of equal lines as (start in old, start in new, length)."""
    counts = Counter(new)
    if sum(counts[line] for line in old) > MAX_PAIRS:
        # Comparing this many equal lines would take minutes.
        return []
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return [(block.a, block.b, block.size) for block in blocks]
