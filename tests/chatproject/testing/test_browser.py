"""How the browser for tests is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatproject.testing.programs import NoBrowser, find_browser

pytestmark = pytest.mark.slow

STARTS, BROKEN = "#!/bin/sh\nexit 0\n", "#!/bin/sh\nexit 1\n"


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder in which programs are searched."""
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def create_program(folder: Path, name: str, text: str = STARTS) -> str:
    """Create a program with this name and return its path."""
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


def test_a_headless_shell_is_preferred(path: Path) -> None:
    create_program(path, "chromium")
    headless = create_program(path, "chromium-headless-shell")
    assert find_browser() == headless


def test_other_browsers_are_used_too(path: Path) -> None:
    chromium = create_program(path, "chromium")
    assert find_browser() == chromium


def test_broken_browsers_are_skipped(path: Path) -> None:
    create_program(path, "chromium-headless-shell", BROKEN)
    chromium = create_program(path, "chromium")
    assert find_browser() == chromium


def test_the_configured_browser_is_used(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create_program(path, "chromium-headless-shell")
    configured = create_program(path, "another")
    monkeypatch.setenv("CHROMIUM", configured)
    assert find_browser() == configured


def test_a_broken_configured_browser_is_an_error(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create_program(path, "chromium")
    monkeypatch.setenv("CHROMIUM", create_program(path, "another", BROKEN))
    with pytest.raises(NoBrowser):
        find_browser()
