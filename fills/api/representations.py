"""Fills and their results as JSON."""
from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.utils import timezone

from fills.instruction import instruction_text
from fills.selectors import Fill, OpenBatches, Result, StandingFill
from fills.services.estimates import cost_so_far
from shared.user_messages import Message, message_fields
from tables.operations import TableShape

Json = dict[str, Any]
# What estimates of fills that were set up by an earlier version lack.
ESTIMATE: Json = {"batch_cost": None, "modes": ["live"]}


def fill_json(
    fill: Fill,
    *,
    shape: TableShape,
    counts: Mapping[str, int],
    batches: OpenBatches | None,
    waits_until: datetime | None,
    may_manage: bool,
) -> Json:
    """Return a fill; `counts` are its results by state, `batches` those that have not ended.

    `waits_until`: no call is made before, because the provider has no capacity. `may_manage`: the reader may discard
    its results and take it over.
    """
    return {
        "id": str(fill.pk),
        "table": fill.table_id,
        "user": fill.user.get_username(),
        "user_id": fill.user_id,
        "may_manage": may_manage,
        "standing": hasattr(fill, "standing"),
        "state": fill.state,
        "columns": fill.columns,
        "instruction": instruction_text(fill.instruction, shape=shape),
        "rows": fill.row_choice,
        "sources": fill.sources,
        "examples": fill.examples,
        "apply": fill.apply,
        "model": fill.model,
        "mode": fill.mode,
        "estimate": ESTIMATE | fill.estimate,
        "budget": fill.budget,
        "notify": fill.notify,
        "usage": {
            "calls": fill.calls,
            "tokens": fill.input_tokens + fill.output_tokens,
            "cached_tokens": fill.cached_tokens,
            "cost": fill.cost or cost_so_far(fill),
        },
        "counts": dict(counts),
        "batches": {"rows": batches.rows, "sent_at": batches.sent_at.isoformat()} if batches else None,
        "wait": _wait(waits_until) if counts["waiting"] else None,
        "reason": _reason(fill.reason),
        "created_at": fill.created_at.isoformat(),
        "started_at": fill.started_at.isoformat() if fill.started_at else None,
        "ended_at": fill.ended_at.isoformat() if fill.ended_at else None,
    }


def standing_fill_json(standing: StandingFill, *, shape: TableShape, problem: Message | None) -> Json:
    """Return a standing fill, which is paused if it has a problem."""
    fill = standing.fill
    return {
        "id": str(fill.pk),
        "table": fill.table_id,
        "user": fill.user.get_username(),
        "user_id": fill.user_id,
        "columns": fill.columns,
        "instruction": instruction_text(fill.instruction, shape=shape),
        "sources": fill.sources,
        "examples": fill.examples,
        "apply": fill.apply,
        "model": fill.model,
        "notify": fill.notify,
        "filter": standing.condition,
        "trigger": standing.trigger,
        "budget": standing.budget,
        "state": "paused" if problem else "active",
        "reason": message_fields(problem) if problem else None,
        "fill_state": fill.state,
        "due_at": standing.due_at.isoformat() if standing.due_at else None,
        "created_at": standing.created_at.isoformat(),
    }


def result_json(result: Result, *, names: Mapping[str, str], review: str, fault: Mapping[str, Any] | None) -> Json:
    """Return a result; `names` are the keys of values by column id, `fault` says why it is "invalid"."""
    return {
        "row": result.row_id,
        "state": result.state,
        "review": review,
        "fault": dict(fault) if fault else None,
        "values": {names.get(key, key): value for key, value in result.values.items()},
        "corrections": {names.get(key, key): value for key, value in result.corrections.items()},
        "confidence": result.confidence,
        "note": result.note,
        "sources": result.sources,
        "unverified": result.is_unverified,
        "remark": result.remark,
        "error": _reason(result.error),
        "tokens": result.input_tokens + result.output_tokens,
        "change": result.change_id,
        "finished_at": result.finished_at.isoformat() if result.finished_at else None,
    }


def _wait(until: datetime | None) -> Json | None:
    """Return the end of a wait, also in seconds from now for readers whose clock differs."""
    seconds = math.ceil((until - timezone.now()).total_seconds()) if until is not None else 0
    return {"until": until.isoformat(), "seconds": seconds} if until is not None and seconds > 0 else None


def _reason(stored: Any) -> Json | None:
    return message_fields(Message.from_json(stored)) if stored else None
