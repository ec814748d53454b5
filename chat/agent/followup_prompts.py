"""Messages of the application to the model within a turn: requests to continue or to correct an answer."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from chat.agent.model import Stop
from chat.agent.reader_interface import LostElement

Json = dict[str, Any]

FROM_APPLICATION = "(This is the application, not the user.)"
NORMAL_STOP_REASONS = frozenset({"end_turn", "stop_sequence", "tool_use", "refusal", "model_context_window_exceeded"})
# A block that was cut off is requested again with at most this share of its operations.
RESEND_SHARE = 0.7


def is_cut(stop: Stop) -> bool:
    """Whether the answer was cut off. Unknown stop reasons count as cut off."""
    return stop.stop_reason not in NORMAL_STOP_REASONS


def text_blocks(blocks: Sequence[Json]) -> list[Json]:
    """Return the text blocks of an answer that is continued: its tools do not run, and its thinking is incomplete."""
    return [block for block in blocks if block["type"] == "text"]


def continuation_prompt(stop: Stop, *, lost: LostElement | None, has_text: bool) -> str:
    """Return the request for the rest of an answer that was cut off. `has_text`: it has text to continue."""
    tools = [block["name"] for block in stop.blocks if block["type"] == "tool_use"]
    if lost is not None:
        return f"{FROM_APPLICATION} {_resend_prompt(lost)}"
    if tools:
        return (
            f"{FROM_APPLICATION} Your answer was cut off while you called {', '.join(tools)}, which did not run. No "
            "more tools can be called in this turn. Continue your answer without them, exactly where your text "
            "stopped, and say what was not done."
        )
    if not has_text:
        return f"{FROM_APPLICATION} Your answer was cut off before its first word. Answer now, in a few sentences."
    return (
        f"{FROM_APPLICATION} Your answer was cut off. Continue exactly where it stopped: your first character follows "
        "its last one. Repeat nothing, do not mention the break, and finish soon."
    )


def _resend_prompt(lost: LostElement) -> str:
    where = f"after {lost.operations} complete operations" if lost.operations else f"after {lost.characters} characters"
    fewer = max(1, int(lost.operations * RESEND_SHARE))
    how = f"at most {fewer} operations" if lost.operations > 1 else "fewer parts"
    return (
        f"Your answer was cut off inside {lost.marker}, {where}. That block is discarded, the text before it is not. "
        f"Send the block again from its beginning, shorter: {how}, short reasons, one condition instead of many single "
        "rows where possible. Write the marker and its JSON, nothing before it."
    )


def correction_prompt(marker: str, *, faults: Iterable[str], whole: bool, fence: Callable[[Json], str]) -> str:
    """Return the request for a corrected payload, with its faults by path. `whole`: it cannot be shown at all."""
    wrong = "cannot be shown" if whole else "has operations that cannot be applied"
    return (
        f"{FROM_APPLICATION} The {marker} you wrote {wrong}. Faults by path:\n"
        f"{fence({'faults': list(faults)})}\n"
        "Send the whole block again with these faults corrected and everything else unchanged. Leave out operations "
        "that cannot be corrected. Only the block is read: write the marker and its JSON, nothing else."
    )
