"""Positions of search words in a text. Pure; static/tables/search_spans.js does the same."""

from __future__ import annotations

from collections.abc import Sequence


def marked_pieces(shown: str, *, stored: str, words: Sequence[str]) -> list[tuple[str, bool]]:
    """Return the shown text in pieces, each with whether it is a found word.

    `stored` is the searched text: a date is found as 2026-03-15, however it is shown; then all of it is marked. Case is
    ignored.
    """
    searched = stored.casefold()
    folded, positions = _folded(shown)
    marks = [False] * len(shown)
    for word in dict.fromkeys(word.casefold() for word in words):
        if not word or word not in searched:
            continue
        start = folded.find(word)
        if start < 0:
            return [(shown, True)] if shown else []
        while start >= 0:
            for position in positions[start : start + len(word)]:
                marks[position] = True
            start = folded.find(word, start + len(word))
    pieces: list[tuple[str, bool]] = []
    for character, mark in zip(shown, marks, strict=True):
        if pieces and pieces[-1][1] == mark:
            pieces[-1] = (pieces[-1][0] + character, mark)
        else:
            pieces.append((character, mark))
    return pieces


def _folded(text: str) -> tuple[str, list[int]]:
    """Return the casefolded text, and the original index of each of its characters: ß becomes two."""
    characters = [(each, position) for position, character in enumerate(text) for each in character.casefold()]
    return "".join(each for each, _ in characters), [position for _, position in characters]
