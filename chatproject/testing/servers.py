"""Finds the servers that stand before and beside ours in production, for the tests that bring all of it up."""

from __future__ import annotations

import shutil

from chatproject.bootstrap import install_debian

# Where Debian keeps what only root is supposed to run.
ELSEWHERE = ("/usr/sbin", "/usr/local/sbin")
# Programs, and the Debian packages that bring them.
SERVERS = ("nginx", "redis-server")


def find_servers() -> dict[str, str | None]:
    """The path of each program; what is missing is installed first on a Debian where this is root."""
    missing = [name for name in SERVERS if _found(name) is None]
    if missing:
        install_debian(missing, why="tests of several processes")
    return {name: _found(name) for name in SERVERS}


def _found(name: str) -> str | None:
    return shutil.which(name) or next((path for each in ELSEWHERE if (path := shutil.which(name, path=each))), None)
