"""Reads a whole turn, call after call: one message, at most one payload, the suggestions, and notes for the model."""
from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from chat.agent.events import Elements
from chat.agent.reading import CUT_OFF, UNREADABLE
from chat.json_schema import faults_of
from chat.page_config import Reach
from chat.payload_types import PayloadType, get_payload_type
from chat.reader.element import Element
from chat.reader.scan import ResponseReader
from chat.reader.suggestions import ACTIONS, VALUES, read_actions, read_values

log = logging.getLogger(__name__)

Json = dict[str, Any]

ZERO_WIDTH_SPACE = "\u200b"
TOOL_MARK = "[[tool:"

@dataclass(frozen=True)
class ReadingRules:
    """What may be read on a page. `markers` are all that are registered: marker without colon → bracket; `payloads`
    are the types the page allows, by marker."""

    markers: Mapping[str, str]
    payloads: Mapping[str, PayloadType]
    client_actions: Collection[str] = ()
    server_actions: Collection[str] = ()

    @classmethod
    def of(
        cls, reach: Reach, *, all_payload_types: Iterable[PayloadType], server_actions: Collection[str] = ()
    ) -> ReadingRules:
        """The rules of a page."""
        payload_markers = {entry.marker: entry.opens for entry in all_payload_types if entry.parse_marker}
        return cls(
            markers={**payload_markers, VALUES: "[", ACTIONS: "["},
            payloads={entry.marker: entry for entry in reach.llm_payload_types if entry.parse_marker},
            client_actions=tuple(entry.action for entry in reach.client_actions),
            server_actions=tuple(server_actions),
        )


@dataclass(frozen=True)
class _Read:
    """The payload of the text: the element, and what its type made of it or what is wrong with it."""

    element: Element
    kind: PayloadType
    payload: Json | None = None
    faults: tuple[str, ...] = ()


