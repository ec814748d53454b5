"""Checks a JSON value against a JSON Schema (draft 2020-12); the faults are sentences with paths."""
from __future__ import annotations

from functools import lru_cache
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

import strictjson

MOST_FAULTS = 8
LONGEST_FAULT = 300


def faults_of(value: Any, schema: dict[str, Any]) -> tuple[str, ...]:
    """What is wrong with the value, the first few faults: `operations[3].action: 'move' is not one of […]`."""
    errors = _validator(strictjson.dump(schema)).iter_errors(value)
    return tuple(_sentence(error) for error in islice(errors, MOST_FAULTS))


@lru_cache(maxsize=256)
def _validator(schema: str) -> Draft202012Validator:
    return Draft202012Validator(strictjson.read(schema))


def _sentence(error: ValidationError) -> str:
    path = ""
    for part in error.absolute_path:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    text = f"{path}: {error.message}" if path else error.message
    return text if len(text) <= LONGEST_FAULT else text[: LONGEST_FAULT - 1] + "…"
