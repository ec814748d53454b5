"""What the demo model sees of the page: table, columns, some rows. Data to compare with, never words to obey."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from chat.demo.language.words import key, tokens

Json = dict[str, Any]
_DAY_ONE = date(2026, 1, 1)


_ALIKE = tuple(
    frozenset(group.split(", "))
    for group in (
        "done, completed, complete, finished",
        "to do, todo, to-do, not started",
        "in progress, started, ongoing, in-progress",
        "cancelled, canceled",
        "high, urgent",
        "on-site, onsite, on site",
    )
)


@dataclass(frozen=True)
class Column:
    """One column as the context describes it."""

    id: str
    name: str
    type: str = "text"
    required: bool = False
    options: tuple[str, ...] = ()

    def option(self, text: str) -> str | None:
        """The option that a person means by `text`: same letters, or the same words in another number."""
        wanted, words = key(text), tokens(text)
        for option in self.options:
            if key(option) == wanted:
                return option
        alike = [option for option in self.options if words and tokens(option) == words]
        if not alike:
            same = next((group for group in _ALIKE if wanted in group), frozenset[str]())
            alike = [option for option in self.options if key(option) in same]
        return alike[0] if len(alike) == 1 else None


@dataclass(frozen=True)
class Row:
    """A row the context shows; its cells by column name. `number` is its place in the person's view, 0 if unknown."""

    row_id: int
    data: Mapping[str, Any]
    number: int = 0


@dataclass(frozen=True)
class Page:
    """The page of this turn. `rows` counts the whole table, `shown_rows` those of the view, `samples` are the few that
    are shown; of the selected rows there may be more than are shown.

    Where `columns` are those that an open proposal adds, `columns_elsewhere` are the table's own: a name that fits one
    of these better does not mean a proposed column.
    """

    name: str = ""
    today: date = _DAY_ONE
    table_id: int = 0
    table_name: str = ""
    columns: tuple[Column, ...] = ()
    columns_elsewhere: tuple[Column, ...] = ()
    rows: int = 0
    shown_rows: int = 0
    samples: tuple[Row, ...] = ()
    selected: tuple[Row, ...] = ()
    selected_left_out: int = 0
    filter: Any = None
    search: str = ""
    tables: tuple[Json, ...] = ()
    tables_total: int = 0

    @property
    def has_table(self) -> bool:
        """Whether a table is open."""
        return bool(self.columns) or self.table_id != 0

    @property
    def ticked(self) -> int:
        """How many rows are selected, those that are not shown among them."""
        return len(self.selected) + self.selected_left_out

    @property
    def takes_data(self) -> bool:
        """Whether rows may be proposed here."""
        return self.name == "table_view"

    def of_type(self, *types: str) -> list[Column]:
        """Its columns of these types."""
        return [column for column in self.columns if column.type in types]

    def column(self, phrase: str) -> Column | None:
        """The column a person means by `phrase`; None where none or several fit, or one elsewhere is meant."""
        wanted = key(phrase)
        for column in self.columns:
            if wanted in (key(column.name), column.id.casefold()):
                return column
        if any(key(column.name) == wanted for column in self.columns_elsewhere):
            return None
        words = set(tokens(phrase))
        if not words:
            return None
        # "email" means "E-mail".
        same = [column for column in self.columns if _letters(column.name) == _letters(phrase)]
        if len(same) == 1:
            return same[0]
        named = [(column, set(tokens(column.name))) for column in self.columns]
        past = {_past(word) for word in words}
        for meant, part in ((words, False), (words, True), (past, True)):
            found = [column for column, have in named if (meant < have if part else have == meant)]
            if len(found) == 1:
                return found[0]
            if any(set(tokens(column.name)) == words for column in self.columns_elsewhere):
                return None
        return None

    def with_option(self, phrase: str) -> tuple[Column, str] | None:
        """The select column, and its option, that `phrase` names, if just one column has it."""
        found = [(c, option) for c in self.of_type("select") if (option := c.option(phrase)) is not None]
        if not found:
            folded = key(phrase)
            names = [(c, folded.removeprefix(f"{key(c.name)} ").removesuffix(f" {key(c.name)}")) for c in self.columns]
            found = [(c, option) for c, rest in names if rest != folded and (option := c.option(rest)) is not None]
        return found[0] if len(found) == 1 else None

    def with_cell(self, phrase: str) -> tuple[Column, str] | None:
        """The text column, and the cell as it is written there, that `phrase` equals in a row that is shown."""
        wanted = key(phrase)
        for column in self.of_type("text"):
            for row in (*self.selected, *self.samples):
                cell = row.data.get(column.name)
                if isinstance(cell, str) and key(cell) == wanted:
                    return column, cell
        return None

    def texts(self, column: Column) -> set[str]:
        """What stands in that column in the rows that are shown, folded."""
        cells = (row.data.get(column.name) for row in (*self.selected, *self.samples))
        return {key(str(cell)) for cell in cells if cell not in (None, "")}


def _letters(name: str) -> str:
    return "".join(letter for letter in key(name) if letter.isalnum())


def _past(word: str) -> str:
    """ "apply" for a column named "Date Applied"."""
    return word[:-1] + "ied" if word.endswith("y") else word + ("d" if word.endswith("e") else "ed")


def read_page(context: Json) -> Page:
    """The page of a context document; what is missing or of another form is left out."""
    table, view = _dict(context.get("table")), _dict(context.get("view"))
    return Page(
        name=str(context.get("page", "")),
        today=_day(context.get("today")),
        table_id=table["id"] if isinstance(table.get("id"), int) else 0,
        table_name=str(table.get("name", "")),
        columns=tuple(_column(item) for item in _dicts(table.get("columns"))),
        rows=_count(table.get("rows")),
        shown_rows=_count(view.get("matching_rows")),
        samples=tuple(read_rows(context.get("sample_rows"))),
        selected=tuple(read_rows(context.get("selected_rows"))),
        selected_left_out=_count(context.get("selected_rows_left_out")),
        filter=view.get("filter") or None,
        search=str(view.get("search") or ""),
        tables=tuple(_dicts(context.get("tables"))),
        tables_total=_count(context.get("tables_total")),
    )


def _count(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _column(item: Json) -> Column:
    options = item.get("options")
    return Column(
        id=str(item.get("id", "")),
        name=str(item.get("name", "")),
        type=str(item.get("type", "text")),
        required=item.get("required") is True,
        options=tuple(str(option) for option in options) if isinstance(options, list) else (),
    )


def read_rows(value: Any) -> list[Row]:
    """The rows of a context or of a tool's answer; what has no row id is left out."""
    return [
        Row(row_id=item["row_id"], data=_dict(item.get("data")), number=_count(item.get("number")))
        for item in _dicts(value)
        if isinstance(item.get("row_id"), int)
    ]


def _dict(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _dicts(value: Any) -> Sequence[Json]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _day(value: Any) -> date:
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError:
        return datetime.now(UTC).date()
