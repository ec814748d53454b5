"""Check the features that the assistant needs from a model and its server, and describe the results."""
from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from chat.agent.client.server_features import SIGNATURES, USAGE
from chat.agent.clock import Clock
from chat.agent.model import ModelFailure, Stop
from chat.payload_types import PayloadType
from chat.reader import ReaderRules, TurnReader

if TYPE_CHECKING:
    from chat.agent.client.anthropic_model import AnthropicModel

Json = dict[str, Any]

ADD: Json = {
    "name": "add_numbers",
    "description": "Adds two numbers.",
    "input_schema": {
        "type": "object",
        "required": ["a", "b"],
        "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
    },
}
ADD_REQUEST = "Use the tool add_numbers to add 2 and 3."
# A payload type of the check itself, because those of the applications differ between projects. It is not registered.
TASK_CHANGES = PayloadType(
    name="task_changes",
    description="Changes to tasks.",
    source="llm",
    parse_marker="TASK_CHANGES:",
    schema={
        "type": "object",
        "required": ["changes"],
        "properties": {
            "changes": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "required": ["task", "status"],
                    "properties": {"task": {"type": "integer"}, "status": {"enum": ["open", "done"]}},
                    "additionalProperties": False,
                },
            }
        },
        "additionalProperties": False,
    },
    llm_instructions="""\
TASK_CHANGES - when the user wants to change tasks. Write the marker at the start of a line, then JSON:

TASK_CHANGES: {"changes": [{"task": 7, "status": "open"}]}

`task` is the id of a task, `status` is "open" or "done". Nothing changes until the user applies it. No code fence.""",
)
TASKS = """\
You help with a list of tasks:
[{"id": 1, "title": "Buy milk", "status": "open"}, {"id": 2, "title": "Call Ada", "status": "open"}]

"""
CHANGE_REQUEST = "Set the status of “Buy milk” to done."
SHORT, LONG = 16, 4_000


@dataclass(frozen=True)
class Finding:
    """The result of one trial. `needed`: the assistant does not work without it."""

    name: str
    works: bool
    detail: str
    needed: bool = False

    def as_json(self) -> Json:
        """Return the stored form."""
        return asdict(self)


def works(findings: list[Finding]) -> bool:
    """Whether all needed features are available."""
    return all(finding.works for finding in findings if finding.needed)


async def check_model(
    model: AnthropicModel, *, clock: Clock, seconds: float, max_seconds: float
) -> AsyncIterator[Finding]:
    """Try the model and yield the findings; ends after the first one if the model does not answer at all.

    `seconds` is for one call, `max_seconds` for one call whose model may have to be loaded first.
    """
    trials = _Trials(model, clock=clock, seconds=seconds, max_seconds=max_seconds)
    first = await trials.answers()
    yield first
    if not first.works:
        return
    for trial in (
        trials.uses_a_tool,
        trials.is_forced_to_use_a_tool,
        trials.is_denied_tools,
        trials.proposes,
        trials.is_cut_off,
        trials.counts_before,
    ):
        yield await trial()
    yield trials.reports_tokens()
    yield trials.caches()
    yield trials.signs_thinking()


