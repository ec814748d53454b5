"""Hashes of values, by which a value is recognised as the one that a fill found."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shared import strictjson

LENGTH = 16


def value_hash(value: Any) -> str:
    """Return the hash of a stored value; equal numbers have the same one, whether or not they have a decimal point."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return strictjson.content_hash(value)[:LENGTH]


def value_hashes(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the hash of each value."""
    return {key: value_hash(value) for key, value in values.items()}
