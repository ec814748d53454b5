"""Code in a model's answer, where markers are text: the reader agrees with the Markdown of the page."""
from __future__ import annotations

import re
from itertools import count

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from chat.reader import ResponseReader
from chat.reader.blocks import MAX_BLOCK_DEPTH
from tests.hypothesis_examples import examples

PROPOSAL = 'DATA_PROPOSAL: {"a": 1}'
ANOTHER = 'DATA_PROPOSAL: {"b": 2}'


def read(text: str) -> tuple[str, list[str]]:
    """Return the shown text and the JSON of each element."""
    reader = ResponseReader({"DATA_PROPOSAL": "{"})
    shown = reader.feed(text) + reader.end()
    return shown, [element.raw for element in reader.elements]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"~~~\nx\n{PROPOSAL}\n~~~\nDone.", id="tildes"),
        pytest.param(f"~~~ a `b` c\nx\n{PROPOSAL}\n~~~~", id="tildes followed by backticks"),
        pytest.param(f"~~~\nx\n```\n{PROPOSAL}\n~~~", id="tildes not closed by backticks"),
        pytest.param(f"~~~~\nx\n~~~\n{PROPOSAL}\n~~~~", id="four tildes not closed by three"),
        pytest.param(f"~~~\n{PROPOSAL}\nand more\n~~~", id="tildes with more than the proposal"),
        pytest.param(f"> ```\n> x\n> {PROPOSAL}\n> ```\nDone.", id="quote"),
        pytest.param(f"> > ~~~\n> > x\n>> {PROPOSAL}\n> > ~~~", id="nested quote"),
        pytest.param(f"> ```json\n> {PROPOSAL}\n> ```", id="fenced proposal in a quote"),
        pytest.param(f"- > ```\n  > x\n  > {PROPOSAL}\n  > ```", id="quote in a list"),
        pytest.param(f"```\n> ```\n{PROPOSAL}\nx\n```", id="quoted fence closes nothing"),
        pytest.param(f"```\n    ```\n{PROPOSAL}\nx\n```", id="indented fence closes nothing"),
        pytest.param(f"```\n``` x\n{PROPOSAL}\nx\n```", id="fence with a word closes nothing"),
        pytest.param(f"1. a\n\n   ```\n   x\n\n   {PROPOSAL}\n   ```", id="list with an empty line"),
        pytest.param(f"- \n\n  ```\nx\n{PROPOSAL}\n", id="code after an empty item"),
        pytest.param(f"-\n ~~~\nx\n{PROPOSAL}", id="code beside an empty item"),
        pytest.param(f"> ~~~\n> x\n`{PROPOSAL}`", id="inline code after code in a quote"),
        pytest.param(f"Such as `a\n{PROPOSAL} b` is.", id="inline code over two lines"),
        pytest.param(f"Such as ``a\nb ` c {PROPOSAL}\nd`` is.", id="inline code over three lines"),
        pytest.param(f"> Such as `a\n> {PROPOSAL} b`", id="inline code over lines of a quote"),
        pytest.param(f"> Such as `a\n{PROPOSAL} b`", id="lazy continuation of a quote"),
        pytest.param(f"> Such as `a\n>\t  - {PROPOSAL}`", id="item that a tab indents too much within a quote"),
        pytest.param(f"Such as `a\n2. {PROPOSAL} b`", id="number that starts no list within a paragraph"),
        pytest.param(f"> a\n>\t~~~\n> x\n> {PROPOSAL}\n> ~~~", id="tab of which two columns indent a fence"),
        pytest.param(f"-\t~~~\n\tx\n\t{PROPOSAL}\n\t~~~", id="list indented by tabs"),
        pytest.param(f">    - ~~~\n>      x\n>      {PROPOSAL}\n>      ~~~", id="list indented in a quote"),
        pytest.param(f"`` lone, `a {PROPOSAL} b`", id="inline code after unmatched backticks"),
        pytest.param(f"\\`` a {PROPOSAL} `", id="first backtick escaped"),
        pytest.param(f"```b`{PROPOSAL}\n```b`{ANOTHER}\n`", id="backticks at a line start within inline code"),
        pytest.param(f"`a\\` and `{PROPOSAL}`", id="backslash in code escapes nothing"),
    ],
)
def test_marker_in_code_is_text(text: str) -> None:
    assert read(text) == (text, [])


