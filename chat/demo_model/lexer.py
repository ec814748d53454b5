"""Tokens of the grammar in a sentence; names, options and cells of the open table are tokens of their own."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lark import Token
from lark.lexer import Lexer

from chat.demo_model.english import COUNTS, NUMBER, normalize, parse_age_at, parse_number, parse_span_at, singular
from chat.demo_model.request import Column, Page

_KEYWORDS = tuple(
    (kind, re.compile(rf"(?:{pattern})(?!\w)", re.IGNORECASE))
    for kind, pattern in (
        ("SELECTED", r"(?:all |the )?(?:of )?(?:these|those)|(?:of )?(?:the |(?:have i|i have) )?(?:selected|ticked)"),
        ("WITHOUT", r"without(?: any| an?)?|with no|(?:have|has|having) no|lacking"),
        ("NOT", r"(?:(?:is|are|was|were|do|does|did|has|have)(?: not|n't)|not|except|but not)(?: equal to)?"),
        ("EMPTY", r"empty|blank|missing|unset"),
        ("STARTS", r"(?:starts?|begins?|starting|beginning) with"),
        ("CONTAINS", r"contain(?:s|ing)?|includ(?:es?|ing)|mention(?:s|ing)?"),
        ("BETWEEN", r"between"),
        ("ATLEAST", r"at least|no less than"),
        ("ATMOST", r"at most|up to|no more than"),
        ("OVER", r"(?:more|greater|higher|larger) than|over|above"),
        ("UNDER", r"(?:less|lower|smaller|fewer) than|under|below"),
        ("BEFORE", r"before|earlier than"),
        ("AFTER", r"after|later than"),
        ("SINCE", r"since"),
        ("UNTIL", r"until|till"),
        ("WHERE", r"where|whose|that|which|who|when|if"),
        ("WITH", r"with|have|has|having"),
        ("IS", r"(?:is )?equals?(?: to)?|is|are|was|were"),
        ("AND", r"and(?: also)?|but"),
        ("OR", r"or"),
        ("TO", r"to"),
        ("AS", r"as"),
        ("BOOL", r"yes|no|true|false"),
        ("PREP", r"in|on|at|from|during|for|by|of"),
        ("DET", r"the|all(?: of)?(?: the| my)?|my|our|an?|any|every|each|only"),
    )
)
_SYMBOLS = {",": "COMMA", ">=": "ATLEAST", "<=": "ATMOST", ">": "OVER", "<": "UNDER", "!=": "NOT", "=": "IS", ":": "IS"}
_SYMBOL = re.compile(r">=|<=|!=|[,><=:]")
_QUOTE = re.compile(r"\"([^\"]*)\"|“([^”]*)”|„([^“”]*)[“”]|(?<!\w)'([^']*)'(?!\w)")
_NUMBER = re.compile(rf"{NUMBER}(?!\w)")
_CLOCK = re.compile(r"\d+:[0-5]\d(?::[0-5]\d)?(?!\w)")
_WORD = re.compile(r"[^\s,:<>=\"“”„]+|\S")
_NOUNS = r"rows?|ones?|entr(?:y|ies)|records?|items?|lines?|everything|everyone|them"


@dataclass
class Tokens:
    """The tokens of a sentence, and the meanings of some of them, by their position in the text."""

    text: str
    tokens: list[Token] = field(default_factory=list)
    meanings: dict[int | None, Any] = field(default_factory=dict)


class ListLexer(Lexer):
    """A lexer for lists of tokens, which are returned unchanged."""

    def __init__(self, _: Any) -> None:
        pass

    def lex(self, data: Any) -> Iterator[Token]:  # type: ignore[override]  # not a text
        """Return the tokens."""
        yield from data


def tokenize(text: str, *, page: Page) -> Tokens:
    """Return the tokens of a sentence about the open table."""
    tokens, names = Tokens(text=text), _names(page)
    nouns = re.compile(rf"(?:{_NOUNS}|{'|'.join(map(re.escape, row_nouns(page)))})(?!\w)", re.IGNORECASE)
    start = 0
    while start < len(text.rstrip(".!? ")):
        if text[start] == " ":
            start += 1
            continue
        kind, end, meaning = _next_token(text, start, names=names, nouns=nouns, page=page)
        tokens.meanings[start] = meaning
        tokens.tokens.append(Token(kind, text[start:end], start_pos=start, end_pos=end))
        start = end
    return tokens


def _next_token(
    text: str, start: int, *, names: list[tuple[str, str, Any]], nouns: re.Pattern[str], page: Page
) -> tuple[str, int, Any]:
    if found := _QUOTE.match(text, start):
        return "QUOTED", found.end(), next(part for part in found.groups() if part is not None)
    if found := _SYMBOL.match(text, start):
        return _SYMBOLS[found[0]], found.end(), None
    for name, kind, meaning in names:
        end = start + len(name)
        if text[start:end].casefold() == name and not text[end : end + 1].isalnum():
            return kind, end, meaning
    if aged := parse_age_at(text, start, today=page.today):
        return "AGE", aged[0], aged[1:]
    if spanned := parse_span_at(text, start, today=page.today):
        return "DATE", *spanned
    if found := _CLOCK.match(text, start) or _NUMBER.match(text, start):
        return "NUMBER", found.end(), parse_number(found[0])
    for kind, pattern in (*_KEYWORDS, ("NOUN", nouns)):
        if found := pattern.match(text, start):
            return kind, found.end(), None
    found = _WORD.match(text, start)
    end = found.end() if found else start + 1
    value = COUNTS.get(text[start:end].casefold())
    return "WORD" if value is None else "NUMBER", end, value


def row_nouns(page: Page) -> list[str]:
    """Return words for rows of this table: the last word of its name, and the name of its first text column."""
    names = [page.table_name.split(" ")[-1], *(column.name for column in page.of_type("text")[:1])]
    words = {normalize(name) for name in names} - {""}
    singulars = {singular(word) for word in words}
    plurals = {f"{word[:-1]}ies" if word.endswith("y") else f"{word}s" for word in singulars}
    return sorted(words | singulars | plurals, key=len, reverse=True) or ["row"]


def _names(page: Page) -> list[tuple[str, str, Any]]:
    """Return the names that are tokens, longest first: columns, options, and cells in the prompt."""
    names: dict[str, tuple[str, Any]] = {}
    for column in page.of_type("text"):
        for row in (*page.selected, *page.samples):
            cell = row["data"].get(column.name)
            if isinstance(cell, str) and 1 < len(cell.strip()) <= 60 and not _is_keyword(normalize(cell)):
                others = names.get(normalize(cell), ("CELL", {}))[1]
                names[normalize(cell)] = ("CELL", {**others, column.id: (column, cell)})
    words = [word for column in page.columns for word in normalize(column.name).split(" ")]
    kinds = {column.id: "FLAG" if column.type == "boolean" else "COLUMN" for column in page.columns}
    for column in page.columns:
        # "deal" means "Deal Value" if no other column has that word.
        parts = [word for word in normalize(column.name).split(" ") if words.count(word) == 1 and len(word) > 3]
        names |= {word: (kinds[column.id], column) for word in parts if not _is_keyword(word)}
    options: dict[str, list[Column]] = {}
    for column in page.of_type("select"):
        for option in column.options:
            for form in {normalize(option), f"{normalize(option)}s", normalize(option).replace("-", " ")}:
                options.setdefault(form, []).append(column)
    names |= {form: ("OPTION", columns) for form, columns in options.items()}
    for column in page.columns:
        forms = {normalize(column.name), normalize(column.name).replace("-", ""), singular(normalize(column.name))}
        names |= {form: (kinds[column.id], column) for form in forms if len(form) > 1}
    return sorted(((name, *token) for name, token in names.items()), key=lambda each: -len(each[0]))


def _is_keyword(word: str) -> bool:
    return any(pattern.fullmatch(word) for _, pattern in _KEYWORDS)
