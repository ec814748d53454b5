"""A temporary PostgreSQL server without a network port, which ends with the process that started it."""

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

START_SECONDS = 120.0  # on a busy machine
# For speed: the data need not survive a crash.
SPEED_OPTIONS = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "listen_addresses=")
# Two runs in parallel, each with up to five processes with pools of 16 connections.
CONNECTION_OPTIONS = ("max_connections=400",)
# The server is stopped when the standard input of this shell is closed, at the latest by the end of the parent process.
SUPERVISOR = 'folder=$1; shift; "$@" & server=$!; cat >/dev/null; kill -INT $server; wait $server; rm -rf "$folder"'


class NoPostgres(Exception):
    """PostgreSQL cannot be started. The message lists the attempts."""


def binaries() -> Path | None:
    """Return the folder with `initdb` and `postgres`: on PATH, or that of Debian, Homebrew or Red Hat, or None."""
    on_path = shutil.which("initdb")
    candidates = [Path(on_path).resolve().parent] if on_path else []
    for pattern in ("usr/lib/postgresql/*/bin", "opt/homebrew/opt/postgresql*/bin", "usr/pgsql-*/bin"):
        candidates += sorted(Path("/").glob(pattern), key=_version, reverse=True)
    for folder in candidates:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    return None


def _version(folder: Path) -> tuple[int, ...]:
    return tuple(int(digits) for digits in "".join(c if c.isdigit() else " " for c in str(folder)).split())


@dataclass(frozen=True)
class Cluster:
    """A running server. `url` is its DATABASE_URL."""

    folder: Path
    process: subprocess.Popen[bytes]

    @property
    def url(self) -> str:
        return f"postgres://postgres@{quote(str(self.folder), safe='')}/postgres"

    def stop(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(timeout=START_SECONDS)


def start() -> Cluster:
    """Create and start a cluster in a temporary folder, with a Unix socket in it. Raises NoPostgres."""
    found = binaries()
    if found is None:
        raise NoPostgres("no initdb on PATH or below /usr/lib/postgresql")
    # Not TMPDIR: the path of a socket is limited to 107 characters, and another user must have access.
    folder = Path(tempfile.mkdtemp(prefix="tablechat-pg-", dir="/tmp"))
    process_user = _not_root()
    if process_user:
        os.chown(folder, process_user["user"], process_user["group"])
    _initialise(found, folder=folder, process_user=process_user)
    settings = (*SPEED_OPTIONS, *CONNECTION_OPTIONS, f"unix_socket_directories={folder}")
    options = [part for setting in settings for part in ("-c", setting)]
    with (folder / "log").open("wb") as log:
        server = [str(found / "postgres"), "-D", str(folder / "data"), *options]
        process = subprocess.Popen(
            ["/bin/sh", "-c", SUPERVISOR, "sh", str(folder), *server],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,
            cwd=folder,
            **process_user,
        )
    cluster = Cluster(folder=folder, process=process)
    ready = [str(found / "pg_isready"), "-q", "-h", str(folder), "-U", "postgres"]
    deadline = time.monotonic() + START_SECONDS
    while subprocess.run(ready, check=False).returncode != 0:
        if time.monotonic() > deadline or process.poll() is not None:
            output = (folder / "log").read_text(errors="replace")[-2_000:]
            cluster.stop()
            raise NoPostgres(f"the server did not start:\n{output}")
        time.sleep(0.05)
    return cluster


def _not_root() -> dict[str, Any]:
    """Return `Popen` arguments for another user if this is root, because PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    raise NoPostgres("PostgreSQL cannot run as root, and there is no user postgres or nobody")


def _initialise(found: Path, *, folder: Path, process_user: dict[str, Any]) -> None:
    base = [str(found / "initdb"), "-D", str(folder / "data"), "-U", "postgres"]
    base += ["-A", "trust", "-E", "UTF8", "--no-sync"]
    # With ICU, as in production, so that tests do not depend on the byte order of C locales.
    output = ""
    unicode = ["--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=und"]
    for locale in (unicode, unicode[:1], ["--no-locale"]):
        done = subprocess.run([*base, *locale], capture_output=True, text=True, check=False, cwd=folder, **process_user)
        if done.returncode == 0:
            return
        output = done.stderr
        shutil.rmtree(folder / "data", ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
    raise NoPostgres(f"initdb failed: {output.strip()[-500:]}")
