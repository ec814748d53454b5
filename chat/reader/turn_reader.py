"""Read the text of a turn: one message, at most one payload, suggestions, and notes for the model."""
from __future__ import annotations

import logging
from typing import Any

from chat.agent.events import AgentPayloadProgress, Elements
from chat.agent.reader_interface import LostElement, WrittenPayload
from chat.payload_types import get_payload_type
from chat.reader.elements import Element, OperationWatch
from chat.reader.response_reader import ResponseReader
from chat.reader.rules import ReaderRules
from chat.reader.suggestions import ACTIONS, VALUES, ParsedActions, is_run, parse_actions, parse_values

log = logging.getLogger(__name__)

Json = dict[str, Any]

ZERO_WIDTH_SPACE = "\u200b"
TOOL_MARK = "[[tool:"


class TurnReader:
    """Implements `chat.agent.reader_interface.Reader`. The message is the concatenation of all returned texts."""

    def __init__(self, rules: ReaderRules) -> None:
        self._rules = rules
        self._reader: ResponseReader | None = None
        self._repair: ResponseReader | None = None
        self._elements: list[Element] = []  # of the calls that did not end in tool use
        self._is_cut = False  # whether the last of these calls was cut off
        self._notes: list[str] = []
        self._visible = VisibleText()
        self._payload: Element | None = None  # the payload in the text, which may be invalid
        self._payload_started = False  # whether a payload of the page has started, which may be the one of the turn
        self._watch: OperationWatch | None = None
        self._reset = False  # whether the next progress voids that before it
        self._has_progress = False  # whether any progress has been returned

    def feed(self, text: str, /) -> str:
        """Add text of the running call and return the text to show now."""
        if self._repair is not None:
            self._repair.feed(text)
            return ""
        if self._reader is None:
            self._reader = ResponseReader(self._rules.markers, watch=self._watch_for)
        shown = self._reader.feed(text)
        return self._visible.add(shown) if shown else ""

    def progress(self) -> tuple[AgentPayloadProgress, ...]:
        """Return the progress of the payload that is arriving since the last call of this method."""
        watch = self._watch
        if watch is None or not watch.has_update:
            return ()
        operations = watch.take_operations()
        if operations is None:
            return ()
        reset, self._reset, self._has_progress = self._reset, False, True
        return (
            AgentPayloadProgress(
                payload_type=watch.payload_type,
                operations=operations,
                count=watch.count,
                reset=reset,
                texts=watch.take_texts(),
            ),
        )

    def drop_open_element(self) -> LostElement | None:
        """Drop the open element of a call that was cut off, and return it; None if the call was cut off in text.

        The text of the continuation is read as part of the same call.
        """
        reader = self._reader
        element = reader.drop_open() if reader is not None else None
        if reader is None or element is None:
            return None
        if self._rules.first_payload([*self._elements, *reader.elements]) is None:
            self._watch, self._payload_started = None, False
        return LostElement(marker=element.marker, characters=element.length, operations=element.operations)

    def end_call(self, *, tool_use: bool, cut: bool = False) -> str:
        """End the call and return the remaining visible text.

        The elements of a call that ends in tool use are dropped. `cut`: the answer was cut off.
        """
        reader, self._reader = self._reader, None
        if reader is None:
            return ""
        text = self._visible.add(reader.end())
        if tool_use:
            self._watch, self._payload_started = None, False
            self._notes += [
                f"The {element.marker} you wrote before calling a tool was not shown to the user. "
                "Write it in your final answer if it is still needed."
                for element in reader.elements
            ]
        else:
            self._elements += reader.elements
            self._is_cut = cut
        return text

    def flush_whitespace(self) -> str:
        """Return the white space held back at the end of the text, as a tool mark follows."""
        return self._visible.flush_whitespace()

    def tool_mark(self, index: int, /) -> str:
        """Return the mark for a tool's card in the text."""
        return self._visible.tool_mark(index)

    def append_paragraph(self, sentence: str, /) -> str:
        """Append a message of the application as a paragraph, and return the text to send."""
        return self._visible.append_paragraph(sentence)

    def take_notes(self) -> tuple[str, ...]:
        """Return and clear the notes for the model about its elements that were not shown."""
        notes, self._notes = tuple(self._notes), []
        return notes

    def parse_payload(self) -> WrittenPayload | None:
        """Return the payload in the text, parsed, which may take long, or None."""
        self._payload = self._rules.first_payload(self._elements)
        return self._rules.parse_payload(self._payload, cut=self._is_cut) if self._payload is not None else None

    def start_repair(self) -> None:
        """Start to read the repair of the payload, of which no text is shown."""
        self._payload_started, self._watch = False, None
        self._repair = ResponseReader(self._rules.markers, watch=self._watch_for)

    def end_repair(self, *, counts: bool, cut: bool = False) -> WrittenPayload | None:
        """Return the payload of the repair; None without one or if the call does not count. `cut`: see `end_call`."""
        repair, self._repair, self._watch = self._repair, None, None
        if repair is None or not counts:
            return None
        repair.end()
        element = self._rules.first_payload(repair.elements)
        return self._rules.parse_payload(element, cut=cut) if element is not None else None

    def elements(self, *, shown: Json | None, notes: tuple[str, ...] = (), unreadable: str = "") -> Elements:
        """Return the elements, given the payload to show; `notes` and `unreadable` are about the one in the text."""
        all_notes = [*self._notes, *self._dropped_payload_notes(), *notes]
        values, parsed, faults = self._suggestions()
        actions, not_run = parsed.shown, parsed.not_run
        if _is_proposal(shown) and (values or actions):
            not_run = not_run or any(is_run(action) for action in actions)
            values, actions = [], ()
            all_notes.append("Your suggestions were not shown: a proposal and suggestions exclude each other.")
        for fault in faults:
            log.info("rejected part of an answer: %s", fault)
        return Elements(
            suggested_values=tuple(values),
            suggested_actions=actions,
            payload=shown,
            notes=(*all_notes, *faults),
            unreadable=unreadable,
            not_run=not_run,
        )

    def _watch_for(self, marker: str) -> OperationWatch | None:
        """Return a watch for the first payload of the page, and None for other elements."""
        has_watch = self._payload_started and not (self._watch is not None and self._watch.is_void)
        if has_watch or marker not in self._rules.payloads:
            return None
        self._payload_started = True
        self._watch = self._rules.operation_watch(marker)
        self._reset = self._has_progress or self._repair is not None
        return self._watch

    def _dropped_payload_notes(self) -> list[str]:
        """Return notes on payloads in the text that were ignored."""
        notes = []
        for element in self._elements:
            if element.marker in (VALUES, ACTIONS) or element is self._payload:
                continue
            if element.marker not in self._rules.payloads:
                notes.append(f"The {element.marker} you wrote was not shown: this page does not accept it.")
            elif self._payload is None:
                notes.append(f"The {element.marker} you wrote was not shown: a tool's payload was shown instead.")
            else:
                notes.append(f"The {element.marker} you wrote was not shown: only the first of several is.")
        return notes

    def _suggestions(self) -> tuple[list[Json], ParsedActions, list[str]]:
        """Return the values, the actions and the faults of others. Only the first list of each type counts."""
        values: list[Json] = []
        actions = ParsedActions()
        all_faults: list[str] = []
        seen: set[str] = set()
        for element in self._elements:
            if element.marker not in (VALUES, ACTIONS):
                continue
            if element.fault is not None:
                all_faults.append(f"The {element.marker} you wrote were not shown: {element.fault}")
                continue
            if element.marker in seen:
                all_faults.append(f"The {element.marker} you wrote were not shown: only the first of several are.")
                continue
            seen.add(element.marker)
            if element.marker == VALUES:
                values, faults = parse_values(element.value)
            else:
                client, server = self._rules.client_actions, self._rules.server_actions
                actions = parse_actions(element.value, client=client, server=server)
                faults = list(actions.faults)
            all_faults += faults
        return values, actions, all_faults


