"""What a sentence about rows means: which rows, as a filter of the application, and which new values."""

import re
from dataclasses import dataclass
from functools import partialmethod
from pathlib import Path
from typing import Any

from lark import Lark, Token, Transformer
from lark.exceptions import LarkError, VisitError

from chat.demo_model import dates
from chat.demo_model.dates import Span
from chat.demo_model.lexer import ListLexer, Tokens, tokenize
from chat.demo_model.page import Column, Page
from chat.demo_model.reply import Unclear
from chat.demo_model.text import and_list, key, number, shown, squeeze, unquote

Json = dict[str, Any]
MAX_TOKENS = 60
_PARSER = Lark(
    Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8"),
    parser="earley",
    lexer=ListLexer,
    start=["rows", "assignments"],
    maybe_placeholders=False,
)
_NUMBERS = {"OVER": "gt", "UNDER": "lt", "ATLEAST": "gte", "ATMOST": "lte"}
_DAYS = _NUMBERS | {"BEFORE": "lt", "AFTER": "gt", "SINCE": "gte", "UNTIL": "lte"}
_SAID = {
    "eq": "is", "ne": "is not", "gt": "is over", "lt": "is under", "gte": "is at least", "lte": "is at most",
    "contains": "contains", "not_contains": "does not contain", "starts_with": "starts with", "any_of": "is",
    "none_of": "is not", "empty": "is empty", "not_empty": "is not empty", "is": "is", "between": "is between",
}  # fmt: skip
_SAID_OF_DAYS = {"gt": "is after", "lt": "is before", "gte": "is on or after", "lte": "is on or before"}
_OPPOSITE = {"any_of": "none_of", "none_of": "any_of", "eq": "ne", "ne": "eq"}


@dataclass(frozen=True)
class Rows:
    """The rows that a phrase means: all, those for which conditions hold, those that are selected."""

    conditions: tuple[Json, ...] = ()
    selected: bool = False

    @property
    def everything(self) -> bool:
        """Return whether no condition narrows the rows."""
        return not self.conditions and not self.selected

    @property
    def filter(self) -> Json:
        """Return the filter that the application's tools, actions and proposals take."""
        return {"and": list(self.conditions)}

    def arguments(self) -> Json:
        """Return what narrows a tool that reads rows."""
        given: Json = {"filter": self.filter} if self.conditions else {}
        return given | ({"selected": True} if self.selected else {})

    def said(self) -> str:
        """Return the rows in words, such as "rows where Status is Offer"."""
        several = len(self.conditions) > 1
        words = " and ".join(
            f"({_described(one)})" if several and "or" in one else _described(one) for one in self.conditions
        )
        rows = "selected rows" if self.selected else "rows"
        return f"{rows} where {words}" if words else rows


def _described(condition: Json) -> str:
    if "or" in condition:
        return " or ".join(map(_described, condition["or"]))
    value, op = condition.get("value"), condition["op"]
    days = isinstance(value, str) and len(value) == 10 and value[4:5] == "-"
    values = value if isinstance(value, list) else [] if value is None else [value]
    joined = (" and " if op == "between" else " or ").join(map(shown, values))
    return f"{shown(condition['column'])} {(_SAID_OF_DAYS if days else {}).get(op) or _SAID[op]} {joined}".strip()


def read_rows_phrase(text: str, *, page: Page) -> Rows | None:
    """Return the rows that the whole text means; None where it is no phrase for rows. Raises Unclear."""
    if key(text) in ("", "all", "all of them", "everything", "the table", "the whole table"):
        return Rows()
    found: Rows | None = _parsed(text, start="rows", page=page)
    return found


def read_assignments(text: str, *, page: Page) -> Json | None:
    """Return the new values by column name that the whole text means; None where it means none. Raises Unclear."""
    found: Json | None = _parsed(text, start="assignments", page=page)
    return found


def _parsed(text: str, *, start: str, page: Page) -> Any:
    made = tokenize(squeeze(text), page=page)
    if not 0 < len(made.tokens) <= MAX_TOKENS:
        return None
    try:
        return _Meaning(made, page=page).transform(_PARSER.parse(made.tokens, start=start))
    except VisitError as error:
        raise error.orig_exc from None
    except LarkError:
        return None


class _Negated(dict[str, Any]):
    """A condition with a "not" before it."""


