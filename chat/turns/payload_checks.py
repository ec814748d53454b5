"""Check the payloads of a turn against current data, and create the records to store."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

from chat.catalogue import CODE, Catalogue
from chat.payload_types import PayloadType, ProposalContext, StructuralFault
from chat.services import PayloadRecord
from shared import strictjson
from shared.user_messages import CodedError, Message

log = logging.getLogger(__name__)

Json = dict[str, Any]


@dataclass(frozen=True)
class Outcome:
    """A record to store, or the fault for the model, with `closing` or `reason` for the user (see `StructuralFault`).

    `operation_faults` are lines for the model about operations that cannot be applied.
    """

    record: PayloadRecord | None = None
    fault: str = ""
    closing: Message | None = None
    reason: Message | None = None
    operation_faults: tuple[str, ...] = ()


def check_payload(payload: Json, *, source: str, context: ProposalContext, catalogue: Catalogue = CODE) -> Outcome:
    """Check `{"type","data"}` from this source ("llm" or "tool"), whose data is valid against the type's schema."""
    kind = catalogue.payload_types.get(str(payload.get("type")))
    data = strictjson.replace_unstorable(payload.get("data"))
    if kind is None:
        return Outcome(fault="Its type is not known here.")
    if kind.check is None:
        summary = kind.summarize(data) if kind.summarize else kind.description
        return Outcome(PayloadRecord(type=kind.name, source=source, data=data, status="shown", summary=summary))
    try:
        return _proposal(kind, data=data, source=source, context=context)
    except StructuralFault as error:
        return Outcome(fault=str(error), closing=error.closing, reason=error.reason)
    except CodedError as error:
        # The object may have been deleted, or the user may have lost access.
        return Outcome(fault=error.detail, closing=error.message)


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
