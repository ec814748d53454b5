"""The stages that `manage.py test` runs, and what each of them needs from the machine."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import cache
from pathlib import Path

from chatproject.startup.bootstrap import install_debian
from chatproject.testing import postgres
from chatproject.testing.mypy_cache import shared_mypy_cache
from chatproject.testing.node import find_node, find_npm, run_script_tests
from chatproject.testing.programs import NoBrowser, find_browser, find_servers
from chatproject.testing.pytest_runs import RERUN_FAILED, run_pytest
from chatproject.testing.stages import Outcome, Stage, State

ROOT = Path(__file__).resolve().parents[2]
# More than the two processors of a small machine, because tests often wait for processes that they start.
PARALLEL = ("-q", "-n", "3", "--dist", "worksteal")
# The tests on PostgreSQL run beside the others, in the processor time that those leave unused. One process is enough
# for that, and each further one would need ten seconds to start. Beside it, the tests on SQLite use two.
ONE_PROCESS = ("-n", "0")
BESIDE_POSTGRES = ("-n", "2")
# The fast tests wait for nothing: more processes than processors would only start more often.
ON_ALL_PROCESSORS = ("-q", "-n", str(max(2, os.cpu_count() or 1)), "--dist", "worksteal")
EXAMPLES = "examples"
RUFF, MYPY = ["ruff", "check"], ["mypy"]


def all_stages(marks: Sequence[str]) -> list[Stage]:
    """Return the stages of all tests. `marks` are pytest arguments that select the ordinary or the soak tests.

    Checks, scripts and the tests on PostgreSQL run beside the tests on SQLite and in the browser, which leave an eighth
    of the processor time unused.
    """
    return [
        Stage(name="machine", run=prepare_machine),
        Stage(name="checks", run=lambda: run_checks(RUFF, MYPY), background=True),
        Stage(name="scripts", run=lambda: run_script_tests(root=ROOT), background=True),
        *pytest_stages([*PARALLEL, *marks]),
    ]


def fast_stages() -> list[Stage]:
    """Return the stages for development: no browser, no PostgreSQL, no processes, no commits to the database.

    The short stages run beside the tests on SQLite, which end last.
    """
    build_folder()  # before the stages, which would each create one
    return [
        Stage(name="checks", run=lambda: run_checks(RUFF), background=True),
        Stage(name="scripts", run=lambda: run_script_tests(root=ROOT), background=True),
        Stage(
            name="examples",
            run=lambda: run_examples(["-q", *ONE_PROCESS, EXAMPLES], print_at_end=True),
            background=True,
        ),
        Stage(name="SQLite", run=lambda: run_on_sqlite([*ON_ALL_PROCESSORS, "--fast"])),
    ]


def pytest_stages(arguments: Sequence[str]) -> list[Stage]:
    """Return stages with these arguments on PostgreSQL and, at the same time, on SQLite and then in the browser.

    The tests of the examples are few, and run beside those in the browser. They need other settings.
    """
    build_folder()  # before the stages, which would each create one
    on_both = [*arguments, *ONE_PROCESS, "--both-databases"]
    return [
        Stage(name="PostgreSQL", run=lambda: run_on_postgres(on_both, print_at_end=True), background=True),
        Stage(name="SQLite", run=lambda: run_on_sqlite([*arguments, *BESIDE_POSTGRES])),
        Stage(
            name="examples",
            run=lambda: run_examples([*arguments, *ONE_PROCESS, EXAMPLES], print_at_end=True),
            background=True,
        ),
        Stage(name="browser", run=lambda: run_in_browser([*arguments, "tests/browser"])),
    ]


def failed_stages() -> list[Stage]:
    """Return the stages of the tests that failed in the last run."""
    return pytest_stages([*PARALLEL, *RERUN_FAILED])


def chosen_stages(arguments: Sequence[str], *, on_postgres: bool) -> list[Stage]:
    """Return the stage of the tests that pytest arguments select: on a database, in the browser, or of the examples."""
    run: Callable[[Sequence[str]], Outcome] = run_on_sqlite
    name = "SQLite"
    if on_postgres:
        run, name = run_on_postgres, "PostgreSQL"
    elif any(argument.startswith("tests/browser") for argument in arguments):
        run, name = run_in_browser, "browser"
    elif any(argument.startswith(EXAMPLES) for argument in arguments):
        run, name = run_examples, "examples"
    return [Stage(name=name, run=lambda: run(arguments))]


def prepare_machine() -> Outcome:
    """Find the browser, the servers, Node and npm for later stages, or install them if possible."""
    found, missing = [], []
    try:
        found.append(find_browser())
    except NoBrowser as problem:
        missing.append(str(problem))
    programs = {"PostgreSQL": find_postgres(), "Node": find_node(), "npm": find_npm(), **find_servers()}
    for name, path in programs.items():
        found += [str(path)] if path else []
        missing += [] if path else [f"no {name}"]
    if missing:
        return Outcome(state=State.MISSING, detail="; ".join(missing))
    return Outcome(state=State.PASSED, detail=", ".join(found))


def find_postgres() -> Path | None:
    """Return the folder of PostgreSQL's binaries. As root on Debian they are installed if they are missing."""
    if postgres.binaries() is None:
        install_debian(["postgresql"], why="test database")
    return postgres.binaries()


