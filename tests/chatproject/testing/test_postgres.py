"""The temporary PostgreSQL server ends with its owner."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from chatproject.testing import postgres

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
OWNER = "from chatproject.testing import postgres; print(postgres.start().folder, flush=True); input()"


@pytest.fixture(autouse=True)
def has_postgres() -> None:
    if postgres.binaries() is None:
        pytest.skip("no PostgreSQL on this machine")


def test_a_stopped_cluster_leaves_no_files() -> None:
    cluster = postgres.start()
    with psycopg.connect(host=str(cluster.folder), user="postgres", dbname="postgres") as connection:
        row = connection.execute("select upper('é'), current_setting('listen_addresses')").fetchone()
    cluster.stop()
    assert (row, cluster.folder.exists()) == (("É", ""), False)


def test_a_cluster_ends_when_its_owner_is_killed() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", OWNER], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as owner:
        assert owner.stdout is not None
        folder = Path(owner.stdout.readline().strip())
        server = int((folder / "data" / "postmaster.pid").read_text().splitlines()[0])
        server_process = os.pidfd_open(server)
        os.kill(owner.pid, signal.SIGKILL)
    readable, _, _ = select.select([server_process], [], [], 20)
    os.close(server_process)
    assert readable
