"""Replies as they are declared: in script files, and for the demo model.

A reply is a text, or a mapping with these keys:

- `text`: Markdown
- `tools`: tool calls, each `{"name", "input"}`
- `payloads`: data by marker, such as `{"READING_LIST": {…}}`
- `suggestions`: suggested messages, each a text or `{"label", "value"}`
- `actions`: suggested actions, each `{"label", "action", "handler"?, "data"?, "style"?, "run"?}`
- `delay`, `pace`: seconds before the reply, and before each of its pieces
- `error`: a failure, see `ERRORS` and `ENDINGS`
"""
from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import partial
from typing import Any

from chat.catalogue import Catalogue
from chat.page_config import layers_of
from chat.scripted_model.faults import Faults, Path
from chat.scripted_model.placeholders import RESULT, Values, fill, fill_input, fill_text, names_in
from chat.scripted_model.reply import Reply, delta_sizes
from chat.scripted_model.wire import input_json

Json = dict[str, Any]
KEYS = ("text", "tools", "payloads", "suggestions", "actions", "delay", "pace", "error")
TOOL_KEYS, VALUE_KEYS = ("name", "input"), ("label", "value")
ACTION_KEYS = ("label", "action", "handler", "data", "style", "run")
PACE = 0.008
# Errors instead of an answer, with their HTTP status. Those of MAY_INTERRUPT can also follow a text.
ERRORS: dict[str, tuple[int, str, str]] = {
    "overloaded": (529, "overloaded_error", "Overloaded"),
    "rate_limited": (429, "rate_limit_error", "Too many requests"),
    "unauthorized": (401, "authentication_error", "invalid x-api-key"),
    "too_long": (400, "invalid_request_error", "prompt is too long"),
}
MAY_INTERRUPT = ("overloaded", "rate_limited")
# How an answer ends early: the model declines, the answer is too long, the connection breaks.
ENDINGS: dict[str, Json] = {
    "refused": {"stop_reason": "refusal"},
    "cut": {"stop_reason": "max_tokens"},
    "dropped": {"ending": "drop"},
}


@dataclass(frozen=True)
class Names:
    """The names that replies may use: tools that a page offers, and markers without their colon."""

    tools: Collection[str]
    markers: Collection[str]


def names_of(catalogue: Catalogue) -> Names:
    """Return the names of a catalogue."""
    offered = {name for page in catalogue.pages for layer in layers_of(page) for name in layer.tools}
    tools = [tool.name for tool in catalogue.tools if tool.is_global or tool.name in offered]
    markers = [entry.parse_marker.removesuffix(":") for entry in catalogue.payload_types if entry.parse_marker]
    return Names(tools=tools, markers=markers)


@dataclass(frozen=True)
class ReplyForm:
    """A declared reply, with its placeholders. `elements` are markers with their data."""

    text: str = ""
    tools: tuple[tuple[str, Json], ...] = ()
    elements: tuple[tuple[str, Any], ...] = ()
    delay: float = 0.0
    pace: float = PACE
    error: str = ""

    def fill(self, values: Values, *, schemas: Mapping[str, Json]) -> Reply:
        """Return the reply; `schemas` are the input schemas of tools. Raises ScriptError if a value is missing."""
        prose = fill_text(self.text, values=values)
        elements = [
            f"{marker}: {json.dumps(fill(data, values=values), ensure_ascii=False)}" for marker, data in self.elements
        ]
        element = "\n\n".join(elements)
        if self.error in ERRORS and not (prose or element):
            status, kind, message = ERRORS[self.error]
            return Reply.refuse(status, kind=kind, message=message).but(delay=self.delay)
        calls = [(name, fill_input(data, values=values, schema=schemas.get(name, {}))) for name, data in self.tools]
        prose += "\n\n" if prose and element else ""
        return Reply.use(
            *calls,
            text=prose + element,
            sizes=delta_sizes(prose, element=element, inputs=[input_json(data) for _, data in calls]),
            delay=self.delay,
            pace=self.pace,
            **self._ending(has_tools=bool(calls)),
        )

    def _ending(self, *, has_tools: bool) -> Json:
        if self.error in ERRORS:
            _, kind, message = ERRORS[self.error]
            return {"stop_reason": "end_turn", "ending": "error", "error": {"type": kind, "message": message}}
        return {"stop_reason": "tool_use" if has_tools else "end_turn", **ENDINGS.get(self.error, {})}


