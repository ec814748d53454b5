"""Runs the tests of the browser scripts with a Node: the one on PATH, or the one inside the Playwright wheel."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path

from chatproject.bootstrap import install_debian
from chatproject.testing.stages import Outcome, State

OLDEST = 20


def find_node() -> str | None:
    """The path of a Node that is new enough for `node --test`."""
    on_path = shutil.which("node")
    if on_path and _version(on_path) >= OLDEST:
        return on_path
    spec = find_spec("playwright")
    if spec is None or spec.origin is None:
        return None
    wheels_own = str(Path(spec.origin).parent / "driver" / "node")
    if _version(wheels_own) == 0:
        # A minimal Debian lacks the one library that this Node is linked with.
        install_debian(["libatomic1"], why="a library that Node needs")
    return wheels_own if _version(wheels_own) >= OLDEST else None


def _version(path: str) -> int:
    """Node's major version; 0 when it does not start."""
    try:
        asked = subprocess.run([path, "--version"], check=False, capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return 0
    found = re.match(r"v(\d+)\.", asked.stdout)
    return int(found[1]) if found else 0


def run_script_tests(*, root: Path) -> Outcome:
    """Run `node --test` over tests/js/**/*.test.mjs. Only failures are printed, at the end."""
    files = sorted(str(path.relative_to(root)) for path in (root / "tests" / "js").rglob("*.test.mjs"))
    if not files:
        return Outcome(state=State.MISSING, detail="no tests/js/**/*.test.mjs")
    node = find_node()
    if node is None:
        return Outcome(state=State.MISSING, detail=f"no Node {OLDEST} or newer on PATH or in the Playwright wheel")
    with tempfile.NamedTemporaryFile("r", suffix=".tap") as tap:
        reporters = ["--test-reporter=tap", f"--test-reporter-destination={tap.name}"]
        # Node uses one core less than there are by default.
        command = [node, "--test", f"--test-concurrency={os.cpu_count() or 1}", *reporters, *files]
        done = subprocess.run(command, cwd=root, check=False, stdin=subprocess.DEVNULL)
        said = tap.read()
    lines = re.findall(r"^# (pass|fail|skipped|cancelled|todo) (\d+)$", said, re.MULTILINE)
    counts = {name: int(number) for name, number in lines}
    failed = counts.get("fail", 0) + counts.get("cancelled", 0)
    if done.returncode != 0 or failed:
        print("\n".join(_failures(said)), flush=True)
        names = tuple(re.findall(r"^not ok \d+ - (.*)$", said, re.MULTILINE))
        return Outcome(state=State.FAILED, detail=f"{failed} failed", passed=counts.get("pass", 0), failed=names)
    left_out = counts.get("skipped", 0) + counts.get("todo", 0)
    if left_out:
        return Outcome(state=State.MISSING, detail=f"{left_out} skipped", passed=counts.get("pass", 0))
    return Outcome(state=State.PASSED, detail=f"{counts.get('pass', 0)} passed", passed=counts.get("pass", 0))


def _failures(tap: str) -> list[str]:
    """The failed tests with what is said about them; the passed ones left out."""
    kept, speaking = [], False
    for text in tap.splitlines():
        if re.match(r"\s*(not )?ok \d", text):
            speaking = text.lstrip().startswith("not ok")
        elif re.match(r"\s*# Subtest", text):
            speaking = False
        if speaking:
            kept.append(text)
    return kept
