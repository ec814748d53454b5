"""Puts the pieces of one streamed answer together again, each piece touched once."""
from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any
from uuid import uuid4

import strictjson
from chat.agent.model import Json, Stop
from chat.agent.text_buffer import GrowingText

KEPT_BLOCKS = {"text", "tool_use", "thinking", "redacted_thinking"}
USE_ID = re.compile(r"[A-Za-z0-9_-]{1,200}")
TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
NO_NAME = re.compile(r"[^A-Za-z0-9_-]")
# Characters of an answer, of which an event counts as some even if it brings none, and a block as many. No model that
# is well says as much, and nobody could use it.
MOST = 8_000_000
OF_AN_EVENT = 32
OF_A_BLOCK = 20_000
# Servers that translate from the OpenAI API let some of its finish reasons through.
STOP_REASONS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}
# Of one kind, in one call, whatever a server says: no model takes or gives more.
MOST_TOKENS = 2_000_000


class Accumulator:
    """Takes the raw events of `messages.create(stream=True)` in order.

    The SDK's own helper parses a tool's whole input again at every delta, which is quadratic; here the pieces are
    joined once, when their block ends. `taken`: the ids of tool uses in the request, which no new one may have.
    """

    def __init__(self, *, taken: Collection[str] = ()) -> None:
        self._taken = set(taken)
        self._blocks: list[Json] = []
        self._text = GrowingText()  # of the block that has not ended
        self._bad_inputs: dict[str, str] = {}
        self._usage: dict[str, int] = {}
        self._stop_reason = ""
        self._at_once = ""  # the input of a tool use as its block began with it, as JSON
        self._size = 0
        self.opened = False  # whether there was a message at all
        self.begun = False  # whether part of an answer has come
        self.has_text = False  # whether that includes text other than white space

    @property
    def full(self) -> bool:
        """Whether so much has come that it must be enough."""
        return self._size > MOST

    def take(self, event: Any) -> str:
        """Reads one event; the answer is the text it brings, mostly ""."""
        kind = event.type
        self._size += OF_AN_EVENT
        if kind == "content_block_delta":
            return self._delta(event.delta)
        if kind == "content_block_start":
            self.begun = True
            return self._start(event.content_block)
        if kind == "content_block_stop":
            self._close_block()
        elif kind == "message_start":
            self.opened = True
            # vLLM reports usage beside the message.
            self._count(getattr(event.message, "usage", None) or getattr(event, "usage", None))
        elif kind == "message_delta":
            reason = str(getattr(event.delta, "stop_reason", None) or "")
            self._stop_reason = STOP_REASONS.get(reason, reason)
            self._count(event.usage)
        return ""

    def stop(self) -> Stop:
        """What the call came to."""
        self._close_block()
        blocks = tuple(block for block in self._blocks if block["type"] in KEPT_BLOCKS)
        return Stop(stop_reason=self._stop_reason, blocks=blocks, bad_inputs=self._bad_inputs, usage=self._totals())

    def _start(self, block: Any) -> str:
        """A block begins; the answer is the text it brings."""
        self._close_block()
        self._text = GrowingText()
        kind = block.type
        self._size += OF_A_BLOCK
        self._blocks.append({"type": kind})
        if kind == "text":
            text = strictjson.storable_text(block.text or "")
            self._text.add(text)
            self.has_text = self.has_text or bool(text.strip())
            return text
        if kind == "tool_use":
            self._blocks[-1] |= {"id": self._use_id(block.id), "name": block.name, "input": {}}
            # Some servers send the input with the beginning of its block, as an object or as the text of one.
            given = block.input or ""
            self._at_once = given if isinstance(given, str) else json.dumps(given)
            self._name(self._blocks[-1])
        elif kind == "thinking":
            self._blocks[-1]["signature"] = block.signature or ""
            self._text.add(strictjson.storable_text(block.thinking or ""))
        elif kind == "redacted_thinking":
            self._blocks[-1]["data"] = block.data
        return ""

    def _use_id(self, given: str) -> str:
        """The id of a tool use; another one where the server's would make the next request invalid."""
        fits = given and given not in self._taken and USE_ID.fullmatch(given)
        use_id = given if fits else f"toolu_{uuid4().hex}"
        self._taken.add(use_id)
        return use_id

    def _name(self, use: Json) -> None:
        """Another name for a tool whose own no request may hold; such a tool there is not."""
        name = str(use["name"] or "")
        if not TOOL_NAME.fullmatch(name):
            use["name"] = NO_NAME.sub("_", name)[:64] or "_"
            self._bad_inputs[use["id"]] = f"There is no tool {strictjson.storable_text(name[:64])!r}."

    def _delta(self, delta: Any) -> str:
        kind = delta.type
        if kind == "text_delta":
            # A model may write characters that no database and no next request would take.
            text = strictjson.storable_text(delta.text or "")
            self._continue_block("text")
            self._add(text)
            self.has_text = self.has_text or bool(text.strip())
            return text
        if kind == "input_json_delta":
            self._add(delta.partial_json or "")
        elif kind == "thinking_delta":
            self._continue_block("thinking")
            self._add(strictjson.storable_text(delta.thinking or ""))
        elif kind == "signature_delta" and self._blocks:
            self._blocks[-1]["signature"] = delta.signature
        return ""

    def _continue_block(self, kind: str) -> None:
        """Begin a block of this kind unless one is open: some servers send text without starting a block for it."""
        if self._blocks and self._blocks[-1]["type"] == kind and kind not in self._blocks[-1]:
            return
        self._close_block()
        self.begun = True
        self._size += OF_A_BLOCK
        self._blocks.append({"type": kind, **({"signature": ""} if kind == "thinking" else {})})

    def _add(self, piece: str) -> None:
        self._text.add(piece)
        self._size += len(piece)

    def _close_block(self) -> None:
        if not self._blocks:
            return
        block, text = self._blocks[-1], str(self._text) or self._at_once
        self._text, self._at_once = GrowingText(), ""
        if block["type"] in {"text", "thinking"}:
            block.setdefault(block["type"], text)
        elif block["type"] == "tool_use" and text.strip():
            try:
                value = strictjson.read(text)
            except strictjson.NotStrictJson as error:
                self._bad_inputs.setdefault(block["id"], error.detail)
                return
            if isinstance(value, dict):
                block["input"] = value
            else:
                self._bad_inputs.setdefault(block["id"], "The input must be a JSON object.")

    def _count(self, usage: Any) -> None:
        # Numbers of `message_delta` are totals of the call, not additions; some servers leave some out.
        for name in ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"):
            # What the SDK does not know comes as a plain dictionary.
            value = usage.get(name) if isinstance(usage, dict) else getattr(usage, name, None)
            # A server that counts nothing at the end reports zeros, which say less than what it reported before.
            if isinstance(value, int) and value > 0:
                self._usage[name] = min(value, MOST_TOKENS)

    def _totals(self) -> dict[str, int]:
        counted = self._usage
        read = counted.get("cache_read_input_tokens", 0)
        written = counted.get("cache_creation_input_tokens", 0)
        return {
            "input_tokens": counted.get("input_tokens", 0) + read + written,
            "output_tokens": counted.get("output_tokens", 0),
            "cache_read_tokens": read,
        }
