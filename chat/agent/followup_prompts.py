"""What the application itself says to the model in the middle of a turn, and how it tells how an answer ended."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from chat.agent.model import Stop
from chat.agent.reader_interface import Lost

Json = dict[str, Any]

FROM_APPLICATION = "(This is the application, not the person.)"
MEANT = frozenset({"end_turn", "stop_sequence", "tool_use", "refusal", "model_context_window_exceeded"})
SHORTER = 0.7


def is_cut(stop: Stop) -> bool:
    """Whether the answer ended before the model meant it to; reasons nobody knows count as that."""
    return stop.stop_reason not in MEANT


def texts_of(blocks: Sequence[Json]) -> list[Json]:
    """The text of an answer that others go on from: its tools will not run, and thinking belongs to a finished one."""
    return [block for block in blocks if block["type"] == "text"]


def to_go_on(stop: Stop, *, lost: Lost | None, said: bool) -> str:
    """Asks for the rest of an answer that was cut. `said`: there is text to go on from."""
    tools = [block["name"] for block in stop.blocks if block["type"] == "tool_use"]
    if lost is not None:
        return f"{FROM_APPLICATION} {_again(lost)}"
    if tools:
        return (
            f"{FROM_APPLICATION} Your answer was cut off while you called {', '.join(tools)}. It has not run, and no "
            "tool can be called any more in this turn. Finish your answer without it, going on right where your text "
            "stopped, and say what is not done."
        )
    if not said:
        return f"{FROM_APPLICATION} Your answer was cut off before it said anything. Answer now, in a few sentences."
    return (
        f"{FROM_APPLICATION} Your answer was cut off. Go on exactly where it stopped: your first character follows its "
        "last one. Repeat nothing, do not comment on the break, and come to an end soon."
    )


def _again(lost: Lost) -> str:
    came = f"after {lost.operations} whole operations" if lost.operations else f"after {lost.characters} characters"
    fewer = max(1, int(lost.operations * SHORTER))
    how = f"at most {fewer} operations" if lost.operations > 1 else "fewer parts"
    return (
        f"Your answer was cut off inside {lost.marker}, {came}. That block is lost; the text before it stands. Send "
        f"the block again from its beginning, shorter: {how}, short reasons, one condition in place of many single "
        "rows where there is one. Write the marker and its JSON, nothing before it."
    )


def to_correct(marker: str, *, faults: Iterable[str], whole: bool, fenced: Callable[[Json], str]) -> str:
    """Asks for a payload once more, given what is wrong with it, path by path. `whole`: it cannot be shown at all."""
    wrong = "cannot be shown as it is" if whole else "has operations that cannot be applied as they are"
    return (
        f"{FROM_APPLICATION} The {marker} you wrote {wrong}. What is wrong, by path:\n"
        f"{fenced({'faults': list(faults)})}\n"
        "Send the whole block once more with these places put right and everything else as it was. Leave out an "
        "operation that cannot be put right. Only the block is read: write the marker and its JSON, nothing else."
    )
