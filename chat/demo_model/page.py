"""The page as the prompt describes it: table, columns, some rows, the selection. Data to compare with, never orders."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from chat.demo_model.text import key, singular

Json = dict[str, Any]


@dataclass(frozen=True)
class Column:
    """A column of the open table, or of a proposal."""

    id: str
    name: str
    type: str = "text"
    required: bool = False
    options: tuple[str, ...] = ()

    def option(self, text: str) -> str | None:
        """Return the option that a text names, whatever its case, number and punctuation."""
        return next(iter(_alike(self.options, text)), None)


@dataclass(frozen=True)
class Page:
    """The page of a turn. Rows are `{"row_id", "data", "number"?}`, with the cells by column name.

    `selected_left_out` counts the selected rows that the prompt does not show.
    """

    name: str
    today: date
    table_name: str = ""
    description: str = ""
    columns: tuple[Column, ...] = ()
    rows: int = 0
    shown_rows: int = 0
    samples: tuple[Json, ...] = ()
    selected: tuple[Json, ...] = ()
    selected_left_out: int = 0

    @property
    def has_rows(self) -> bool:
        """Return whether rows can be changed and counted on this page."""
        return self.name == "table_view"

    def of_type(self, *types: str) -> list[Column]:
        """Return the columns of these types."""
        return [column for column in self.columns if column.type in types]

    def column(self, text: str) -> Column | None:
        """Return the column of that name, whatever its case, number and punctuation."""
        phrase = re.sub(r"^(?:the |my )?(?:(?:column|field) )?|(?: (?:column|field)s?)$", "", key(text)).strip()
        names = [column.name for column in self.columns]
        found = _alike(names, text) or _alike(names, phrase)
        return self.columns[names.index(found[0])] if found else None


def _alike(names: Sequence[str], text: str) -> list[str]:
    """Return the one name that a text means: with the same letters, else with the same words in another form."""
    exact = [name for name in names if key(name) == key(text)]
    found = exact or [name for name in names if letters(name) == letters(text) != ""]
    return found if len(found) == 1 else []


def letters(text: str) -> str:
    """Return the letters and digits of a name with its words in the singular: "E-mails" is "email"."""
    return "".join(singular(word) for word in re.findall(r"[^\W_]+", key(text)))


def read_page(context: Json) -> Page:
    """Return the page of a context document."""
    table, view = context.get("table") or {}, context.get("view") or {}
    return Page(
        name=str(context.get("page", "")),
        today=date.fromisoformat(str(context.get("today") or "2026-01-01")[:10]),
        table_name=str(table.get("name", "")),
        description=str(table.get("description") or ""),
        columns=tuple(read_column(item) for item in table.get("columns") or []),
        rows=table.get("rows") or 0,
        shown_rows=view.get("matching_rows") or 0,
        samples=tuple(context.get("sample_rows") or ()),
        selected=tuple(context.get("selected_rows") or ()),
        selected_left_out=context.get("selected_rows_left_out") or 0,
    )


def read_column(item: Json) -> Column:
    """Return a column of the context, or one that a proposal adds."""
    options = tuple(map(str, item.get("options") or ()))
    return Column(str(item.get("id", "")), str(item["name"]), str(item["type"]), item.get("required") is True, options)
