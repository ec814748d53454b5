"""What the values of a column probably are: the type that takes most of them, how many that is, and some of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tables.column_types import ColumnSpec, ValueFault, get_column_type, plain_line_ends
from tables.importing.forms import day_parts, reader_of

# A type that takes fewer of the values is not the column's.
ENOUGH = 0.9
MOST_EXAMPLES = 3
MOST_OF_EXAMPLE = 60
LINE_END = "\N{DOWNWARDS ARROW WITH CORNER LEFTWARDS}"
# In the order in which a tie is decided: what says more about a value comes first.
CANDIDATES = (("boolean", ""), ("date", ""), ("date", "dmy"), ("date", "mdy"), ("number", ""), ("number", "comma"))
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
    of those that the type does not take.
    """

    type: str
    form: str | None
    confidence: float
    filled: int
    examples: tuple[str, ...] = ()
    misfits: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The form it is kept in and answered."""
        return {**asdict(self), "examples": list(self.examples), "misfits": list(self.misfits)}


def guess_column(values: Sequence[Any], *, name: str = "") -> Guess:
    """The guess for these values of one column, empty ones included. What is called a name is never a choice."""
    filled = [value for value in values if value is not None and value != ""]
    if not filled:
        return Guess("text", "", 0.0, 0)
    taken = {candidate: [_takes(value, type_name=candidate[0], form=candidate[1]) for value in filled]
             for candidate in CANDIDATES}  # fmt: skip
    if any(isinstance(value, str) and NAMELIKE.match(value) for value in filled):
        taken = {candidate: fits for candidate, fits in taken.items() if candidate[0] != "number"}
    counts = {candidate: sum(fits) for candidate, fits in taken.items()}
    best = max(counts, key=lambda candidate: counts[candidate])
    share = counts[best] / len(filled)
    if share < ENOUGH:
        chosen = "select" if _is_select(filled) and not NAMES.fullmatch(name.strip()) else "text"
        return Guess(chosen, "", 1.0, len(filled), _some(filled))
    undecided = best[1] == "dmy" and counts["date", "mdy"] == counts[best]
    return Guess(
        type=best[0],
        form=None if undecided else best[1],
        # Below one whatever is rounded, as long as one value does not fit.
        confidence=1.0 if share == 1 else min(round(share, 2), 0.99),
        filled=len(filled),
        examples=_some([value for value, fits in zip(filled, taken[best], strict=True) if fits]),
        misfits=_some([value for value, fits in zip(filled, taken[best], strict=True) if not fits]),
    )


def could_be_name(value: Any) -> bool:
    """Whether a cell may be the name of a column: a text that is no number, date or truth value."""
    if not isinstance(value, str) or not value.strip():
        return False
    return not any(_takes(value, type_name=name, form=form) for name, form in CANDIDATES)


def example(value: Any) -> str:
    """A value as it can be shown on one line, kept and sent, whatever is in it."""
    whole = plain_line_ends(str(value)[: 2 * MOST_OF_EXAMPLE + 2]).replace("\n", LINE_END)
    text = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in whole[:MOST_OF_EXAMPLE])
    return text + "…" if len(whole) > MOST_OF_EXAMPLE else text


def _takes(value: Any, *, type_name: str, form: str) -> bool:
    read = reader_of(form)
    # What is written with slashes and dots is a date of another form or none.
    if form in ("dmy", "mdy") and day_parts(value) is None:
        return False
    try:
        get_column_type(type_name).cast(read(value) if read else value, ColumnSpec(id="", name="", type=type_name))
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
