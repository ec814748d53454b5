"""Writes compact JSON, and replaces what databases cannot store."""
from __future__ import annotations

import hashlib
import json
import json.encoder
import math
from datetime import date, time
from decimal import Decimal
from typing import Any
from uuid import UUID

from shared.strictjson.reader import MAX_DEPTH

_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
# The encoder in C, if the interpreter has one, which `JSONEncoder.encode` creates anew for each value.
_make_encoder = getattr(json.encoder, "c_make_encoder", None)
_write = (
    _make_encoder(None, _compact.default, json.encoder.encode_basestring, None, ":", ",", False, False, False)
    if _make_encoder
    else None
)


class CanonicalEncoder(json.JSONEncoder):
    """Writes compact JSON text with sorted keys, which is the same for equal values. Options are ignored."""

    def __init__(self, **_options: Any) -> None:
        super().__init__(ensure_ascii=False, separators=(",", ":"), allow_nan=False, sort_keys=True)


_canonical = CanonicalEncoder()


def dumps(value: Any) -> str:
    """Return compact JSON text; non-ASCII characters are not escaped."""
    return "".join(_write(value, 0)) if _write else _compact.encode(value)


def as_json(value: Any) -> Any:
    """Return the value as JSON: dates, times, decimals and UUIDs become text. Raises TypeError and ValueError."""
    return json.loads(json.dumps(value, ensure_ascii=False, allow_nan=False, default=_as_text))


def _as_text(value: Any) -> str:
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, Decimal | UUID):
        return str(value)
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


def dumps_with_members(value: dict[str, Any], **encoded: str) -> str:
    """Return an object's compact JSON with more members whose values are JSON text already."""
    members = [f"{dumps(name)}:{text}" for name, text in encoded.items()]
    return "{" + ",".join([dumps(value)[1:-1], *members] if value else members) + "}"


def byte_size(value: Any) -> int:
    """Return the number of bytes of a value's compact JSON in UTF-8."""
    return len(dumps(value).encode("utf-8", "replace"))


def canonical_dumps(value: Any) -> str:
    """Return compact JSON text with sorted keys, which is the same for equal values."""
    return _canonical.encode(value)


def content_hash(value: Any) -> str:
    """Return the SHA-256 (hex) of a value's canonical JSON."""
    return hashlib.sha256(canonical_dumps(value).encode()).hexdigest()


def replace_unstorable(value: Any) -> Any:
    """Return the value without parts that databases cannot store, for values from outside that are only recorded.

    Characters are replaced by U+FFFD, infinite numbers and too deeply nested values by null.
    """
    return _replace_unstorable(value, depth=MAX_DEPTH)


def replace_unstorable_text(text: str) -> str:
    """Return the text with NUL characters and lone surrogates replaced by U+FFFD."""
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.replace("\x00", "\ufffd")


def _replace_unstorable(value: Any, *, depth: int) -> Any:
    if isinstance(value, str):
        # Fast path: most texts need no replacement.
        return value if value.isascii() and "\x00" not in value else replace_unstorable_text(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if not isinstance(value, dict | list | tuple):
        return value
    if depth == 0:
        return None
    if isinstance(value, dict):
        return {
            replace_unstorable_text(str(key)): _replace_unstorable(item, depth=depth - 1) for key, item in value.items()
        }
    return [_replace_unstorable(item, depth=depth - 1) for item in value]
