"""Messages of the application to the model within a turn: requests to continue or to correct an answer."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from chat.agent.model import Stop
from chat.agent.reader_interface import LostElement

Json = dict[str, Any]

FROM_APPLICATION = "(This is the application, not the person.)"
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
            f"{FROM_APPLICATION} Your answer was cut off while you called {', '.join(tools)}. It has not run, and no "
            "tool can be called any more in this turn. Finish your answer without it, going on right where your text "
            "stopped, and say what is not done."
        )
    if not has_text:
        return f"{FROM_APPLICATION} Your answer was cut off before it said anything. Answer now, in a few sentences."
    return (
        f"{FROM_APPLICATION} Your answer was cut off. Go on exactly where it stopped: your first character follows its "
        "last one. Repeat nothing, do not comment on the break, and come to an end soon."
    )


def _resend_prompt(lost: LostElement) -> str:
    where = f"after {lost.operations} whole operations" if lost.operations else f"after {lost.characters} characters"
    fewer = max(1, int(lost.operations * RESEND_SHARE))
    how = f"at most {fewer} operations" if lost.operations > 1 else "fewer parts"
    return (
        f"Your answer was cut off inside {lost.marker}, {where}. That block is lost; the text before it stands. Send "
        f"the block again from its beginning, shorter: {how}, short reasons, one condition in place of many single "
        "rows where there is one. Write the marker and its JSON, nothing before it."
    )


def correction_prompt(marker: str, *, faults: Iterable[str], whole: bool, fence: Callable[[Json], str]) -> str:
    """Return the request for a corrected payload, with its faults by path. `whole`: it cannot be shown at all."""
    wrong = "cannot be shown as it is" if whole else "has operations that cannot be applied as they are"
    return (
        f"{FROM_APPLICATION} The {marker} you wrote {wrong}. What is wrong, by path:\n"
        f"{fence({'faults': list(faults)})}\n"
        "Send the whole block once more with these places put right and everything else as it was. Leave out an "
        "operation that cannot be put right. Only the block is read: write the marker and its JSON, nothing else."
    )