# tests/js/chat/markdown_limits.test.mjs checks the same depth where answers are rendered.
@pytest.mark.parametrize(("mark", "goes_on"), [("> ", "> "), ("- ", "  ")], ids=["quotes", "lists"])
def test_code_is_nested_up_to_the_rendered_depth(mark: str, goes_on: str) -> None:
    def fence(levels: int) -> str:
        return f"{mark * levels}~~~\n{goes_on * levels}x\n{goes_on * levels}{PROPOSAL}"

    assert read(fence(MAX_BLOCK_DEPTH))[1] == []
    assert read(fence(MAX_BLOCK_DEPTH + 1))[1] == ['{"a": 1}']


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("~~~\nx\n~~~\n", "", id="closed tildes"),
        pytest.param("~~ x ~~ ~~~\n", "", id="tildes within a line"),
        pytest.param("> ```\n> x\n", "", id="code that ends with its quote"),
        pytest.param("> ```\n> x\n\n", "\n> ```", id="quote that ends with an empty line"),
        pytest.param("- ```\n  x\n", "", id="code that ends with its list"),
        pytest.param("- ```sql\nx\n```\n\n", "\nend", id="unindented code in a list"),
        pytest.param("A lone ` here.\n\n", " and `x`", id="next paragraph"),
        pytest.param("A lone ` here, ", "\n\nand `DATA_PROPOSAL: {}`", id="code in the next paragraph"),
        pytest.param("A lone ` and `` here.\n\nAnother ` and ", " ``", id="backticks of two paragraphs"),
        pytest.param("A lone ` here.\n# ", "\n`", id="heading"),
        pytest.param("A lone ` here.\n- ", " `", id="item"),
        pytest.param("A lone ` here.\n> ", " `", id="quote"),
        pytest.param("> A lone ` here.\n\n", " `", id="after a quote"),
        pytest.param("> A lone ` here.\n2. ", " `", id="list after a quote"),
        pytest.param("A lone ` here.\n***\n", " `", id="rule"),
        pytest.param("A lone ` here.\n---\n", " `", id="underline"),
        pytest.param("A lone ` here.\n```\nx\n```\n", " `", id="code block between"),
        pytest.param("A lone ` and ", "\n```\n`\n```\n", id="code block before the second backtick"),
        pytest.param("A lone ` and ", "\n \n`", id="blank line before the second backtick"),
        pytest.param("A lone ` and ", "\n\n`", id="empty line before the second backtick"),
        pytest.param("A lone \\` and ", " `x`", id="escaped backtick"),
        pytest.param("\\\\`x` ", "", id="escaped backslash"),
        pytest.param("Two `` and ` and ", " ```", id="no run of the same length"),
        pytest.param("`" * 33 + " ", "`" * 33, id="too many backticks"),
    ],
)
def test_marker_after_the_end_of_code_starts_an_element(before: str, after: str) -> None:
    assert read(f"{before}{PROPOSAL}{after}") == (f"{before}{after}", [PROPOSAL.partition(": ")[2]])


@pytest.mark.parametrize("fence", ["```", "~~~", "~~~~"])
def test_fence_with_only_a_proposal_is_read_and_removed(fence: str) -> None:
    assert read(f"Here:\n{fence}json\n{PROPOSAL}\n{fence}\nDone.") == ("Here:\n\nDone.", ['{"a": 1}'])


