"""One stage of `manage.py test`: what it is called, how it went, and what is said about it at the end."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum


class State(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    MISSING = "could not run"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a stage went. `passed` and `failed` count tests, for stages that have any."""

    state: State
    detail: str
    passed: int = 0
    failed: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Stage:
    name: str
    run: Callable[[], Outcome]


def run_stages(stages: Sequence[Stage], *, say: Callable[[str], None]) -> dict[str, Outcome]:
    """Run every stage, whatever became of the ones before it: stage name → outcome."""
    outcomes = {}
    for stage in stages:
        say(f"\n── {stage.name} ──")
        began = time.monotonic()
        outcome = stage.run()
        outcomes[stage.name] = replace(outcome, seconds=time.monotonic() - began)
    return outcomes


def line(name: str, outcome: Outcome) -> str:
    """The stage's line in the summary."""
    return f"{name:<12} {outcome.state:<14} {outcome.seconds:5.0f} s  {outcome.detail}"


def total(outcomes: Sequence[Outcome]) -> str:
    """All tests of all stages, in the plain form that machines look for in the last line."""
    passed = sum(outcome.passed for outcome in outcomes)
    # A check without tests of its own still counts when it fails: red never reads "0 failed".
    failed = sum(max(outcome.failed, outcome.state is State.FAILED) for outcome in outcomes)
    return f"{passed} passed, {failed} failed"


def is_green(outcomes: Sequence[Outcome], *, in_ci: bool) -> bool:
    """Nothing failed; and on a build machine nothing was left out either."""
    bad = {State.FAILED, State.MISSING} if in_ci else {State.FAILED}
    return not any(outcome.state in bad for outcome in outcomes)
