"""Where the words of a search stand in a text. Pure; static/tables/search_spans.js finds the same."""

from __future__ import annotations

from collections.abc import Sequence


def marked_pieces(shown: str, *, stored: str, words: Sequence[str]) -> list[tuple[str, bool]]:
    """The shown text in pieces, each with whether a word of the search stands there.

    `stored` is what the search looks through: a date is found as 2026-03-15, however it is shown; then the whole is
    marked. Upper and lower case are the same.
    """
    looked_through = stored.casefold()
    folded, places = _folded(shown)
    marks = [False] * len(shown)
    for word in dict.fromkeys(word.casefold() for word in words):
        if not word or word not in looked_through:
            continue
        start = folded.find(word)
        if start < 0:
            return [(shown, True)] if shown else []
        while start >= 0:
            for place in places[start : start + len(word)]:
                marks[place] = True
            start = folded.find(word, start + len(word))
    pieces: list[tuple[str, bool]] = []
    for letter, mark in zip(shown, marks, strict=True):
        if pieces and pieces[-1][1] == mark:
            pieces[-1] = (pieces[-1][0] + letter, mark)
        else:
            pieces.append((letter, mark))
    return pieces


def _folded(text: str) -> tuple[str, list[int]]:
    """The text without regard to case, and of each of its letters the place it had: ß becomes two."""
    letters = [(each, place) for place, letter in enumerate(text) for each in letter.casefold()]
    return "".join(each for each, _ in letters), [place for _, place in letters]
