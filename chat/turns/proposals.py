"""What a turn's payloads become: checked against what is live now, ready to be stored, or a sentence why not."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

import strictjson
from chat.catalogue import CODE, Catalogue
from chat.payload_types import PayloadType, ProposalContext, StructuralFault
from chat.services import PayloadRecord
from chat.services.payloads import Failure
from user_messages import Message

log = logging.getLogger(__name__)

Json = dict[str, Any]


@dataclass(frozen=True)
class Outcome:
    """A record to store, or the fault (for the model) for which there is none, with the closing or the reason for the
    person, as `StructuralFault` has them.

    `operation_faults` are lines for the model about operations of the record that cannot be applied as they are.
    """

    record: PayloadRecord | None = None
    fault: str = ""
    closing: Message | None = None
    reason: Message | None = None
    operation_faults: tuple[str, ...] = ()


def check_payload(payload: Json, *, source: str, context: ProposalContext, catalogue: Catalogue = CODE) -> Outcome:
    """Checks `{"type","data"}` of this source ("llm" or "tool"), whose data fits its type's schema, against what is
    live; reads the database."""
    kind = catalogue.payload_types.get(str(payload.get("type")))
    data = strictjson.storable(payload.get("data"))
    if kind is None:
        return Outcome(fault="Its type is not known here.")
    if kind.check is None:
        summary = kind.summarize(data) if kind.summarize else kind.description
        return Outcome(PayloadRecord(type=kind.name, source=source, data=data, status="shown", summary=summary))
    try:
        return _proposal(kind, data=data, source=source, context=context)
    except StructuralFault as error:
        return Outcome(fault=str(error), closing=error.closing, reason=error.reason)
    except Exception as error:
        # What it is about may be gone by now, or no longer this person's.
        if isinstance(error, Failure):
            return Outcome(fault=error.detail, closing=error.message)
        raise


def _proposal(kind: PayloadType, *, data: Any, source: str, context: ProposalContext) -> Outcome:
    assert kind.check is not None
    checked = kind.check(data, context)
    record = PayloadRecord(
        type=kind.name,
        source=source,
        data=data,
        status="pending",
        summary=checked.summary,
        resolved=checked.resolved,
        counts=checked.counts,
        content_hash=checked.content_hash,
        subject_id=checked.subject_id,
    )
    return Outcome(record, operation_faults=checked.faults)