class _Meaning(Transformer[Token, Any]):
    """Turns a parse tree into Rows or into new values."""

    def __init__(self, made: Tokens, *, page: Page) -> None:
        super().__init__()
        self._made = made
        self._page = page

    # Columns and values

    def _of(self, token: Any) -> Any:
        return self._made.meaning.get(token.start_pos) if isinstance(token, Token) else None

    def _column(self, children: list[Any], *types: str) -> Column:
        """Return the column among these, or the only date column where none is named."""
        named = [self._of(each) for each in children if _is(each, "COLUMN", "FLAG")]
        found: list[Column] = named or self._page.of_type("date")
        if len(found) != 1:
            raise Unclear("Say which date column you mean." if found else "This table has no date column.")
        if types and found[0].type not in types:
            raise Unclear(f"{shown(found[0].name)} is a {found[0].type} column: I cannot compare it that way.")
        return found[0]

    def text(self, children: list[Token]) -> str:
        return self._made.text[children[0].start_pos : children[-1].end_pos]

    def _raw(self, value: Any) -> str:
        return str(self._of(value)) if _is(value, "QUOTED") else unquote(str(value))

    def _cell(self, column: Column, value: Any) -> Any:
        if _is(value, "CELL") and column.id in self._of(value):
            return self._of(value)[column.id][1]
        return cell_of(column, self._raw(value), page=self._page)

    def _span(self, value: Any) -> Span:
        found: Span = self._of(value) if _is(value, "DATE") else span_of(self._raw(value), page=self._page)
        return found

    def values(self, children: list[Any]) -> list[Any]:
        return children

    def or_list(self, children: list[Token]) -> Token:
        return children[-1]

    joint = compare = or_list

    # Conditions

    def equal(self, children: list[Any], *, negative: bool = False) -> Json:
        column, values = self._column(children), children[-1] if isinstance(children[-1], list) else children[-1:]
        tokens = [each for each in values if not _is(each, "AND", "OR", "COMMA")]
        if column.type == "date" and len(tokens) == 1:
            first, last = (day.isoformat() for day in self._span(tokens[0]))
            if first == last:
                return _condition(column, "ne" if negative else "eq", first)
            if negative:
                raise Unclear("I can leave out one day, not a span of days.")
            return _condition(column, "between", [first, last])
        cells = [self._cell(column, value) for value in tokens]
        if column.type == "select":
            return _condition(column, "none_of" if negative else "any_of", cells)
        if column.type == "boolean" and len(cells) == 1:
            return _condition(column, "is", cells[0] != negative)
        if len(cells) == 1:
            return _condition(column, "ne" if negative else "eq", cells[0])
        if negative or any(_is(each, "AND") for each in values):
            raise Unclear(f"I cannot tell what should hold for {shown(column.name)} there.")
        return {"or": [_condition(column, "eq", cell) for cell in cells]}

    unequal = partialmethod(equal, negative=True)

    def compared(self, children: list[Any]) -> Json:
        column, kind, value = self._column(children, "date", "number"), children[-2].type, children[-1]
        if column.type == "date":
            first, last = self._span(value)
            return _condition(column, _DAYS[kind], (last if _DAYS[kind] in ("gt", "lte") else first).isoformat())
        if kind not in _NUMBERS:
            raise Unclear(f"{shown(column.name)} is a number column: say over, under, at least or at most.")
        return _condition(column, _NUMBERS[kind], self._cell(column, value))

    def between(self, children: list[Any]) -> Json:
        column, low, high = self._column(children, "date", "number"), children[-3], children[-1]
        if column.type == "date":
            return _condition(column, "between", [self._span(low)[0].isoformat(), self._span(high)[1].isoformat()])
        return _condition(column, "between", [self._cell(column, low), self._cell(column, high)])

    def of_text(self, children: list[Any], *, op: str) -> Json:
        return _condition(self._column(children, "text"), op, self._raw(children[-1]))

    contains = partialmethod(of_text, op="contains")
    lacks = partialmethod(of_text, op="not_contains")
    starts = partialmethod(of_text, op="starts_with")

    def filled(self, children: list[Any], *, op: str = "not_empty") -> Json:
        column = self._column(children)
        return _condition(column, "is", op == "not_empty") if column.type == "boolean" else _condition(column, op)

    empty = partialmethod(filled, op="empty")

    def aged(self, children: list[Any]) -> Json:
        op, day = self._of(children[-1])
        return _condition(self._column(children, "date"), op, day.isoformat())

    def cell(self, children: list[Any]) -> Json:
        found = list(self._of(children[-1]).values())
        if len(found) != 1:
            raise Unclear(f"“{shown(children[-1])}” occurs in several columns: say which you mean.")
        return _condition(found[0][0], "eq", found[0][1])

    def options(self, children: list[Any]) -> Json:
        tokens = [each for each in children if _is(each, "OPTION")]
        shared = [one for one in self._of(tokens[0]) if all(one in self._of(token) for token in tokens)]
        if len(shared) != 1:
            raise Unclear(f"“{shown(tokens[0])}” is an option of several columns: say which you mean.")
        return _condition(shared[0], "any_of", [self._cell(shared[0], token) for token in tokens])

    def flag(self, children: list[Any]) -> Json:
        return _condition(self._column(children), "is", True)

    def negated(self, children: list[Any]) -> Json:
        condition: Json = children[-1]
        if condition["op"] == "is":
            return _Negated(condition, value=not condition["value"])
        return _Negated(condition, op=_OPPOSITE[condition["op"]])

    # Rows

    def condition(self, children: list[Any]) -> tuple[list[Json], set[str]]:
        kinds = {each.type for each in children if _is(each, "AND", "OR")}
        found = [each for each in children if isinstance(each, dict)]
        if any(isinstance(each, _Negated) for each in found[:-1]):
            raise Unclear("I am not sure how much “not” means there: say it last.")
        return found, kinds

    def all_rows(self, children: list[Any], *, selected: bool = False) -> Rows:
        conditions = [each for each in children if isinstance(each, dict)]
        found, kinds = next((each for each in children if isinstance(each, tuple)), ([], set()))
        if "OR" in kinds:
            if "AND" in kinds or conditions:
                raise Unclear("I am not sure how “and” and “or” belong together there.")
            found = [{"or": [one for each in found for one in each.get("or", [each])]}]
        return Rows((*conditions, *found), selected=selected)

    selected = partialmethod(all_rows, selected=True)

    # New values

    def assign(self, children: list[Any]) -> tuple[str, Any]:
        column, value = self._column(children), children[-1]
        return column.name, None if _is(value, "EMPTY") else self._cell(column, value)

    def assign_bare(self, children: list[Any]) -> tuple[str, Any]:
        condition = children[-1]
        value = condition["value"] if isinstance(condition["value"], list) else [condition["value"]]
        if condition["op"] not in ("is", "any_of") or len(value) > 1:
            raise Unclear("Which column should have which value? Say it like “Status to Done”.")
        return condition["column"], value[0]

    def assignments(self, children: list[Any]) -> Json:
        pairs = [each for each in children if isinstance(each, tuple)]
        if len(dict(pairs)) != len(pairs):
            raise Unclear("One column cannot have two values.")
        return dict(pairs)


