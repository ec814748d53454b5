"""Numbers of pasted lists: their decimal separator is found from all of them, and asked for where none decides."""

import re
from collections.abc import Sequence

from chat.demo_model.reply import Unclear
from chat.demo_model.text import shown

_WITH_POINT = re.compile(r"-?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)?")
_WITH_COMMA = re.compile(r"-?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d+)?")


def are_numbers(cells: Sequence[str]) -> bool:
    """Return whether all filled cells of a column are numbers, each with one of the decimal separators."""
    filled = [cell for cell in cells if cell]
    return bool(filled) and all(_WITH_POINT.fullmatch(cell) or _WITH_COMMA.fullmatch(cell) for cell in filled)


def with_decimal_point(columns: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the cells of columns of numbers with a decimal point and without groups; other cells as they are.

    Raises Unclear for numbers like 1.200 where no other of the list says whether they are thousands.
    """
    own = [_separator(column) for column in columns]
    others = set(own) - {""}
    of_list = others.pop() if len(others) == 1 else ""
    found = [separator or of_list for separator in own]
    return [[_plain(cell, separator=each) for cell in column] for column, each in zip(columns, found, strict=True)]


def _separator(cells: Sequence[str]) -> str:
    """Return the decimal separator that the cells of a column show, "" where they show none or both."""
    point = any(_WITH_POINT.fullmatch(cell) and not _WITH_COMMA.fullmatch(cell) for cell in cells)
    comma = any(_WITH_COMMA.fullmatch(cell) and not _WITH_POINT.fullmatch(cell) for cell in cells)
    return "" if point == comma else "." if point else ","


def _plain(cell: str, *, separator: str) -> str:
    with_point, with_comma = _WITH_POINT.fullmatch(cell), _WITH_COMMA.fullmatch(cell)
    if with_point and with_comma and not cell.removeprefix("-").isdigit() and not separator:
        both = f"{float(cell.replace(',', '.')):g} or {int(re.sub('[.,]', '', cell))}"
        raise Unclear(f"“{shown(cell)}” can mean {both}. Paste the list again with numbers like {both}.")
    if with_comma and (separator == "," or not with_point):
        return cell.replace(".", "").replace(",", ".")
    return cell.replace(",", "") if with_point else cell
