"""Checks a JSON value against a JSON Schema (draft 2020-12); the faults are sentences with paths."""
from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

import strictjson

MOST_FAULTS = 8
LONGEST_FAULT = 300


@dataclass(frozen=True)
class SchemaFault:
    """One thing that is wrong: where, which rule of the schema (`required`, `type`, …), and a sentence."""

    path: str
    code: str
    detail: str

    def as_json(self) -> dict[str, Any]:
        """`{"path","code","detail"}`."""
        return {"path": self.path, "code": self.code, "detail": self.detail}


def faults_at(path: str, value: Any, *, schema: dict[str, Any]) -> tuple[SchemaFault, ...]:
    """What is wrong with the value that stands at `path`, the first few faults."""
    return tuple(
        SchemaFault(_path(error, start=path), str(error.validator), _short(error.message))
        for error in islice(_errors(value, schema), MOST_FAULTS)
    )


def faults_of(value: Any, schema: dict[str, Any]) -> tuple[str, ...]:
    """What is wrong with the value, the first few faults: `operations[3].action: 'move' is not one of […]`."""
    return tuple(_sentence(error) for error in islice(_errors(value, schema), MOST_FAULTS))


def _errors(value: Any, schema: dict[str, Any]) -> Iterator[ValidationError]:
    try:
        yield from _validator(strictjson.dump(schema)).iter_errors(value)
    except OverflowError:
        yield ValidationError("A number in it is too large.", validator="multipleOf")


def _all_different(*asked: Any) -> Iterator[ValidationError]:
    """`uniqueItems` in one pass; the library's own compares each object with each other one."""
    _, wanted, value, _ = asked
    if wanted and isinstance(value, list) and len({_key(item) for item in value}) < len(value):
        yield ValidationError(f"{value!r} has non-unique elements")


def _key(value: Any) -> Hashable:
    """The same for values that JSON Schema takes for equal: 1 is 1.0, and not true."""
    if isinstance(value, dict):
        return frozenset((name, _key(item)) for name, item in value.items())
    if isinstance(value, list):
        return tuple(_key(item) for item in value)
    return (bool, value) if isinstance(value, bool) else value


_Validator = extend(Draft202012Validator, {"uniqueItems": _all_different})


@lru_cache(maxsize=256)
def _validator(schema: str) -> Any:
    return _Validator(strictjson.read(schema))


def _sentence(error: ValidationError) -> str:
    path = _path(error, start="")
    return _short(f"{path}: {error.message}" if path else error.message)


def _path(error: ValidationError, *, start: str) -> str:
    path = start
    for part in error.absolute_path:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    return path


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_FAULT else text[: LONGEST_FAULT - 1] + "…"
