"""Answers about one record at a time, with the tool `record_result`: what can be computed from its fields.

The demo model finds domains, options by their words, counts, formats and yes or no. Everything else is unknown to it.
"""
from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from chat.demo_model.reply import Reply, ToolUse
from chat.scripted_model.request import find_json, texts_of
from shared.user_messages import declare

Json = dict[str, Any]
TOOL = "record_result"
# They are translated where they are shown.
COMPUTED = declare("demo_computed", "Computed by the demo model.")
UNKNOWN = declare("demo_unknown", "Unknown to the demo model, which only computes.")
ADDRESS = re.compile(r"[\w.+-]+@([\w-]+(?:\.[\w-]+)+)|https?://(?:www\.)?([\w-]+(?:\.[\w-]+)+)", re.IGNORECASE)
BARE_DOMAIN = re.compile(r"\b(?:www\.)?([a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,})\b", re.IGNORECASE)
QUOTED = re.compile(r"[“\"'‘]([^”\"'’]+)[”\"'’]")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
YES = frozenset({"yes", "y", "true", "1", "ja", "oui", "si", "sí", "x", "✓"})
NO = frozenset({"no", "n", "false", "0", "nein", "non", "-", "✗"})
FORMATS: tuple[tuple[str, Callable[[str], str]], ...] = (
    (r"upper ?case|capital letters", str.upper),
    (r"lower ?case|small letters", str.lower),
    (r"title case|capitali[sz]e", str.title),
    (r"\btrim\b|spaces", lambda text: " ".join(text.split())),
    (r"first word|first name", lambda text: (text.split() or [""])[0]),
    (r"last word|last name", lambda text: (text.split() or [""])[-1]),
    (r"initials", lambda text: "".join(word[0].upper() for word in text.split())),
)


def is_about_a_record(body: Json) -> bool:
    """Return whether a request has to be answered with the tool."""
    return any(tool["name"] == TOOL for tool in body.get("tools") or [])


def answer_record(body: Json) -> Reply:
    """Return the answer to a request about one record."""
    schema = next(tool for tool in body["tools"] if tool["name"] == TOOL)["input_schema"]
    fields: Mapping[str, Json] = schema["properties"]["values"]["properties"]
    system = "\n".join(texts_of({"content": body.get("system") or []}))
    instruction = system.partition("\nINSTRUCTION\n")[2].partition("\n\nEXAMPLES\n")[0]
    record = (find_json("".join(texts_of(body["messages"][0]))) or {}).get("row") or {}
    values = {name: _value(field, instruction=instruction, record=record) for name, field in fields.items()}
    found = [value for value in values.values() if value is not None]
    note = str(COMPUTED() if found else UNKNOWN())
    result: Json = {"values": values, "confidence": "high" if found else "low", "note": note, "sources": []}
    return Reply(text="", tool_use=ToolUse(name=TOOL, input=result))


def _value(field: Json, *, instruction: str, record: Mapping[str, Any]) -> Any:
    """Return the value of one field, None if it cannot be computed."""
    schema = field["anyOf"][0]
    named = [str(value) for name, value in record.items() if value is not None and f"{{{name}}}" in instruction]
    texts = named or [str(value) for value in record.values() if value is not None]
    # Names of fields are no words of the instruction.
    words = re.sub(r"\{[^{}]*\}", " ", instruction).lower()
    text = " ".join(texts).strip()
    if not text:
        return None
    if "enum" in schema:
        return _option(schema["enum"], text=text)
    if schema["type"] == "array":
        options = [each for each in schema["items"].get("enum", ()) if _contains(text, each)]
        return options or None
    if schema["type"] == "boolean":
        return _truth(words, instruction=instruction, text=text)
    if schema["type"] == "number":
        return _count(words, instruction=instruction, text=text)
    return _text(words, text=text)


def _option(options: list[str], *, text: str) -> str | None:
    found = [option for option in options if _contains(text, option)]
    if found:
        return max(found, key=len)
    truth = _yes_or_no(text)
    names = YES if truth else NO
    return next((each for each in options if truth is not None and each.lower() in names), None)


def _contains(text: str, word: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE) is not None


def _yes_or_no(text: str) -> bool | None:
    word = text.strip(" .!").lower()
    return True if word in YES else False if word in NO else None


def _truth(words: str, *, instruction: str, text: str) -> bool | None:
    quoted = QUOTED.search(instruction)
    if quoted and re.search(r"contain|include|mention|has|have", words):
        return quoted[1].lower() in text.lower()
    return _yes_or_no(text)


def _count(words: str, *, instruction: str, text: str) -> float | int | None:
    if re.search(r"how many|count|number of|length", words):
        quoted = QUOTED.search(instruction)
        if quoted:
            return text.lower().count(quoted[1].lower())
        return len(text) if re.search(r"character|letter|length", words) else len(text.split())
    found = NUMBER.search(text)
    if found is None:
        return None
    return float(found[0]) if "." in found[0] else int(found[0])


def _text(words: str, *, text: str) -> str | None:
    if "domain" in words:
        found = ADDRESS.search(text)
        bare = BARE_DOMAIN.search(text)
        return (found[1] or found[2]).lower() if found else bare[1].lower() if bare else None
    return next((write(text) or None for pattern, write in FORMATS if re.search(pattern, words)), None)
