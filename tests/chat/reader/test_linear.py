"""The reader works in linear time: three times the text takes three times the work."""
from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from chat.reader import TurnReader
from chat.reader.response_reader import MAX_PIECE_LENGTH
from tests.chat.reader.rules import RULES
from tests.chat.reader.work_counter import WorkCounter

pytestmark = pytest.mark.slow

# More than the maximum length that is read at once.
SIZE = MAX_PIECE_LENGTH + 200
OPENING = 'DATA_PROPOSAL: {"operations": ['
# Text before the repeated part, the repeated part, and the text after it.
TEXTS = {
    "prose": ("", "Some people say `code` and **bold** things.\n", ""),
    "one line": ("", "a word and ", ""),
    "a proposal": (OPENING, '{"action": "add", "data": {"Company": "Acme"}},', "1]}"),
    "a proposal in a fence": ("```json\n" + OPENING, '{"action": "add"}, ', "1]}\n```"),
    "a proposal with one long cell": (OPENING + '{"data": {"Notes": "', "a word ", '"}}]}'),
    "a proposal that never ends": (OPENING + '"', "\\\\", ""),
    "many elements": ("", "DATA_PROPOSAL: {} ", ""),
    "many markers": ("", "DATA_PROPOSAL ", ""),
    "backticks": ("", "`", ""),
    "open inline code": ("", "`a ``b ", ""),
    "blanks behind a marker": ("DATA_PROPOSAL:", " ", ""),
    "lines behind a marker": ("DATA_PROPOSAL:", "\n", ""),
    "doubtful inline code": ("` DATA_PROPOSAL: {}", '"abc`` ', ""),
    "code": ("```\n", "DATA_PROPOSAL: {} `\n", ""),
    "code without a line's end": ("```\n", "DATA_PROPOSAL: ", ""),
    "a closing fence": ("```\n", "`", ""),
    "quotes": ("", "> ", ""),
    "a list": ("", "- a\n  ", ""),
    "marks of a tool": ("", "[[tool:", ""),
    "brackets": (OPENING, "[", ""),
    "opening braces": ("DATA_PROPOSAL: ", "{", ""),
    "backslashes in an object": ("DATA_PROPOSAL: {", "\\", ""),
    "proposals that never close": ("", "DATA_PROPOSAL: {", ""),
}


def pieces_of(name: str, *, size: int, length: int) -> list[str]:
    before, again, behind = TEXTS[name]
    text = before + again * (size // len(again)) + behind
    return [text[at : at + length] for at in range(0, len(text), length)]


def read_turn(pieces: Iterable[str]) -> None:
    """Read the answer of a turn, with the progress of its proposal."""
    reading = TurnReader(RULES)
    for piece in pieces:
        reading.feed(piece)
        reading.progress()
    reading.end_call(tool_use=False)
    reading.parse_payload()


@pytest.mark.parametrize("length", [8, 300])
@pytest.mark.parametrize("name", TEXTS)
def test_three_times_the_text_is_three_times_the_work(name: str, length: int) -> None:
    few, many = (pieces_of(name, size=size, length=length) for size in (SIZE, 3 * SIZE))
    read_turn(few)  # warm up caches

    assert WorkCounter().count(lambda: read_turn(many)) <= 3.5 * WorkCounter().count(lambda: read_turn(few))


def test_quadratic_reader_is_detected() -> None:
    class Naive:
        text = ""

        def feed(self, piece: str) -> None:
            self.text += piece
            re.compile("MARKER").search(self.text)

    def naive(pieces: Iterable[str]) -> None:
        reader = Naive()
        for piece in pieces:
            reader.feed(piece)

    few, many = (pieces_of("prose", size=size, length=8) for size in (SIZE, 3 * SIZE))
    of_many, of_few = (
        WorkCounter(paths=(__file__,)).count(lambda pieces=pieces: naive(pieces)) for pieces in (many, few)
    )
    assert of_many > 7 * of_few