@dataclass
class ReplyReader:
    """Reads declared replies and collects their faults. Without `names` their tools and markers are not checked."""

    names: Names | None = None
    faults: Faults = field(default_factory=Faults)

    def replies(self, value: Any, *, path: Path, groups: Collection[str] = ()) -> tuple[ReplyForm, ...]:
        """Return one reply or a list of replies; `groups` are the names of placeholders, besides that of the result."""
        entries = [(path, value)]
        if isinstance(value, list):
            entries = [((*path, at), entry) for at, entry in enumerate(value)]
            if not value:
                self.faults.add(path, "must have a reply")
        found: list[ReplyForm] = []
        for where, entry in entries:
            self._check_placeholders(entry, path=where, groups=groups, has_result=any(reply.tools for reply in found))
            found.append(self._reply(entry, path=where))
        return tuple(found)

    def _reply(self, value: Any, *, path: Path) -> ReplyForm:
        if isinstance(value, str):
            return ReplyForm(text=value)
        if not isinstance(value, dict):
            self.faults.add(path, f"must be a text, or a mapping with the keys {', '.join(KEYS)}")
            return ReplyForm()
        faults, given = self.faults, self.faults.mapping(value, path=path, keys=KEYS)
        found_before = len(faults.found)
        reply = ReplyForm(
            text=faults.typed(given.get("text", ""), str, path=(*path, "text"), default=""),
            tools=tuple(self._list(given, "tools", path=path, read=self._tool)),
            elements=self._elements(given, path=path),
            delay=faults.seconds(given.get("delay", 0), path=(*path, "delay")),
            pace=faults.seconds(given.get("pace", PACE), path=(*path, "pace")),
            error=faults.typed(given.get("error", ""), str, path=(*path, "error"), default=""),
        )
        if len(faults.found) == found_before:
            self._check_error(reply, path=path)
        return reply

    def _check_error(self, reply: ReplyForm, *, path: Path) -> None:
        if not reply.error:
            if not (reply.text or reply.tools or reply.elements):
                self.faults.add(path, "must have text, tools, payloads, suggestions, actions or an error")
        elif reply.error not in (known := [*ERRORS, *ENDINGS]):
            self.faults.add((*path, "error"), f"must be one of {', '.join(known)}, not {reply.error!r}")
        elif reply.error in ERRORS and reply.error not in MAY_INTERRUPT and (reply.text or reply.elements):
            self.faults.add((*path, "error"), f"{reply.error!r} cannot follow a text")
        elif reply.tools and reply.error not in ("cut", "dropped"):
            self.faults.add((*path, "error"), f"{reply.error!r} cannot follow tool calls")

    def _list(self, given: Json, name: str, *, path: Path, read: Callable[..., Any]) -> list[Any]:
        entries = self.faults.typed(given.get(name, []), list, path=(*path, name), default=[])
        return [read(entry, path=(*path, name, at)) for at, entry in enumerate(entries)]

    def _tool(self, value: Any, *, path: Path) -> tuple[str, Json]:
        given = self.faults.mapping(value, path=path, keys=TOOL_KEYS)
        self.faults.texts(given, "name", path=path)
        name = str(given.get("name", ""))
        if self.names is not None and name:
            self._check_name(name, self.names.tools, path=(*path, "name"), fault=f"no page offers the tool {name!r}")
        return name, self.faults.typed(given.get("input", {}), dict, path=(*path, "input"), default={})

    def _elements(self, given: Json, *, path: Path) -> tuple[tuple[str, Any], ...]:
        payloads = self.faults.typed(given.get("payloads", {}), dict, path=(*path, "payloads"), default={})
        for marker in payloads if self.names is not None else ():
            fault = f"no payload type has the marker {marker!r}"
            self._check_name(marker, self.names.markers, path=(*path, "payloads", marker), fault=fault)  # type: ignore[union-attr]  # not None, see the loop
        values = self._list(given, "suggestions", path=path, read=self._suggestion)
        actions = self._list(given, "actions", path=path, read=partial(self._entry, keys=ACTION_KEYS, required=2))
        suggested = (("SUGGESTED_VALUES", values), ("SUGGESTED_ACTIONS", actions))
        return (*payloads.items(), *((marker, entries) for marker, entries in suggested if entries))

    def _suggestion(self, value: Any, *, path: Path) -> Json:
        if isinstance(value, str):
            return {"label": value, "value": value}
        return self._entry(value, path=path, keys=VALUE_KEYS, required=2)

    def _entry(self, value: Any, *, path: Path, keys: tuple[str, ...], required: int) -> Json:
        given = self.faults.mapping(value, path=path, keys=keys)
        self.faults.texts(given, *keys[:required], path=path)
        return given

    def _check_name(self, name: str, known: Collection[str], *, path: Path, fault: str) -> None:
        if name not in known:
            nearest = get_close_matches(name, list(known), n=1)
            hint = f"Did you mean {nearest[0]!r}?" if nearest else f"There are {', '.join(sorted(known)) or 'none'}."
            self.faults.add(path, f"{fault}. {hint}")

    def _check_placeholders(self, value: Any, *, path: Path, groups: Collection[str], has_result: bool) -> None:
        for name in dict.fromkeys(names_in(value)):
            first = name.split(".")[0]
            if first == RESULT:
                if not has_result:
                    self.faults.add(path, f"{{{name}}} needs a tool call in an earlier reply of the turn")
            elif name not in groups:
                known = ", ".join(f"{{{each}}}" for each in (*groups, RESULT))
                fault = f"{{{name}}} has no value; there are {known}. For the text itself write {{{{{name}}}}}."
                self.faults.add(path, fault)
