"""Join the events of one streamed answer, in linear time."""
from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any
from uuid import uuid4

from chat.agent.model import Json, Stop, TextBuffer
from shared import strictjson

STORED_BLOCK_TYPES = {"text", "tool_use", "thinking", "redacted_thinking"}
# Blocks of tools that the provider runs itself; their results arrive as a whole.
SERVER_TOOL_BLOCK_TYPES = {"server_tool_use", "web_search_tool_result", "web_fetch_tool_result"}
VALID_TOOL_USE_ID = re.compile(r"[A-Za-z0-9_-]{1,200}")
VALID_TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
INVALID_NAME_CHARACTERS = re.compile(r"[^A-Za-z0-9_-]")
# In characters. Each event and block adds a fixed size, so that empty ones are limited as well. No useful answer is as
# large.
MAX_SIZE = 8_000_000
EVENT_SIZE = 32
BLOCK_SIZE = 20_000
# Some servers that translate from the OpenAI API send its finish reasons.
STOP_REASONS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}
# Upper limit of each reported token count: no model reads or writes more in one call.
MAX_TOKENS = 2_000_000


class Accumulator:
    """Collects the raw events of `messages.create(stream=True)`, which are added in order.

    The SDK's own helper parses a tool's whole input again at each delta, which takes quadratic time; here the pieces
    are joined once, when their block ends. `used_ids` are the ids of tool uses in the request; new ones get other ids.
    With `keeps_server_tools`, the result has the blocks of tools that the provider runs, and the citations of texts.
    """

    def __init__(self, *, used_ids: Collection[str] = (), keeps_server_tools: bool = False) -> None:
        self._used_ids = set(used_ids)
        self._keeps_server_tools = keeps_server_tools
        self._blocks: list[Json] = []
        self._text = TextBuffer()  # of the open block
        self._bad_inputs: dict[str, str] = {}
        self._usage: dict[str, int] = {}
        self._stop_reason = ""
        self._initial_input = ""  # JSON: the tool input sent at the start of the open block
        self._size = 0
        self.has_message = False  # whether the message has started
        self.has_started = False  # whether part of the answer has arrived
        self.has_text = False  # whether this includes text other than white space

    @property
    def is_full(self) -> bool:
        """Whether the answer has reached the size limit."""
        return self._size > MAX_SIZE

    def add(self, event: Any) -> str:
        """Add one event and return its text, which may be ""."""
        kind = event.type
        self._size += EVENT_SIZE
        if kind == "content_block_delta":
            return self._add_delta(event.delta)
        if kind == "content_block_start":
            self.has_started = True
            return self._start_block(event.content_block)
        if kind == "content_block_stop":
            self._close_block()
        elif kind == "message_start":
            self.has_message = True
            # vLLM reports usage outside of the message.
            self._add_usage(getattr(event.message, "usage", None) or getattr(event, "usage", None))
        elif kind == "message_delta":
            reason = str(getattr(event.delta, "stop_reason", None) or "")
            self._stop_reason = STOP_REASONS.get(reason, reason)
            self._add_usage(event.usage)
        return ""

    def add_message(self, message: Any) -> None:
        """Add a whole answer, as calls that do not stream have it."""
        self.has_message = True
        for block in message.content:
            self._start_block(block)
            if block.type == "text" and self._keeps_server_tools and block.citations:
                self._blocks[-1]["citations"] = [self._as_json(each) for each in block.citations]
        reason = str(message.stop_reason or "")
        self._stop_reason = STOP_REASONS.get(reason, reason)
        self._add_usage(message.usage)

    def result(self) -> Stop:
        """Close the open block and return the result of the call."""
        self._close_block()
        stored = STORED_BLOCK_TYPES | (SERVER_TOOL_BLOCK_TYPES if self._keeps_server_tools else set())
        blocks = tuple(block for block in self._blocks if block["type"] in stored)
        usage = self._total_usage()
        return Stop(stop_reason=self._stop_reason, blocks=blocks, bad_inputs=self._bad_inputs, usage=usage)

    def _start_block(self, block: Any) -> str:
        """Start a block and return its initial text."""
        self._close_block()
        self._text = TextBuffer()
        kind = block.type
        self._size += BLOCK_SIZE
        self._blocks.append({"type": kind})
        if kind == "text":
            text = strictjson.replace_unstorable_text(block.text or "")
            self._text.add(text)
            self.has_text = self.has_text or bool(text.strip())
            return text
        if kind == "tool_use":
            self._blocks[-1] |= {"id": self._unique_id(block.id), "name": block.name, "input": {}}
            # Some servers send the input at the start of its block, as an object or as JSON.
            given = block.input or ""
            self._initial_input = given if isinstance(given, str) else json.dumps(given)
            self._check_name(self._blocks[-1])
        elif kind == "thinking":
            self._blocks[-1]["signature"] = block.signature or ""
            self._text.add(strictjson.replace_unstorable_text(block.thinking or ""))
        elif kind == "redacted_thinking":
            self._blocks[-1]["data"] = block.data
        elif kind in SERVER_TOOL_BLOCK_TYPES and self._keeps_server_tools:
            self._blocks[-1] = self._as_json(block)
        return ""

    def _as_json(self, value: Any) -> Json:
        """Return a block or a citation as JSON that can be sent back, and add its size."""
        found: Json = value if isinstance(value, dict) else value.to_dict(mode="json")
        found = strictjson.replace_unstorable(found)
        self._size += strictjson.byte_size(found)
        return found

    def _unique_id(self, given: str) -> str:
        """Return the server's id of a tool use, or a new one if the server's would make the next request invalid."""
        is_valid = given and given not in self._used_ids and VALID_TOOL_USE_ID.fullmatch(given)
        use_id = given if is_valid else f"toolu_{uuid4().hex}"
        self._used_ids.add(use_id)
        return use_id

    def _check_name(self, use: Json) -> None:
        """Replace a tool name that the API does not accept, and mark the tool as unknown."""
        name = str(use["name"] or "")
        if not VALID_TOOL_NAME.fullmatch(name):
            use["name"] = INVALID_NAME_CHARACTERS.sub("_", name)[:64] or "_"
            self._bad_inputs[use["id"]] = f"There is no tool {strictjson.replace_unstorable_text(name[:64])!r}."

    def _add_delta(self, delta: Any) -> str:
        kind = delta.type
        if kind == "text_delta":
            # A model may write characters that the database and the API do not accept.
            text = strictjson.replace_unstorable_text(delta.text or "")
            self._continue_block("text")
            self._add(text)
            self.has_text = self.has_text or bool(text.strip())
            return text
        if kind == "input_json_delta":
            self._add(delta.partial_json or "")
        elif kind == "thinking_delta":
            self._continue_block("thinking")
            self._add(strictjson.replace_unstorable_text(delta.thinking or ""))
        elif kind == "signature_delta" and self._blocks:
            self._blocks[-1]["signature"] = delta.signature
        elif kind == "citations_delta" and self._keeps_server_tools and self._blocks:
            self._blocks[-1].setdefault("citations", []).append(self._as_json(delta.citation))
        return ""

    def _continue_block(self, kind: str) -> None:
        """Start a block of this kind unless one is open: some servers send text without starting a block for it."""
        if self._blocks and self._blocks[-1]["type"] == kind and kind not in self._blocks[-1]:
            return
        self._close_block()
        self.has_started = True
        self._size += BLOCK_SIZE
        self._blocks.append({"type": kind, **({"signature": ""} if kind == "thinking" else {})})

    def _add(self, piece: str) -> None:
        self._text.add(piece)
        self._size += len(piece)

    def _close_block(self) -> None:
        if not self._blocks:
            return
        block, text = self._blocks[-1], str(self._text) or self._initial_input
        self._text, self._initial_input = TextBuffer(), ""
        if block["type"] in {"text", "thinking"}:
            block.setdefault(block["type"], text)
        elif block["type"] in {"tool_use", "server_tool_use"} and text.strip():
            try:
                value = strictjson.loads(text)
            except strictjson.StrictJsonError as error:
                self._bad_inputs.setdefault(block["id"], error.detail)
                return
            if isinstance(value, dict):
                block["input"] = value
            else:
                self._bad_inputs.setdefault(block["id"], "The input must be a JSON object.")

    def _add_usage(self, usage: Any) -> None:
        # The numbers of `message_delta` are totals of the call, not increments. Some servers omit some of them.
        for name in ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"):
            # The SDK returns unknown structures as dictionaries.
            value = usage.get(name) if isinstance(usage, dict) else getattr(usage, name, None)
            # Some servers report zeros at the end; then the numbers reported before are used.
            if isinstance(value, int) and value > 0:
                self._usage[name] = min(value, MAX_TOKENS)

    def _total_usage(self) -> dict[str, int]:
        usage = self._usage
        read = usage.get("cache_read_input_tokens", 0)
        written = usage.get("cache_creation_input_tokens", 0)
        return {
            "input_tokens": usage.get("input_tokens", 0) + read + written,
            "output_tokens": usage.get("output_tokens", 0),
            "cache_read_tokens": read,
        }