def run_checks(*tools: Sequence[str]) -> Outcome:
    """Run linters and type checkers over the whole project. The output of each is printed when it ends."""
    failed = []
    with tempfile.TemporaryDirectory() as folder, shared_mypy_cache(root=ROOT) if MYPY in tools else nullcontext():
        # mypy loads the settings, which create a secret key in DATA_DIR.
        env = {**os.environ, "DATA_DIR": folder}
        for tool in tools:
            command = [sys.executable, "-m", *tool]
            done = subprocess.run(
                command, cwd=ROOT, env=env, check=False, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            )  # fmt: skip
            print(done.stdout, end="", flush=True)
            if done.returncode != 0:
                failed.append(" ".join(tool))
    if failed:
        return Outcome(state=State.FAILED, detail=f"errors from {' and '.join(failed)}")
    return Outcome(state=State.PASSED, detail=f"no errors from {' and '.join(tool[0] for tool in tools)}")


def run_on_sqlite(arguments: Sequence[str]) -> Outcome:
    return _run(arguments, suite="sqlite")


def run_examples(arguments: Sequence[str], *, print_at_end: bool = False) -> Outcome:
    # Applying all migrations would take as long as the tests.
    return _run(["--no-migrations", *arguments], suite="examples", print_at_end=print_at_end)


def run_on_postgres(arguments: Sequence[str], *, print_at_end: bool = False) -> Outcome:
    if find_postgres() is None:
        return Outcome(state=State.MISSING, detail="PostgreSQL not found; install it (apt-get install postgresql)")
    return _run(arguments, suite="postgres", env={"TEST_DATABASE": "postgres"}, print_at_end=print_at_end)


def run_in_browser(arguments: Sequence[str]) -> Outcome:
    try:
        path = find_browser()
    except NoBrowser as problem:
        return Outcome(state=State.MISSING, detail=str(problem))
    # Playwright's event loop runs in the tests' thread, where Django would refuse database access.
    return _run(arguments, suite="browser", env={"CHROMIUM": path, "DJANGO_ALLOW_ASYNC_UNSAFE": "1"}, retry=True)


def _run(
    arguments: Sequence[str],
    *,
    suite: str,
    env: dict[str, str] | None = None,
    retry: bool = False,
    print_at_end: bool = False,
) -> Outcome:
    # One cache for each stage, in which pytest stores the failed tests.
    cache_dir = f"-ocache_dir=.pytest_cache/{suite}"
    shared = {"TEST_BUILD_FOLDER": build_folder()}
    outcome = run_pytest(
        [cache_dir, *arguments], root=ROOT, env={**shared, **(env or {})}, retry=retry, print_at_end=print_at_end
    )
    if outcome.state is State.MISSING and RERUN_FAILED[0] in arguments and not outcome.skipped:
        return Outcome(state=State.PASSED, detail="nothing failed in the last run")
    return outcome


@cache
def build_folder() -> str:
    """Return a temporary folder for what stages share: a migrated database and the static files."""
    folder = tempfile.mkdtemp(prefix="tablechat-build-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
