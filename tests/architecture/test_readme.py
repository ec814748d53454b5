"""Commands that README.md and docs/contributing.md promise."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.tree import ROOT, text_of
from tests.bench.__main__ import FIGURES

pytestmark = pytest.mark.slow

README = ROOT / "README.md"


@pytest.mark.parametrize("command", ["python3 manage.py start", "python3 manage.py test"])
def test_the_readme_shows_the_two_commands(command: str) -> None:
    assert command in README.read_text(encoding="utf-8")


def test_ci_runs_the_test_command_of_the_readme_only() -> None:
    script = ROOT / ".ci" / "run"
    commands = [
        line
        for line in script.read_text().splitlines()
        if line and not line.startswith(("#", "set ", "cd ", "export "))
    ]
    assert (commands, os.access(script, os.X_OK)) == (["exec python3 manage.py test </dev/null"], True)


def test_the_screenshots_command_does_not_take_an_option_for_a_folder(tmp_path: Path) -> None:
    assert "`.venv/bin/python -m tests.browser.screenshots FOLDER`" in text_of(Path("docs/contributing.md"))
    for option, code in (("--help", 0), ("--wide", 2)):
        command = [sys.executable, "-m", "tests.browser.screenshots", option]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, cwd=tmp_path, env=environment, check=False, capture_output=True, text=True)
        assert (done.returncode, "FOLDER" in done.stdout + done.stderr) == (code, True)
    assert list(tmp_path.iterdir()) == []


def test_every_benchmark_is_listed() -> None:
    existing = {path.stem for path in (ROOT / "tests/bench").glob("bench_*.py")}
    assert {figure.command.split()[0] for figure in FIGURES} == existing
