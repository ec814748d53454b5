"""The demo model as an HTTP transport: the SDK calls it as it calls any server of the Messages API."""

import asyncio
import json
import logging
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

from chat.demo_model.answering import answer, in_english
from chat.demo_model.batches import DemoBatches
from chat.demo_model.declared import answer_starter
from chat.demo_model.record_answers import answer_record, is_about_a_record
from chat.demo_model.reply import Reply
from chat.demo_model.request import read_turn
from chat.scripted_model import reply as wire
from chat.scripted_model.request import read_call
from chat.scripted_model.transport import ReplyTransport, Sleep
from chat.scripted_model.wire import input_json, message_of

Json = dict[str, Any]
logger = logging.getLogger(__name__)
# A message that is answered as by an overloaded server, so that clients can try how they treat errors. The wait is
# longer than those after which calls are repeated.
FAILING_MESSAGE = "Fail as an overloaded model"
FAILING_RETRY_SECONDS = 30


def demo_transport(
    *,
    pace: float = 0.008,
    sleep: Sleep = asyncio.sleep,
    batches: Path | None = None,
    now: Callable[[], float] = time.time,
) -> ReplyTransport:
    """Return the demo model as the transport of an SDK client.

    `pace` is the pause in seconds before each delta. `batches` is the folder of its batches; without one it has none.
    `now` is their time in seconds since 1970.
    """

    def answer_call(body: Json) -> wire.Reply:
        try:
            if is_about_a_record(body):
                return prepare(answer_record(body), prompt_bytes=len(json.dumps(body)))
            turn = read_turn(body)
            call = read_call(body)
            call = replace(call, message=in_english(call.message) or call.message)
            if call.message.strip() == FAILING_MESSAGE:
                return wire.Reply.refuse(529, kind="overloaded_error", retry_after=FAILING_RETRY_SECONDS)
            if declared := answer_starter(call, page=turn.page.name):
                return declared
            return prepare(answer(turn), prompt_bytes=len(json.dumps(body)), pace=pace)
        except Exception:
            # Nothing has been sent yet, so only this call fails, as with a server.
            logger.exception("the demo model failed")
            return wire.Reply.refuse(500, kind="api_error", message="The demo model failed.")

    def answer_in_batch(params: Json) -> tuple[Literal["message", "error"], Json]:
        reply = answer_call(params)
        if reply.status != 200:
            return "error", {"type": "error", "error": reply.error}
        return "message", message_of(reply, unique_id=uuid4().hex, model="demo")

    respond = DemoBatches(batches, answer=answer_in_batch, now=now).respond if batches is not None else None
    return ReplyTransport(answer_call, model="demo", sleep=sleep, batches=respond)


def prepare(reply: Reply, *, prompt_bytes: int = 0, pace: float = 0) -> wire.Reply:
    """Return a reply in the wire form, in small deltas."""
    text = "\n\n".join(part for part in (reply.text, reply.element) if part)
    calls = [reply.tool_use] if reply.tool_use else []
    prose = text[: len(text) - len(reply.element)]
    return wire.Reply.use(
        *calls,
        text=text,
        sizes=wire.delta_sizes(prose, element=reply.element, inputs=[input_json(call.input) for call in calls]),
        stop_reason="tool_use" if calls else "end_turn",
        usage={"input_tokens": max(1, round(prompt_bytes / 3.5))},
        pace=pace,
    )
