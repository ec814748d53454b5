"""JSON schema of the diagnostics of a turn."""

from __future__ import annotations

from shared.rest.openapi import ANY, INTEGER, OBJECT, TEXT, TIME, UUID, Json, array, described, enum, nullable, response

SECTION = response(
    number=described(INTEGER, "The number of the section."), title=described(TEXT, "Its title."),
    text=described(TEXT, "Its text."), bytes=described(INTEGER, "Its size."),
    tokens=described(INTEGER, "An estimate of its tokens."),
)  # fmt: skip
CALL = response(
    kind=described(enum("answer", "repair", "continuation"), "Why the model was called."),
    messages=described(array(INTEGER), "Indexes of the messages that it got."),
    answer=described(ANY, "The answer of the model."),
    stop_reason=described(TEXT, "Why the answer ended."), usage=described(OBJECT, "The tokens of the call."),
    retries=described(INTEGER, "The number of repetitions after errors."),
    began_ms=described(INTEGER, "The milliseconds from the start of the turn to that of the call."),
    first_token_ms=described(nullable(INTEGER), "The same, to the first token; null without any."),
    ended_ms=described(nullable(INTEGER), "The same, to the end; null if it did not end."),
)  # fmt: skip
COMPONENTS: dict[str, Json] = {
    "Trace": response(
        {"cost": described(TEXT, "The price in US dollars, if prices are set.")},
        turn_id=described(UUID, "The id of the turn."), state=described(TEXT, "The state of the turn."),
        error=described(nullable(OBJECT), "Why it failed; null if it did not."),
        started_at=described(TIME, "The time at which it started."),
        page=described(nullable(OBJECT), "The page on which the message was sent."),
        model=described(nullable(TEXT), "The model that answered."),
        ended_ms=described(nullable(INTEGER), "The duration in milliseconds."),
        stop_reason=described(nullable(TEXT), "Why the last answer of the model ended."),
        usage=described(OBJECT, "The tokens of all calls."),
        turns_left_out=described(INTEGER, "The number of earlier turns that did not fit."),
        declared_tools=described(ANY, "The tools that the model could use."),
        messages=described(array(ANY), "The messages to the model."),
        sections=described(array(SECTION), "The sections of the system prompt."),
        calls=described(array(CALL), "The calls of the model."),
        tools=described(array(OBJECT), "The tools that ran."),
        dropped=described(array(TEXT), "Parts of the answer that were not shown."),
    ),
}  # fmt: skip
