"""Lists of API messages are repaired where they are invalid, and unchanged where they are valid."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.agent.message_history import (
    INTERRUPTED,
    LOST_RESULT,
    complete_exchange,
    extend_normalized,
    normalize_messages,
)
from tests.hypothesis_examples import examples
from tests.messages_api_rules import problems_of

Json = dict[str, Any]


def text(content: str) -> Json:
    return {"type": "text", "text": content}


def use(number: int) -> Json:
    return {"type": "tool_use", "id": f"t{number}", "name": "get", "input": {}}


def result(number: int, *, content: str = "ok") -> Json:
    return {"type": "tool_result", "tool_use_id": f"t{number}", "content": content}


def lost(number: int) -> Json:
    return {**result(number, content=LOST_RESULT), "is_error": True}


def user(*blocks: Json) -> Json:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: Json) -> Json:
    return {"role": "assistant", "content": list(blocks)}


def test_valid_conversation_is_unchanged() -> None:
    messages = [user(text("a")), assistant(text("b"), use(1)), user(result(1)), assistant(text("c"))]
    assert normalize_messages(messages) == messages


@pytest.mark.parametrize(
    ("broken", "whole"),
    [
        ([user(text("a")), assistant(use(1))], [user(text("a")), assistant(use(1)), user(lost(1))]),
        (
            [user(text("a")), assistant(use(1)), user(text("b"))],
            [user(text("a")), assistant(use(1)), user(lost(1), text("b"))],
        ),
        (
            [user(text("a")), assistant(use(1), use(2)), user(result(2))],
            [user(text("a")), assistant(use(1), use(2)), user(lost(1), result(2))],
        ),
        ([user(text("a"), result(9))], [user(text("a"))]),
        ([user(text("a")), user(text("b"))], [user(text("a"), text("b"))]),
        ([user(text("a")), assistant(text(" ")), user(text("b"))], [user(text("a"), text("b"))]),
        (
            [user(text("a")), assistant({"type": "thinking", "thinking": "x", "signature": "s"}, text("b"))],
            [user(text("a")), assistant(text("b"))],
        ),
        ([{"role": "user", "content": "a"}], [user(text("a"))]),
    ],
    ids=["no result", "words instead", "one missing", "orphan", "twice user", "empty", "thinking", "plain string"],
)
def test_invalid_conversation_is_repaired(broken: list[Json], whole: list[Json]) -> None:
    assert normalize_messages(broken) == whole


def test_exchange_ends_with_the_assistant() -> None:
    assert complete_exchange([]) == [assistant(text(INTERRUPTED))]
    assert complete_exchange([assistant(use(1))]) == [assistant(use(1)), user(lost(1)), assistant(text(INTERRUPTED))]


BLOCKS = st.one_of(
    st.sampled_from(["", " ", "a", "b"]).map(text),
    st.integers(0, 99).map(result),
    st.just({"type": "thinking", "thinking": "", "signature": ""}),
)


def drawn(data: st.DataObject, *, numbers: Iterator[int]) -> list[Json]:
    """Return arbitrary messages; their tool uses have these numbers."""
    messages = []
    for _ in range(data.draw(st.integers(0, 8))):
        blocks = data.draw(st.lists(BLOCKS, max_size=3))
        uses = [use(next(numbers)) for _ in range(data.draw(st.integers(0, 2)))]
        messages.append(data.draw(st.sampled_from([user(*blocks), assistant(*blocks, *uses)])))
    return messages


@examples(100)
@given(st.data())
def test_result_is_valid_for_any_messages(data: st.DataObject) -> None:
    messages = [user(text("start")), *drawn(data, numbers=iter(range(100)))]
    whole = [*complete_exchange(messages), user(text("next"))]
    assert problems_of({"stream": True, "model": "m", "max_tokens": 1, "messages": whole}) == []
    assert normalize_messages(whole) == whole


@examples(100)
@given(st.data())
def test_extending_a_repaired_history_equals_repairing_all(data: st.DataObject) -> None:
    numbers = iter(range(100))
    before, more = drawn(data, numbers=numbers), drawn(data, numbers=numbers)

    assert extend_normalized(normalize_messages(before), more=more) in (None, normalize_messages([*before, *more]))


def test_turns_are_concatenated() -> None:
    before, more = [user(text("one")), assistant(text("two"))], [user(text("three")), assistant(text("four"))]

    assert extend_normalized(normalize_messages(before), more=more) == [*before, *more]
    assert extend_normalized([], more=more) == more
    assert extend_normalized(normalize_messages(before[:1]), more=more) is None
