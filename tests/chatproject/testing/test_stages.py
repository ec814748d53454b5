"""Stages of `manage.py test`: their summary and when a run is green."""

from __future__ import annotations

from threading import Event

import pytest

from chatproject.testing.stages import Outcome, Stage, State, details, is_green, line, run_stages, total

PASSED = Outcome(state=State.PASSED, detail="12 passed", passed=12)
FAILED = Outcome(state=State.FAILED, detail="3 passed, 2 failed", passed=3, failed=("test_a", "test_b"))
FAILED_CHECK = Outcome(state=State.FAILED, detail="errors from ruff check")
MISSING = Outcome(state=State.MISSING, detail="no browser")
THREE_FLAKY = Outcome(state=State.PASSED, detail="3 passed, 3 flaky", passed=3, flaky=("a", "b", "c"))
ONE_FLAKY = Outcome(state=State.PASSED, detail="1 passed, 1 flaky", passed=1, flaky=("d",))


@pytest.mark.parametrize(
    ("outcomes", "locally", "in_ci"),
    [
        pytest.param([PASSED], True, True, id="all passed"),
        pytest.param([PASSED, FAILED], False, False, id="a test failed"),
        pytest.param([PASSED, FAILED_CHECK], False, False, id="a check failed"),
        pytest.param([PASSED, MISSING], True, False, id="a stage could not run"),
        pytest.param([THREE_FLAKY], True, True, id="three flaky tests"),
        pytest.param([THREE_FLAKY, ONE_FLAKY], False, False, id="four flaky tests"),
    ],
)
def test_is_green(outcomes: list[Outcome], locally: bool, in_ci: bool) -> None:
    assert (is_green(outcomes, in_ci=False), is_green(outcomes, in_ci=True)) == (locally, in_ci)


def test_total_adds_up_all_stages_and_counts_a_failed_check_as_one_failure() -> None:
    assert total([PASSED, FAILED, MISSING, FAILED_CHECK]) == "15 passed, 3 failed"


def test_line_names_the_stage_its_state_and_the_reason() -> None:
    assert line("browser", MISSING) == "browser      could not run      0 s  no browser"


def test_details_list_the_slowest_skipped_flaky_and_failed_tests() -> None:
    sqlite = Outcome(state=State.FAILED, detail="", failed=("test_a",), durations={"test_a": 1.5, "test_b": 2.0})
    browser = Outcome(
        state=State.FAILED,
        detail="",
        skipped=("test_c",),
        flaky=("test_d",),
        errors={"test_d": "test_d.py:4: assert 1 == 2"},
        durations={"test_d": 1.75},
    )
    assert details({"SQLite": sqlite, "browser": browser}) == [
        "slowest tests:",
        "    2.0 s  test_b (SQLite)",
        "    1.8 s  test_d (browser)",
        "    1.5 s  test_a (SQLite)",
        "SKIPPED: test_c (browser)",
        "FLAKY: test_d (browser)",
        "       test_d.py:4: assert 1 == 2",
        "FAILED: test_a (SQLite)",
    ]


def test_a_failed_stage_does_not_stop_the_ones_after_it() -> None:
    stages = [Stage(name="first", run=lambda: FAILED), Stage(name="second", run=lambda: PASSED)]
    outcomes = run_stages(stages, print_line=lambda text: None)
    assert [outcome.state for outcome in outcomes.values()] == [State.FAILED, State.PASSED]


def test_a_background_stage_runs_beside_those_after_it() -> None:
    released = Event()

    def wait() -> Outcome:
        return PASSED if released.wait(timeout=60) else FAILED

    def release() -> Outcome:
        released.set()
        return PASSED

    stages = [Stage(name="background", run=wait, background=True), Stage(name="later", run=release)]
    outcomes = run_stages(stages, print_line=lambda text: None)
    assert [(name, outcome.state) for name, outcome in outcomes.items()] == [
        ("background", State.PASSED), ("later", State.PASSED),
    ]  # fmt: skip
