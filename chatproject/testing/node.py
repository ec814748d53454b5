"""Runs the tests of scripts with the Node on PATH or, if that is too old, the one in the Playwright wheel."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path

from chatproject.startup.bootstrap import install_debian
from chatproject.testing.stages import Outcome, State

# Major and minor version.
MIN_VERSION = (20, 19)
CHANGES_GLOBALS = re.compile(r"\bglobalThis\b|\bmock\b|\bprocess\.|\bdefineProperty\b")
IMPORTED_FILE = re.compile(r'from "(\.{1,2}/[^"]+\.mjs)"')


def find_node() -> str | None:
    """Return the path of a Node that is new enough for `node --test` and the programs from npm, or None."""
    on_path = shutil.which("node")
    if on_path and _is_new_enough(on_path):
        return on_path
    spec = find_spec("playwright")
    if spec is None or spec.origin is None:
        return None
    in_wheel = str(Path(spec.origin).parent / "driver" / "node")
    if _version(in_wheel) is None:
        # A minimal Debian lacks a library that this Node needs.
        install_debian(["libatomic1"], why="a library that Node needs")
    return in_wheel if _is_new_enough(in_wheel) else None


def find_npm() -> str | None:
    """Return the path of npm, or None. As root on Debian it is installed if it is missing."""
    if shutil.which("npm") is None:
        install_debian(["npm"], why="linters of the OpenAPI document")
    return shutil.which("npm")


def _is_new_enough(path: str) -> bool:
    version = _version(path)
    return version is not None and version >= MIN_VERSION


def _version(path: str) -> tuple[int, int] | None:
    """Return Node's major and minor version, None if it does not start."""
    try:
        done = subprocess.run([path, "--version"], check=False, capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.match(r"v(\d+)\.(\d+)\.", done.stdout)
    return (int(found[1]), int(found[2])) if found else None


def run_script_tests(*, root: Path) -> Outcome:
    """Run `node --test` over tests/js/**/*.test.mjs. Only failures are printed, at the end.

    Node starts a process for each file. Files that change no globals share one.
    """
    tests = root / "tests" / "js"
    files = sorted(tests.rglob("*.test.mjs"))
    if not files:
        return Outcome(state=State.MISSING, detail="no tests/js/**/*.test.mjs")
    node = find_node()
    if node is None:
        needed = ".".join(map(str, MIN_VERSION))
        return Outcome(state=State.MISSING, detail=f"no Node {needed} or newer on PATH or in the Playwright wheel")
    alone = [file for file in files if changes_globals(file, tests=tests)]
    with tempfile.TemporaryDirectory() as folder:
        tap, together = Path(folder) / "report.tap", Path(folder) / "together.mjs"
        imports = [f"import {json.dumps(file.as_uri())};\n" for file in files if file not in alone]
        together.write_text("".join(imports), encoding="utf-8")
        reporters = ["--test-reporter=tap", f"--test-reporter-destination={tap}"]
        # By default Node leaves one core unused.
        command = [node, "--test", f"--test-concurrency={os.cpu_count() or 1}", *reporters, str(together)]
        done = subprocess.run([*command, *map(str, alone)], cwd=root, check=False, stdin=subprocess.DEVNULL)
        report = tap.read_text(encoding="utf-8")
    lines = re.findall(r"^# (pass|fail|skipped|cancelled|todo) (\d+)$", report, re.MULTILINE)
    counts = {name: int(number) for name, number in lines}
    failed = counts.get("fail", 0) + counts.get("cancelled", 0)
    if done.returncode != 0 or failed:
        print("\n".join(_failures(report)), flush=True)
        names = tuple(re.findall(r"^not ok \d+ - (.*)$", report, re.MULTILINE))
        return Outcome(state=State.FAILED, detail=f"{failed} failed", passed=counts.get("pass", 0), failed=names)
    skipped = counts.get("skipped", 0) + counts.get("todo", 0)
    if skipped:
        return Outcome(state=State.MISSING, detail=f"{skipped} skipped", passed=counts.get("pass", 0))
    return Outcome(state=State.PASSED, detail=f"{counts.get('pass', 0)} passed", passed=counts.get("pass", 0))


def changes_globals(file: Path, *, tests: Path) -> bool:
    """Return whether a file below `tests`, or one that it imports from there, changes what all modules share."""
    text = file.read_text(encoding="utf-8")
    imported = [(file.parent / name).resolve() for name in IMPORTED_FILE.findall(text)]
    return bool(CHANGES_GLOBALS.search(text)) or any(
        changes_globals(each, tests=tests) for each in imported if each.is_relative_to(tests.resolve())
    )


def _failures(tap: str) -> list[str]:
    """Return the lines of a TAP report about failed tests."""
    lines, is_failure = [], False
    for line in tap.splitlines():
        if re.match(r"\s*(not )?ok \d", line):
            is_failure = line.lstrip().startswith("not ok")
        elif re.match(r"\s*# Subtest", line):
            is_failure = False
        if is_failure:
            lines.append(line)
    return lines
