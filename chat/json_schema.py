"""Checks a JSON value against a JSON Schema (draft 2020-12); the faults are sentences with paths."""
from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

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
    errors = _validator(strictjson.dump(schema)).iter_errors(value)
    return tuple(
        SchemaFault(_path(error, start=path), str(error.validator), _short(error.message))
        for error in islice(errors, MOST_FAULTS)
    )


def faults_of(value: Any, schema: dict[str, Any]) -> tuple[str, ...]:
    """What is wrong with the value, the first few faults: `operations[3].action: 'move' is not one of […]`."""
    errors = _validator(strictjson.dump(schema)).iter_errors(value)
    return tuple(_sentence(error) for error in islice(errors, MOST_FAULTS))


@lru_cache(maxsize=256)
def _validator(schema: str) -> Draft202012Validator:
    return Draft202012Validator(strictjson.read(schema))


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
