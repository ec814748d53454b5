"""The stored form of the cells of a row: canonical JSON, and the text for searching."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from json.encoder import encode_basestring
from types import MappingProxyType
from typing import Any

from shared import strictjson
from tables.column_types.column_type import get_column_type
from tables.column_types.spec import ColumnSpec

# The JSON of values of one type, for columns without empty cells.
WRITERS: Mapping[frozenset[type], Callable[[Any], str]] = {
    frozenset({str}): encode_basestring,
    frozenset({int}): str,
    frozenset({bool}): {True: "true", False: "false"}.__getitem__,
}
# The JSON of a row without values.
NO_CELLS = "{}"


class RowDigest:
    """Computes the stored form of rows with these columns."""

    def __init__(self, columns: Iterable[ColumnSpec]) -> None:
        columns = [column for column in columns if not column.is_computed]
        self._ids = sorted(column.id for column in columns)
        kinds = [get_column_type(column.type) for column in columns]
        self._texts = [
            (column.id, kind.searched, kind.text_is_value)
            for column, kind in zip(columns, kinds, strict=True)
            if kind.searchable
        ]

    def of(self, data: Mapping[str, Any]) -> tuple[str, str]:
        """Return the cells as canonical JSON without empty ones, and the search text.

        The JSON of two rows is equal exactly if all their cells are.
        """
        cells = {column_id: value for column_id in self._ids if (value := data.get(column_id)) is not None}
        # The keys are sorted already, so this text is canonical.
        return strictjson.dumps(cells), self.search_text(data)

    def of_columns(
        self,
        columns: Mapping[str, Sequence[Any]],
        *,
        count: int,
        written: Mapping[str, Sequence[str | None]] = MappingProxyType({}),
    ) -> list[tuple[str, str]]:
        """Return what `of` returns for each of `count` rows, whose values are given by column.

        `written` are the results of `json_values` for columns, as far as they are known.
        """
        if not count:
            return []
        members = [
            (key, written[key] if key in written else json_values(columns[key])) for key in self._ids if key in columns
        ]
        texts = json_objects(members, count=count)
        searched = [
            _each(values, _same if as_stored and _types(values) <= {str} else text)
            for key, text, as_stored in self._texts
            if (values := columns.get(key)) is not None
        ]
        # Stored text has no NUL, and the case of a character does not depend on its neighbours.
        lines = "\0".join(_joined(searched, "\n", count=count)).casefold().split("\0")
        return list(zip(texts, lines, strict=True))

    def search_text(self, data: Mapping[str, Any]) -> str:
        """Return the casefolded texts of all searchable cells, one per line, in the order of the columns."""
        texts = []
        for column_id, text, as_stored in self._texts:
            value = data.get(column_id)
            if value is not None:
                texts.append(value if as_stored and type(value) is str else text(value))
        return "\n".join(texts).casefold()


def _types(values: Sequence[Any]) -> set[type]:
    """Return the types of the values of a column, without that of None."""
    return set(map(type, values)) - {type(None)}


def _same(value: Any) -> Any:
    return value


def _each(values: Sequence[Any], text: Callable[[Any], str]) -> Sequence[str | None]:
    """Return the text of each value, None for None; equal values of one type are computed once."""
    if text is _same:
        return values
    if len(_types(values)) == 1 and not _types(values) & {list, dict}:
        known = {value: None if value is None else text(value) for value in dict.fromkeys(values)}
        return list(map(known.__getitem__, values))
    if _are_lists_of_texts(values):
        return _each_list(values, text)
    return [None if value is None else text(value) for value in values]


def _are_lists_of_texts(values: Sequence[Any]) -> bool:
    return _types(values) == {list} and {type(each) for value in values if value for each in value} == {str}


def _each_list(values: Sequence[Any], text: Callable[[Any], str]) -> list[str | None]:
    """Return the text of each list of texts, None for None; equal lists are computed once."""
    keys = [None if value is None else tuple(value) for value in values]
    known = {key: None if key is None else text(list(key)) for key in dict.fromkeys(keys)}
    return list(map(known.__getitem__, keys))


def _list_json(texts: Sequence[str]) -> str:
    return f"[{','.join(map(encode_basestring, texts))}]"


def json_objects(columns: Sequence[tuple[str, Sequence[str | None]]], *, count: int) -> list[str]:
    """Return the JSON of each of `count` rows, without empty cells.

    `columns` are the keys with the JSON of their values, as `json_values` returns it.
    """
    names = [strictjson.dumps(key) for key, _ in columns]
    members = [values for _, values in columns]
    if columns and not any(None in values for values in members):
        # One template for all rows takes a third of the time of joining their members.
        template = "{" + ",".join(f"{name.replace('%', '%%')}:%s" for name in names) + "}"
        return list(map(template.__mod__, zip(*members, strict=True)))
    named = [
        [None if value is None else f"{name}:{value}" for value in values]
        for name, values in zip(names, members, strict=True)
    ]
    return [f"{{{cells}}}" for cells in _joined(named, ",", count=count)]


def json_values(values: Sequence[Any]) -> Sequence[str | None]:
    """Return the JSON of each value of a column, None for None."""
    write = WRITERS.get(frozenset(map(type, values)))
    if write:
        return list(map(write, values))
    if _are_lists_of_texts(values):
        return _each_list(values, _list_json)
    return _each(values, encode_basestring if _types(values) == {str} else strictjson.dumps)


def _joined(columns: Sequence[Sequence[str | None]], separator: str, *, count: int) -> list[str]:
    """Return the texts of each row, joined."""
    if not columns:
        return list(repeat("", count))
    rows = zip(*columns, strict=True)
    if any(None in values for values in columns):
        return [separator.join([text for text in row if text is not None]) for row in rows]
    return list(map(separator.join, rows))


def folded_cells(text: str) -> str:
    """Return the casefolded texts that `lower` of SQLite, which changes only ASCII, does not return; as JSON by column.

    `text` is the JSON of the cells. The type of a column makes no difference, because a change of type may leave its
    cells as they are.
    """
    # Only JSON with escapes, as Django writes it, must be read to find out.
    if "\\u" not in text and (text.isascii() or text.casefold() == _lower(text)):
        return "{}"
    texts = {key: value for key, value in strictjson.loads(text).items() if isinstance(value, str)}
    folded = {key: value.casefold() for key, value in texts.items()}
    return strictjson.dumps({key: value for key, value in folded.items() if value != _lower(texts[key])})


def all_folded_cells(texts: Sequence[str]) -> Iterable[str]:
    """Return `folded_cells` of each of these texts."""
    joined = "".join(texts)
    if joined.isascii() and "\\u" not in joined:
        return repeat(NO_CELLS, len(texts))
    return map(folded_cells, texts)


def _lower(text: str) -> str:
    return text.encode().lower().decode()


def search_text(columns: Iterable[ColumnSpec], data: Mapping[str, Any]) -> str:
    """Return the casefolded texts of all searchable cells, one per line, in the order of the columns."""
    return RowDigest(columns).search_text(data)