class _Trials:
    def __init__(self, model: AnthropicModel, *, clock: Clock, seconds: float, max_seconds: float) -> None:
        self._model = model
        self._clock = clock
        self._seconds = seconds
        self._max_seconds = max_seconds
        self._cached = 0

    async def answers(self) -> Finding:
        began = self._clock.monotonic()
        stop, failed = await self._ask("Reply with the single word: ready")
        took = self._clock.monotonic() - began
        if failed or not _text_of(stop).strip():
            return Finding("Answers", False, failed or "The answer is empty.", needed=True)
        return Finding("Answers", True, f"In {took:.1f} s.", needed=True)

    async def uses_a_tool(self) -> Finding:
        stop, failed = await self._ask(ADD_REQUEST, tools=True)
        good = not failed and stop.stop_reason == "tool_use" and _added(stop)
        text = failed or "Does not call a tool when asked to, or calls it with invalid input."
        return Finding("Uses tools", good, "Calls them with valid input." if good else text, needed=True)

    async def is_forced_to_use_a_tool(self) -> Finding:
        choice = {"type": "tool", "name": ADD["name"]}
        stop, failed = await self._ask("Good morning.", tools=True, tool_choice=choice)
        good = not failed and any(block["type"] == "tool_use" for block in stop.blocks)
        text = "tool_choice works." if good else "tool_choice has no effect. The assistant works without it."
        return Finding("Forced tools", good, text)

    async def is_denied_tools(self) -> Finding:
        stop, failed = await self._ask(ADD_REQUEST, tools=True, tool_choice={"type": "none"})
        good = not failed and stop.stop_reason != "tool_use" and "tool_choice" not in self._model.lacks
        text = "tool_choice “none” works." if good else "tool_choice “none” has no effect. Tools are omitted instead."
        return Finding("No tools", good, text)

    async def proposes(self) -> Finding:
        kind = TASK_CHANGES
        reading = TurnReader(ReaderRules(markers={kind.marker: kind.opens}, payloads={kind.marker: kind}))
        stop, failed = await self._ask(CHANGE_REQUEST, system=TASKS + kind.instructions)
        if failed:
            return Finding("Proposals", False, failed, needed=True)
        reading.feed(_text_of(stop))
        reading.end_call(tool_use=False)
        written = reading.parse_payload()
        if written is not None and written.payload is not None:
            return Finding("Proposals", True, "Writes valid proposals.", needed=True)
        text = "; ".join(written.faults)[:300] if written else "Does not write a proposal when asked to."
        return Finding("Proposals", False, text, needed=True)

    async def is_cut_off(self) -> Finding:
        """Check that a cut-off answer is reported. The prompt is that of the proposal, to detect a working cache."""
        system = TASKS + TASK_CHANGES.instructions
        stop, failed = await self._ask("Count from 1 to 200 in words.", system=system, max_tokens=SHORT)
        self._cached = stop.usage.get("cache_read_tokens", 0)
        good = not failed and stop.stop_reason == "max_tokens"
        text = "Reports the stop reason max_tokens." if good else "Does not report when an answer was cut off."
        return Finding("Long answers", good, failed or text)

    async def counts_before(self) -> Finding:
        try:
            count = await self._model.count_tokens(messages=_messages("Hello"))
        except ModelFailure:
            count = 0
        good = count > 0
        text = "Supports count_tokens." if good else "Does not support count_tokens. Counts are estimated."
        return Finding("Token counts", good, text)

    def reports_tokens(self) -> Finding:
        good = USAGE not in self._model.lacks
        text = "Reports token usage." if good else "Does not report token usage. It is estimated."
        return Finding("Usage", good, text)

    def caches(self) -> Finding:
        good = self._cached > 0
        text = "Reports cached input tokens." if good else "Does not report cached input tokens."
        return Finding("Prompt cache", good, text)

    def signs_thinking(self) -> Finding:
        good = SIGNATURES not in self._model.lacks
        text = "Signed, or not used." if good else "Not signed. Thinking blocks are not sent back."
        return Finding("Thinking", good, text)

    async def _ask(
        self,
        text: str,
        *,
        system: str = "",
        tools: bool = False,
        tool_choice: Json | None = None,
        max_tokens: int = LONG,
    ) -> tuple[Stop, str]:
        """Return the end of one call, and the reason if it failed."""
        blocks = [{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}] if system else []
        stop = Stop(stop_reason="")
        events = self._model.stream(
            system=blocks,
            messages=_messages(text),
            tools=[ADD] if tools else [],
            tool_choice=tool_choice,
            max_tokens=max_tokens,
            seconds=self._seconds,
            max_seconds=self._max_seconds,
        )
        try:
            async for event in events:
                if isinstance(event, Stop):
                    stop = event
        except ModelFailure as failure:
            # Only administrators see this, so it may contain the server's own text.
            return stop, f"{failure.message} ({failure.reason})"[:500]
        return stop, ""


def _messages(text: str) -> list[Json]:
    return [{"role": "user", "content": [{"type": "text", "text": text}]}]


def _text_of(stop: Stop) -> str:
    return "".join(block["text"] for block in stop.blocks if block["type"] == "text")


def _added(stop: Stop) -> bool:
    """Whether the tool was called with two numbers."""
    uses = [block for block in stop.blocks if block["type"] == "tool_use"]
    return any(
        use["name"] == ADD["name"] and all(isinstance(use["input"].get(name), int | float) for name in ("a", "b"))
        for use in uses
    )
