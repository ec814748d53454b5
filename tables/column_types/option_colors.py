"""Colours of options, and the default colour of an option without one."""
from __future__ import annotations

from collections.abc import Iterable, Mapping

# In the order in which new options get them: the first six differ most. Defined in static/css/controls.css as
# [data-c="…"].
OPTION_COLORS = (
    "blue", "orange", "teal", "purple", "yellow", "pink", "gray", "cyan", "indigo", "magenta", "brown", "lime",
)  # fmt: skip


def complete_colors(options: Iterable[str], known: Mapping[str, str]) -> dict[str, str]:
    """Return the colour of every option, in the order of the options.

    `known` colours stay; each other option gets the first of the least used colours, so that no colour repeats before
    all are used. Colours of other options are left out.
    """
    colors = {option: known.get(option) for option in options}
    uses = dict.fromkeys(OPTION_COLORS, 0)
    for color in colors.values():
        if color in uses:
            uses[color] += 1
    complete = {}
    for option, color in colors.items():
        if color not in uses:
            color = min(uses, key=uses.__getitem__)
            uses[color] += 1
        complete[option] = color
    return complete
