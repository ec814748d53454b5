"""The demo model as the SDK sees it: streamed messages in the wire form of the Messages API."""

from __future__ import annotations

import asyncio
import gc
import types
from typing import Any

import anthropic
import pytest
from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient

from chat.demo import demo_transport, transport
from tests.chat.demo.asking import request_body

Json = dict[str, Any]


def client(**options: Any) -> AsyncAnthropic:
    return AsyncAnthropic(
        api_key="not-needed",
        base_url="http://demo.invalid",
        max_retries=0,
        http_client=DefaultAsyncHttpxClient(transport=demo_transport(**({"pace": 0.0} | options))),
    )


async def streamed(body: Json, **options: Any) -> list[Any]:
    async with client(**options) as sdk:
        stream = await sdk.messages.create(**body, stream=True)
        return [event async for event in stream]


def test_a_proposal_arrives_as_the_events_of_a_stream_in_order() -> None:
    events = asyncio.run(streamed(request_body("Track my vendors", page="tables_list")))

    kinds = [event.type for event in events]
    assert kinds[:2] == ["message_start", "content_block_start"]
    assert set(kinds[2:-3]) == {"content_block_delta"}
    assert kinds[-3:] == ["content_block_stop", "message_delta", "message_stop"]
    assert events[-2].delta.stop_reason == "end_turn"


def test_text_comes_in_deltas_of_a_few_characters() -> None:
    events = asyncio.run(streamed(request_body("hello")))

    pieces = [event.delta.text for event in events if event.type == "content_block_delta"]
    assert len(pieces) > 20
    assert max(map(len, pieces)) <= 8


def test_two_hundred_rows_come_in_a_bounded_number_of_deltas() -> None:
    events = asyncio.run(streamed(request_body("add 200 sample rows")))

    pieces = [event.delta.text for event in events if event.type == "content_block_delta"]
    assert len("".join(pieces)) > 20_000
    assert len(pieces) < 350


def test_a_tool_use_comes_with_its_input_in_json_deltas() -> None:
    async def ask() -> Any:
        async with client() as sdk, sdk.messages.stream(**request_body("how many are Applied?")) as stream:
            return await stream.get_final_message()

    message = asyncio.run(ask())

    assert message.stop_reason == "tool_use"
    assert [block.type for block in message.content] == ["text", "tool_use"]
    assert message.content[1].name == "get_rows"
    assert message.content[1].input["limit"] == 1


def test_tokens_in_and_out_are_told() -> None:
    async def ask() -> Any:
        async with client() as sdk, sdk.messages.stream(**request_body("hello")) as stream:
            return await stream.get_final_message()

    usage = asyncio.run(ask()).usage

    assert usage.input_tokens > 10
    assert usage.output_tokens > 10


def test_without_streaming_the_whole_message_is_answered() -> None:
    async def ask() -> Any:
        async with client() as sdk:
            return await sdk.messages.create(**request_body("hello"))

    message = asyncio.run(ask())

    assert message.stop_reason == "end_turn"
    assert "demo model" in message.content[0].text


def test_the_pause_before_each_delta_is_the_callers() -> None:
    pauses: list[float] = []

    async def note(seconds: float) -> None:
        pauses.append(seconds)

    events = asyncio.run(streamed(request_body("hello"), pace=0.5, sleep=note))

    assert pauses == [0.5] * sum(event.type == "content_block_delta" for event in events)


def test_the_same_request_is_answered_the_same() -> None:
    body = request_body("add 8 sample rows")

    first, second = asyncio.run(streamed(body)), asyncio.run(streamed(body))

    assert [event.to_dict() for event in first] == [event.to_dict() for event in second]


def test_another_path_is_not_found() -> None:
    async def ask() -> None:
        async with client() as sdk:
            await sdk.models.list()

    with pytest.raises(anthropic.NotFoundError):
        asyncio.run(ask())


def test_a_request_without_messages_is_refused() -> None:
    async def ask() -> None:
        async with client() as sdk:
            await sdk.messages.create(model="demo", max_tokens=10, messages=[])

    with pytest.raises(anthropic.BadRequestError):
        asyncio.run(ask())


def test_an_answer_that_is_stopped_in_the_middle_is_closed_with_it() -> None:
    def half_read() -> list[str]:
        found = [thing for thing in gc.get_objects() if type(thing) is types.AsyncGeneratorType and thing.ag_frame]
        return [thing.__qualname__ for thing in found if thing.ag_code.co_filename == transport.__file__]

    async def scene() -> tuple[list[str], list[str]]:
        async with client() as sdk:
            async with await sdk.messages.create(**request_body("Track my vendors"), stream=True) as stream:
                await anext(aiter(stream))
                during = half_read()
            # Whoever has stopped it still holds on to it.
            return during, half_read() if stream else []

    assert asyncio.run(scene()) == (["DemoTransport._stream"], [])
