#!/usr/bin/env python3
"""Runs management commands. On a new machine it first creates the virtual environment that they need."""

import os
import sys
from pathlib import Path


def main() -> None:
    """Run the command in `sys.argv` in the project's virtual environment."""
    if sys.version_info < (3, 11):
        sys.exit("Table Chat requires Python 3.11 or newer. This is Python " + sys.version.split()[0] + ".")
    root = Path(__file__).resolve().parent
    from chatproject.startup import bootstrap

    try:
        bootstrap.ensure_environment(root, sys.argv)
    except bootstrap.SetupError as problem:
        sys.exit(f"\n{problem}")
    except KeyboardInterrupt:
        sys.exit("\nStopped.")
    from chatproject.limits.memory import collect_less_often

    collect_less_often()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "chatproject.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    main()