def _is(value: Any, *types: str) -> bool:
    return isinstance(value, Token) and value.type in types


def _condition(column: Column, op: str, *value: Any) -> Json:
    return {"column": column.name, "op": op} | ({"value": value[0]} if value else {})


def span_of(text: str, *, page: Page) -> Span:
    """Return the first and last day that a text names. Raises Unclear."""
    found = dates.read(text, today=page.today)
    if not found:
        raise Unclear(f"I cannot read “{shown(text)}” as a day. Write it like 2026-06-01 or June 1.")
    return found


def cell_of(column: Column, text: str, *, page: Page) -> Any:
    """Return the value of that column that a text means. Raises Unclear."""
    value: Any = text
    if column.type == "select":
        value, needs = column.option(text), f"has the options {and_list([shown(each) for each in column.options[:8]])}"
    elif column.type == "number":
        value, needs = number(text), "is a number column"
    elif column.type == "boolean":
        value, needs = {"yes": True, "true": True, "no": False, "false": False}.get(key(text)), "is either yes or no"
    elif column.type == "date":
        first, last = span_of(text, page=page)
        value, needs = first.isoformat() if first == last else None, "needs one day, like 2026-06-01"
    if value is None:
        raise Unclear(f"“{shown(text)}” does not fit: {shown(column.name)} {needs}.")
    return value


def existing(text: str, *, page: Page) -> Column:
    """Return the column of that name. Raises Unclear."""
    found = page.column(text)
    if found is None:
        name = re.sub(r"^(?:the )?(?:columns? )?| columns?$", "", unquote(text), flags=re.IGNORECASE)
        raise Unclear(f"I see no column {shown(name)} here.")
    return found
