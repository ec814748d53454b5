"""Signals that end processes: repeated Ctrl+C during a turn, and the termination of a worker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.commands.test_start import (
    ERRORS,
    ROOT,
    SECONDS,
    SignedInUser,
    assert_ended_cleanly,
    becomes_true,
    done_tasks,
    free_port,
    paused_answer,
    rows,
    start_paused_turn,
    started,
)
from tests.shared_files import prepare_data_dir

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("migrated_database")]


def test_repeated_ctrl_c_ends_the_server_and_its_open_turn_cleanly(tmp_path: Path) -> None:
    """`test_start.py` sends it once."""
    prepare_data_dir(tmp_path)
    with paused_answer() as variables, started(tmp_path, "--port", str(free_port()), **variables) as run:
        start_paused_turn(SignedInUser(run), data_dir=tmp_path)
        while run.process.poll() is None:
            run.process.send_signal(signal.SIGINT)
            threading.Event().wait(0.02)
        code = run.interrupt()

    assert_ended_cleanly(run, code=code, data_dir=tmp_path)


def test_a_terminated_worker_ends_cleanly_while_its_server_runs(tmp_path: Path) -> None:
    prepare_data_dir(tmp_path)
    command = [sys.executable, "manage.py", "db_worker", "--no-reload", "--until-stdin-ends"]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment(tmp_path), stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as worker:
        assert becomes_true(lambda: done_tasks(tmp_path) >= 1)
        worker.terminate()
        code = worker.wait(timeout=SECONDS)
        assert worker.stderr is not None
        output = worker.stderr.read()

    assert (code, ERRORS.findall(output)) == (0, []), output


TERMINATED_AFTER_BEGIN = """
from django.core.management import call_command
from django.db import connection
from chatproject.models import WorkerHeartbeat

terminations = [SystemExit(0)]

def terminate(execute, sql, *rest):
    result = execute(sql, *rest)
    if sql.startswith("BEGIN") and terminations and WorkerHeartbeat.objects.exists():
        raise terminations.pop()  # as the signal does
    return result

with connection.execute_wrapper(terminate):
    call_command("db_worker", reload=False)
"""


def test_a_worker_terminated_right_after_begin_deletes_its_heartbeat(tmp_path: Path) -> None:
    prepare_data_dir(tmp_path)
    command = [sys.executable, "manage.py", "shell", "--no-imports", "-c", TERMINATED_AFTER_BEGIN]
    ended = subprocess.run(
        command, cwd=ROOT, env=environment(tmp_path), capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert (ended.returncode, ERRORS.findall(ended.stderr)) == (0, []), ended.stderr
    assert rows(tmp_path, "SELECT * FROM chatproject_workerheartbeat") == []


def environment(folder: Path) -> dict[str, str]:
    inherited = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {**inherited, "DATA_DIR": str(folder)}
