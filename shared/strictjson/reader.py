"""Parses JSON strictly, so that every accepted value can be stored and read again on all databases."""
from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, cast

import jiter

from shared.user_messages import Message, declare
from shared.user_messages.request_messages import LONE_SURROGATE, NOT_FINITE, NOT_JSON, NOT_UTF8, NUL_CHARACTER

MAX_DEPTH = 64
MAX_FAULTS = 100
# An unclosed string ends at the end of the text: otherwise the search would start again at each of its quotes.
STRING = re.compile(rb'"[^"\\]*(?:\\(?:.|\Z)[^"\\]*)*(?:"|\Z)', re.DOTALL)
# Values are counted in parts of this size: the beginning is enough to recognize far too many values, and `bytes.count`
# does not release the GIL.
PART_BYTES = 1024 * 1024
# Types of the values with other values in them.
CONTAINERS = frozenset({dict, list})

TOO_MANY_VALUES = declare(
    "too_many_json_values", "The JSON contains more than {count:,} values; send it in parts."
)
TOO_DEEP = declare("json_too_deep", "The JSON is nested too deeply.")


class StrictJsonError(ValueError):
    """The text is not acceptable JSON. `code` is stable and part of the API; `message` is for users.

    `others` are the same fault at other paths.
    """

    def __init__(self, code: str, message: Message, *, path: str = "", others: Sequence[StrictJsonError] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.path = path
        self.others = tuple(others)

    @property
    def detail(self) -> str:
        """The message in English."""
        return str(self.message)


def loads(text: str | bytes, *, max_depth: int = MAX_DEPTH, max_values: int | None = None) -> Any:
    """Return the value of a JSON text.

    Raises StrictJsonError for NaN and Infinity (also `1e400`), duplicate keys, NUL characters, lone surrogates, nesting
    deeper than `max_depth` and, before anything is parsed, more than `max_values` values.
    """
    raw = _utf8(text)
    if max_values is not None and has_more_values(raw, than=max_values):
        raise StrictJsonError("too_many_values", TOO_MANY_VALUES(count=max_values))
    try:
        # By default jiter also caches up to 16,384 short strings of earlier texts.
        value = jiter.from_json(raw, allow_inf_nan=False, catch_duplicate_keys=True, cache_mode="keys")
    except ValueError as error:
        # jiter itself stops at 200 levels, so recursion over its result is safe.
        words = str(error).lower()
        code = "duplicate_key" if "duplicate key" in words else "too_deep" if "recursion" in words else "not_json"
        raise StrictJsonError(code, NOT_JSON(reason=str(error))) from None
    # In valid UTF-8 only escapes can produce unstorable characters, so most strings need no check.
    if b"\\u" in raw or not _fits(value, depth=max_depth):
        check_storable(value, max_depth=max_depth)
    return value


def loads_stored(texts: Iterable[str]) -> list[Any]:
    """Return the values of JSON texts that were read from the database, which are not checked again.

    They are parsed together, in a third of the time of parsing each.
    """
    return cast("list[Any]", jiter.from_json(f"[{','.join(texts)}]".encode(), cache_mode="keys"))


def check_storable(value: Any, *, path: str = "", max_depth: int = MAX_DEPTH) -> None:
    """Raise StrictJsonError for a parsed value that a database or JSON writer does not accept.

    It has the paths of the first 100 texts that are refused.
    """
    faults = list(islice(_unstorable(value, path=path, max_depth=max_depth), MAX_FAULTS))
    if faults:
        first, *others = faults
        raise StrictJsonError(first.code, first.message, path=first.path, others=others)


def _unstorable(value: Any, *, path: str, max_depth: int) -> Iterator[StrictJsonError]:
    """Yield the faults in the order of the text; none within a value that is nested too deeply."""
    if isinstance(value, dict | list) and max_depth == 0:
        yield StrictJsonError("too_deep", TOO_DEEP(), path=path)
    elif isinstance(value, str):
        yield from _text_faults(value, path=path)
    elif isinstance(value, float):
        if not math.isfinite(value):
            yield StrictJsonError("not_finite", NOT_FINITE(), path=path)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _text_faults(key, path=path)
            yield from _unstorable(item, path=f"{path}.{key}" if path else key, max_depth=max_depth - 1)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _unstorable(item, path=f"{path}[{index}]", max_depth=max_depth - 1)


def _fits(value: Any, *, depth: int) -> bool:
    """Return whether nothing is nested too deep and all numbers are finite. Strings are not checked."""
    # All values of a level at once, because a call for each takes five times as long.
    level = [value]
    while True:
        types = set(map(type, level))
        if float in types and not all(math.isfinite(item) for item in level if type(item) is float):
            return False
        nested = [item for item in level if type(item) in CONTAINERS] if types & CONTAINERS else []
        if not nested:
            return True
        if depth == 0:
            return False
        depth -= 1
        level = list(chain.from_iterable(item.values() if type(item) is dict else item for item in nested))


def _utf8(text: str | bytes) -> bytes:
    if isinstance(text, bytes):
        try:
            text.decode("utf-8")
        except UnicodeDecodeError:
            raise StrictJsonError("not_utf8", NOT_UTF8()) from None
        return text
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise StrictJsonError("lone_surrogate", LONE_SURROGATE()) from None


def _text_faults(text: str, *, path: str) -> Iterator[StrictJsonError]:
    if "\x00" in text:
        yield StrictJsonError("nul_character", NUL_CHARACTER(), path=path)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        yield StrictJsonError("lone_surrogate", LONE_SURROGATE(), path=path)


def has_more_values(raw: bytes, *, than: int) -> bool:
    """Return whether a JSON text has more values than this, containers included.

    For a text that is not JSON the result is based on an upper bound.
    """
    # Commas in strings are counted too, so this is an upper bound. Few texts need the exact count.
    if not _has_separators(raw, least=than):
        return False
    end = PART_BYTES
    while end < len(raw):
        if _has_separators(STRING.sub(b"", raw[:end]), least=than):
            return True
        end *= 4
    return _has_separators(STRING.sub(b"", raw), least=than)


def _has_separators(raw: bytes, *, least: int) -> bool:
    """Return whether a text has at least this many commas and opening brackets.

    Each value but the outermost one follows one of these; an empty container adds one too many.
    """
    count = 0
    for start in range(0, len(raw), PART_BYTES):
        part = start, start + PART_BYTES
        count += raw.count(b",", *part) + raw.count(b"[", *part) + raw.count(b"{", *part)
        if count >= least:
            return True
    return count >= least