def test_inline_code_is_shown_once_it_is_closed_and_the_next_marker_counts() -> None:
    reader = ResponseReader({"DATA_PROPOSAL": "{"})
    shown = [reader.feed(piece) for piece in ["See `", f"a\n{PROPOSAL}", " b", "`", " and ", ANOTHER]]
    assert shown == ["See ", "`a\n", "", "", f"{PROPOSAL} b` and ", ""]
    assert [element.raw for element in reader.elements] == ['{"b": 2}']


@pytest.mark.parametrize(
    ("pieces", "found"),
    [
        pytest.param(["```\nx\n``` ", f"y\n{PROPOSAL}\n```"], [], id="fence with spaces, then a word"),
        pytest.param(
            ["See `", f"a {PROPOSAL}`", "", f" and `b` {ANOTHER}"], ['{"b": 2}'], id="backticks, no text, then a space"
        ),
        pytest.param([f"See `a {PROPOSAL}\n", f"b` and {ANOTHER}"], ['{"b": 2}'], id="code that goes on"),
        pytest.param(["> > ~~~\n> > x\n> ", f"> {PROPOSAL}"], [], id="code in two quotes"),
    ],
)
def test_end_of_code_is_recognised_at_the_end_of_a_piece(pieces: list[str], found: list[str]) -> None:
    reader = ResponseReader({"DATA_PROPOSAL": "{"})
    for piece in pieces:
        reader.feed(piece)
    reader.end()
    assert [element.raw for element in reader.elements] == found


BEGINNINGS = st.sampled_from(
    ["", "", "", "> ", ">", "> > ", "> - ", "- ", "* ", "- - ", "1. ", "2) ", "  ", "   ", "     ", "\t"]
)
PARTS = st.sampled_from(
    [
        *["`", "``", "```", "````", "~~~", "~~~~", "\\", "\\`", "```json", "~~~ a`", "```b`", "`` ` ``", "x~"],
        *["word", " a ", "# ", "---", "===", "***", "-", "1.", "", "M", "M"],
    ]
)
LINES = st.builds(lambda begins, parts: begins + "".join(parts), BEGINNINGS, st.lists(PARTS, max_size=4))
MARKDOWN = MarkdownIt("js-default")
FENCE_OF_ONE = re.compile(r"(?:`{3,}|~{3,})[^\n]*\n\s*DATA_PROPOSAL")


def tokens(text: str) -> list[Token]:
    """Return all tokens of a text, including those within paragraphs."""
    return [token for block in MARKDOWN.parse(text) for token in (block, *(block.children or ()))]


def in_code(text: str) -> set[int]:
    """Return the indexes of proposals in code, including the info string of a fence."""
    code = [f"{token.content} {token.info}" for token in tokens(text) if token.type in {"fence", "code_inline"}]
    return {int(number) for number in re.findall(r'DATA_PROPOSAL: {"n":([0-9]+)}', " ".join(code))}


def ends_unclosed(text: str) -> bool:
    """Return whether code ends with its quote or list: a later fence is then read as its closing fence."""
    fences = [token for token in MARKDOWN.parse(text) if token.type == "fence" and token.level]
    return any(token.map and token.content.count("\n") >= token.map[1] - token.map[0] - 1 for token in fences)


@pytest.mark.slow
@examples(120)
@given(lines=st.lists(LINES, min_size=1, max_size=8))
def test_reader_and_page_agree_on_code(lines: list[str]) -> None:
    """Except for indented code, which neither supports, and fences with nothing but a proposal."""
    numbers = count()
    text = re.sub("M", lambda _: f' DATA_PROPOSAL: {{"n":{next(numbers)}}} ', "\n".join(lines))
    proposals = set(range(next(numbers)))
    assume(proposals)
    assume(not any(token.type == "code_block" for token in tokens(text)))
    assume(not FENCE_OF_ONE.search(text))
    assume(not ends_unclosed(text))

    _, elements = read(text)

    assert {int(re.sub(r"\D", "", raw)) for raw in elements} == proposals - in_code(text)
