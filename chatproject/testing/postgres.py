"""A throw-away PostgreSQL from the machine's own binaries: no network port, gone with the process that asked for it."""

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

START_SECONDS = 120.0  # a machine may be busy with other things
# Nothing here has to survive a power cut; production never sees these.
QUICK = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "listen_addresses=")
# Two runs in parallel, each with up to five processes that may hold as many connections as their pools do (16).
ROOMY = ("max_connections=400",)
# The server ends with whoever holds the other end of this shell's standard input, however that one ends.
SUPERVISOR = 'folder=$1; shift; "$@" & server=$!; cat >/dev/null; kill -INT $server; wait $server; rm -rf "$folder"'


class NoPostgres(Exception):
    """There is no PostgreSQL to start; the message says what was tried."""


def binaries() -> Path | None:
    """The folder with `initdb` and `postgres`: on PATH, where Debian keeps them, or where Homebrew does."""
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
    """A running server; `url` is what DATABASE_URL takes."""

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
    """Make and start a cluster in a temporary folder, reached over a socket in it. Raises NoPostgres."""
    found = binaries()
    if found is None:
        raise NoPostgres("no initdb on PATH or below /usr/lib/postgresql")
    # Not TMPDIR: a socket's path may be 107 characters long, and another user has to reach it.
    folder = Path(tempfile.mkdtemp(prefix="tablechat-pg-", dir="/tmp"))
    who = _not_root()
    if who:
        os.chown(folder, who["user"], who["group"])
    _initialise(found, folder=folder, who=who)
    options = [part for setting in (*QUICK, *ROOMY, f"unix_socket_directories={folder}") for part in ("-c", setting)]
    with (folder / "log").open("wb") as log:
        server = [str(found / "postgres"), "-D", str(folder / "data"), *options]
        process = subprocess.Popen(
            ["/bin/sh", "-c", SUPERVISOR, "sh", str(folder), *server],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,
            cwd=folder,
            **who,
        )
    cluster = Cluster(folder=folder, process=process)
    ready = [str(found / "pg_isready"), "-q", "-h", str(folder), "-U", "postgres"]
    deadline = time.monotonic() + START_SECONDS
    while subprocess.run(ready, check=False).returncode != 0:
        if time.monotonic() > deadline or process.poll() is not None:
            said = (folder / "log").read_text(errors="replace")[-2_000:]
            cluster.stop()
            raise NoPostgres(f"the server did not start:\n{said}")
        time.sleep(0.05)
    return cluster


def _not_root() -> dict[str, Any]:
    """PostgreSQL refuses to run as root: the arguments for a process of somebody else then."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    raise NoPostgres("PostgreSQL cannot run as root, and there is no user postgres or nobody")


def _initialise(found: Path, *, folder: Path, who: dict[str, Any]) -> None:
    base = [str(found / "initdb"), "-D", str(folder / "data"), "-U", "postgres"]
    base += ["-A", "trust", "-E", "UTF8", "--no-sync"]
    # Languages sort and fold case by rules of their own in production: tests must not rest on the order of bytes.
    said = ""
    unicode = ["--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=und"]
    for locale in (unicode, unicode[:1], ["--no-locale"]):
        done = subprocess.run([*base, *locale], capture_output=True, text=True, check=False, cwd=folder, **who)
        if done.returncode == 0:
            return
        said = done.stderr
        shutil.rmtree(folder / "data", ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
    raise NoPostgres(f"initdb failed: {said.strip()[-500:]}")