@dataclass
class _Pending:
    """Elements of the calls that count, and notes not yet told."""

    elements: list[Element] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class TurnReading:
    """One turn. The message is the concatenation of everything the methods give back as text to send."""

    def __init__(self, rules: ReadingRules) -> None:
        self._rules = rules
        self._reader: ResponseReader | None = None
        self._pending = _Pending()
        self._space = ""  # white space at the end so far, sent only when something follows
        self._tail = ""  # the last characters sent, for finding tool marks across pieces
        self._read: _Read | None = None

    def feed(self, text: str, /) -> str:
        """Takes text of the running call; the answer is what the person may see now."""
        if self._reader is None:
            self._reader = ResponseReader(self._rules.markers)
        return self._visible(self._reader.feed(text))

    def end_call(self, *, tool_use: bool, cut: bool) -> str:
        """The call is over: what else may be seen. In a call that ends in tool use no element counts."""
        reader, self._reader = self._reader, None
        if reader is None:
            return ""
        text = self._visible(reader.end())
        if tool_use:
            self._pending.notes += [
                f"The {element.marker} you wrote before calling a tool was not shown to the person. "
                "Write it in your final answer if it is still wanted."
                for element in reader.elements
            ]
        else:
            self._pending.elements += reader.elements
        return text

    def before_tools(self) -> str:
        """White space held back at the end of the text so far, now that something follows."""
        space, self._space = (self._space, "") if self._tail else ("", "")
        return space

    def tool_mark(self, index: int, /) -> str:
        """The place of a tool's card in the text."""
        self._tail = "]"
        return f"{TOOL_MARK}{index}]]"

    def say(self, sentence: str, /) -> str:
        """A sentence of the application's own, as a paragraph at the end; the answer is the text to send."""
        self._space = ""
        text = f"\n\n{sentence}" if self._tail else sentence
        self._tail = text[-1:]
        return text

    def take_notes(self) -> tuple[str, ...]:
        """What the model must be told about what it wrote and was not shown, since last asked."""
        notes, self._pending.notes = tuple(self._pending.notes), []
        return notes

    def payload(self) -> Json | None:
        """The payload in the text, `{"type","data"}`, None when there is none or it cannot be read."""
        read = self._payload_read()
        return read.payload if read else None

    def trouble(self) -> str:
        """A sentence for the person about a proposal in the text that cannot be shown; "" when there is none."""
        read = self._payload_read()
        if read is None or read.payload is not None:
            return ""
        return CUT_OFF if read.element.cut else UNREADABLE

    def elements(self, *, shown: Json | None, faults: tuple[str, ...] = (), warning: str = "") -> Elements:
        """What was read, given the payload that is shown; `faults` is what the live data holds against the text's."""
        read = self._payload_read()
        notes = [*self._pending.notes, *self._left_out(read, shown=shown)]
        wrong_with_it = read.faults or faults if read is not None else ()
        if read is not None and wrong_with_it:
            told = "\n".join(f"- {fault}" for fault in wrong_with_it)
            notes.append(f"The {read.element.marker} you wrote could not be read and was not shown:\n{told}")
        values, actions, wrong = self._suggestions()
        if _is_proposal(shown) and (values or actions):
            values, actions = [], []
            notes.append("Your suggestions were not shown: a proposal and suggestions exclude each other.")
        for fault in wrong:
            log.info("left out of an answer: %s", fault)
        return Elements(
            suggested_values=tuple(values),
            suggested_actions=tuple(actions),
            payload=shown,
            notes=(*notes, *wrong),
            unreadable=read.element.raw if read is not None and wrong_with_it else "",
            warning=warning,
        )

    def _payload_read(self) -> _Read | None:
        """The first committed payload in the text whose type this page allows, read once."""
        if self._read is None:
            for element in self._pending.elements:
                kind = self._rules.payloads.get(element.marker)
                if kind is not None:
                    self._read = _parse(element, kind)
                    break
        return self._read

    def _left_out(self, read: _Read | None, *, shown: Json | None) -> list[str]:
        notes = []
        for element in self._pending.elements:
            if element.marker in (VALUES, ACTIONS):
                continue
            if read is None or element.marker not in self._rules.payloads:
                notes.append(f"The {element.marker} you wrote was not shown: this page does not take it.")
            elif element is not read.element:
                notes.append(f"The {element.marker} you wrote was not shown: only the first of several is.")
            elif read.payload is not None and shown is not None and shown != read.payload:
                notes.append(f"The {element.marker} you wrote was not shown: a tool's result was shown in its place.")
        return notes

    def _suggestions(self) -> tuple[list[Json], list[Json], list[str]]:
        """The values, the actions, and what was wrong with others; of several lists of a kind the first counts."""
        values: list[Json] = []
        actions: list[Json] = []
        wrong: list[str] = []
        seen: set[str] = set()
        for element in self._pending.elements:
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
                actions, faults = read_actions(element.value, client=client, server=server)
            wrong += faults
        return values, actions, wrong

    def _visible(self, text: str) -> str:
        """Holds back white space around the whole, and breaks what looks like a tool's mark."""
        if not text:
            return ""
        if not self._tail:
            text = text.lstrip()
        kept = text.rstrip()
        if not kept:
            self._space += text if self._tail else ""
            return ""
        kept_space, self._space = self._space, text[len(kept) :]
        kept = kept_space + kept
        if ":" in kept:
            kept = self._unmarked(kept)
        self._tail = (self._tail + kept)[-len(TOOL_MARK) :] if len(kept) < len(TOOL_MARK) else kept[-len(TOOL_MARK) :]
        return kept

    def _unmarked(self, text: str) -> str:
        """Only the server makes tool cards: a zero-width space goes before the colon of a mark the model wrote."""
        joined = self._tail + text
        start = len(self._tail)
        at = joined.find(TOOL_MARK)
        while at >= 0:
            colon = at + len(TOOL_MARK) - 1
            if colon >= start:
                joined = joined[:colon] + ZERO_WIDTH_SPACE + joined[colon:]
            at = joined.find(TOOL_MARK, colon)
        return joined[start:]


def _is_proposal(payload: Json | None) -> bool:
    kind = get_payload_type(str(payload["type"])) if payload is not None else None
    return kind is not None and kind.is_proposal


def _parse(element: Element, kind: PayloadType) -> _Read:
    """What the type makes of the element's JSON, held against the type's schema."""
    if element.fault is not None:
        return _Read(element, kind, faults=(element.fault,))
    try:
        payload = kind.parse(element.value)
    except (ValueError, TypeError, KeyError) as error:
        return _Read(element, kind, faults=(str(error) or type(error).__name__,))
    faults = faults_of(payload["data"], kind.schema)
    return _Read(element, kind, faults=faults) if faults else _Read(element, kind, payload=payload)
