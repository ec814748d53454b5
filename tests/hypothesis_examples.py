"""The number of examples that a Hypothesis test draws: few in the ordinary run, many in a run with the soak tests."""

from __future__ import annotations

from hypothesis import settings

DEFAULT_PROFILE = "default run"
SOAK_PROFILE = "soak"
SOAK_FACTOR = 5


def examples(count: int) -> settings:
    """Return settings that draw `count` examples, or five times as many in a run with the soak tests."""
    factor = SOAK_FACTOR if settings.get_current_profile_name() == SOAK_PROFILE else 1
    return settings(max_examples=count * factor)
