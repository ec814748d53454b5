"""The demo model on pages of other applications: declared answers to starters, and declared examples of tools."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient
from anthropic.types import Message

from chat.agent.tools import ToolConfig, tools
from chat.demo_model import demo_transport
from chat.demo_model.answering import DEMO_NOTICE
from chat.page_config import PageConfig, Starter, pages
from tests.chat.demo_model.requests import request_body

Json = dict[str, Any]
SEARCH = ToolConfig(
    name="search_papers",
    description="Searches.",
    input_schema={"type": "object", "properties": {"words": {"type": "string"}, "limit": {"type": "integer"}}},
    executor=None,  # type: ignore[arg-type]  # it is not called
    examples={
        "Which papers are about {words}?": {"words": "{words}"},
        "Show {limit} papers": {"limit": "{limit}"},
        "Show a paper": {},
    },
)
READ = Starter("What should I read?", demo=[{"tools": [{"name": "search_papers"}], "pace": 0}, "Read {result.first}."])
PAPERS = PageConfig(page="papers", starters=(READ, "Which papers are about sleep?", "Write a poem"))


@pytest.fixture(autouse=True)
def entries() -> Iterator[None]:
    with tools.registered(SEARCH), pages.registered(PAPERS):
        yield


def answer(words: str, *, page: str = "papers", result: Any = None) -> Message:
    """Return the answer of a call; with a result, the one after the tool."""
    body = request_body(words, page="tables_list")
    body["messages"][-1]["content"][0]["text"] = f'CONTEXT\n<data token="x">\n{json.dumps({"page": page})}\n</data>'
    body["tools"] = [SEARCH.as_api()]
    if result is not None:
        used = {"type": "tool_use", "id": "toolu_1", "name": "search_papers", "input": {}}
        output = {"type": "tool_result", "tool_use_id": "toolu_1", "content": result}
        body["messages"] += [{"role": "assistant", "content": [used]}, {"role": "user", "content": [output]}]

    async def call() -> Message:
        http_client = DefaultAsyncHttpxClient(transport=demo_transport(pace=0))
        sdk = AsyncAnthropic(api_key="-", base_url="http://demo.invalid", http_client=http_client)
        async with sdk, sdk.messages.stream(**body) as stream:
            return await stream.get_final_message()

    return asyncio.run(call())


def text_of(message: Message) -> str:
    return message.content[0].text  # type: ignore[union-attr]  # a text block


@pytest.mark.parametrize(
    ("words", "page", "expected"),
    [
        ("Please, which papers are about deep sleep", "papers", {"words": "deep sleep"}),
        ("show 5 papers", "papers", {"limit": 5}),
        ("Which papers are about sleep?", "tables_list", {"words": "sleep"}),
        (READ, "papers", {}),
    ],
)
def test_declared_sentence_calls_the_tool(words: str, page: str, expected: Json) -> None:
    [block] = answer(words, page=page).content

    assert (block.type, block.name, block.input) == ("tool_use", "search_papers", expected)


@pytest.mark.parametrize(
    ("result", "shown"),
    [
        ("7 Why naps help", "This is the result of `search_papers`: 7 Why naps help"),
        ("7 Naps\n\n8 Sleep", "This is the result of `search_papers`:\n\n- 7 Naps\n- 8 Sleep"),
    ],
    ids=["sentence", "lines"],
)
def test_result_of_an_example_is_the_answer(result: str, shown: str) -> None:
    text = text_of(answer("Show a paper", result=result))

    assert text.startswith(f"{shown}\n\nSUGGESTED_VALUES: ")


def test_starter_gets_its_declared_replies() -> None:
    assert text_of(answer(READ, result='{"first": "Why naps help"}')) == "Read Why naps help."


@pytest.mark.parametrize("words", ["Add 5 sample rows", "Write a poem", "Help"])
def test_other_messages_get_the_sentences_that_work(words: str) -> None:
    text, _, values = text_of(answer(words)).partition("\n\nSUGGESTED_VALUES: ")

    assert text.startswith(DEMO_NOTICE)
    assert "such as “Which papers are about …?”, “Show … papers”" in text
    offered = [value["value"] for value in json.loads(values)]
    assert offered == ["What should I read?", "Which papers are about sleep?", "Show a paper"]
