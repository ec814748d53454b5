"""`manage.py lock`: compiles the hash-pinned requirements lists from pyproject.toml."""

import hashlib
import json
import os
import subprocess
import sys
import tomllib
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from chatproject.startup.bootstrap import DEV, RUN, list_path

ROOT = Path(__file__).resolve().parents[3]
MARK = "# requirements sha256:"
FIRST = "# Generated from pyproject.toml by `python3 manage.py lock`; change that file, then run this again."


class Command(BaseCommand):
    help = "Compile the requirements in chatproject/locks/ from pyproject.toml."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="change nothing; fail if a file is out of date")
        parser.add_argument("--upgrade", action="store_true", help="upgrade to the newest compatible versions")

    def handle(self, *args: Any, check: bool, upgrade: bool, **options: Any) -> None:
        if check:
            if late := outdated(root=ROOT):
                raise CommandError(f"Out of date: {', '.join(late)}. Run: python3 manage.py lock")
            self.stdout.write("All files are up to date.")
            return
        # The dev list first, so that running and testing use the same versions.
        compile_list(DEV, "--group", "dev", *(["--upgrade"] if upgrade else []))
        compile_list(RUN, "--constraint", str(list_path(ROOT, DEV)))
        self.stdout.write("Wrote chatproject/locks/run.txt and dev.txt.")


def requirements_digest(*, root: Path) -> str:
    """Return a digest of the requirements in pyproject.toml, regardless of their order and of other settings."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    project = settings["project"]
    development = settings["dependency-groups"]["dev"]
    requirements = [project["requires-python"], sorted(project["dependencies"]), sorted(development)]
    return hashlib.sha256(json.dumps(requirements).encode()).hexdigest()


def outdated(*, root: Path) -> list[str]:
    """Return the names of the lists that were compiled from other requirements."""
    current = f"{MARK} {requirements_digest(root=root)}"
    texts = {name: list_path(root, name).read_text(encoding="utf-8") for name in (RUN, DEV)}
    return [name for name, text in texts.items() if current not in text.splitlines()]


def compile_list(name: str, *arguments: str) -> None:
    path = list_path(ROOT, name)
    uv = Path(sys.executable).with_name("uv")
    done = subprocess.run(
        [
            *(str(uv), "pip", "compile", "pyproject.toml", "--quiet", "--universal", "--generate-hashes"),
            *("--no-header", "--no-emit-index-url", "--no-emit-find-links", "--no-emit-build-options"),
            *("--python-version", "3.11", "--output-file", str(path), *arguments),
        ],
        cwd=ROOT,
        env={"UV_SYSTEM_CERTS": "true", **os.environ},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise CommandError(f"uv could not compile {name}.txt:\n{done.stderr.strip()}")
    # Without options, which may name an index of the machine.
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith((FIRST, MARK, "--"))]
    path.write_text("\n".join([FIRST, f"{MARK} {requirements_digest(root=ROOT)}", *lines]) + "\n", encoding="utf-8")
