"""The content of a table and its rules in plain Python, without a database."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]
OPTIONS = ("Open", "Done")
EMPTY = (None, "")
DAYS = ("2024-02-29", "0999-12-31")
# All numbers in these tests with their texts; the last text is not parsed as a number again.
NUMBERS = {0: "0", 1: "1", 12: "12", -2.5: "-2.5", 2**53 - 1: "9007199254740991", 1e23: "1e+23"}
READ = {text: number for number, text in NUMBERS.items() if number != 1e23}
TRUTHS = {"true": True, "yes": True, "false": False, "no": False}
SHOWN = ("id", "name", "type", "required", "default", "options")


def shown(column: Json) -> Json:
    """Return the compared fields of a column in a response."""
    return {key: column[key] for key in SHOWN if key in column}


def key_of(name: str) -> str:
    return name.strip().casefold()


def equal(one: Any, other: Any) -> bool:
    """Return whether two cells are equal: True is not 1."""
    return bool(one == other and isinstance(one, bool) == isinstance(other, bool))


def fits(value: Any, column: Json) -> bool:
    """Return whether a value, without a cast, has the type of the column."""
    kind = column["type"]
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind == "boolean":
        return isinstance(value, bool)
    if kind == "select":
        return value in column["options"]
    return value in DAYS if kind == "date" else isinstance(value, str)


def text_of(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else NUMBERS[value]


def loose(text: str) -> str:
    return " ".join(text.casefold().split())


def option_like(text: str, *, options: list[str]) -> str | None:
    return text if text in options else next((each for each in options if loose(each) == loose(text)), None)


def read(value: Any, *, column: Json) -> Any:
    """Return a string cast to the column's type; None if it cannot be cast."""
    kind = column["type"]
    if fits(value, column):
        return value
    if kind in ("text", "select") and value not in EMPTY:
        return text_of(value) if kind == "text" else option_like(text_of(value), options=column["options"])
    means: Json = {"number": READ, "boolean": TRUTHS}.get(kind, {})
    return means.get(value if kind == "number" else loose(value)) if isinstance(value, str) else None


def converted(value: Any, *, source: Json, target: Json) -> Any:
    """Return the value of one column in the type of another; None if it cannot be converted."""
    kinds, kind, text = {source["type"], target["type"]}, target["type"], text_of(value)
    if "date" in kinds and kinds & {"number", "boolean"}:
        return None
    if kind == "text":
        return text
    if kind == "number":
        return int(value) if isinstance(value, bool) else READ.get(text)
    if kind == "boolean":
        numbers = {0: False, 1: True} if source["type"] == "number" else {}
        return numbers.get(value) if numbers else TRUTHS.get(loose(text))
    if kind == "date":
        return text if text in DAYS else None
    return option_like(text, options=target["options"])


@dataclass
class Content:
    """Return the content that undo must restore: columns as returned by `shown`, and rows `(id, cells)`.

    Columns have their order; rows are ordered by id: new ones are appended, and restored ones return to their
    position.
    """

    columns: list[Json] = field(default_factory=list)
    rows: list[tuple[int, Json]] = field(default_factory=list)

    def column(self, column_id: str) -> Json:
        return next(column for column in self.columns if column["id"] == column_id)

    def ids(self) -> list[int]:
        return [row_id for row_id, _ in self.rows]

    def column_ids(self) -> list[str]:
        return [column["id"] for column in self.columns]

    def cells_fit(self, cells: Json) -> bool:
        """Return whether values by column id have the types of their columns; empty values fit any type."""
        return all(value in EMPTY or fits(value, self.column(key)) for key, value in cells.items())

    def completed(self, cells: Json) -> Json:
        """Return the cells of a new row, with defaults for missing columns."""
        defaults = {column["id"]: column["default"] for column in self.columns if column["default"] is not None}
        return defaults | cells

    def may_add(self, cells: Json) -> bool:
        needed, whole = [column["id"] for column in self.columns if column["required"]], self.completed(cells)
        return self.cells_fit(cells) and all(whole.get(key) not in EMPTY for key in needed)

    def may_change(self, row_id: int, cells: Json) -> bool:
        """Return whether the values fit, and no required value is removed."""
        now = self.cells(row_id)
        emptied = [key for key, value in cells.items() if value in EMPTY and key in now]
        return self.cells_fit(cells) and not any(self.column(key)["required"] for key in emptied)

    def cells(self, row_id: int) -> Json:
        return next(cells for key, cells in self.rows if key == row_id)

    def add(self, row_id: int, cells: Json) -> None:
        self.rows.append((row_id, {key: value for key, value in cells.items() if value not in EMPTY}))
        self.rows.sort(key=lambda row: row[0])

    def change(self, row_id: int, cells: Json) -> None:
        now = self.cells(row_id)
        now.update(cells)
        for key in [key for key, value in now.items() if value in EMPTY]:
            del now[key]

    def delete(self, row_ids: set[int]) -> None:
        self.rows = [(key, cells) for key, cells in self.rows if key not in row_ids]

    def remove_column(self, column_id: str) -> None:
        self.columns = [column for column in self.columns if column["id"] != column_id]
        for _, cells in self.rows:
            cells.pop(column_id, None)

    def name_is_free(self, name: str, *, for_column: str = "") -> bool:
        others = [key_of(column["name"]) for column in self.columns if column["id"] != for_column]
        return key_of(name) not in others

    def names_differ(self) -> bool:
        return len({key_of(column["name"]) for column in self.columns}) == len(self.columns)

    def retype(self, column_id: str, *, kind: str, options: list[str] | None, clear: bool) -> bool:
        """Change the type of a column and convert its values; return whether this is allowed."""
        source = self.column(column_id)
        held = [cells[column_id] for _, cells in self.rows if column_id in cells]
        target = {key: source[key] for key in ("id", "name", "required")} | {"type": kind, "default": None}
        if kind == "select":
            found = {loose(text): text for text in reversed([text_of(value).strip() for value in held])}
            in_order = dict.fromkeys(found[loose(text_of(value))] for value in held)
            if options is None and (not held or any("\n" in text for text in in_order)):
                return False
            target["options"] = options or list(in_order)
        if source["default"] is not None:
            target["default"] = converted(source["default"], source=source, target=target)
        lost = self._each(column_id, lambda value: converted(value, source=source, target=target))
        self.columns[self.columns.index(source)] = target
        return clear or not lost

    def give_options(self, column_id: str, *, options: list[str], removed: Any) -> bool:
        """Change the options of a column and the values of rows with a removed one; return whether this is allowed."""
        column = self.column(column_id)
        mapping = removed if isinstance(removed, dict) else {}
        going = set(column["options"]) - set(options)
        if not going.issuperset(mapping) or not set(options).issuperset(mapping.values()):
            return False

        def become(value: str) -> str | None:
            new = value if value in options else mapping.get(value)
            return new if new in options else None

        lost = self._each(column_id, become)
        column["options"] = options
        if column["default"] not in (None, *options):
            column["default"] = mapping.get(column["default"])
        return (removed == "clear" or not lost) and column["default"] in (None, *options)

    def _each(self, column_id: str, become: Any) -> int:
        """Replace every value of the column; return how many are lost."""
        lost = 0
        for _, cells in self.rows:
            if column_id in cells:
                new = become(cells.pop(column_id))
                lost += new is None
                cells.update({} if new is None else {column_id: new})
        return lost
