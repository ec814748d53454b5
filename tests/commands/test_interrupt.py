"""Ctrl+C in the middle of everything: it ends without complaint, and what was going on has come to a truthful end."""

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

from tests.commands.test_start import ROOT, SECONDS, Started, comes_true, done_tasks, free_port
from tests.scripted_model import Gate, ScriptedModel, say
from tests.shared_files import prepare_data_dir

LAST_LINE = "Press Ctrl+C to stop."
COMPLAINTS = re.compile(r"Traceback|Fatal Python|Exception ignored|Unhandled|Task was destroyed|ReactorNotRunning")

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("migrated_database")]


class Person:
    """Somebody who signed in at a started server."""

    def __init__(self, run: Started) -> None:
        jar = CookieJar()
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
        with opener.open(run.link) as page:
            page.read()
        cookies = {cookie.name: cookie.value or "" for cookie in jar}
        self._place = urlsplit(run.origin).netloc
        self._headers = {
            "Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items()),
            "X-CSRFToken": cookies["csrftoken"],
            "Content-Type": "application/json",
        }

    def asks(self, words: str) -> HTTPResponse:
        """A turn that begins; its answer is still to be read."""
        connection = HTTPConnection(self._place, timeout=SECONDS)
        body = {"message": words, "context": {"current_page": "tables_list"}}
        connection.request("POST", "/api/chat/stream/", body=json.dumps(body), headers=self._headers)
        return connection.getresponse()


def until(answer: HTTPResponse, words: bytes) -> None:
    """Reads on until these words have come."""
    while words not in (line := answer.readline()):
        assert line, "the stream ended"


@pytest.fixture
def model() -> Iterator[str]:
    """The address of a provider at whose gate an answer waits."""
    script = ScriptedModel(say("What was said so far, and the rest.", sizes=(20,), gate=Gate(), gate_after=1))
    with script.serve() as address:
        yield address


def stored(folder: Path, text: str) -> bool:
    """Return whether an event of a turn contains the text."""
    return bool(rows(folder, "SELECT 1 FROM chat_turnevent WHERE data LIKE ?", f"%{text}%"))


@pytest.mark.parametrize("again", [False, True], ids=["once", "again and again"])
def test_it_ends_cleanly_however_often_it_is_pressed_and_the_open_turn_with_it(
    tmp_path: Path, model: str, again: bool
) -> None:
    prepare_data_dir(tmp_path)
    variables = {"ANTHROPIC_API_KEY": "a-key-for-tests", "ANTHROPIC_BASE_URL": model}
    run = Started(tmp_path, "--port", str(free_port()), **variables)
    run.wait_for(LAST_LINE)
    answer = Person(run).asks("Tell me something long")
    until(answer, b"What was said so far")
    assert comes_true(lambda: stored(tmp_path, "What was said so far"))

    while again and run.process.poll() is None:
        run.process.send_signal(signal.SIGINT)
        threading.Event().wait(0.02)
    code = run.interrupt()

    said = "\n".join(run.lines)
    assert (code, COMPLAINTS.findall(said)) == (0, []), said
    assert run.lines[-1] == "Stopped."
    assert stored_turns(tmp_path) == [("error", True)]
    assert stored_answers(tmp_path) == [("What was said so far",)]


def test_a_worker_that_is_told_to_end_while_its_server_lives_ends_cleanly(tmp_path: Path) -> None:
    prepare_data_dir(tmp_path)
    command = [sys.executable, "manage.py", "db_worker", "--no-reload", "--until-stdin-ends"]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment(tmp_path), stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as worker:
        assert comes_true(lambda: done_tasks(tmp_path) >= 1)
        worker.terminate()
        code = worker.wait(timeout=SECONDS)
        assert worker.stderr is not None
        said = worker.stderr.read()

    assert (code, COMPLAINTS.findall(said)) == (0, []), said


def stored_turns(folder: Path) -> list[tuple[str, bool]]:
    found = rows(folder, "SELECT state, error_retryable FROM chat_turn")
    return [(state, bool(retryable)) for state, retryable in found]


def stored_answers(folder: Path) -> list[tuple[str]]:
    return rows(folder, "SELECT text FROM chat_message WHERE role = 'assistant'")


def rows(folder: Path, query: str, *parameters: str) -> list[Any]:
    with closing(sqlite3.connect(folder / "db.sqlite3", timeout=SECONDS)) as database:
        return database.execute(query, parameters).fetchall()


def environment(folder: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {**kept, "DATA_DIR": str(folder)}
