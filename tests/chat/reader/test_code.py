"""What is code in a model's answer, where a marker is only words: as the page that shows the answer sees it."""
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
    """What is shown, and the JSON of each element."""
    reader = ResponseReader({"DATA_PROPOSAL": "{"})
    shown = reader.feed(text) + reader.end()
    return shown, [element.raw for element in reader.elements]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"~~~\nx\n{PROPOSAL}\n~~~\nDone.", id="tildes"),
        pytest.param(f"~~~ a `b` c\nx\n{PROPOSAL}\n~~~~", id="tildes with backticks behind them"),
        pytest.param(f"~~~\nx\n```\n{PROPOSAL}\n~~~", id="tildes that backticks do not close"),
        pytest.param(f"~~~~\nx\n~~~\n{PROPOSAL}\n~~~~", id="four tildes that three do not close"),
        pytest.param(f"~~~\n{PROPOSAL}\nand more\n~~~", id="tildes that hold more than the proposal"),
        pytest.param(f"> ```\n> x\n> {PROPOSAL}\n> ```\nDone.", id="a quote"),
        pytest.param(f"> > ~~~\n> > x\n>> {PROPOSAL}\n> > ~~~", id="a quote in a quote"),
        pytest.param(f"> ```json\n> {PROPOSAL}\n> ```", id="a quote of a proposal in a fence"),
        pytest.param(f"- > ```\n  > x\n  > {PROPOSAL}\n  > ```", id="a quote in a list"),
        pytest.param(f"```\n> ```\n{PROPOSAL}\nx\n```", id="a quoted fence that closes nothing"),
        pytest.param(f"```\n    ```\n{PROPOSAL}\nx\n```", id="an indented fence that closes nothing"),
        pytest.param(f"```\n``` x\n{PROPOSAL}\nx\n```", id="a fence with a word that closes nothing"),
        pytest.param(f"1. a\n\n   ```\n   x\n\n   {PROPOSAL}\n   ```", id="a list, with an empty line"),
        pytest.param(f"- \n\n  ```\nx\n{PROPOSAL}\n", id="code behind an item that held nothing"),
        pytest.param(f"Such as `a\n{PROPOSAL} b` is.", id="inline code over two lines"),
        pytest.param(f"Such as ``a\nb ` c {PROPOSAL}\nd`` is.", id="inline code over three lines"),
        pytest.param(f"> Such as `a\n> {PROPOSAL} b`", id="inline code over lines of a quote"),
        pytest.param(f"> Such as `a\n{PROPOSAL} b`", id="a line that leaves the mark of its quote away"),
        pytest.param(f"Such as `a\n2. {PROPOSAL} b`", id="a number that begins no list within a paragraph"),
        pytest.param(f"> a\n>\t~~~\n> x\n> {PROPOSAL}\n> ~~~", id="a tab of which two columns indent a fence"),
        pytest.param(f"`` lone, `a {PROPOSAL} b`", id="inline code behind backticks that open nothing"),
        pytest.param(f"\\`` a {PROPOSAL} `", id="backticks of which a backslash takes the first"),
        pytest.param(f"```b`{PROPOSAL}\n```b`{ANOTHER}\n`", id="backticks that begin a line within inline code"),
        pytest.param(f"`a\\` and `{PROPOSAL}`", id="a backslash that takes nothing, as it is code"),
    ],
)
def test_a_marker_in_code_is_text(text: str) -> None:
    assert read(text) == (text, [])