def _is_proposal(payload: Json | None) -> bool:
    kind = get_payload_type(str(payload["type"])) if payload is not None else None
    return kind is not None and kind.is_proposal


class VisibleText:
    """The visible text of a turn. The message is the concatenation of all returned texts.

    White space around the message is removed. Tool marks that the model writes are escaped, because only the server may
    create tool cards.
    """

    def __init__(self) -> None:
        self._space = ""  # white space at the end, returned only when text follows
        self._tail = ""  # the last characters returned, to find tool marks across pieces

    def add(self, text: str) -> str:
        """Add text of the model and return the text to send now."""
        if not text:
            return ""
        if not self._tail:
            text = text.lstrip()
        visible = text.rstrip()
        if not visible:
            self._space += text if self._tail else ""
            return ""
        space, self._space = self._space, text[len(visible) :]
        visible = space + visible
        if ":" in visible:
            visible = self._escape_marks(visible)
        self._tail = (visible if len(visible) >= len(TOOL_MARK) else self._tail + visible)[-len(TOOL_MARK) :]
        return visible

    def flush_whitespace(self) -> str:
        """Return the white space held back at the end of the text, as a tool mark follows."""
        space, self._space = (self._space, "") if self._tail else ("", "")
        return space

    def tool_mark(self, index: int) -> str:
        """Return the mark for a tool's card in the text."""
        self._tail = "]"
        return f"{TOOL_MARK}{index}]]"

    def append_paragraph(self, sentence: str) -> str:
        """Append a message of the application as a paragraph, and return the text to send."""
        self._space = ""
        # The message may quote text of the model.
        text = self._escape_marks(f"\n\n{sentence}" if self._tail else sentence)
        self._tail = text[-1:]
        return text

    def _escape_marks(self, text: str) -> str:
        """Insert a zero-width space before the colon of each tool mark."""
        joined = self._tail + text
        start = len(self._tail)
        at = joined.find(TOOL_MARK)
        while at >= 0:
            colon = at + len(TOOL_MARK) - 1
            if colon >= start:
                joined = joined[:colon] + ZERO_WIDTH_SPACE + joined[colon:]
            at = joined.find(TOOL_MARK, colon)
        return joined[start:]
