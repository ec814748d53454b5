"""`manage.py test`: every test there is, or, with arguments, just what pytest is asked for."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from chatproject.bootstrap import install_debian
from chatproject.testing import postgres
from chatproject.testing.browser import NoBrowser, find_browser
from chatproject.testing.scripts import run_script_tests
from chatproject.testing.stages import Outcome, Stage, State, is_green, line, run_stages, total
from chatproject.testing.suites import run_pytest

ROOT = Path(__file__).resolve().parents[3]
USAGE = """python3 manage.py test [--soak] [--postgres] [pytest arguments]

Without pytest arguments: ruff and mypy, the scripts, pytest on SQLite, pytest on PostgreSQL, the browser.
With them: pytest on SQLite alone, such as `manage.py test tests/chat -k reader`; --postgres: on PostgreSQL instead.
--soak: also the long forms (many kills, load, a million rows)."""
PARALLEL = ("-q", "-n", "2", "--dist", "worksteal")


class Command(BaseCommand):
    help = USAGE
    requires_system_checks: list[str] = []

    def run_from_argv(self, argv: list[str]) -> None:
        """Not argparse: whatever is not ours belongs to pytest, options before file names included."""
        arguments = argv[2:]
        if arguments[:1] in (["-h"], ["--help"]):
            self.stdout.write(USAGE)
            return
        sys.exit(self.handle(arguments=arguments))

    def handle(self, *args: Any, arguments: Sequence[str] = (), **options: Any) -> int:  # type: ignore[override]  # an exit code
        soak, on_postgres = "--soak" in arguments, "--postgres" in arguments
        rest = [argument for argument in arguments if argument not in ("--soak", "--postgres")]
        marks = ["-m", "soak or not soak"] if soak else []
        stages = chosen_tests([*marks, *rest], on_postgres=on_postgres) if rest else every_test(marks)
        outcomes = run_stages(stages, say=lambda text: print(text, flush=True))
        in_ci = os.environ.get("CI", "").lower() in {"true", "1"}
        self.stdout.write("\n── summary ──")
        for name, outcome in outcomes.items():
            style = self.style.SUCCESS if outcome.state is State.PASSED else self.style.ERROR
            self.stdout.write(style(line(name, outcome)))
        self.stdout.write(total(list(outcomes.values())))
        return 0 if is_green(list(outcomes.values()), in_ci=in_ci) else 1


def every_test(marks: Sequence[str]) -> list[Stage]:
    quick = [*PARALLEL, *marks]
    return [
        Stage(name="checks", run=run_checks),
        Stage(name="scripts", run=lambda: run_script_tests(root=ROOT)),
        Stage(name="SQLite", run=lambda: run_pytest(quick, root=ROOT)),
        Stage(name="PostgreSQL", run=lambda: run_on_postgres([*quick, "--only-database"])),
        Stage(name="browser", run=lambda: run_in_browser(["-q", *marks, "tests/browser"])),
    ]


def chosen_tests(arguments: Sequence[str], *, on_postgres: bool) -> list[Stage]:
    if on_postgres:
        return [Stage(name="PostgreSQL", run=lambda: run_on_postgres(arguments))]
    if any(argument.startswith("tests/browser") for argument in arguments):
        return [Stage(name="browser", run=lambda: run_in_browser(arguments))]
    return [Stage(name="SQLite", run=lambda: run_pytest(arguments, root=ROOT))]


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
    if postgres.binaries() is None:
        install_debian(["postgresql"], why="a throw-away database for the tests")
    if postgres.binaries() is None:
        return Outcome(state=State.MISSING, detail="no PostgreSQL found; install one (apt-get install postgresql)")
    return run_pytest(arguments, root=ROOT, env={"TEST_DATABASE": "postgres"})


def run_in_browser(arguments: Sequence[str]) -> Outcome:
    try:
        path = find_browser()
    except NoBrowser as problem:
        return Outcome(state=State.MISSING, detail=str(problem))
    # Playwright's event loop runs in the thread of the tests; Django would refuse their look into the database.
    return run_pytest(arguments, root=ROOT, env={"CHROMIUM": path, "DJANGO_ALLOW_ASYNC_UNSAFE": "1"})
