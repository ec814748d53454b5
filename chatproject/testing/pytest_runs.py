"""Runs pytest for a part of the tests in a separate process, and reads the results."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from chatproject.testing.stages import MAX_FLAKY_TESTS, Outcome, State

EXIT_OK, EXIT_TESTS_FAILED, EXIT_USAGE_ERROR, EXIT_NO_TESTS = 0, 1, 4, 5
RERUN_FAILED = ("--last-failed", "--last-failed-no-failures=none")
"""pytest's options to run only what failed in the last run with the same cache folder."""
# Compiling test modules takes several seconds in each process, so bytecode is always cached.
WRITE_BYTECODE = {"PYTHONDONTWRITEBYTECODE": ""}


@dataclass
class Results:
    """The results in a report log: test ids by outcome, and seconds (set-up, call and tear-down) by test id.

    Failed tests have the place and the first line of their error.
    """

    passed: set[str] = field(default_factory=set)
    failed: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, None] = field(default_factory=dict)
    durations: dict[str, float] = field(default_factory=dict)


def run_pytest(
    arguments: Sequence[str],
    *,
    root: Path,
    env: Mapping[str, str] | None = None,
    retry: bool = False,
    print_at_end: bool = False,
) -> Outcome:
    """Run pytest with `arguments` and the additional variables `env`; its output goes to the terminal.

    With `retry`, up to three failed tests run once more, one after another. Those that pass are reported as flaky.
    With `print_at_end`, the output of a run is printed as a whole, for runs beside others.
    """
    code, results = _run(arguments, root=root, env=env, print_at_end=print_at_end)
    flaky: tuple[str, ...] = ()
    errors = dict(results.failed)
    if retry and code == EXIT_TESTS_FAILED and 0 < len(results.failed) <= MAX_FLAKY_TESTS:
        print("\nRunning the failed tests again, one by one:", flush=True)
        code, repeated = _run(["-q", *results.failed], root=root, env=env, print_at_end=print_at_end)
        flaky = tuple(test for test in results.failed if test in repeated.passed)
        for test in flaky:
            del results.failed[test]
            results.passed.add(test)
    if code in (EXIT_USAGE_ERROR, EXIT_NO_TESTS) and (missing := missing_files(arguments, root=root)):
        # With several processes, pytest only reports that there are no tests.
        return Outcome(state=State.FAILED, detail=f"not found: {', '.join(missing)}")
    outcome = _outcome(results, code=code, flaky=flaky)
    return replace(outcome, flaky=flaky, errors=errors, durations=results.durations)


def missing_files(arguments: Sequence[str], *, root: Path) -> list[str]:
    """Return the files and folders of tests in pytest's arguments that do not exist."""
    paths = [argument.partition("::")[0] for argument in arguments if not argument.startswith("-")]
    named = [path for path in paths if path.endswith(".py") or path.partition("/")[0] in ("tests", "examples")]
    return [path for path in named if not (root / path).exists()]


def _run(
    arguments: Sequence[str], *, root: Path, env: Mapping[str, str] | None, print_at_end: bool
) -> tuple[int, Results]:
    # With this variable, pytest-django reads the settings before tests/conftest.py can isolate them.
    inherited = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "report.jsonl"
        output = subprocess.PIPE if print_at_end else None
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "pytest_reportlog", f"--report-log={log}", *arguments],
            cwd=root, env={**inherited, **WRITE_BYTECODE, **(env or {})}, check=False, stdin=subprocess.DEVNULL,
            stdout=output, stderr=subprocess.STDOUT if print_at_end else None, text=True,
        )  # fmt: skip
        if print_at_end:
            print(f"\n{done.stdout}", end="", flush=True)
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        return done.returncode, read_log(json.loads(line) for line in lines)


def read_log(entries: Iterable[Mapping[str, Any]]) -> Results:
    """Return the results in the entries of a report log. A test that fails in any phase has failed."""
    results = Results()
    for entry in entries:
        kind, test = entry.get("$report_type"), str(entry.get("nodeid", ""))
        if kind == "CollectReport" and entry["outcome"] == "failed":
            results.failed[test] = ""
        if kind != "TestReport":
            continue
        results.durations[test] = results.durations.get(test, 0.0) + float(entry.get("duration", 0.0))
        if entry["outcome"] == "failed":
            results.failed[test] = _error(entry)
        elif entry["outcome"] == "skipped":
            results.skipped[test] = None
        elif entry["when"] == "call":
            results.passed.add(test)
    results.passed -= results.failed.keys()
    return results


def _error(entry: Mapping[str, Any]) -> str:
    """Return the last line of the test's own code in the traceback and the error's first line, "" if there is none."""
    longrepr = entry.get("longrepr")
    if not isinstance(longrepr, Mapping) or not longrepr.get("reprcrash"):
        return ""
    message = str(longrepr["reprcrash"]["message"]).partition("\n")[0]
    parts = [part["data"].get("reprfileloc") or {} for part in longrepr["reprtraceback"]["reprentries"]]
    lines = [f"{part['path']}:{part['lineno']}" for part in parts if part and "site-packages" not in part["path"]]
    return ": ".join([*lines[-1:], message])


def _outcome(results: Results, *, code: int, flaky: Sequence[str]) -> Outcome:
    if code == EXIT_NO_TESTS:
        return Outcome(state=State.MISSING, detail="no tests found")
    passed, failed, skipped = len(results.passed), tuple(results.failed), tuple(results.skipped)
    counts = [f"{passed} passed"]
    counts += [f"{len(failed)} failed"] if failed else []
    counts += [f"{len(skipped)} skipped"] if skipped else []
    counts += [f"{len(flaky)} flaky"] if flaky else []
    if code != EXIT_OK and not failed:
        counts.append(f"pytest exited with code {code}")
    state = State.FAILED if failed or code != EXIT_OK else State.MISSING if skipped else State.PASSED
    return Outcome(state=state, detail=", ".join(counts), passed=passed, failed=failed, skipped=skipped)
