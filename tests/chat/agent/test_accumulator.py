"""The accumulator of streamed answers works in linear time."""
from __future__ import annotations

import gc
import json
import sys
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from chat.agent.client.accumulator import EVENT_SIZE, MAX_SIZE, Accumulator

INPUT = {"rows": [{"row_id": number, "note": "x" * 20} for number in range(400)]}


def event(kind: str, **fields: Any) -> Any:
    return SimpleNamespace(type=kind, **fields)


def accumulate(size: int) -> tuple[Any, Counter[str]]:
    """Accumulate a tool input in pieces of this size. Return it and the counts of built-in calls by name."""
    text = json.dumps(INPUT)
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    events = [
        event("content_block_start", content_block=event("tool_use", id="t1", name="update", input={})),
        *(event("content_block_delta", delta=event("input_json_delta", partial_json=piece)) for piece in pieces),
        event("content_block_stop"),
    ]
    called: Counter[str] = Counter()

    def count_call(frame: Any, event: str, function: Any) -> None:
        if event == "c_call":
            called[function.__name__] += 1

    accumulator = Accumulator()
    # A garbage collection callback would be counted as well.
    gc.disable()
    sys.setprofile(count_call)
    try:
        for each in events:
            accumulator.add(each)
        stop = accumulator.result()
    finally:
        sys.setprofile(None)
        gc.enable()
    return stop.blocks[0]["input"], called


@pytest.mark.parametrize("size", [1, 4, 1_000])
def test_tool_input_is_joined_and_parsed_once(size: int) -> None:
    whole, at_once = accumulate(1 << 30)
    given, called = accumulate(size)

    assert given == whole == INPUT
    assert called["from_json"] == at_once["from_json"] == 1
    # Except for appending each piece, nothing happens more often than with one piece.
    more = -(-len(json.dumps(INPUT)) // size) - 1
    assert called - at_once == Counter({"encode": more, "len": more})


def test_events_without_effect_are_ignored() -> None:
    accumulator = Accumulator()
    for _ in range(MAX_SIZE // EVENT_SIZE):
        accumulator.add(event("ping"))
    assert not accumulator.is_full

    accumulator.add(event("ping"))
    assert accumulator.is_full
