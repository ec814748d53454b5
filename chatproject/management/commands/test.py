"""`manage.py test`: every test there is, or, with arguments, just what pytest is asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from django.core.management.base import BaseCommand

from chatproject.testing.plan import chosen_tests, every_test
from chatproject.testing.stages import State, is_green, line, run_stages, total

USAGE = """python3 manage.py test [--soak] [--postgres] [pytest arguments]

Without pytest arguments: ruff and mypy, the scripts, pytest on SQLite, pytest on PostgreSQL, the browser.
With them: pytest on SQLite alone, such as `manage.py test tests/chat -k reader`; --postgres: on PostgreSQL instead.
--soak: also the long forms (many kills, long lives of tables, every edge of the API, load, a million rows). What takes
how long is measured by `python -m tests.bench`."""


class Command(BaseCommand):
    help = USAGE
    requires_system_checks: list[str] = []

    def run_from_argv(self, argv: list[str]) -> None:
        """Not argparse: whatever is not ours belongs to pytest, options before file names included."""
        arguments = argv[2:]
        if arguments[:1] in (["-h"], ["--help"]):
            self.stdout.write(USAGE)
            return
        try:
            sys.exit(self.run(arguments))
        except KeyboardInterrupt:
            sys.exit("\nStopped.")

    def run(self, arguments: Sequence[str]) -> int:
        """Run the stages and sum them up; returns the exit code."""
        soak, on_postgres = "--soak" in arguments, "--postgres" in arguments
        rest = [argument for argument in arguments if argument not in ("--soak", "--postgres")]
        marks = ["-m", "soak or not soak"] if soak else []
        stages = chosen_tests([*marks, *rest], on_postgres=on_postgres) if rest else every_test(marks)
        outcomes = run_stages(stages, say=lambda text: print(text, flush=True))
        self.stdout.write("\n── summary ──")
        for name, outcome in outcomes.items():
            style = self.style.SUCCESS if outcome.state is State.PASSED else self.style.ERROR
            self.stdout.write(style(line(name, outcome)))
        self.stdout.write(total(list(outcomes.values())))
        in_ci = os.environ.get("CI", "").lower() in {"true", "1"}
        return 0 if is_green(list(outcomes.values()), in_ci=in_ci) else 1
