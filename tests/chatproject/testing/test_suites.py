"""How a run of pytest is counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatproject.testing.stages import State
from chatproject.testing.suites import run_pytest

PASSES = "def test_it(): pass\n"
FAILS = "def test_it(): assert 1 == 2\n"
BREAKS = "import pytest\n@pytest.fixture\ndef broken(): raise OSError\ndef test_it(broken): pass\n"
SKIPS = "import pytest\ndef test_one(): pass\ndef test_it(): pytest.skip('no moon')\n"
WRONG = "def test_it(:\n"
# Plugins of this project take longer to load than these tests to run.
BARE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
QUIETLY = ["-q", "-p", "no:cacheprovider", "test_it.py"]


@pytest.mark.parametrize(
    ("text", "state", "passed", "failed"),
    [
        pytest.param(PASSES, State.PASSED, 1, 0, id="passes"),
        pytest.param(FAILS, State.FAILED, 0, 1, id="fails"),
        pytest.param(BREAKS, State.FAILED, 0, 1, id="breaks before the test"),
        pytest.param(SKIPS, State.MISSING, 1, 0, id="skips"),
        pytest.param(WRONG, State.FAILED, 0, 1, id="cannot be read"),
        pytest.param("", State.MISSING, 0, 0, id="has no tests"),
    ],
)
def test_a_run_is_told_by_its_counts(tmp_path: Path, text: str, state: State, passed: int, failed: int) -> None:
    (tmp_path / "test_it.py").write_text(text)
    outcome = run_pytest(QUIETLY, root=tmp_path, env=BARE)
    assert (outcome.state, outcome.passed, outcome.failed) == (state, passed, failed)


def test_skipped_tests_are_named(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(SKIPS)
    outcome = run_pytest(QUIETLY, root=tmp_path, env=BARE)
    assert outcome.detail == "1 passed, 1 skipped: test_it"


def test_what_was_compiled_is_kept_for_the_next_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    (tmp_path / "test_it.py").write_text(PASSES)
    run_pytest(QUIETLY, root=tmp_path, env=BARE)
    assert list(tmp_path.glob("__pycache__/test_it*-pytest-*.pyc"))
