"""`manage.py test`: all tests, the fast ones, those that failed last, or those that pytest arguments select."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from django.core.management.base import BaseCommand

from chatproject.testing.plan import ROOT, all_stages, chosen_stages, failed_stages, fast_stages
from chatproject.testing.stages import Stage, State, details, flaky_lines, is_green, line, run_stages, total

USAGE = """python3 manage.py test [--fast | --failed | --soak] [--postgres] [pytest arguments]

Run all checks and tests: ruff, mypy, JavaScript tests, pytest on SQLite and PostgreSQL, browser tests.

--fast      Run ruff, the JavaScript tests and the SQLite tests that need no other process and no commit.
--failed    Run only the tests that failed in the last run.
--soak      Include the long tests: killed processes, random table histories, API fuzzing, load, a million rows.
--postgres  Run the selected tests on PostgreSQL instead of SQLite.

pytest arguments select tests, for example: python3 manage.py test tests/chat -k reader

A failed browser test runs again, alone. If it passes then, it is listed as FLAKY and in .pytest_cache/flaky.txt.
More than three flaky tests fail the run. To run the benchmarks: python -m tests.bench"""
OPTIONS = ("--fast", "--failed", "--soak", "--postgres")
FLAKY_REPORT = ROOT / ".pytest_cache" / "flaky.txt"


class Command(BaseCommand):
    help = USAGE
    requires_system_checks: list[str] = []

    def run_from_argv(self, argv: list[str]) -> None:
        """Parse without argparse: all options that are not ours go to pytest, also before file names."""
        arguments = argv[2:]
        if arguments[:1] in (["-h"], ["--help"]):
            self.stdout.write(USAGE)
            return
        try:
            sys.exit(self.run(arguments))
        except KeyboardInterrupt:
            sys.exit("\nStopped.")

    def run(self, arguments: Sequence[str]) -> int:
        """Run the stages, print the summary and return the exit code."""
        outcomes = run_stages(stages_for(arguments), print_line=lambda text: print(text, flush=True))
        self.stdout.write("\n── summary ──")
        self.stdout.write("\n".join(details(outcomes)))
        for name, outcome in outcomes.items():
            style = self.style.SUCCESS if outcome.state is State.PASSED else self.style.ERROR
            self.stdout.write(style(line(name, outcome)))
        FLAKY_REPORT.parent.mkdir(exist_ok=True)
        FLAKY_REPORT.write_text("".join(f"{each}\n" for each in flaky_lines(outcomes)), encoding="utf-8")
        self.stdout.write(total(list(outcomes.values())))
        in_ci = os.environ.get("CI", "").lower() in {"true", "1"}
        return 0 if is_green(list(outcomes.values()), in_ci=in_ci) else 1


def stages_for(arguments: Sequence[str]) -> list[Stage]:
    """Return the stages that these command line arguments ask for."""
    given = {option for option in OPTIONS if option in arguments}
    rest = [argument for argument in arguments if argument not in OPTIONS]
    marks = ["-m", "soak or not soak"] if "--soak" in given else []
    if rest or "--postgres" in given:
        fast = ["--fast"] if "--fast" in given else []
        return chosen_stages([*marks, *fast, *rest], on_postgres="--postgres" in given)
    if "--failed" in given:
        return failed_stages()
    if "--fast" in given:
        return fast_stages()
    return all_stages(marks)
