"""Guess the type of a column: the one that fits most of its values, with the share and examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from tables.column_types import (
    COLUMN_TYPES,
    DEFAULT_TYPE,
    ColumnSpec,
    ColumnType,
    ValueFault,
    get_column_type,
    normalize_line_ends,
)
from tables.column_types.decimal_separators import FORM_OF
from tables.column_types.files import NO_FILES, FileDirectory
from tables.column_types.people import NO_PEOPLE, People
from tables.column_types.written_forms import WrittenForm
from tables.importing.separators import ChosenSeparator
from tables.importing.value_formats import read_value

# A type that fits a smaller share of the values is not used; of files that an archive has, half of the values.
MIN_SHARE = 0.9
MIN_SHARE_OF_FILES = 0.5
MAX_EXAMPLES = 3
MAX_EXAMPLE_LENGTH = 60
LINE_END = "\N{DOWNWARDS ARROW WITH CORNER LEFTWARDS}"
Candidate = tuple[ColumnSpec, WrittenForm]


@dataclass(frozen=True)
class Guess:
    """The guess for a column. `confidence` is the share of its `filled` values that fit the type, 0 to 1.

    `form` is None if the values are dates and the order of day and month is unclear. `misfits` are examples of values
    that do not fit. `number_form` is the format of its values as numbers, whatever the type; `unclear` is an ambiguous
    number, if nothing in the file decides. `settings` are those that all values show, such as a currency. `forms` has
    the form of most values by type, of the types with an unclear form such as dates, whatever the type is. `options`
    with their `colors` are those that the file describes.
    """

    type: str
    form: str | None
    confidence: float
    filled: int
    examples: tuple[str, ...] = ()
    misfits: tuple[str, ...] = ()
    number_form: str = ""
    unclear: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    forms: dict[str, str | None] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    colors: dict[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the stored form, which is also that of the API."""
        return {**asdict(self), "examples": list(self.examples), "misfits": list(self.misfits),
                "options": list(self.options)}  # fmt: skip


def guess_column(
    values: Sequence[Any],
    *,
    name: str = "",
    chosen: ChosenSeparator | None = None,
    people: People = NO_PEOPLE,
    files: FileDirectory = NO_FILES,
) -> Guess:
    """Return the guess for the values of one column, empty ones included. Columns of names are never select columns.

    `chosen`: the decimal separator of its numbers if it is known; else that of most of them is used. `people` are those
    of the table that gets the values, `files` those that cells may refer to.
    """
    filled = [value for value in values if value is not None and value != ""]
    if not filled:
        return with_separator(Guess(DEFAULT_TYPE, "", 0.0, 0), chosen=chosen)
    candidates = _candidates(filled, chosen=chosen, people=people, files=files)
    fitting = {candidate: [_fits(value, candidate) for value in filled] for candidate in candidates}
    counts = {candidate: sum(fits) for candidate, fits in fitting.items()}
    best = max(counts, key=lambda candidate: counts[candidate])
    share = counts[best] / len(filled)
    if share < (MIN_SHARE_OF_FILES if get_column_type(best[0].type).has_files else MIN_SHARE):
        kind, plain = get_column_type(DEFAULT_TYPE), ColumnSpec("", "", DEFAULT_TYPE)
        settings = dict(kind.detect_settings(filled))
        is_certain = kind.restricts(replace(plain, settings=tuple(settings.items())), source=plain)
        # Later types are more specific: lists of options also look like single ones.
        kinds = () if is_certain else reversed(COLUMN_TYPES.values())
        alike = (kind.name for kind in kinds if kind.resembles(filled, name=name))
        found = next(alike, DEFAULT_TYPE)
        guess = Guess(
            found, "", 1.0, len(filled), examples=_examples(filled), settings=settings if found == kind.name else {},
            forms=_unclear_forms(counts),
        )  # fmt: skip
        return with_separator(guess, chosen=chosen)
    column, form = best
    kind = get_column_type(column.type)
    forms = _unclear_forms(counts)
    guess = Guess(
        type=kind.name,
        form=forms[kind.name] if kind.asks_form else form.name,
        # Not rounded up to 1 while any value does not fit.
        confidence=1.0 if share == 1 else min(round(share, 2), 0.99),
        filled=len(filled),
        examples=_examples([value for value, fits in zip(filled, fitting[best], strict=True) if fits]),
        misfits=_examples([value for value, fits in zip(filled, fitting[best], strict=True) if not fits]),
        settings=dict(column.settings),
        forms=forms,
    )
    return with_separator(guess, chosen=chosen)


