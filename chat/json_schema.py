"""Validation of JSON values against a JSON Schema (draft 2020-12), with faults as sentences with paths."""
from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from shared import strictjson

MAX_FAULTS = 8
MAX_FAULT_LENGTH = 300


@dataclass(frozen=True)
class SchemaFault:
    """One fault: the path, the keyword of the schema (`required`, `type`, …), and a sentence."""

    path: str
    code: str
    detail: str

    def as_json(self) -> dict[str, Any]:
        """Return `{"path", "code", "detail"}`."""
        return {"path": self.path, "code": self.code, "detail": self.detail}


def faults_at(path: str, value: Any, *, schema: dict[str, Any]) -> tuple[SchemaFault, ...]:
    """Return the first MAX_FAULTS faults of a value whose own path is `path`."""
    return tuple(
        SchemaFault(_path(error, start=path), str(error.validator), _short(error.message))
        for error in islice(_errors(value, schema), MAX_FAULTS)
    )


def faults_of(value: Any, schema: dict[str, Any]) -> tuple[str, ...]:
    """Return the first MAX_FAULTS faults of a value as text: `operations[3].action: 'move' is not one of […]`."""
    return tuple(_sentence(error) for error in islice(_errors(value, schema), MAX_FAULTS))


def _errors(value: Any, schema: dict[str, Any]) -> Iterator[ValidationError]:
    try:
        yield from _validator(strictjson.dumps(schema)).iter_errors(value)
    except OverflowError:
        yield ValidationError("A number in it is too large.", validator="multipleOf")


def _unique_items(*arguments: Any) -> Iterator[ValidationError]:
    """Check `uniqueItems` in one pass; the library compares each pair of objects."""
    _, required, value, _ = arguments
    if required and isinstance(value, list) and len({_equality_key(item) for item in value}) < len(value):
        yield ValidationError(f"{value!r} has non-unique elements")


def _equality_key(value: Any) -> Hashable:
    """Return a key that is the same for values that are equal in JSON Schema: 1 and 1.0, but not 1 and true."""
    if isinstance(value, dict):
        return frozenset((name, _equality_key(item)) for name, item in value.items())
    if isinstance(value, list):
        return tuple(_equality_key(item) for item in value)
    return (bool, value) if isinstance(value, bool) else value


_Validator = extend(Draft202012Validator, {"uniqueItems": _unique_items})


@lru_cache(maxsize=256)
def _validator(schema: str) -> Any:
    return _Validator(strictjson.loads(schema))


def _sentence(error: ValidationError) -> str:
    path = _path(error, start="")
    return _short(f"{path}: {error.message}" if path else error.message)


def _path(error: ValidationError, *, start: str) -> str:
    path = start
    for part in error.absolute_path:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    return path


def _short(text: str) -> str:
    return text if len(text) <= MAX_FAULT_LENGTH else text[: MAX_FAULT_LENGTH - 1] + "…"
