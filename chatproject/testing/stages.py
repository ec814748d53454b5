"""Stages of `manage.py test`: a name, a function to run, an outcome, and the summary printed at the end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from enum import StrEnum

MAX_FLAKY_TESTS = 3
SLOWEST_SHOWN = 20


class State(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    MISSING = "could not run"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The result of a stage. `failed`, `skipped` and `flaky` hold test ids.

    `passed` includes flaky tests: those that failed and then passed when run again alone. By test id, `errors` has a
    line about the first error of failed and flaky tests, and `durations` the seconds.
    """

    state: State
    detail: str
    passed: int = 0
    failed: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    errors: dict[str, str] = field(default_factory=dict)
    durations: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Stage:
    """A part of the run. A stage in the background runs beside those after it, and must print only when it ends."""

    name: str
    run: Callable[[], Outcome]
    background: bool = False

    def timed(self) -> Outcome:
        started = time.monotonic()
        return replace(self.run(), seconds=time.monotonic() - started)


def run_stages(stages: Sequence[Stage], *, print_line: Callable[[str], None]) -> dict[str, Outcome]:
    """Run every stage, also after one that failed, and return the outcomes by stage name."""
    outcomes: dict[str, Future[Outcome]] = {}
    with ThreadPoolExecutor(max_workers=len(stages) or 1) as threads:
        for stage in stages:
            note = " (in the background)" if stage.background else ""
            print_line(f"\n── {stage.name}{note} ──")
            outcomes[stage.name] = threads.submit(stage.timed)
            if not stage.background:
                outcomes[stage.name].result()
    return {name: outcome.result() for name, outcome in outcomes.items()}


def line(name: str, outcome: Outcome) -> str:
    """Return the stage's line in the summary."""
    return f"{name:<12} {outcome.state:<14} {outcome.seconds:5.0f} s  {outcome.detail}"


def details(outcomes: dict[str, Outcome]) -> list[str]:
    """Return the lines after the stages: the slowest tests, then every skipped, flaky and failed test."""
    durations = [
        (seconds, f"{test} ({name})")
        for name, outcome in outcomes.items()
        for test, seconds in outcome.durations.items()
    ]
    slowest = sorted(durations, reverse=True)[:SLOWEST_SHOWN]
    lines = ["slowest tests:"] if slowest else []
    lines += [f"{seconds:7.1f} s  {test}" for seconds, test in slowest]
    lines += _labelled("SKIPPED", ((name, outcome.skipped) for name, outcome in outcomes.items()))
    lines += flaky_lines(outcomes)
    lines += _labelled("FAILED", ((name, outcome.failed) for name, outcome in outcomes.items()))
    return lines


def flaky_lines(outcomes: dict[str, Outcome]) -> list[str]:
    """Return the tests that passed only when they were run again, each with the error of its first run."""
    lines = []
    for name, outcome in outcomes.items():
        for test in outcome.flaky:
            lines += _labelled("FLAKY", [(name, [test])])
            lines += [f"       {outcome.errors[test]}"] if outcome.errors.get(test) else []
    return lines


def _labelled(label: str, tests_by_stage: Iterable[tuple[str, Sequence[str]]]) -> list[str]:
    return [f"{label}: {test} ({stage})" for stage, tests in tests_by_stage for test in tests]


def total(outcomes: Sequence[Outcome]) -> str:
    """Return the counts of all stages in the form that CI tools parse in the last line."""
    passed = sum(outcome.passed for outcome in outcomes)
    # A failed stage without failed tests, such as a linter, counts as one failure.
    failed = sum(max(len(outcome.failed), outcome.state is State.FAILED) for outcome in outcomes)
    return f"{passed} passed, {failed} failed"


def is_green(outcomes: Sequence[Outcome], *, in_ci: bool) -> bool:
    """Return whether nothing failed and few tests were flaky; on a build machine also that every stage ran."""
    bad = {State.FAILED, State.MISSING} if in_ci else {State.FAILED}
    flaky = sum(len(outcome.flaky) for outcome in outcomes)
    return flaky <= MAX_FLAKY_TESTS and not any(outcome.state in bad for outcome in outcomes)
