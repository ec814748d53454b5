"""Pieces of a streamed answer are put together once: what that costs grows with the answer, not with its square."""
from __future__ import annotations

import gc
import json
import sys
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from chat.agent.accumulator import EVENT_SIZE, MAX_SIZE, Accumulator

INPUT = {"rows": [{"row_id": number, "note": "x" * 20} for number in range(400)]}


def event(kind: str, **fields: Any) -> Any:
    return SimpleNamespace(type=kind, **fields)


def put_together(size: int) -> tuple[Any, Counter[str]]:
    """A tool's input that comes in pieces of this size; and how often built-in functions were called, by name."""
    text = json.dumps(INPUT)
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    events = [
        event("content_block_start", content_block=event("tool_use", id="t1", name="update", input={})),
        *(event("content_block_delta", delta=event("input_json_delta", partial_json=piece)) for piece in pieces),
        event("content_block_stop"),
    ]
    called: Counter[str] = Counter()

    def look(frame: Any, what: str, function: Any) -> None:
        if what == "c_call":
            called[function.__name__] += 1

    accumulator = Accumulator()
    # Who asked to be told of collections would be counted as well.
    gc.disable()
    sys.setprofile(look)
    try:
        for each in events:
            accumulator.add(each)
        stop = accumulator.result()
    finally:
        sys.setprofile(None)
        gc.enable()
    return stop.blocks[0]["input"], called


@pytest.mark.parametrize("size", [1, 4, 1_000])
def test_a_tools_input_is_joined_and_read_once_however_many_pieces_it_comes_in(size: int) -> None:
    whole, at_once = put_together(1 << 30)
    given, called = put_together(size)

    assert given == whole == INPUT
    assert called["from_json"] == at_once["from_json"] == 1
    # But for taking in each piece, nothing is done more often than if it had come in one.
    more = -(-len(json.dumps(INPUT)) // size) - 1
    assert called - at_once == Counter({"encode": more, "len": more})


def test_events_that_bring_nothing_are_enough_one_day() -> None:
    accumulator = Accumulator()
    for _ in range(MAX_SIZE // EVENT_SIZE):
        accumulator.add(event("ping"))
    assert not accumulator.is_full

    accumulator.add(event("ping"))
    assert accumulator.is_full
