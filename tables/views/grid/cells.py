"""Values as drawn in cells: text, class names, option colour. Scripts draw the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from tables.column_types import get_column_type
from tables.column_types.spec import ColumnSpec
from tables.operations.cells import StoredRow
from tables.operations.queries.sorts import SortKey
from tables.views.value_format import format_value

# Widths are classes, because the content security policy forbids inline styles. The longest text decides. A star has
# the width of two characters.
WIDTH_STEPS = ((8, "w-1"), (12, "w-2"), (17, "w-3"), (24, "w-4"), (34, "w-5"))
WIDEST = "w-6"
INITIALS_LENGTH = 5  # space of the initials before the name of a person, in characters
MAX_SHOWN_CHARACTERS = 32
LINKS = ("http://", "https://", "mailto:", "tel:")


@dataclass(frozen=True)
class Badge:
    """One option of a list; `is_hidden`: it is only counted where a cell has one line."""

    option: str
    color: str
    pieces: Sequence[tuple[str, bool]]
    is_hidden: bool


@dataclass(frozen=True)
class Cell:
    """One drawn cell. `text` is "" for an empty cell; `color` is that of an option, `link` a URL.

    `pieces` is the text with the words of the search marked. `stars` are the full stars and all of a rating, `badges`
    the options of a list. `is_former`: it is a person who is no longer a member.
    """

    column: ColumnSpec
    drawn: str
    text: str
    value: Any
    color: str
    link: str
    classes: str
    pieces: Sequence[tuple[str, bool]] = ()
    stars: tuple[int, int] | None = None
    badges: Sequence[Badge] = ()
    is_former: bool = False

    @property
    def is_text(self) -> bool:
        """Whether the value is text in any language, which has its own writing direction."""
        figures = get_column_type(self.column.type).comparison == "number"
        return self.text != "" and self.drawn in ("text", "lines", "link") and not figures


@dataclass(frozen=True)
class Head:
    """One drawn column header. `sort` is the URL value that a click sets; `number` its position among several keys.

    `pixels` is the width set by the user, 0 for none; `width` the class of the default width.
    """

    column: ColumnSpec
    icon: str
    classes: str
    width: str
    pixels: int
    sort: str
    direction: str
    number: int


@dataclass(frozen=True)
class DrawnRow:
    """One drawn row; `label` names it for screen readers."""

    id: int
    version: int
    number: int
    label: str
    cells: tuple[Cell, ...]

    @property
    def check_label(self) -> str:
        """The label of its check box."""
        return _("Select %(row)s") % {"row": self.label}

    @property
    def edit_label(self) -> str:
        """The label of the link to its form."""
        return _("Edit %(row)s") % {"row": self.label}


def draw_cell(column: ColumnSpec, *, value: Any, first: bool = False, words: Sequence[str] = ()) -> Cell:
    """Return the cell of a value, None for an empty one; `words` are marked in it."""
    kind = get_column_type(column.type)
    names = ["cell", kind.cell_class, "is-primary is-frozen" if first else ""]
    text = format_value(value, column=column)
    color = column.colors.get(text, "") if kind.has_options and text else ""
    drawn = kind.drawing(column)
    link = kind.link(value, column) if drawn == "link" and text else ""
    # Types of other apps may return any URL.
    drawn = "text" if drawn == "link" and not link.startswith(LINKS) else drawn
    sought = words if kind.searchable else ()
    pieces = marked_pieces(text, stored=kind.searched(value), words=sought) if sought else [(text, False)]
    classes = " ".join(name for name in names if name)
    badges = draw_badges(column, options=value, words=sought) if drawn == "badges" and isinstance(value, list) else ()
    former = column.names_people and value not in column.people.member_values
    return Cell(column, drawn, text, value, color, link, classes, pieces, kind.stars(value, column), badges, former)


def draw_badges(column: ColumnSpec, *, options: Sequence[str], words: Sequence[str]) -> tuple[Badge, ...]:
    """Return the badges of a list; those after the first 32 characters are hidden in cells of one line."""
    badges, length = [], 0
    for index, option in enumerate(options):
        length += len(option) + 3
        pieces = marked_pieces(option, stored=option, words=words)
        is_hidden = index > 0 and length > MAX_SHOWN_CHARACTERS
        badges.append(Badge(option, column.colors.get(option, "gray"), pieces, is_hidden))
    return tuple(badges)


def draw_rows(
    rows: Sequence[StoredRow], *, columns: Sequence[ColumnSpec], offset: int = 0, search: str = ""
) -> list[DrawnRow]:
    """Return the rows for the template, numbered from `offset` + 1, with the words of `search` marked."""
    drawn, words = [], search.split()
    for number, row in enumerate(rows, start=offset + 1):
        cells = tuple(
            draw_cell(column, value=row.data.get(column.id), first=index == 0, words=words)
            for index, column in enumerate(columns)
        )
        label = next((cell.text for cell in cells if cell.text), _("row %(number)s") % {"number": number})
        drawn.append(DrawnRow(row.id, row.version, number, label, cells))
    return drawn


def draw_heads(
    columns: Sequence[ColumnSpec], *, rows: Sequence[DrawnRow], sort: Sequence[SortKey], widths: Mapping[str, int]
) -> list[Head]:
    """Return the column headers. A click sorts ascending, then descending, then not at all. `widths`: pixels by id."""
    return [
        _head(column, index=index, rows=rows, sort=sort, pixels=widths.get(column.id, 0))
        for index, column in enumerate(columns)
    ]


def _head(
    column: ColumnSpec, *, index: int, rows: Sequence[DrawnRow], sort: Sequence[SortKey], pixels: int
) -> Head:
    whole = ",".join(key.as_json() for key in sort)
    following = {column.id: f"-{column.id}", f"-{column.id}": ""}.get(whole, column.id)
    number, key = next(((at, key) for at, key in enumerate(sort, start=1) if key.column_id == column.id), (0, None))
    direction = "" if key is None else "descending" if key.descending else "ascending"
    kind = get_column_type(column.type)
    names = [kind.cell_class, "is-frozen" if index == 0 else ""]
    return Head(
        column=column,
        icon=kind.icon_of(column.used_settings),
        classes=" ".join(name for name in names if name),
        width=_width(column, cells=[row.cells[index] for row in rows[:50]]),
        pixels=pixels,
        sort=following,
        direction=direction,
        number=number if len(sort) > 1 else 0,
    )


def _width(column: ColumnSpec, *, cells: Sequence[Cell]) -> str:
    initials = INITIALS_LENGTH if column.names_people else 0
    lengths = (len(cell.text) * (2 if cell.stars else 1) + initials for cell in cells)
    longest = max([len(column.name) + 4, *lengths, *(len(o) for o in column.options)])
    return next((name for most, name in WIDTH_STEPS if longest <= most), WIDEST)


def marked_pieces(shown: str, *, stored: str, words: Sequence[str]) -> list[tuple[str, bool]]:
    """Return the shown text in pieces, each with whether it is a found word.

    `stored` is the searched text: a date is found as 2026-03-15, however it is shown; then all of it is marked. Case is
    ignored.
    """
    searched = stored.casefold()
    folded, positions = _folded(shown)
    marks = [False] * len(shown)
    for word in dict.fromkeys(word.casefold() for word in words):
        if not word or word not in searched:
            continue
        start = folded.find(word)
        if start < 0:
            return [(shown, True)] if shown else []
        while start >= 0:
            for position in positions[start : start + len(word)]:
                marks[position] = True
            start = folded.find(word, start + len(word))
    pieces: list[tuple[str, bool]] = []
    for character, mark in zip(shown, marks, strict=True):
        if pieces and pieces[-1][1] == mark:
            pieces[-1] = (pieces[-1][0] + character, mark)
        else:
            pieces.append((character, mark))
    return pieces


def _folded(text: str) -> tuple[str, list[int]]:
    """Return the casefolded text, and the original index of each of its characters: ß becomes two."""
    characters = [(each, position) for position, character in enumerate(text) for each in character.casefold()]
    return "".join(each for each, _ in characters), [position for _, position in characters]
