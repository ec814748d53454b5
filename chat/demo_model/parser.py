"""Parses phrases about rows: which rows, as a filter of the application, and which new values."""

import re
from dataclasses import dataclass
from functools import partialmethod
from pathlib import Path
from typing import Any

from lark import Lark, Token, Transformer
from lark.exceptions import LarkError, VisitError

from chat.demo_model.english import (
    Span,
    collapse_spaces,
    display,
    join_and,
    normalize,
    parse_span,
    unquote,
)
from chat.demo_model.lexer import ListLexer, Tokens, tokenize
from chat.demo_model.reply import Unclear
from chat.demo_model.request import Column, Page
from chat.demo_model.typed_numbers import read_typed_number

Json = dict[str, Any]
MAX_TOKENS = 60
MAX_NAMES = 12
_PARSER = Lark(
    Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8"),
    parser="earley",
    lexer=ListLexer,
    start=["rows", "assignments"],
    maybe_placeholders=False,
)
_NUMBERS = {"OVER": "gt", "UNDER": "lt", "ATLEAST": "gte", "ATMOST": "lte"}
_DAYS = _NUMBERS | {"BEFORE": "lt", "AFTER": "gt", "SINCE": "gte", "UNTIL": "lte"}
_OPERATOR_WORDS = {
    "eq": "is", "ne": "is not", "gt": "is over", "lt": "is under", "gte": "is at least", "lte": "is at most",
    "contains": "contains", "not_contains": "does not contain", "starts_with": "starts with", "any_of": "is",
    "none_of": "is not", "empty": "is empty", "not_empty": "is not empty", "is": "is", "between": "is between",
    "has_any": "has", "has_none": "does not have", "is_me": "is me",
}  # fmt: skip
# By the type of the column, for "is" and "is not"; of others: "eq" and "ne".
_OPERATORS = {
    "select": ("any_of", "none_of"),
    "multi_select": ("has_any", "has_none"),
    "attachment": ("contains", "not_contains"),
}
_DAY_OPERATOR_WORDS = {"gt": "is after", "lt": "is before", "gte": "is on or after", "lte": "is on or before"}
_OPPOSITE = {
    "any_of": "none_of", "none_of": "any_of", "has_any": "has_none", "has_none": "has_any", "eq": "ne", "ne": "eq",
    "contains": "not_contains", "not_contains": "contains",
}  # fmt: skip


@dataclass(frozen=True)
class Rows:
    """The rows of a phrase: all, those that match conditions, or the selected ones."""

    conditions: tuple[Json, ...] = ()
    selected: bool = False

    @property
    def everything(self) -> bool:
        """Return whether these are all rows."""
        return not self.conditions and not self.selected

    @property
    def filter(self) -> Json:
        """Return the filter for tools, actions and proposals."""
        return {"and": list(self.conditions)}

    def arguments(self) -> Json:
        """Return the parameters for a tool that reads these rows."""
        params: Json = {"filter": self.filter} if self.conditions else {}
        return params | ({"selected": True} if self.selected else {})

    def description(self) -> str:
        """Return the rows in words, such as "rows where Status is Offer"."""
        several = len(self.conditions) > 1
        words = " and ".join(
            f"({_describe(one)})" if several and "or" in one else _describe(one) for one in self.conditions
        )
        rows = "selected rows" if self.selected else "rows"
        return f"{rows} where {words}" if words else rows


def _describe(condition: Json) -> str:
    if "or" in condition:
        return " or ".join(map(_describe, condition["or"]))
    value, op = condition.get("value"), condition["op"]
    days = isinstance(value, str) and len(value) == 10 and value[4:5] == "-"
    values = value if isinstance(value, list) else [] if value is None else [value]
    joined = (" and " if op == "between" else " or ").join(map(display, values))
    words = _DAY_OPERATOR_WORDS.get(op) if days else None
    return f"{display(condition['column'])} {words or _OPERATOR_WORDS[op]} {joined}".strip()


def read_rows_phrase(text: str, *, page: Page) -> Rows | None:
    """Return the rows of a phrase, None if the text is not a phrase for rows. Raises Unclear."""
    if normalize(text) in ("", "all", "all of them", "everything", "the table", "the whole table"):
        return Rows()
    found: Rows | None = _parse(text, start="rows", page=page)
    return found


