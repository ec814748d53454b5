"""The rules of a page for its reader: markers, payload types and actions."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from chat.actions import ClientAction, ServerAction
from chat.agent.reader_interface import WrittenPayload
from chat.catalogue import PageEntries
from chat.json_schema import faults_of
from chat.payload_types import PayloadType
from chat.reader.elements import Element, OperationWatch
from chat.reader.suggestions import ACTIONS, VALUES

Json = dict[str, Any]


@dataclass(frozen=True)
class ReaderRules:
    """The rules of a page.

    `markers` maps all registered markers, without colon, to their bracket. `payloads` are the page's types by marker.
    """

    markers: Mapping[str, str]
    payloads: Mapping[str, PayloadType]
    client_actions: tuple[ClientAction, ...] = ()
    server_actions: tuple[ServerAction, ...] = ()

    @classmethod
    def for_page(cls, page_entries: PageEntries, *, all_payload_types: Iterable[PayloadType]) -> ReaderRules:
        """Return the rules of a page."""
        payload_markers = {entry.marker: entry.opens for entry in all_payload_types if entry.parse_marker}
        return cls(
            markers={**payload_markers, VALUES: "[", ACTIONS: "["},
            payloads={entry.marker: entry for entry in page_entries.llm_payload_types},
            client_actions=page_entries.client_actions,
            server_actions=page_entries.server_actions,
        )

    def first_payload(self, elements: Iterable[Element]) -> Element | None:
        """Return the first element with a payload type of the page, or None."""
        return next((element for element in elements if element.marker in self.payloads), None)

    def parse_payload(self, element: Element, *, cut: bool) -> WrittenPayload:
        """Parse a payload's JSON and check it against the schema of its type.

        `cut`: the answer was cut off. JSON that is not closed was then cut off with it; otherwise it is only a fault.
        """
        kind = self.payloads[element.marker]
        if element.fault is not None:
            return WrittenPayload(element.marker, element.raw, faults=(element.fault,), cut=cut and element.unclosed)
        try:
            payload = kind.parse(element.value)
        except (ValueError, TypeError, KeyError) as error:
            return WrittenPayload(element.marker, element.raw, faults=(str(error) or type(error).__name__,))
        faults = faults_of(payload["data"], kind.schema)
        return WrittenPayload(element.marker, element.raw, payload=None if faults else payload, faults=faults)

    def operation_watch(self, marker: str) -> OperationWatch | None:
        """Return a watch for a payload of this marker, or None if its type has no list of operations."""
        kind = self.payloads[marker]
        fields = kind.schema.get("properties", {})
        if "array" not in _types(fields.get("operations")):
            return None
        return OperationWatch(kind.name, texts=frozenset(name for name in fields if "string" in _types(fields[name])))


def _types(schema: Any) -> list[str]:
    """Return the JSON types in a schema."""
    named = schema.get("type", []) if isinstance(schema, dict) else []
    return [named] if isinstance(named, str) else list(named)