# The same in tests/js/chat/markdown_limits.test.mjs, where answers are drawn.
@pytest.mark.parametrize(("mark", "goes_on"), [("> ", "> "), ("- ", "  ")], ids=["quotes", "lists"])
def test_code_is_nested_up_to_the_depth_that_is_drawn(mark: str, goes_on: str) -> None:
    def fence(levels: int) -> str:
        return f"{mark * levels}~~~\n{goes_on * levels}x\n{goes_on * levels}{PROPOSAL}"

    assert read(fence(MAX_BLOCK_DEPTH))[1] == []
    assert read(fence(MAX_BLOCK_DEPTH + 1))[1] == ['{"a": 1}']


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("~~~\nx\n~~~\n", "", id="tildes that are closed"),
        pytest.param("~~ x ~~ ~~~\n", "", id="tildes within a line"),
        pytest.param("> ```\n> x\n", "", id="code that ends with its quote"),
        pytest.param("> ```\n> x\n\n", "\n> ```", id="a quote that ends with an empty line"),
        pytest.param("- ```\n  x\n", "", id="code that ends with its list"),
        pytest.param("- ```sql\nx\n```\n\n", "\nend", id="code in a list that was not indented"),
        pytest.param("A lone ` here.\n\n", " and `x`", id="a paragraph behind the backtick"),
        pytest.param("A lone ` here.\n# ", "\n`", id="a heading"),
        pytest.param("A lone ` here.\n- ", " `", id="an item"),
        pytest.param("A lone ` here.\n> ", " `", id="a quote"),
        pytest.param("> A lone ` here.\n\n", " `", id="behind a quote"),
        pytest.param("> A lone ` here.\n2. ", " `", id="a list behind a quote"),
        pytest.param("A lone ` here.\n***\n", " `", id="a rule"),
        pytest.param("A lone ` here.\n---\n", " `", id="an underline"),
        pytest.param("A lone ` here.\n```\nx\n```\n", " `", id="a code block between"),
        pytest.param("A lone ` and ", "\n```\n`\n```\n", id="a code block before its answer"),
        pytest.param("A lone ` and ", "\n \n`", id="a blank line before its answer"),
        pytest.param("A lone ` and ", "\n\n`", id="an empty line before its answer"),
        pytest.param("A lone \\` and ", " `x`", id="a backtick behind a backslash"),
        pytest.param("\\\\`x` ", "", id="a backslash behind a backslash"),
        pytest.param("Two `` and ` and ", " ```", id="no run of the same length"),
        pytest.param("`" * 33 + " ", "`" * 33, id="more backticks than anybody means"),
    ],
)
def test_a_marker_behind_what_is_no_code_any_more_begins_an_element(before: str, after: str) -> None:
    assert read(f"{before}{PROPOSAL}{after}") == (f"{before}{after}", [PROPOSAL.partition(": ")[2]])


@pytest.mark.parametrize("fence", ["```", "~~~", "~~~~"])
def test_a_fence_that_holds_only_a_proposal_is_read_and_goes(fence: str) -> None:
    assert read(f"Here:\n{fence}json\n{PROPOSAL}\n{fence}\nDone.") == ("Here:\n\nDone.", ['{"a": 1}'])


def test_inline_code_is_shown_as_soon_as_it_is_closed_and_what_follows_counts() -> None:
    reader = ResponseReader({"DATA_PROPOSAL": "{"})
    shown = [reader.feed(piece) for piece in ["See `", f"a\n{PROPOSAL}", " b", "`", " and ", ANOTHER]]
    assert shown == ["See ", "`a\n", "", "", f"{PROPOSAL} b` and ", ""]
    assert [element.raw for element in reader.elements] == ['{"b": 2}']


@pytest.mark.parametrize(
    ("pieces", "found"),
    [
        pytest.param(["```\nx\n``` ", f"y\n{PROPOSAL}\n```"], [], id="a fence with blanks, until a word follows"),
        pytest.param(["See `", f"a {PROPOSAL}`", f" and `b` {ANOTHER}"], ['{"b": 2}'], id="backticks before a blank"),
    ],
)
def test_what_ends_code_is_known_though_a_piece_ends_with_it(pieces: list[str], found: list[str]) -> None:
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
    """All of a text's tokens, those within paragraphs too."""
    return [token for block in MARKDOWN.parse(text) for token in (block, *(block.children or ()))]


def in_code(text: str) -> set[int]:
    """The numbers of the proposals that stand in code, with what is behind the backticks of a fence."""
    code = [f"{token.content} {token.info}" for token in tokens(text) if token.type in {"fence", "code_inline"}]
    return {int(number) for number in re.findall(r'DATA_PROPOSAL: {"n":([0-9]+)}', " ".join(code))}


def ends_unclosed(text: str) -> bool:
    """Whether code in a quote or a list ends with that: a fence that follows is taken for its belated end."""
    fences = [token for token in MARKDOWN.parse(text) if token.type == "fence" and token.level]
    return any(token.map and token.content.count("\n") >= token.map[1] - token.map[0] - 1 for token in fences)


@pytest.mark.slow
@examples(120)
@given(lines=st.lists(LINES, min_size=1, max_size=8))
def test_reader_and_page_agree_on_what_is_code(lines: list[str]) -> None:
    """But for code by indentation alone, which neither knows, and fences that hold nothing but a proposal."""
    numbers = count()
    text = re.sub("M", lambda _: f' DATA_PROPOSAL: {{"n":{next(numbers)}}} ', "\n".join(lines))
    proposals = set(range(next(numbers)))
    assume(proposals)
    assume(not any(token.type == "code_block" for token in tokens(text)))
    assume(not FENCE_OF_ONE.search(text))
    assume(not ends_unclosed(text))

    _, elements = read(text)

    assert {int(re.sub(r"\D", "", raw)) for raw in elements} == proposals - in_code(text)