def read_assignments(text: str, *, page: Page) -> Json | None:
    """Return the new values in a text by column name, None if it has none. Raises Unclear."""
    found: Json | None = _parse(text, start="assignments", page=page)
    return found


def _parse(text: str, *, start: str, page: Page) -> Any:
    tokens = tokenize(collapse_spaces(text), page=page)
    if not 0 < len(tokens.tokens) <= MAX_TOKENS:
        return None
    try:
        return _Interpreter(tokens, page=page).transform(_PARSER.parse(tokens.tokens, start=start))
    except VisitError as error:
        raise error.orig_exc from None
    except LarkError:
        return None


class _Negated(dict[str, Any]):
    """A condition with a "not" before it."""


class _Interpreter(Transformer[Token, Any]):
    """Turns a parse tree into Rows or into new values."""

    def __init__(self, tokens: Tokens, *, page: Page) -> None:
        super().__init__()
        self._tokens = tokens
        self._page = page

    # Columns and values

    def _meaning_of(self, token: Any) -> Any:
        return self._tokens.meanings.get(token.start_pos) if isinstance(token, Token) else None

    def _column(self, children: list[Any], *types: str) -> Column:
        """Return the column among these, or the only date column if there is none."""
        named = [self._meaning_of(each) for each in children if _is_token(each, "COLUMN", "FLAG")]
        found: list[Column] = named or self._page.of_type("date")
        if len(found) != 1:
            raise Unclear("Say which date column you mean." if found else "This table has no date column.")
        if types and found[0].type not in types:
            raise Unclear(f"{display(found[0].name)} is a {found[0].type} column: I cannot compare it that way.")
        return found[0]

    def text(self, children: list[Token]) -> str:
        return self._tokens.text[children[0].start_pos : children[-1].end_pos]

    def _raw(self, value: Any) -> str:
        return str(self._meaning_of(value)) if _is_token(value, "QUOTED") else unquote(str(value))

    def _cell(self, column: Column, value: Any, *, is_new: bool = False) -> Any:
        if _is_token(value, "CELL") and column.id in self._meaning_of(value):
            return self._meaning_of(value)[column.id][1]
        return cell_of(column, self._raw(value), page=self._page, is_new=is_new)

    def _span(self, value: Any) -> Span:
        if _is_token(value, "DATE"):
            span: Span = self._meaning_of(value)
            return span
        return span_of(self._raw(value), page=self._page)

    def values(self, children: list[Any]) -> list[Any]:
        return children

    def or_list(self, children: list[Token]) -> Token:
        return children[-1]

    joint = compare = or_list

    # Conditions

    def equal(self, children: list[Any], *, negative: bool = False) -> Json:
        column, values = self._column(children), children[-1] if isinstance(children[-1], list) else children[-1:]
        tokens = [each for each in values if not _is_token(each, "AND", "OR", "COMMA")]
        if column.type == "date" and len(tokens) == 1:
            first, last = (day.isoformat() for day in self._span(tokens[0]))
            if first == last:
                return _condition(column, "ne" if negative else "eq", first)
            if negative:
                raise Unclear("I can leave out one day, not a span of days.")
            return _condition(column, "between", [first, last])
        cells = [self._cell(column, value) for value in tokens]
        if column.type == "person":
            if negative or [normalize(str(cell)) for cell in cells] != ["me"]:
                raise Unclear(f"I can only look for rows where {display(column.name)} is me, or is empty.")
            return _condition(column, "is_me")
        operator = _OPERATORS.get(column.type, ("eq", "ne"))[negative]
        if column.options:
            return _condition(column, operator, cells)
        if column.type == "boolean" and len(cells) == 1:
            return _condition(column, "is", cells[0] != negative)
        if len(cells) == 1:
            return _condition(column, operator, cells[0])
        if negative or any(_is_token(each, "AND") for each in values):
            raise Unclear(f"I cannot tell what should hold for {display(column.name)} there.")
        return {"or": [_condition(column, operator, cell) for cell in cells]}

    unequal = partialmethod(equal, negative=True)

    def compared(self, children: list[Any]) -> Json:
        column, kind, value = self._column(children, "date", "number"), children[-2].type, children[-1]
        if column.type == "date":
            first, last = self._span(value)
            return _condition(column, _DAYS[kind], (last if _DAYS[kind] in ("gt", "lte") else first).isoformat())
        if kind not in _NUMBERS:
            raise Unclear(f"{display(column.name)} is a number column: say over, under, at least or at most.")
        return _condition(column, _NUMBERS[kind], self._cell(column, value))

    def between(self, children: list[Any]) -> Json:
        column, low, high = self._column(children, "date", "number"), children[-3], children[-1]
        if column.type == "date":
            return _condition(column, "between", [self._span(low)[0].isoformat(), self._span(high)[1].isoformat()])
        return _condition(column, "between", [self._cell(column, low), self._cell(column, high)])

    def of_text(self, children: list[Any], *, op: str) -> Json:
        return _condition(self._column(children, "text", "attachment"), op, self._raw(children[-1]))

    contains = partialmethod(of_text, op="contains")
    lacks = partialmethod(of_text, op="not_contains")
    starts = partialmethod(of_text, op="starts_with")

    def filled(self, children: list[Any], *, op: str = "not_empty") -> Json:
        column = self._column(children)
        return _condition(column, "is", op == "not_empty") if column.type == "boolean" else _condition(column, op)

    empty = partialmethod(filled, op="empty")

    def aged(self, children: list[Any]) -> Json:
        op, day = self._meaning_of(children[-1])
        return _condition(self._column(children, "date"), op, day.isoformat())

    def cell(self, children: list[Any]) -> Json:
        found = list(self._meaning_of(children[-1]).values())
        if len(found) != 1:
            raise Unclear(f"“{display(children[-1])}” occurs in several columns: say which you mean.")
        return _condition(found[0][0], "eq", found[0][1])

    def options(self, children: list[Any]) -> Json:
        tokens = [each for each in children if _is_token(each, "OPTION")]
        columns = [self._meaning_of(token) for token in tokens]
        shared = [one for one in columns[0] if all(one in each for each in columns)]
        if len(shared) != 1:
            raise Unclear(f"“{display(tokens[0])}” is an option of several columns: say which you mean.")
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
        kinds = {each.type for each in children if _is_token(each, "AND", "OR")}
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
        return column.name, None if _is_token(value, "EMPTY") else self._cell(column, value, is_new=True)

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