def declared_guess(
    values: Sequence[Any], *, column: ColumnSpec, people: People = NO_PEOPLE, files: FileDirectory = NO_FILES
) -> Guess | None:
    """Return the guess for a column that the file describes; None if its values do not fit the description."""
    kind = get_column_type(column.type)
    filled = [value for value in values if value is not None and value != ""]
    candidate = replace(column, people=people, files=files), kind.forms[0]
    fits = [_fits(value, candidate) for value in filled]
    if sum(fits) < len(filled) * MIN_SHARE or (kind.has_files and files is NO_FILES):
        return None
    share = sum(fits) / len(filled) if filled else 0.0
    return Guess(
        type=kind.name,
        form=candidate[1].name,
        confidence=1.0 if share == 1 else min(round(share, 2), 0.99),
        filled=len(filled),
        examples=_examples([value for value, fit in zip(filled, fits, strict=True) if fit]),
        misfits=_examples([value for value, fit in zip(filled, fits, strict=True) if not fit]),
        settings=dict(column.settings),
        options=column.options,
        colors=dict(column.colors),
    )


def _unclear_forms(counts: Mapping[Candidate, int]) -> dict[str, str | None]:
    """Return the form that fits most values by type, None if several do, of the types that ask for their form."""
    found: dict[str, str | None] = {}
    for kind in COLUMN_TYPES.values():
        fitting = {form.name: count for (column, form), count in counts.items() if column.type == kind.name}
        most = max(fitting.values(), default=0)
        if kind.asks_form and most:
            names = [name for name, count in fitting.items() if count == most]
            found[kind.name] = names[0] if len(names) == 1 else None
    return found


def with_separator(guess: Guess, *, chosen: ChosenSeparator | None) -> Guess:
    """Return the guess with the decimal separator of the column; None if unknown."""
    if chosen is None:
        return guess
    return replace(guess, number_form=FORM_OF[chosen.separator], unclear=example(chosen.unclear))


def with_sheet_formats(guess: Guess, formats: Sequence[str]) -> Guess:
    """Return the guess with the settings that all number formats of a workbook's column mean, if there are any."""
    settings = dict(get_column_type(guess.type).detect_sheet_settings(formats))
    return replace(guess, settings=settings) if settings and not guess.settings else guess


def could_be_name(value: Any) -> bool:
    """Return whether a cell may be the name of a column: a text that is no number, date or boolean."""
    if not isinstance(value, str) or not value.strip():
        return False
    return not fitting_types(value)


def fitting_types(value: Any) -> frozenset[str]:
    """Return the names of the detected types that a value fits, such as number for 7; none for other texts."""
    return frozenset(candidate[0].type for candidate in _candidates([value]) if _fits(value, candidate))


def example(value: Any) -> str:
    """Return a value as one short line that can be stored and shown."""
    whole = normalize_line_ends(str(value)[: 2 * MAX_EXAMPLE_LENGTH + 2]).replace("\n", LINE_END)
    text = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in whole[:MAX_EXAMPLE_LENGTH])
    return text + "…" if len(whole) > MAX_EXAMPLE_LENGTH else text


def _candidates(
    values: Sequence[Any],
    *,
    chosen: ChosenSeparator | None = None,
    people: People = NO_PEOPLE,
    files: FileDirectory = NO_FILES,
) -> list[Candidate]:
    """Return the types that are detected with their formats; of numbers, only those with the chosen separator.

    Types that the values certainly do not have are excluded.
    """
    return [
        (column, form)
        for kind in COLUMN_TYPES.values()
        if kind.detected and not _is_excluded(kind, values, people=people)
        if files is not NO_FILES or not kind.has_files
        for settings in [tuple(kind.detect_settings(values).items())]
        for column in [ColumnSpec("", "", kind.name, settings=settings, people=people, files=files)]
        for form in kind.forms
        if not chosen or form.separator in ("", chosen.separator)
    ]


def _is_excluded(kind: ColumnType, values: Sequence[Any], *, people: People) -> bool:
    if kind.has_people:
        # Finding out which name an unknown one is similar to takes long.
        known = sum(isinstance(value, str) and people.named(value.strip()) is not None for value in values)
        return known < len(values) * MIN_SHARE
    pattern = kind.never_detected_with
    return pattern is not None and any(isinstance(value, str) and pattern.match(value) for value in values)


def _fits(value: Any, candidate: Candidate) -> bool:
    column, form = candidate
    if form.suits and not form.suits(value):
        return False
    try:
        read_value(value, column=column, form=form.name)
    except ValueFault:
        return False
    return True


def _examples(values: Sequence[Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(example(value) for value in values[:200]))[:MAX_EXAMPLES]
