"""Which stages `manage.py test` runs, and what each of them needs from the machine."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from chatproject.bootstrap import install_debian
from chatproject.testing import postgres
from chatproject.testing.browser import NoBrowser, find_browser
from chatproject.testing.scripts import find_node, run_script_tests
from chatproject.testing.servers import find_servers
from chatproject.testing.stages import Outcome, Stage, State
from chatproject.testing.suites import run_pytest

ROOT = Path(__file__).resolve().parents[2]
PARALLEL = ("-q", "-n", "2", "--dist", "worksteal")


def every_test(marks: Sequence[str]) -> list[Stage]:
    """All there is; `marks` are pytest's arguments that choose among short and long forms."""
    quick = [*PARALLEL, *marks]
    return [
        Stage(name="machine", run=prepare_machine),
        Stage(name="checks", run=run_checks),
        Stage(name="scripts", run=lambda: run_script_tests(root=ROOT)),
        Stage(name="SQLite", run=lambda: run_pytest(quick, root=ROOT)),
        Stage(name="PostgreSQL", run=lambda: run_on_postgres([*quick, "--only-database"])),
        Stage(name="browser", run=lambda: run_in_browser([*quick, "tests/browser"])),
    ]


def chosen_tests(arguments: Sequence[str], *, on_postgres: bool) -> list[Stage]:
    """Just what pytest is asked for, on one database or in the browser."""
    if on_postgres:
        return [Stage(name="PostgreSQL", run=lambda: run_on_postgres(arguments))]
    if any(argument.startswith("tests/browser") for argument in arguments):
        return [Stage(name="browser", run=lambda: run_in_browser(arguments))]
    return [Stage(name="SQLite", run=lambda: run_pytest(arguments, root=ROOT))]


def prepare_machine() -> Outcome:
    """Finds the browser, the servers and the Node of the later stages, and installs them where it may."""
    found, missing = [], []
    try:
        found.append(find_browser())
    except NoBrowser as problem:
        missing.append(str(problem))
    for name, path in (("PostgreSQL", find_postgres()), ("Node", find_node()), *find_servers().items()):
        found += [str(path)] if path else []
        missing += [] if path else [f"no {name}"]
    if missing:
        return Outcome(state=State.MISSING, detail="; ".join(missing))
    return Outcome(state=State.PASSED, detail=", ".join(found))


def find_postgres() -> Path | None:
    """The folder of PostgreSQL's binaries; installed first on a Debian where this is root."""
    if postgres.binaries() is None:
        install_debian(["postgresql"], why="a throw-away database for the tests")
    return postgres.binaries()


def run_checks() -> Outcome:
    """ruff and mypy, over everything."""
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        # mypy reads the settings, which must not make a secret key in the person's own folder.
        env = {**os.environ, "DATA_DIR": folder}
        for tool in (["ruff", "check"], ["mypy"]):
            command = [sys.executable, "-m", *tool]
            done = subprocess.run(command, cwd=ROOT, env=env, check=False, stdin=subprocess.DEVNULL)
            if done.returncode != 0:
                failed.append(" ".join(tool))
    if failed:
        return Outcome(state=State.FAILED, detail=f"{' and '.join(failed)} found something")
    return Outcome(state=State.PASSED, detail="ruff and mypy found nothing")


def run_on_postgres(arguments: Sequence[str]) -> Outcome:
    if find_postgres() is None:
        return Outcome(state=State.MISSING, detail="no PostgreSQL found; install one (apt-get install postgresql)")
    return run_pytest(arguments, root=ROOT, env={"TEST_DATABASE": "postgres"})


def run_in_browser(arguments: Sequence[str]) -> Outcome:
    try:
        path = find_browser()
    except NoBrowser as problem:
        return Outcome(state=State.MISSING, detail=str(problem))
    # Playwright's event loop runs in the thread of the tests; Django would refuse their look into the database.
    return run_pytest(arguments, root=ROOT, env={"CHROMIUM": path, "DJANGO_ALLOW_ASYNC_UNSAFE": "1"})
