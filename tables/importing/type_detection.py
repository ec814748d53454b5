"""What the values of a column probably are: the type that takes most of them, how many that is, and some of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from tables.column_types import ValueFault, normalize_line_ends
from tables.importing.separators import FORM_OF, SEPARATOR_OF, ChosenSeparator
from tables.importing.value_formats import day_parts, read_value

# A type that takes fewer of the values is not the column's.
ENOUGH = 0.9
MOST_EXAMPLES = 3
MOST_OF_EXAMPLE = 60
LINE_END = "\N{DOWNWARDS ARROW WITH CORNER LEFTWARDS}"
# In the order in which a tie is decided: what says more about a value comes first.
CANDIDATES = (("boolean", ""), ("date", ""), ("date", "dmy"), ("date", "mdy"))
# Numbers that are names: with zeros in front, a plus, or more digits than a number keeps.
NAMELIKE = re.compile(r"\s*(?:[+\-\u2212]?0[0-9]|\+|[0-9]{16})")
# Columns of names of people, however often the same ones come up.
NAMES = re.compile(
    r"(?:(?:first|last|middle|full|given|family|nick|user|contact|customer|client)[ _-]*)?names?|surname|forename"
    r"|(?:vor|nach|familien|zu|spitz|benutzer|kunden)?namen?",
    re.IGNORECASE,
)
SELECT_AT_LEAST, SELECT_MOST_OPTIONS, SELECT_EACH, SELECT_LONGEST = 20, 12, 5, 40


@dataclass(frozen=True)
class Guess:
    """What a column seems to hold. `confidence` is the share of its `filled` values that this type takes, 0 to 1.

    `form` None: the values are dates, but nothing says whether the day or the month comes first. `misfits` are some
    of those that the type does not take. `number_form` is the form of its values read as numbers, whatever the type;
    `unclear` is a value that means another number in the other form, where nothing in the file says which is meant.
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
        """The form it is kept in and answered."""
        return {**asdict(self), "examples": list(self.examples), "misfits": list(self.misfits)}


def guess_column(values: Sequence[Any], *, name: str = "", chosen: ChosenSeparator | None = None) -> Guess:
    """The guess for these values of one column, empty ones included. What is called a name is never a choice.

    `chosen`: the decimal separator of its numbers, where it is known already; else the one that most of them have.
    """
    filled = [value for value in values if value is not None and value != ""]
    if not filled:
        return with_separator(Guess("text", "", 0.0, 0), chosen=chosen)
    forms = [FORM_OF[chosen.separator]] if chosen else list(SEPARATOR_OF)
    numbers = [("number", form) for form in forms]
    taken = {candidate: [_takes(value, type_name=candidate[0], form=candidate[1]) for value in filled]
             for candidate in (*CANDIDATES, *numbers)}  # fmt: skip
    if any(isinstance(value, str) and NAMELIKE.match(value) for value in filled):
        taken = {candidate: fits for candidate, fits in taken.items() if candidate[0] != "number"}
    counts = {candidate: sum(fits) for candidate, fits in taken.items()}
    best = max(counts, key=lambda candidate: counts[candidate])
    share = counts[best] / len(filled)
    if share < ENOUGH:
        kind = "select" if _is_select(filled) and not NAMES.fullmatch(name.strip()) else "text"
        return with_separator(Guess(kind, "", 1.0, len(filled), _some(filled)), chosen=chosen)
    undecided = best[1] == "dmy" and counts["date", "mdy"] == counts[best]
    guess = Guess(
        type=best[0],
        form=None if undecided else best[1],
        # Below one whatever is rounded, as long as one value does not fit.
        confidence=1.0 if share == 1 else min(round(share, 2), 0.99),
        filled=len(filled),
        examples=_some([value for value, fits in zip(filled, taken[best], strict=True) if fits]),
        misfits=_some([value for value, fits in zip(filled, taken[best], strict=True) if not fits]),
    )
    return with_separator(guess, chosen=chosen)


def with_separator(guess: Guess, *, chosen: ChosenSeparator | None) -> Guess:
    """Return the guess with what is known of the decimal separator; None: nothing yet."""
    if chosen is None:
        return guess
    return replace(guess, number_form=FORM_OF[chosen.separator], unclear=example(chosen.unclear))


def could_be_name(value: Any) -> bool:
    """Whether a cell may be the name of a column: a text that is no number, date or truth value."""
    if not isinstance(value, str) or not value.strip():
        return False
    numbers = (("number", form) for form in SEPARATOR_OF)
    return not any(_takes(value, type_name=name, form=form) for name, form in (*CANDIDATES, *numbers))


def example(value: Any) -> str:
    """A value as it can be shown on one line, kept and sent, whatever is in it."""
    whole = normalize_line_ends(str(value)[: 2 * MOST_OF_EXAMPLE + 2]).replace("\n", LINE_END)
    text = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in whole[:MOST_OF_EXAMPLE])
    return text + "…" if len(whole) > MOST_OF_EXAMPLE else text


def _takes(value: Any, *, type_name: str, form: str) -> bool:
    # What is written with slashes and dots is a date of another form or none.
    if form in ("dmy", "mdy") and day_parts(value) is None:
        return False
    try:
        read_value(value, type_name=type_name, form=form)
    except ValueFault:
        return False
    return True


def _is_select(filled: Sequence[Any]) -> bool:
    """A few short texts, each again and again."""
    if len(filled) < SELECT_AT_LEAST or not all(isinstance(value, str) for value in filled):
        return False
    distinct = {" ".join(value.split()).casefold() for value in filled}
    few = 1 < len(distinct) <= SELECT_MOST_OPTIONS and len(distinct) * SELECT_EACH <= len(filled)
    return few and all(0 < len(text) <= SELECT_LONGEST and text.isprintable() for text in distinct)


def _some(values: Sequence[Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(example(value) for value in values[:200]))[:MOST_EXAMPLES]
