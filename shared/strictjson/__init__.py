"""Reads JSON strictly, the same at every door: what the databases or a later reader could not bear is refused here."""
from __future__ import annotations

import hashlib
import json
import math
from typing import Any

import jiter

from shared.strictjson.counting import has_more_values
from shared.user_messages import Message, declare
from shared.user_messages.request_messages import LONE_SURROGATE, NOT_FINITE, NOT_JSON, NOT_UTF8, NUL_CHARACTER

MAX_DEPTH = 64
_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_canonical = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False, sort_keys=True)


TOO_MANY_VALUES = declare(
    "too_many_json_values", "The JSON holds more than {count:,} values; send it in parts."
)
TOO_DEEP = declare("json_too_deep", "The JSON is nested too deep.")


class NotStrictJson(ValueError):
    """The text is not JSON as we accept it. `code` is stable and part of the API; `message` is for a person."""

    def __init__(self, code: str, message: Message, *, path: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.path = path

    @property
    def detail(self) -> str:
        """The message in English."""
        return str(self.message)


def read(text: str | bytes, *, max_depth: int = MAX_DEPTH, max_values: int | None = None) -> Any:
    """Return the value of a JSON text.

    Refuses NaN and Infinity (also `1e400`), doubled keys, NUL characters, lone surrogates, nesting deeper than
    `max_depth` and, before anything is built, more than `max_values` values. Raises NotStrictJson.
    """
    raw = _utf8(text)
    if max_values is not None and has_more_values(raw, than=max_values):
        raise NotStrictJson("too_many_values", TOO_MANY_VALUES(count=max_values))
    try:
        # By default jiter keeps up to 16,384 short texts of earlier bodies until others replace them.
        value = jiter.from_json(raw, allow_inf_nan=False, catch_duplicate_keys=True, cache_mode="keys")
    except ValueError as error:
        # jiter stops by itself at 200 levels, so walking what it returns is safe.
        words = str(error).lower()
        code = "duplicate_key" if "duplicate key" in words else "too_deep" if "recursion" in words else "not_json"
        raise NotStrictJson(code, NOT_JSON(reason=str(error))) from None
    # Only an escape puts such characters into a text that is UTF-8 and could be parsed: mostly no text needs a look.
    if b"\\u" in raw or not _fits(value, depth=max_depth):
        refuse_unstorable(value, max_depth=max_depth)
    return value


def refuse_unstorable(value: Any, *, path: str = "", max_depth: int = MAX_DEPTH) -> None:
    """Raises NotStrictJson for a parsed value that a database or a JSON writer could not take."""
    if isinstance(value, dict | list) and max_depth == 0:
        raise NotStrictJson("too_deep", TOO_DEEP(), path=path)
    if isinstance(value, str):
        _check_text(value, path=path)
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise NotStrictJson("not_finite", NOT_FINITE(), path=path)
    elif isinstance(value, dict):
        for key, item in value.items():
            _check_text(key, path=path)
            refuse_unstorable(item, path=f"{path}.{key}" if path else key, max_depth=max_depth - 1)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            refuse_unstorable(item, path=f"{path}[{index}]", max_depth=max_depth - 1)


def storable(value: Any) -> Any:
    """The value with whatever no database would take replaced: characters by U+FFFD, numbers beyond all bounds and
    what is nested too deep by null. For what others wrote and we only keep."""
    return _storable(value, depth=MAX_DEPTH)


def storable_text(text: str) -> str:
    """The text with NUL characters and lone halves of surrogate pairs replaced by U+FFFD."""
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.replace("\x00", "\ufffd")


def dump(value: Any) -> str:
    """Compact JSON text, non-ASCII kept as it is."""
    return _compact.encode(value)


def dump_with(value: dict[str, Any], **written: str) -> str:
    """An object's compact JSON with more members, whose values are JSON text already: what is long is written once."""
    members = [f"{dump(name)}:{text}" for name, text in written.items()]
    return "{" + ",".join([dump(value)[1:-1], *members] if value else members) + "}"


def size_of(value: Any) -> int:
    """The bytes of a value's compact JSON in UTF-8."""
    return len(dump(value).encode("utf-8", "replace"))


def canonical(value: Any) -> str:
    """Compact JSON text with sorted keys: equal values have equal texts."""
    return _canonical.encode(value)


def content_hash(value: Any) -> str:
    """The SHA-256 (hex) of a value's canonical JSON: sorted keys, no spaces."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def _fits(value: Any, *, depth: int) -> bool:
    """Whether nothing is nested too deep and all numbers are finite; texts are not looked at."""
    if not isinstance(value, dict | list):
        return not isinstance(value, float) or math.isfinite(value)
    if depth == 0:
        return False
    for item in value.values() if isinstance(value, dict) else value:
        kind = type(item)
        if kind is not str and kind is not int and not _fits(item, depth=depth - 1):
            return False
    return True


def _utf8(text: str | bytes) -> bytes:
    if isinstance(text, bytes):
        try:
            text.decode("utf-8")
        except UnicodeDecodeError:
            raise NotStrictJson("not_utf8", NOT_UTF8()) from None
        return text
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise NotStrictJson("lone_surrogate", LONE_SURROGATE()) from None


def _storable(value: Any, *, depth: int) -> Any:
    if isinstance(value, str):
        # Most texts are of this kind, and no call is made for them.
        return value if value.isascii() and "\x00" not in value else storable_text(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if not isinstance(value, dict | list | tuple):
        return value
    if depth == 0:
        return None
    if isinstance(value, dict):
        return {storable_text(str(key)): _storable(item, depth=depth - 1) for key, item in value.items()}
    return [_storable(item, depth=depth - 1) for item in value]


def _check_text(text: str, *, path: str) -> None:
    if "\x00" in text:
        raise NotStrictJson("nul_character", NUL_CHARACTER(), path=path)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise NotStrictJson("lone_surrogate", LONE_SURROGATE(), path=path) from None
