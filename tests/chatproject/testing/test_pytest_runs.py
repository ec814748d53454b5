"""Runs of pytest: their counts, and failed tests that run again."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatproject.testing.pytest_runs import run_pytest
from chatproject.testing.stages import State

pytestmark = pytest.mark.slow

PASSES = "def test_it(): pass\n"
FAILS = "def test_it(): assert 1 == 2\n"
SKIPS = "import pytest\ndef test_one(): pass\ndef test_it(): pytest.skip('no moon')\n"
FAILS_IN_ALL_PHASES = """
import pytest
@pytest.fixture
def broken(): raise OSError
@pytest.fixture
def breaking():
    yield
    raise OSError
def test_passes(): pass
def test_fails(): assert 1 == 2
def test_set_up(broken): pass
def test_tear_down(breaking): pass
"""
WRONG = "def test_it(:\n"
# Fails in the first run, in which the other test writes the file, and passes in the second.
FAILS_ONCE = """
from pathlib import Path
def test_one(): assert Path("ran").exists()
def test_it(): Path("ran").touch()
"""
# Loading the plugins of this project takes longer than running these tests.
BARE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
ARGUMENTS = ["-q", "-p", "no:cacheprovider", "test_it.py"]


@pytest.mark.parametrize(
    ("text", "state", "passed", "failed"),
    [
        pytest.param(FAILS_IN_ALL_PHASES, State.FAILED, 1, ("fails", "set_up", "tear_down"), id="fails"),
        pytest.param(WRONG, State.FAILED, 0, ("",), id="is not Python"),
        pytest.param("", State.MISSING, 0, (), id="has no tests"),
    ],
)
def test_counts(tmp_path: Path, text: str, state: State, passed: int, failed: tuple[str, ...]) -> None:
    (tmp_path / "test_it.py").write_text(text)
    outcome = run_pytest(ARGUMENTS, root=tmp_path, env=BARE)
    names = tuple(test.removeprefix("test_it.py").removeprefix("::test_") for test in outcome.failed)
    assert (outcome.state, outcome.passed, names) == (state, passed, failed)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(PASSES)
    outcome = run_pytest([*ARGUMENTS, "test_other.py::test_it"], root=tmp_path, env=BARE)
    assert (outcome.state, outcome.detail) == (State.FAILED, "not found: test_other.py")


def test_skipped_tests_are_listed(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(SKIPS)
    outcome = run_pytest(ARGUMENTS, root=tmp_path, env=BARE)
    assert (outcome.state, outcome.detail) == (State.MISSING, "1 passed, 1 skipped")
    assert outcome.skipped == ("test_it.py::test_it",)


@pytest.mark.parametrize(
    ("retry", "state", "flaky"),
    [
        pytest.param(True, State.PASSED, ("test_it.py::test_one",), id="with retry"),
        pytest.param(False, State.FAILED, (), id="without retry"),
    ],
)
def test_a_test_that_passes_when_run_again_is_flaky(
    tmp_path: Path, retry: bool, state: State, flaky: tuple[str, ...]
) -> None:
    (tmp_path / "test_it.py").write_text(FAILS_ONCE)
    outcome = run_pytest(ARGUMENTS, root=tmp_path, env=BARE, retry=retry)
    assert (outcome.state, outcome.flaky) == (state, flaky)
    assert outcome.errors == {"test_it.py::test_one": "test_it.py:3: AssertionError: assert False"}


def test_a_test_that_fails_twice_has_failed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "test_it.py").write_text(FAILS)
    outcome = run_pytest(ARGUMENTS, root=tmp_path, env=BARE, retry=True, print_at_end=True)
    assert (outcome.state, outcome.failed, outcome.flaky) == (State.FAILED, ("test_it.py::test_it",), ())
    # Both runs are beside others, which print their own output.
    assert capsys.readouterr().out.count("assert 1 == 2") >= 2


def test_bytecode_is_cached_for_the_next_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    (tmp_path / "test_it.py").write_text(PASSES)
    assert run_pytest(ARGUMENTS, root=tmp_path, env=BARE).state is State.PASSED
    assert list(tmp_path.glob("__pycache__/test_it*-pytest-*.pyc"))


def test_settings_are_not_chosen_before_the_tests_are_isolated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "chatproject.settings")
    (tmp_path / "test_it.py").write_text(
        "import os\ndef test_it(): assert 'DJANGO_SETTINGS_MODULE' not in os.environ\n"
    )
    assert run_pytest(ARGUMENTS, root=tmp_path, env=BARE).state is State.PASSED