def _is_token(value: Any, *types: str) -> bool:
    return isinstance(value, Token) and value.type in types


def _condition(column: Column, op: str, *value: Any) -> Json:
    return {"column": column.name, "op": op} | ({"value": value[0]} if value else {})


def span_of(text: str, *, page: Page) -> Span:
    """Return the first and last day of a date phrase. Raises Unclear."""
    found = parse_span(text, today=page.today)
    if not found:
        raise Unclear(f"I cannot read “{display(text)}” as a day. Write it like 2026-06-01 or June 1.")
    return found


def cell_of(column: Column, text: str, *, page: Page, is_new: bool) -> Any:
    """Return the value of a text in this column; `is_new`: for a cell, not for a condition. Raises Unclear."""
    value: Any = text
    if column.options:
        options = join_and([display(each) for each in column.options[:8]])
        value, needs = column.option(text), f"has the options {options}"
    elif column.type == "number":
        value, needs = read_typed_number(text, column=column, page=page, is_new=is_new), "is a number column"
    elif column.type == "boolean":
        booleans = {"yes": True, "true": True, "no": False, "false": False}
        value, needs = booleans.get(normalize(text)), "is either yes or no"
    elif column.type == "date":
        first, last = span_of(text, page=page)
        value, needs = first.isoformat() if first == last else None, "needs one day, like 2026-06-01"
    if value is None:
        raise Unclear(f"“{display(text)}” does not fit: {display(column.name)} {needs}.")
    return value


def require_column(text: str, *, page: Page) -> Column:
    """Return the column of this name. Raises Unclear."""
    found = page.find_column(text)
    if found is None:
        name = re.sub(r"^(?:the )?(?:columns? )?| columns?$", "", unquote(text), flags=re.IGNORECASE)
        names = [display(column.name) for column in page.columns[:MAX_NAMES]]
        rest = len(page.columns) - len(names)
        listed = join_and([*names, *([f"{rest} more"] if rest else [])])
        columns = f" The columns are {listed}." if names else ""
        raise Unclear(f"I see no column {display(name)} here.{columns}")
    return found
