"""The grammar of a turn's stream as a machine that takes one event after the other and notes what may not be."""
from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

Json = dict[str, Any]

FINALS = {"complete", "error", "cancelled"}
FIELDS = {
    "status": ({"message"}, {"message_code", "params", "turn_id", "conversation_id"}),
    "text_delta": ({"text"}, {"closing"}),
    "payload_progress": ({"payload_type", "operations", "count"}, {"reset", "texts"}),
    "tool_start": ({"tool", "input", "tool_use_id"}, set()),
    "tool_progress": ({"tool", "tool_use_id", "stage", "message", "progress"}, {"data"}),
    "tool_complete": ({"tool", "tool_use_id", "index", "is_error", "duration_ms"}, {"undo"}),
    "complete": ({"payload"}, set()),
    "error": ({"message", "code", "retryable"}, {"message_code", "params", "retry_after", "message_id"}),
    "cancelled": (set(), {"message_id"}),
}  # fmt: skip
MARK = re.compile(r"\[\[tool:\d+\]\]")


class StreamGrammar:
    """`turn := status (status | text_delta | payload_progress | tools)* final`; `problems` is empty for a stream that
    keeps it, or for the beginning of one."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.final = ""
        self._number = 0
        self._open: dict[str, str] = {}  # tool_use_id → tool
        self._started: list[str] = []
        self._completed: list[str] = []
        self._due = ""  # the mark that must follow
        self._said: list[str] = []
        self._counted: dict[str, int] = {}  # payload type → operations sent so far

    def take(self, event: Json) -> None:
        """The next event."""
        self._number += 1
        kind = event.get("type")
        if kind not in FIELDS:
            self._wrong(f"there is no event of type {kind!r}")
            return
        self._form(event, kind=kind)
        if self.final:
            self._wrong(f"{kind} after the final event")
        if self._number == 1 and kind != "status":
            self._wrong(f"the first event is {kind}")
        if self._due and event != {"type": "text_delta", "text": self._due}:
            self._wrong(f"{self._due} does not follow its tool")
        due, self._due = self._due, ""
        if kind == "text_delta":
            self._text(event["text"], due=due)
        elif kind == "payload_progress":
            self._progress(event)
        elif kind.startswith("tool_"):
            self._tool(event, kind=kind)
        elif kind in FINALS:
            self._end(event, kind=kind)

    def _form(self, event: Json, *, kind: str) -> None:
        needed, possible = FIELDS[kind]
        given = set(event) - {"type"}
        if needed - given or given - needed - possible:
            self._wrong(f"{kind} has the fields {sorted(given)}")
        if kind == "status" and ({"turn_id", "conversation_id"} <= given) != (self._number == 1):
            self._wrong("only the first status names the turn and its conversation")

    def _text(self, text: str, *, due: str) -> None:
        self._said.append(text)
        if not text:
            self._wrong("an empty text")
        if not due and MARK.search(text):
            self._wrong("a tool's mark that is not due")

    def _progress(self, event: Json) -> None:
        kind, operations = event["payload_type"], event["operations"]
        before = 0 if event.get("reset") else self._counted.get(kind, 0)
        if event["count"] != before + len(operations):
            self._wrong(f"{event['count']} operations counted after {before} and {len(operations)} more")
        if not all(isinstance(operation, dict) for operation in operations):
            self._wrong("an operation is no object")
        self._counted[kind] = event["count"]

    def _tool(self, event: Json, *, kind: str) -> None:
        use = event["tool_use_id"]
        if kind == "tool_start":
            if use in self._started:
                self._wrong(f"{use} starts twice")
            self._started.append(use)
            self._open[use] = event["tool"]
            return
        if self._open.get(use) != event["tool"]:
            self._wrong(f"{kind} of {use}, which is not open")
        if kind == "tool_complete":
            if event["index"] != len(self._completed):
                self._wrong(f"index {event['index']} after {len(self._completed)} completed tools")
            self._open.pop(use, None)
            self._completed.append(use)
            if self._completed != self._started[: len(self._completed)]:
                self._wrong("tools complete in another order than they started in")
            self._due = f"[[tool:{event['index']}]]"
        elif event["progress"] is not None and not 0 <= event["progress"] <= 1:
            self._wrong(f"progress {event['progress']}")

    def _end(self, event: Json, *, kind: str) -> None:
        self.final = kind
        if kind != "complete":
            return
        payload = event["payload"]
        if payload["message"] != "".join(self._said):
            self._wrong("the message is not the concatenation of the text")
        history = payload.get("tool_history", [])
        if len(history) != len(self._completed) or self._open:
            self._wrong(f"{len(history)} tools in the history, {len(self._completed)} in the stream")
        shown = payload.get("custom_payload") or {}
        suggested = payload.get("suggested_values") or payload.get("suggested_actions")
        if shown.get("status") == "pending" and suggested:
            self._wrong("suggestions beside a proposal")

    def _wrong(self, words: str) -> None:
        self.problems.append(f"event {self._number}: {words}")


def broken_rules(events: Iterable[Json]) -> list[str]:
    """Return the violations of the grammar in the events of a turn that has ended."""
    grammar = StreamGrammar()
    for event in events:
        grammar.take(event)
    return grammar.problems if grammar.final else [*grammar.problems, "there is no final event"]
