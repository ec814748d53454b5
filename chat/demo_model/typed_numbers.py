"""Numbers in requests, read as the page reads what users type for a column: "50%", "1:30", "€ 1,200", "90 min"."""

import re

from chat.demo_model.english import display, parse_number
from chat.demo_model.reply import Unclear
from chat.demo_model.request import Column, Page
from chat.page_config import pages

_PER_CENT = re.compile(r" ?(?:per ?cent|%)$", re.IGNORECASE)
# "80k", "$1.5m" or "twelve": the marks, and the number with its abbreviation or word.
_SPOKEN = re.compile(r"(?P<marks>[^\w\s]*)(?P<number>[\d.,]*[A-Za-z]+)")


def read_typed_number(text: str, *, column: Column, page: Page, is_new: bool) -> float | int | None:
    """Return the number that a text means in this column, None for no number. Raises Unclear with the page's reason."""
    config = pages.get(page.name)
    if config is None or config.typed_value is None:
        return parse_number(text)
    reason = ""
    for form in dict.fromkeys((text, _in_digits(text))):
        try:
            number: float | int = config.typed_value(column.definition, form, is_new=is_new)
        except ValueError as error:
            reason = reason or str(error)
        else:
            return number
    raise Unclear(f"That does not fit {display(column.name)}: {display(reason, limit=300)}")


def _in_digits(text: str) -> str:
    """Return "twelve" as "12", "$80k" as "$80000" and "50 percent" as "50%"; other texts unchanged."""
    body = _PER_CENT.sub("", text)
    per_cent = "%" if body != text else ""
    if (found := _SPOKEN.fullmatch(body)) and (number := parse_number(found["number"])) is not None:
        body = f"{found['marks']}{number}"
    return f"{body}{per_cent}"
