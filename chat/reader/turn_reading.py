"""Reads a whole turn, call after call: one message, at most one payload, the suggestions, and notes for the model."""
from __future__ import annotations

import logging
from typing import Any

from chat.agent.events import AgentPayloadProgress, Elements
from chat.agent.reader_interface import LostElement, WrittenPayload
from chat.payload_types import get_payload_type
from chat.reader.element import Element
from chat.reader.operation_watch import OperationWatch
from chat.reader.rules import ReaderRules
from chat.reader.scan import ResponseReader
from chat.reader.suggestions import ACTIONS, VALUES, ReadActions, is_run, read_actions, read_values
from chat.reader.visible_text import VisibleText

log = logging.getLogger(__name__)

Json = dict[str, Any]


class TurnReader:
    """One turn. The message is the concatenation of everything the methods give back as text to send."""

    def __init__(self, rules: ReaderRules) -> None:
        self._rules = rules
        self._reader: ResponseReader | None = None
        self._repair: ResponseReader | None = None
        self._elements: list[Element] = []  # of the calls that count
        self._cut = False  # whether the last of these calls was cut off
        self._notes: list[str] = []  # not told yet
        self._visible = VisibleText()
        self._first: Element | None = None  # the payload in the text, whether or not it can be read
        self._begun = False  # whether a payload the page allows has begun in a call that may count
        self._watch: OperationWatch | None = None
        self._reset = False  # whether the next progress begins anew
        self._told = False  # whether any progress has been told

    def feed(self, text: str, /) -> str:
        """Takes text of the running call; the answer is what the person may see now."""
        if self._repair is not None:
            self._repair.feed(text)
            return ""
        if self._reader is None:
            self._reader = ResponseReader(self._rules.markers, watch=self._watched)
        shown = self._reader.feed(text)
        return self._visible.of(shown) if shown else ""

    def progress(self) -> tuple[AgentPayloadProgress, ...]:
        """What has become complete of the payload that is arriving, since last asked."""
        watch = self._watch
        if watch is None or not watch.news:
            return ()
        operations = watch.operations()
        if operations is None:
            return ()
        reset, self._reset, self._told = self._reset, False, True
        return (
            AgentPayloadProgress(
                payload_type=watch.payload_type,
                operations=operations,
                count=watch.count,
                reset=reset,
                texts=watch.texts(),
            ),
        )

    def drop_open_element(self) -> LostElement | None:
        """The call broke off but will be gone on with. What was lost if that was inside an element's JSON; None if it
        was in text. Either way what follows is read as if it belonged to the same call."""
        reader = self._reader
        element = reader.drop_open() if reader is not None else None
        if reader is None or element is None:
            return None
        if self._rules.first_payload([*self._elements, *reader.elements]) is None:
            self._watch, self._begun = None, False
        return LostElement(marker=element.marker, characters=element.length, operations=element.operations)

    def end_call(self, *, tool_use: bool, cut: bool = False) -> str:
        """End the call and return the remaining visible text. In a call that ends in tool use no element counts; `cut`
        says that the model did not end its answer itself."""
        reader, self._reader = self._reader, None
        if reader is None:
            return ""
        text = self._visible.of(reader.end())
        if tool_use:
            self._watch, self._begun = None, False
            self._notes += [
                f"The {element.marker} you wrote before calling a tool was not shown to the person. "
                "Write it in your final answer if it is still wanted."
                for element in reader.elements
            ]
        else:
            self._elements += reader.elements
            self._cut = cut
        return text

    def flush_whitespace(self) -> str:
        """White space held back at the end of the text so far, now that something follows."""
        return self._visible.flush_whitespace()

    def tool_mark(self, index: int, /) -> str:
        """The place of a tool's card in the text."""
        return self._visible.tool_mark(index)

    def append_paragraph(self, sentence: str, /) -> str:
        """A sentence of the application's own, as a paragraph at the end; the answer is the text to send."""
        return self._visible.append_paragraph(sentence)

    def take_notes(self) -> tuple[str, ...]:
        """What the model must be told about what it wrote and was not shown, since last asked."""
        notes, self._notes = tuple(self._notes), []
        return notes

    def parse_payload(self) -> WrittenPayload | None:
        """The payload in the text; parses it, so it may take its time."""
        self._first = self._rules.first_payload(self._elements)
        return self._rules.written(self._first, cut=self._cut) if self._first is not None else None

    def start_repair(self) -> None:
        """What is fed from now on is a payload written once more; no text of it is shown."""
        self._begun, self._watch = False, None
        self._repair = ResponseReader(self._rules.markers, watch=self._watched)

    def end_repair(self, *, counts: bool, cut: bool = False) -> WrittenPayload | None:
        """Return the payload of the repair, None if there is none or the call does not count. `cut`: see `end_call`."""
        repair, self._repair, self._watch = self._repair, None, None
        if repair is None or not counts:
            return None
        repair.end()
        element = self._rules.first_payload(repair.elements)
        return self._rules.written(element, cut=cut) if element is not None else None

    def elements(self, *, shown: Json | None, notes: tuple[str, ...] = (), unreadable: str = "") -> Elements:
        """What was read, given the payload that is shown; `notes` and `unreadable` are about the one in the text."""
        told = [*self._notes, *self._left_out(shown), *notes]
        values, read, wrong = self._suggestions()
        actions, not_run = read.shown, read.not_run
        if _is_proposal(shown) and (values or actions):
            not_run = not_run or any(is_run(action) for action in actions)
            values, actions = [], ()
            told.append("Your suggestions were not shown: a proposal and suggestions exclude each other.")
        for fault in wrong:
            log.info("left out of an answer: %s", fault)
        return Elements(
            suggested_values=tuple(values),
            suggested_actions=actions,
            payload=shown,
            notes=(*told, *wrong),
            unreadable=unreadable,
            not_run=not_run,
        )

    def _watched(self, marker: str) -> OperationWatch | None:
        """A watch for the first payload that may count, none for anything else."""
        taken = self._begun and not (self._watch is not None and self._watch.void)
        if taken or marker not in self._rules.payloads:
            return None
        self._begun = True
        self._watch = self._rules.watch(marker)
        self._reset = self._told or self._repair is not None
        return self._watch

    def _left_out(self, shown: Json | None) -> list[str]:
        """Notes on payloads in the text that were not even looked at."""
        notes = []
        for element in self._elements:
            if element.marker in (VALUES, ACTIONS) or element is self._first:
                continue
            if element.marker not in self._rules.payloads:
                notes.append(f"The {element.marker} you wrote was not shown: this page does not take it.")
            elif self._first is None:
                notes.append(f"The {element.marker} you wrote was not shown: a tool's result was shown in its place.")
            else:
                notes.append(f"The {element.marker} you wrote was not shown: only the first of several is.")
        return notes

    def _suggestions(self) -> tuple[list[Json], ReadActions, list[str]]:
        """The values, the actions, and what was wrong with others; of several lists of a kind the first counts."""
        values: list[Json] = []
        actions = ReadActions()
        wrong: list[str] = []
        seen: set[str] = set()
        for element in self._elements:
            if element.marker not in (VALUES, ACTIONS):
                continue
            if element.fault is not None:
                wrong.append(f"The {element.marker} you wrote were not shown: {element.fault}")
                continue
            if element.marker in seen:
                wrong.append(f"The {element.marker} you wrote were not shown: only the first of several are.")
                continue
            seen.add(element.marker)
            if element.marker == VALUES:
                values, faults = read_values(element.value)
            else:
                client, server = self._rules.client_actions, self._rules.server_actions
                actions = read_actions(element.value, client=client, server=server)
                faults = list(actions.faults)
            wrong += faults
        return values, actions, wrong


def _is_proposal(payload: Json | None) -> bool:
    kind = get_payload_type(str(payload["type"])) if payload is not None else None
    return kind is not None and kind.is_proposal
