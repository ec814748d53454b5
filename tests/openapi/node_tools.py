"""Programs from npm, installed once for each `tools/package-lock.json` into the cache folder of the user."""
from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from chatproject.testing.mypy_cache import user_cache
from chatproject.testing.node import find_node, find_npm

TOOLS = Path(__file__).parent / "tools"
PACKAGE_FILES = ("package.json", "package-lock.json")
# Nothing is sent or looked up while a program runs.
OFFLINE = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}


def install() -> Path:
    """Return the folder with `node_modules`. Only one process installs it; others wait."""
    digest = hashlib.sha256((TOOLS / "package-lock.json").read_bytes()).hexdigest()
    folder = user_cache() / f"npm-{digest[:16]}"
    folder.mkdir(parents=True, exist_ok=True)
    complete = folder / "complete"
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if not complete.exists():
            npm = find_npm()
            assert npm is not None, "npm is needed to install the linters of the OpenAPI document"
            for name in PACKAGE_FILES:
                shutil.copy(TOOLS / name, folder)
            _run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], folder=folder)
            complete.touch()
    return folder


def run(name: str, *arguments: str, tools: Path, folder: Path) -> None:
    """Run an installed program in a folder. A failure is an AssertionError with its output."""
    run_node(str(tools / "node_modules" / ".bin" / name), *arguments, folder=folder)


def run_node(*arguments: str, folder: Path) -> None:
    """Run a script in a folder. A failure is an AssertionError with its output."""
    node = find_node()
    assert node is not None, "Node is needed"
    _run([node, *arguments], folder=folder)


def _run(command: list[str], *, folder: Path) -> None:
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **OFFLINE}, check=False, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
