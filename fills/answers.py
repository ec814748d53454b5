"""Read the answer of the model about a row, strictly by the types of its columns."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from chat.agent.model import Stop
from fills.prompt import CONFIDENCES, MAX_NOTE, MAX_QUOTE, MAX_SOURCES, MAX_TITLE, MAX_URL, TOOL
from shared import strictjson
from tables.operations import TableShape
from tables.operations.body_reader import Form
from tables.operations.cells import read_cells
from tables.operations.value_schemas import written_value

Json = dict[str, Any]
MAX_REASONS = 5


@dataclass(frozen=True)
class Answer:
    """An accepted answer. `values` by column id are those that are not empty.

    `is_unverified`: a source was left out, or values that are to come from the web have none.
    """

    values: Json
    confidence: str
    note: str = ""
    sources: tuple[Json, ...] = ()
    is_unverified: bool = False


@dataclass(frozen=True)
class Refused:
    """An answer that is not accepted, with the reason for the model."""

    reason: str


@dataclass
class _Reading:
    reasons: list[str] = field(default_factory=list)

    def text(self, raw: Any, *, name: str, most: int) -> str:
        """Return a text, cut to its maximum length; null is the empty text."""
        if raw is None or isinstance(raw, str):
            return strictjson.replace_unstorable_text((raw or "").strip())[:most]
        self.reasons.append(f"{name}: must be a text.")
        return ""


def read_answer(stop: Stop, *, shape: TableShape, columns: Sequence[str]) -> Answer | Refused:
    """Return the answer of a call: the input of the tool, or JSON in the text. `columns` are the ids to fill."""
    given, reason = _given(stop)
    if given is None:
        return Refused(reason)
    reading = _Reading()
    values = _values(given.get("values"), shape=shape, columns=columns, reading=reading)
    confidence = given.get("confidence")
    if confidence not in CONFIDENCES:
        reading.reasons.append(f"confidence: must be one of {', '.join(CONFIDENCES)}.")
    note = reading.text(given.get("note"), name="note", most=MAX_NOTE)
    sources = _sources(given.get("sources"), reading=reading)
    if reading.reasons:
        return Refused(" ".join(reading.reasons[:MAX_REASONS]))
    return Answer(values, str(confidence), note, sources)


def _given(stop: Stop) -> tuple[Json | None, str]:
    """Return the object that the model wrote, or None and the reason for the model."""
    uses = [block for block in stop.blocks if block["type"] == "tool_use" and block["name"] == TOOL]
    if uses and uses[0]["id"] not in stop.bad_inputs:
        return uses[0]["input"], ""
    if uses:
        return None, f"its input is not valid JSON: {stop.bad_inputs[uses[0]['id']]}"
    text = "".join(block["text"] for block in stop.blocks if block["type"] == "text")
    start, end = text.find("{"), text.rfind("}")
    if 0 <= start < end:
        try:
            found = strictjson.loads(text[start : end + 1])
        except strictjson.StrictJsonError as error:
            return None, f"its JSON is not valid: {error.detail}"
        if isinstance(found, dict):
            return found, ""
    return None, f"the tool {TOOL} was not called."


def _values(raw: Any, *, shape: TableShape, columns: Sequence[str], reading: _Reading) -> Json:
    if not isinstance(raw, dict):
        reading.reasons.append("values: must be an object.")
        return {}
    form = Form()
    named = {key: (column, value) for key, value in raw.items() if (column := shape.column(key)) is not None}
    raw = raw | {key: written_value(value, column=column) for key, (column, value) in named.items()}
    cells = read_cells(raw, shape=shape, path="values", typecast=False, form=form)
    faults = [(fault.path, fault.detail) for fault in form.faults]
    faults += [(fault["path"], fault["detail"]) for fault in cells.faults]
    faults += [(f"values.{key}", "This column is not to be filled.") for key in cells.values if key not in columns]
    reading.reasons += [f"{path}: {detail}" for path, detail in faults]
    return {key: value for key, value in cells.values.items() if value is not None}


def _sources(raw: Any, *, reading: _Reading) -> tuple[Json, ...]:
    if raw is None:
        return ()
    if not isinstance(raw, list) or not all(isinstance(each, dict) for each in raw):
        reading.reasons.append("sources: must be a list of objects.")
        return ()
    limits = {"url": MAX_URL, "title": MAX_TITLE, "quote": MAX_QUOTE}
    return tuple(
        {name: reading.text(each.get(name), name=f"sources.{name}", most=most) for name, most in limits.items()}
        for each in raw[:MAX_SOURCES]
    )
