"""Placeholders in declared replies: `{words}` of a pattern, `{result}` and `{result.papers.0.title}` of a tool.

A doubled pair of braces is not replaced: `{{words}}` becomes `{words}`. All other braces are ordinary text.
"""
from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from chat.scripted_model.faults import ScriptError

Json = dict[str, Any]
RESULT = "result"
_DATA_MARK = re.compile(r"^</?data token=[^\n>]*>\s*", re.MULTILINE)
_NAME = r"[A-Za-z_]\w*(?:\.\w+)*"
_PLACEHOLDER = re.compile(rf"\{{\{{(?P<literal>{_NAME})\}}\}}|\{{(?P<name>{_NAME})\}}")


@dataclass(frozen=True)
class Values:
    """Values of placeholders: groups of the pattern, and the last result of a tool, as `results_of` has it."""

    groups: Mapping[str, str] = field(default_factory=dict)
    result: Json | None = None

    def get(self, name: str) -> Any:
        """Return the value of a placeholder. Raises ScriptError if the result does not have it."""
        first, *path = name.split(".")
        if first != RESULT:
            return self.groups.get(first, "")
        result = self.result or {"text": "", "value": None}
        value: Any = result["value"] if path else _DATA_MARK.sub("", result["text"]).strip()
        for part in path:
            try:
                value = dict(enumerate(value))[int(part)] if isinstance(value, list) else value[part]
            except (KeyError, TypeError, ValueError):
                shown = _short(value if value is not None else result["text"])
                raise ScriptError(f"{{{name}}}: the result of the tool has no {part!r}: {shown}") from None
        return value


def names_in(value: Any) -> Iterator[str]:
    """Yield the names of the placeholders in a value."""
    if isinstance(value, str):
        yield from (found["name"] for found in _PLACEHOLDER.finditer(value) if found["name"])
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from names_in(item)


def fill(value: Any, *, values: Values) -> Any:
    """Return a value with its placeholders replaced. A text that is one placeholder becomes the value itself."""
    if isinstance(value, dict):
        return {key: fill(item, values=values) for key, item in value.items()}
    if isinstance(value, list):
        return [fill(item, values=values) for item in value]
    if not isinstance(value, str):
        return value
    whole = _PLACEHOLDER.fullmatch(value)
    if whole and whole["name"]:
        return values.get(whole["name"])
    return fill_text(value, values=values)


def fill_text(text: str, *, values: Values) -> str:
    """Return a text with its placeholders replaced."""

    def replacement(found: re.Match[str]) -> str:
        return f"{{{found['literal']}}}" if found["literal"] else _as_text(values.get(found["name"]))

    return _PLACEHOLDER.sub(replacement, text)


def fill_input(declared: Json, *, values: Values, schema: Json) -> Json:
    """Return the input of a tool. Inserted texts become numbers or booleans where the schema requires it."""
    properties = schema.get("properties") or {}
    filled = {name: fill(value, values=values) for name, value in declared.items()}
    return {
        name: _converted(value, (properties.get(name) or {}).get("type")) if value != declared[name] else value
        for name, value in filled.items()
    }


def _converted(value: Any, kind: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = value.strip().replace(",", "")
    if kind == "integer" and re.fullmatch(r"-?[0-9]{1,15}", text):
        return int(text)
    if kind == "number" and re.fullmatch(r"-?[0-9]{1,15}(\.[0-9]{1,15})?", text):
        return float(text) if "." in text else int(text)
    if kind == "boolean" and text.casefold() in {"true", "false", "yes", "no"}:
        return text.casefold() in {"true", "yes"}
    return value


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _short(value: Any) -> str:
    text = _as_text(value)
    return text if len(text) <= 200 else f"{text[:200]}…"
