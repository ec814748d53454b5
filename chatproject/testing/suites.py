"""Runs pytest over a part of the tests, in a process of its own, and counts what came of it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping, Sequence
from pathlib import Path

from chatproject.testing.stages import Outcome, State

NOTHING_COLLECTED = 5
SHOWN = 5  # names of skipped tests in a summary line
# pytest compiles tests in its own way, which takes each process long: once is enough, whatever the machine says of it.
COMPILED_ONCE = {"PYTHONDONTWRITEBYTECODE": ""}


def run_pytest(arguments: Sequence[str], *, root: Path, env: Mapping[str, str] | None = None) -> Outcome:
    """Run pytest with `arguments` and the extra variables `env`; its own output goes to the terminal."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        done = subprocess.run(
            [sys.executable, "-m", "pytest", f"--junitxml={report}", *arguments],
            cwd=root, env={**os.environ, **COMPILED_ONCE, **(env or {})}, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        if done.returncode == NOTHING_COLLECTED:
            return Outcome(state=State.MISSING, detail="no test was found")
        if not report.exists():
            return Outcome(state=State.FAILED, detail=f"pytest ended with code {done.returncode}", failed=1)
        return read_report(report.read_text(encoding="utf-8"), code=done.returncode)


def read_report(xml: str, *, code: int) -> Outcome:
    """The outcome told by a JUnit report and pytest's exit code. A skipped test did not run: that is said."""
    cases = ElementTree.fromstring(xml).findall(".//testcase")
    failed = sum(case.find("failure") is not None or case.find("error") is not None for case in cases)
    skipped = [case for case in cases if case.find("skipped") is not None]
    passed = len(cases) - failed - len(skipped)
    if failed or code != 0:
        return Outcome(state=State.FAILED, detail=f"{passed} passed, {failed} failed", passed=passed, failed=failed)
    if skipped:
        names = ", ".join(str(case.get("name")) for case in skipped[:SHOWN])
        return Outcome(state=State.MISSING, detail=f"{passed} passed, {len(skipped)} skipped: {names}", passed=passed)
    return Outcome(state=State.PASSED, detail=f"{passed} passed", passed=passed)
