#!/usr/bin/env python3
"""Runs management commands of the example, in the virtual environment of the repository."""

import os
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
REPOSITORY = FOLDER.parents[1]


def main() -> None:
    """Run the command in `sys.argv`."""
    # In place of this folder, so that modules are imported by their full names: `examples.research.models`.
    sys.path[0] = str(REPOSITORY)
    from chatproject.startup.bootstrap import ensure_environment

    ensure_environment(REPOSITORY, sys.argv)
    os.environ["DJANGO_SETTINGS_MODULE"] = "examples.research.settings"
    os.environ.setdefault("DATA_DIR", str(FOLDER / "var"))
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
