"""What the summary of `manage.py test` says, and when it is green."""

from __future__ import annotations

import pytest

from chatproject.testing.stages import Outcome, Stage, State, is_green, line, run_stages, total

PASSED = Outcome(state=State.PASSED, detail="12 passed", passed=12)
FAILED = Outcome(state=State.FAILED, detail="3 passed, 2 failed", passed=3, failed=2)
FAILED_CHECK = Outcome(state=State.FAILED, detail="ruff found something")
MISSING = Outcome(state=State.MISSING, detail="no browser")


@pytest.mark.parametrize(
    ("outcomes", "here", "in_ci"),
    [
        pytest.param([PASSED], True, True, id="all passed"),
        pytest.param([PASSED, FAILED], False, False, id="a test failed"),
        pytest.param([PASSED, FAILED_CHECK], False, False, id="a check failed"),
        pytest.param([PASSED, MISSING], True, False, id="a stage could not run"),
    ],
)
def test_a_stage_that_could_not_run_is_red_on_a_build_machine(outcomes: list[Outcome], here: bool, in_ci: bool) -> None:
    assert (is_green(outcomes, in_ci=False), is_green(outcomes, in_ci=True)) == (here, in_ci)


def test_the_total_adds_up_all_stages() -> None:
    assert total([PASSED, FAILED, MISSING]) == "15 passed, 2 failed"


def test_a_failed_check_counts_as_a_failure_though_it_has_no_tests() -> None:
    assert total([PASSED, FAILED_CHECK]) == "12 passed, 1 failed"


def test_a_line_names_the_stage_how_it_went_and_why() -> None:
    assert line("browser", MISSING) == "browser      could not run      0 s  no browser"


def test_a_failed_stage_does_not_stop_the_ones_after_it() -> None:
    stages = [Stage(name="first", run=lambda: FAILED), Stage(name="second", run=lambda: PASSED)]
    outcomes = run_stages(stages, say=lambda text: None)
    assert [outcome.state for outcome in outcomes.values()] == [State.FAILED, State.PASSED]
