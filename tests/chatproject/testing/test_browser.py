"""Which browser the tests are run with."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatproject.testing.programs import NoBrowser, find_browser

pytestmark = pytest.mark.slow

STARTS, BROKEN = "#!/bin/sh\nexit 0\n", "#!/bin/sh\nexit 1\n"


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder in which programs are looked for."""
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def program(folder: Path, name: str, text: str = STARTS) -> str:
    """The path of a new program of this name."""
    made = folder / name
    made.write_text(text)
    made.chmod(0o755)
    return str(made)


def test_a_browser_without_windows_goes_before_one_that_draws_them(path: Path) -> None:
    program(path, "chromium")
    bare = program(path, "chromium-headless-shell")
    assert find_browser() == bare


def test_one_that_draws_windows_will_do(path: Path) -> None:
    chromium = program(path, "chromium")
    assert find_browser() == chromium


def test_one_that_does_not_start_is_passed_over(path: Path) -> None:
    program(path, "chromium-headless-shell", BROKEN)
    chromium = program(path, "chromium")
    assert find_browser() == chromium


def test_the_one_that_is_named_is_taken(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(path, "chromium-headless-shell")
    named = program(path, "another")
    monkeypatch.setenv("CHROMIUM", named)
    assert find_browser() == named


def test_the_one_that_is_named_has_to_start(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(path, "chromium")
    monkeypatch.setenv("CHROMIUM", program(path, "another", BROKEN))
    with pytest.raises(NoBrowser):
        find_browser()
