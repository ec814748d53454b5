"""Ctrl+C during a turn ends the processes without errors and closes the turn."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection, HTTPResponse
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.commands.test_start import ROOT, SECONDS, Started, becomes_true, done_tasks, free_port
from tests.scripted_model import Gate, ScriptedModel, say
from tests.shared_files import prepare_data_dir

LAST_LINE = "Press Ctrl+C to stop."
ERRORS = re.compile(r"Traceback|Fatal Python|Exception ignored|Unhandled|Task was destroyed|ReactorNotRunning")

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("migrated_database")]


class SignedInUser:
    """A user who is signed in at a started server."""

    def __init__(self, run: Started) -> None:
        jar = CookieJar()
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
        with opener.open(run.link) as page:
            page.read()
        cookies = {cookie.name: cookie.value or "" for cookie in jar}
        self._host = urlsplit(run.origin).netloc
        self._headers = {
            "Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items()),
            "X-CSRFToken": cookies["csrftoken"],
            "Content-Type": "application/json",
        }

    def start_turn(self, text: str) -> HTTPResponse:
        """Start a turn and return its response before the body is read."""
        connection = HTTPConnection(self._host, timeout=SECONDS)
        body = {"message": text, "context": {"current_page": "tables_list"}}
        connection.request("POST", "/api/chat/stream/", body=json.dumps(body), headers=self._headers)
        return connection.getresponse()


def read_until(response: HTTPResponse, text: bytes) -> None:
    """Read the stream up to the line that contains this text."""
    while text not in (line := response.readline()):
        assert line, "the stream ended"


@pytest.fixture
def model() -> Iterator[str]:
    """Return the URL of a provider that stops in the middle of its answer."""
    script = ScriptedModel(say("The answer so far, and the rest.", sizes=(17,), gate=Gate(), gate_after=1))
    with script.serve() as address:
        yield address


def is_stored(folder: Path, text: str) -> bool:
    """Return whether an event of a turn contains the text."""
    return bool(rows(folder, "SELECT 1 FROM chat_turnevent WHERE data LIKE ?", f"%{text}%"))


@pytest.mark.parametrize("repeated", [False, True], ids=["once", "repeatedly"])
def test_ctrl_c_ends_the_server_and_its_open_turn_cleanly(
    tmp_path: Path, model: str, repeated: bool
) -> None:
    prepare_data_dir(tmp_path)
    variables = {"ANTHROPIC_API_KEY": "a-key-for-tests", "ANTHROPIC_BASE_URL": model}
    run = Started(tmp_path, "--port", str(free_port()), **variables)
    run.wait_for(LAST_LINE)
    response = SignedInUser(run).start_turn("Tell me something long")
    read_until(response, b"The answer so far")
    assert becomes_true(lambda: is_stored(tmp_path, "The answer so far"))

    while repeated and run.process.poll() is None:
        run.process.send_signal(signal.SIGINT)
        threading.Event().wait(0.02)
    code = run.interrupt()

    output = "\n".join(run.lines)
    assert (code, ERRORS.findall(output)) == (0, []), output
    assert run.lines[-1] == "Stopped."
    assert stored_turns(tmp_path) == [("error", True)]
    assert stored_answers(tmp_path) == [("The answer so far",)]


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


def stored_turns(folder: Path) -> list[tuple[str, bool]]:
    found = rows(folder, "SELECT state, error_retryable FROM chat_turn")
    return [(state, bool(retryable)) for state, retryable in found]


def stored_answers(folder: Path) -> list[tuple[str]]:
    return rows(folder, "SELECT text FROM chat_message WHERE role = 'assistant'")


def rows(folder: Path, query: str, *parameters: str) -> list[Any]:
    with closing(sqlite3.connect(folder / "db.sqlite3", timeout=SECONDS)) as database:
        return database.execute(query, parameters).fetchall()


def environment(folder: Path) -> dict[str, str]:
    inherited = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {**inherited, "DATA_DIR": str(folder)}
