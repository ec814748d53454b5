"""Guess the type of a column: the one that fits most of its values, with the share and examples."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from tables.column_types import ValueFault, normalize_line_ends
from tables.importing.separators import FORM_OF, SEPARATOR_OF, ChosenSeparator
from tables.importing.value_formats import day_parts, read_value

# A type that fits a smaller share of the values is not used.
MIN_SHARE = 0.9
MAX_EXAMPLES = 3
MAX_EXAMPLE_LENGTH = 60
LINE_END = "\N{DOWNWARDS ARROW WITH CORNER LEFTWARDS}"
# In the order that decides a tie: the more specific type first.
CANDIDATES = (("boolean", ""), ("date", ""), ("date", "dmy"), ("date", "mdy"))
# Numbers that are identifiers: with leading zeros, a plus sign, or more digits than a float can represent.
IDENTIFIER = re.compile(r"\s*(?:[+\-\u2212]?0[0-9]|\+|[0-9]{16})")
# Names of columns with names of persons, which are never select columns.
PERSON_NAME_COLUMN = re.compile(
    r"(?:(?:first|last|middle|full|given|family|nick|user|contact|customer|client)[ _-]*)?names?|surname|forename"
    r"|(?:vor|nach|familien|zu|spitz|benutzer|kunden)?namen?",
    re.IGNORECASE,
)
SELECT_MIN_VALUES, SELECT_MAX_OPTIONS, SELECT_MIN_REPEATS, SELECT_MAX_LENGTH = 20, 12, 5, 40


@dataclass(frozen=True)
class Guess:
    """The guess for a column. `confidence` is the share of its `filled` values that fit the type, 0 to 1.

    `form` is None if the values are dates and the order of day and month is unclear. `misfits` are examples of values
    that do not fit. `number_form` is the format of its values as numbers, whatever the type; `unclear` is an ambiguous
    number, if nothing in the file decides.
    """

    type: str
    form: str | None
    confidence: float
    filled: int
    examples: tuple[str, ...] = ()
    misfits: tuple[str, ...] = ()
    number_form: str = ""
    unclear: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the stored form, which is also that of the API."""
        return {**asdict(self), "examples": list(self.examples), "misfits": list(self.misfits)}


def guess_column(values: Sequence[Any], *, name: str = "", chosen: ChosenSeparator | None = None) -> Guess:
    """Return the guess for the values of one column, empty ones included. Columns of names are never select columns.

    `chosen`: the decimal separator of its numbers if it is known; else that of most of them is used.
    """
    filled = [value for value in values if value is not None and value != ""]
    if not filled:
        return with_separator(Guess("text", "", 0.0, 0), chosen=chosen)
    forms = [FORM_OF[chosen.separator]] if chosen else list(SEPARATOR_OF)
    numbers = [("number", form) for form in forms]
    fitting = {candidate: [_fits(value, type_name=candidate[0], form=candidate[1]) for value in filled]
             for candidate in (*CANDIDATES, *numbers)}  # fmt: skip
    if any(isinstance(value, str) and IDENTIFIER.match(value) for value in filled):
        fitting = {candidate: fits for candidate, fits in fitting.items() if candidate[0] != "number"}
    counts = {candidate: sum(fits) for candidate, fits in fitting.items()}
    best = max(counts, key=lambda candidate: counts[candidate])
    share = counts[best] / len(filled)
    if share < MIN_SHARE:
        kind = "select" if _is_select(filled) and not PERSON_NAME_COLUMN.fullmatch(name.strip()) else "text"
        return with_separator(Guess(kind, "", 1.0, len(filled), _examples(filled)), chosen=chosen)
    undecided = best[1] == "dmy" and counts["date", "mdy"] == counts[best]
    guess = Guess(
        type=best[0],
        form=None if undecided else best[1],
        # Not rounded up to 1 while any value does not fit.
        confidence=1.0 if share == 1 else min(round(share, 2), 0.99),
        filled=len(filled),
        examples=_examples([value for value, fits in zip(filled, fitting[best], strict=True) if fits]),
        misfits=_examples([value for value, fits in zip(filled, fitting[best], strict=True) if not fits]),
    )
    return with_separator(guess, chosen=chosen)


def with_separator(guess: Guess, *, chosen: ChosenSeparator | None) -> Guess:
    """Return the guess with the decimal separator of the column; None if unknown."""
    if chosen is None:
        return guess
    return replace(guess, number_form=FORM_OF[chosen.separator], unclear=example(chosen.unclear))


def could_be_name(value: Any) -> bool:
    """Return whether a cell may be the name of a column: a text that is no number, date or boolean."""
    if not isinstance(value, str) or not value.strip():
        return False
    numbers = (("number", form) for form in SEPARATOR_OF)
    return not any(_fits(value, type_name=name, form=form) for name, form in (*CANDIDATES, *numbers))


def example(value: Any) -> str:
    """Return a value as one short line that can be stored and shown."""
    whole = normalize_line_ends(str(value)[: 2 * MAX_EXAMPLE_LENGTH + 2]).replace("\n", LINE_END)
    text = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in whole[:MAX_EXAMPLE_LENGTH])
    return text + "…" if len(whole) > MAX_EXAMPLE_LENGTH else text


def _fits(value: Any, *, type_name: str, form: str) -> bool:
    # With slashes or dots, it is a date in another format or none.
    if form in ("dmy", "mdy") and day_parts(value) is None:
        return False
    try:
        read_value(value, type_name=type_name, form=form)
    except ValueFault:
        return False
    return True


def _is_select(filled: Sequence[Any]) -> bool:
    """Return whether the values are a few short texts that repeat."""
    if len(filled) < SELECT_MIN_VALUES or not all(isinstance(value, str) for value in filled):
        return False
    distinct = {" ".join(value.split()).casefold() for value in filled}
    few = 1 < len(distinct) <= SELECT_MAX_OPTIONS and len(distinct) * SELECT_MIN_REPEATS <= len(filled)
    return few and all(0 < len(text) <= SELECT_MAX_LENGTH and text.isprintable() for text in distinct)


def _examples(values: Sequence[Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(example(value) for value in values[:200]))[:MAX_EXAMPLES]
