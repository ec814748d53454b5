"""Text and elements of a model's answer, for any pieces of text."""
from __future__ import annotations

import re
from json import dumps

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.reader import Element, ResponseReader
from chat.reader.elements import MAX_BYTES
from chat.reader.response_reader import MAX_PENDING
from tests.chat.reader.rules import MARKERS
from tests.hypothesis_examples import examples


def read(*pieces: str) -> tuple[str, list[Element]]:
    reader = ResponseReader(MARKERS)
    shown = [reader.feed(piece) for piece in pieces]
    return "".join([*shown, reader.end()]), reader.elements


def split(text: str, *, sizes: list[int]) -> list[str]:
    pieces, at = [], 0
    while at < len(text):
        size = sizes[len(pieces) % len(sizes)]
        pieces.append(text[at : at + size])
        at += size
    return pieces


@pytest.mark.parametrize(
    "marker",
    ["M:", "M :", "**M**:", "*M*:", "**M:**", "*M:*", "***M:***", "M:\n\n", "M: ```", "M:\n```json\n", "M: ```JSON "],
)
def test_every_spelling_of_a_marker_is_recognised(marker: str) -> None:
    closing = "\n```" if "```" in marker else ""
    text = f"Before. {marker.replace('M', 'DATA_PROPOSAL')} {{\"a\": 1}}{closing} After."
    shown, elements = read(text)
    assert shown == "Before.  After."
    assert [(element.marker, element.value) for element in elements] == [("DATA_PROPOSAL", {"a": 1})]


@pytest.mark.parametrize(
    "text",
    [
        'XDATA_PROPOSAL: {"a": 1}',
        '7DATA_PROPOSAL: {"a": 1}',
        '_DATA_PROPOSAL: {"a": 1}',
        'éDATA_PROPOSAL: {"a": 1}',
        'data_proposal: {"a": 1}',
        'DATA_PROPOSALS: {"a": 1}',
        'DATA_PROPOSAL {"a": 1}',
        "DATA_PROPOSAL: [1]",
        "SUGGESTED_VALUES: {}",
        "A DATA_PROPOSAL: is a block of JSON {…}",
        "DATA_PROPOSAL:",
        "**DATA_PROPOSAL",
        "DATA_PROPOSAL:  \n ",
        'DATA_PROPOSAL: ```python\n{"a": 1}\n```',
        'Write `DATA_PROPOSAL: {"a": 1}` to propose.',
        'Write ``DATA_PROPOSAL: {"a": "`"}`` to propose.',
        "Write ```DATA_PROPOSAL:``` {} on a line.",
        'An example:\n```json\nDATA_PROPOSAL: {"a": 1}\nand more\n```\nDone.',
        'An example:\n```python\nprint(1)\nDATA_PROPOSAL: {"a": 1}\n```\nDone.',
        'Steps:\n- ```\n  DATA_PROPOSAL: {"a": 1}\n  and more\n  ```\nDone.',
        'Steps:\n> 2) ```json\n>    DATA_PROPOSAL: {"a": 1}\n>    and more\n>    ```\nDone.',
        'An example:\n````\n```\nDATA_PROPOSAL: {"a": 1}\n```\n````\nDone.',
        "**bold** *it* `code` S D **S** ** * `` ` $ {} [x](y) \n- item\n> quote",
        "```",
        "```\n",
        "`````\nx",
    ],
)
def test_text_that_resembles_an_element_is_unchanged(text: str) -> None:
    assert read(text) == (text, [])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('DATA_PROPOSAL is a marker.\nDATA_PROPOSAL: {"a": 1}', "DATA_PROPOSAL is a marker.\n"),
        ('See DATA_PROPOSAL: below. DATA_PROPOSAL: {"a": 1} ', "See DATA_PROPOSAL: below.  "),
        ('A lone ` and DATA_PROPOSAL: {"a": 1} end', "A lone ` and  end"),
        ('A lone ` and DATA_PROPOSAL: {\n"a": 1} end', "A lone ` and  end"),
        ('```json\nDATA_PROPOSAL: {"a": 1}\n```\nend', "\nend"),
        ('x\n```\n**DATA_PROPOSAL**:\n{"a": 1}\n\n```', "x\n"),
        ('```\nDATA_PROPOSAL:\n```json\n{"a": 1}\n```\n```\nend', "\n\nend"),
        ('```python\nx\n```\nDATA_PROPOSAL: {"a": 1}', "```python\nx\n```\n"),
        ('* DATA_PROPOSAL: {"a": 1}', "* "),
        ('- ```sql\n  x\n  ```\n\nDATA_PROPOSAL: {"a": 1}', "- ```sql\n  x\n  ```\n\n"),
        ('1. ```json\nDATA_PROPOSAL: {"a": 1}\n```\nend', "1. \nend"),
        ('word - ```x\nDATA_PROPOSAL: {"a": 1}', "word - ```x\n"),
        ('(DATA_PROPOSAL:{"a": 1})', "()"),
        ('```python\r\nx\r\n```\r\nDATA_PROPOSAL: {"a": 1}', "```python\r\nx\r\n```\r\n"),
        ('```json\r\nDATA_PROPOSAL: {"a": 1}\r\n```\r\nend', "\r\nend"),
        ('`code` DATA_PROPOSAL: {"a": 1}', "`code` "),
    ],
)
def test_element_is_removed_and_the_rest_is_unchanged(text: str, shown: str) -> None:
    assert (read(text)[0], [element.value for element in read(text)[1]]) == (shown, [{"a": 1}])


def test_brackets_and_quotes_in_strings_do_not_end_the_json() -> None:
    shown, elements = read(r'DATA_PROPOSAL: {"a": "}]\"}{", "b": ["\\", {"c": "```"}]}!')
    assert (shown, elements[0].value) == ("!", {"a": '}]"}{', "b": ["\\", {"c": "```"}]})


def test_several_elements_are_read_in_the_order_of_the_text() -> None:
    shown, elements = read('a SUGGESTED_VALUES: ["x"] b DATA_PROPOSAL: {} c DATA_PROPOSAL: {"z": 1}')
    assert shown == "a  b  c "
    assert [(element.marker, element.value) for element in elements] == [
        ("SUGGESTED_VALUES", ["x"]),
        ("DATA_PROPOSAL", {}),
        ("DATA_PROPOSAL", {"z": 1}),
    ]


def test_unclosed_json_extends_to_the_end_of_the_text() -> None:
    shown, elements = read('Here: DATA_PROPOSAL: {"a": [1, 2')
    assert (shown, elements[0].unclosed, elements[0].value) == ("Here: ", True, None)


def test_element_sent_again_after_a_cut_may_have_a_fence() -> None:
    reader = ResponseReader(MARKERS)
    assert reader.feed('a DATA_PROPOSAL: {"b') == "a "
    assert reader.drop_open() is not None
    assert reader.feed("```json\nDATA_PROPOSAL: {}\n```") + reader.end() == ""


@pytest.mark.parametrize(
    "raw",
    [
        '{"a": NaN}',
        '{"a": 1e400}',
        '{"a": 1, "a": 2}',
        '{"a": "\\u0000"}',
        '{"a": "\\ud800"}',
        "{'a': 1}",
        '{"a": 1,}',
        '{"a": [}',
        '{"a":' * 33 + "1" + "}" * 33,
    ],
    ids=["nan", "infinite", "duplicate key", "NUL", "lone surrogate", "quotes", "comma", "brackets", "33 levels deep"],
)
def test_invalid_json_is_removed_and_has_a_fault(raw: str) -> None:
    shown, elements = read(f"a DATA_PROPOSAL: {raw} b")
    assert shown.startswith("a ")
    assert "DATA_PROPOSAL" not in shown
    assert elements[0].fault


def test_32_levels_are_not_too_deep() -> None:
    assert read("DATA_PROPOSAL: " + '{"a":' * 32 + "1" + "}" * 32)[1][0].fault is None


@pytest.mark.parametrize(("size", "fault"), [(MAX_BYTES, None), (MAX_BYTES + 1, "It is larger than 4 MB.")])
def test_element_may_have_at_most_four_megabytes(size: int, fault: str | None) -> None:
    # Each character takes two bytes.
    json = '{"a": "' + "é" * ((size - 9) // 2) + "x" * ((size - 9) % 2) + '"}'
    assert len(json.encode()) == size
    assert read(f"DATA_PROPOSAL: {json}")[1][0].fault == fault


def test_text_is_passed_on_at_once() -> None:
    reader = ResponseReader(MARKERS)
    for piece in ["Hel", "lo, ", "this is plain ", "text: with {brackets} [1] ", "and words.\n"]:
        assert reader.feed(piece) == piece


@pytest.mark.parametrize(
    ("pieces", "shown"),
    [
        (["Say S", "o"], ["Say ", "So"]),
        (["a *", "b*"], ["a ", "*b"]),
        (["SCHEMA", " is a word"], ["", "SCHEMA is a word"]),
        (["DATA_PROPOSAL:", " ", "no"], ["", "", "DATA_PROPOSAL: no"]),
        (["use `", "x"], ["use ", "`x"]),
    ],
)
def test_text_is_held_only_while_it_may_start_a_marker(pieces: list[str], shown: list[str]) -> None:
    reader = ResponseReader(MARKERS)
    assert [reader.feed(piece) for piece in pieces] == shown


def test_long_piece_read_in_parts_leaves_no_marker_name() -> None:
    pieces = ["SUGGE".rjust(4096, ".") + " is no word ", "STED", " it is"]

    assert read(*pieces) == read("".join(pieces))


PARTS = st.sampled_from(
    [
        *["`", "``", "```", "````", "*", "**", ":", " ", "\n", "{", "}", "[", "]", '"', "\\", "json", "x", "S", "_"],
        *["~", "~~~", "\n~~~\n", "\n> ", "\n\n", "    ", "\t", "#", "\n- - ", "-", "=", "2)"],
        *["DATA_PROPOSAL", "SUGGESTED_VALUES", '{"a":1}', '["v"]', 'DATA_PROPOSAL: {"a":1}', "\n```json\n", "\n```\n"],
        *['**SCHEMA_PROPOSAL:** {"b":"`}"}', "\n- ", "\n1. ", "\r\n", "é", "\u2028", "word", "[[tool:0]]"],
    ]
)
TEXTS = st.lists(PARTS, max_size=30).map("".join)
SIZES = st.lists(st.integers(1, 9), min_size=1, max_size=5)


@examples(100)
@given(text=TEXTS, sizes=SIZES)
def test_result_does_not_depend_on_the_pieces(text: str, sizes: list[int]) -> None:
    assert read(*split(text, sizes=sizes)) == read(text)


@examples(20)
@given(
    many=st.lists(st.tuples(PARTS, st.integers(1, 2 * MAX_PENDING)), max_size=3),
    text=TEXTS,
)
def test_result_does_not_depend_on_the_pieces_after_a_long_text(many: list[tuple[str, int]], text: str) -> None:
    before = "".join(part * times for part, times in many)
    assert read(*before, *text) == read(before + text)


@examples(60)
@given(text=TEXTS)
def test_shown_text_and_elements_are_the_whole_text(text: str) -> None:
    """The shown text is the text without some ranges; nothing is added or moved."""
    shown, _ = read(text)
    rest = iter(text)
    assert all(character in rest for character in shown)


@examples(60)
@given(
    before=st.text("ab \n.,!", max_size=20),
    wrap=st.sampled_from(["{}:", "**{}**:", "*{}:*", "{} :"]),
    space=st.sampled_from([" ", "\n", "\n\n", ""]),
    value=st.dictionaries(st.text(max_size=5), st.text(max_size=10), max_size=3),
    sizes=SIZES,
)
def test_no_part_of_a_marker_or_its_json_is_shown(
    before: str, wrap: str, space: str, value: dict[str, str], sizes: list[int]
) -> None:
    before = re.sub(r"\w\Z", ".", before)
    text = before + wrap.format("DATA_PROPOSAL") + space + dumps(value) + " end"
    reader = ResponseReader(MARKERS)
    deltas = [reader.feed(piece) for piece in split(text, sizes=sizes)]
    assert "".join([*deltas, reader.end()]) == f"{before} end"


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        *["`", "*", "S ", "DATA_PROPOSA ", "DATA_PROPOSAL: {} ", "```\nDATA_PROPOSAL: {}\nx\n```\n"],
        *['` DATA_PROPOSAL: {}"', "` DATA_PROPOSAL: {}\n", "\\`` DATA_PROPOSAL: {} ", "- ```\n  x\n\n"],
        *["~", "\\`", "> ", "- ", "`\n", "~~~\n> "],
    ],
)
def test_hostile_text_is_read_in_bounded_work(unit: str) -> None:
    """30 kB in single characters; a reader that restarted with each piece would take minutes."""
    text = unit * (30_000 // len(unit))
    shown, elements = read(*text)
    assert len(shown) + sum(len(element.raw) for element in elements) <= len(text)
