"""`manage.py start` in its own process, with an empty data folder and a real port."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse
from http.cookiejar import CookieJar
from pathlib import Path
from queue import Empty, Queue
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core.management import CommandError, call_command
from django.core.management.base import SystemCheckError

from chat.page_config import PageConfig, pages
from chatproject.management.commands.start import free_port as choose_port
from tests.scripted_model import Gate, ScriptedModel, say
from tests.shared_files import prepare_data_dir

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("migrated_database")]

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 180.0  # without output; long, because other processes may keep the machine busy
LINK = re.compile(r"http://\S+/sign-in/link/\S+")
LAST_LINE = "Press Ctrl+C to stop."
ERRORS = re.compile(r"Traceback|Fatal Python|Exception ignored|Unhandled|Task was destroyed|ReactorNotRunning")


class Started:
    """A running `manage.py start`, by default of this project, and the lines it has printed so far."""

    def __init__(
        self, data_dir: Path, *arguments: str, manage: Path = ROOT / "manage.py", **variables: str
    ) -> None:
        inherited = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        self.process = subprocess.Popen(
            [sys.executable, str(manage), "start", *arguments],
            cwd=manage.parent,
            env={**inherited, "DATA_DIR": str(data_dir), **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines: list[str] = []
        self._new_lines: Queue[str | None] = Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as output:
            for line in output:
                self._new_lines.put(line.rstrip("\n"))
        self._new_lines.put(None)

    def wait_for(self, expected: str) -> None:
        """Read on until a line is `wanted`; fail when the process ends or stays silent before that."""
        while expected not in self.lines:
            try:
                line = self._new_lines.get(timeout=SECONDS)
            except Empty:
                line = None
            assert line is not None, "\n".join(self.lines)
            self.lines.append(line)

    def interrupt(self) -> int:
        """Send Ctrl+C and return the exit code."""
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(timeout=SECONDS)
        while (line := self._new_lines.get(timeout=SECONDS)) is not None:
            self.lines.append(line)
        return code

    @property
    def link(self) -> str:
        return next(found[0] for line in self.lines if (found := LINK.search(line)))

    @property
    def origin(self) -> str:
        return self.link.split("/sign-in/")[0]


@contextmanager
def started(
    data_dir: Path, *arguments: str, manage: Path = ROOT / "manage.py", **variables: str
) -> Iterator[Started]:
    run = Started(data_dir, *arguments, manage=manage, **variables)
    try:
        run.wait_for(LAST_LINE)
        yield run
    finally:
        run.process.kill()
        run.process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def visit(link: str) -> tuple[int, str, str]:
    """Follow a link as a browser does; return the status, the final URL and the page."""
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    try:
        with opener.open(link) as response:
            return response.status, response.url, response.read().decode(errors="replace")
    except urllib.error.HTTPError as response:
        return response.code, response.url, response.read().decode(errors="replace")


class SignedInUser:
    """A user who has followed the printed link; `status`, `url` and `page` have what the link led to."""

    def __init__(self, run: Started) -> None:
        jar = CookieJar()
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
        with opener.open(run.link) as response:
            self.status, self.url, self.page = response.status, response.url, response.read().decode()
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


@contextmanager
def paused_answer() -> Iterator[dict[str, str]]:
    """Yield the environment for a provider that stops in the middle of its answer."""
    script = ScriptedModel(say("The answer so far, and the rest.", sizes=(17,), gate=Gate(), gate_after=1))
    with script.serve() as address:
        yield {"ANTHROPIC_API_KEY": "a-key-for-tests", "ANTHROPIC_BASE_URL": address}


def start_paused_turn(user: SignedInUser, *, data_dir: Path) -> None:
    """Start a turn, and return when the first part of its answer has been sent and stored."""
    response = user.start_turn("Tell me something long")
    read_until(response, b"The answer so far")
    is_stored = "SELECT 1 FROM chat_turnevent WHERE data LIKE '%The answer so far%'"
    assert becomes_true(lambda: bool(rows(data_dir, is_stored)))


def assert_ended_cleanly(run: Started, *, code: int, data_dir: Path) -> None:
    """Assert that the server has ended without errors and has closed the paused turn."""
    output = "\n".join(run.lines)
    assert (code, ERRORS.findall(output)) == (0, []), output
    assert run.lines[-1] == "Stopped."
    assert rows(data_dir, "SELECT state, error_retryable FROM chat_turn") == [("error", 1)]
    assert rows(data_dir, "SELECT text FROM chat_message WHERE role = 'assistant'") == [("The answer so far",)]


def rows(data_dir: Path, query: str) -> list[Any]:
    with closing(sqlite3.connect(data_dir / "db.sqlite3", timeout=SECONDS)) as database:
        return database.execute(query).fetchall()


@dataclass(frozen=True, kw_only=True)
class FirstStart:
    """The first start in an empty folder, until Ctrl+C during a turn; `workers` has their number before and after."""

    run: Started
    user: SignedInUser
    tasks_done: bool
    workers: tuple[int, int]
    exit_code: int
    key_mode: int


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("start")


@pytest.fixture(scope="module")
def first_start(data_dir: Path) -> FirstStart:
    """Start the app in an empty folder, where it has to migrate the database and collect static files."""
    with paused_answer() as variables, started(data_dir, "--port", str(free_port()), **variables) as run:
        user = SignedInUser(run)
        done = becomes_true(lambda: done_tasks(data_dir) >= 2)
        workers = len(registered_workers(data_dir))
        start_paused_turn(user, data_dir=data_dir)
        exit_code = run.interrupt()
    return FirstStart(
        run=run, user=user, tasks_done=done, workers=(workers, len(registered_workers(data_dir))),
        exit_code=exit_code, key_mode=(data_dir / "secret_key").stat().st_mode,
    )  # fmt: skip


def test_errors_in_registry_entries_are_reported_before_anything_is_set_up() -> None:
    broken = PageConfig(page="broken", tools=("absent",))
    with pages.registered(broken), pytest.raises(SystemCheckError, match="absent"):
        call_command("start")


def test_the_printed_link_opens_four_demo_tables(first_start: FirstStart) -> None:
    user = first_start.user
    assert (user.status, user.url) == (200, f"{first_start.run.origin}/tables/")
    names = ("Apartments", "Job applications", "Pantry", "Web shop orders")
    assert [name for name in names if name not in user.page] == []


def test_a_worker_runs_beside_the_server_and_ends_with_it(first_start: FirstStart) -> None:
    assert first_start.tasks_done
    assert first_start.workers == (1, 0)


def test_ctrl_c_ends_the_server_and_its_open_turn_cleanly(first_start: FirstStart, data_dir: Path) -> None:
    assert_ended_cleanly(first_start.run, code=first_start.exit_code, data_dir=data_dir)


def test_secrets_are_readable_only_by_their_owner(first_start: FirstStart) -> None:
    assert first_start.key_mode & 0o077 == 0


PROJECT = """
import os, sys

if __name__ == "__main__":
    sys.path.append({root!r})
    os.environ["DJANGO_SETTINGS_MODULE"] = "shop.settings"
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)
"""


@pytest.fixture(scope="module")
def other_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The manage.py of a project in a folder of its own, whose settings can be imported with this manage.py only."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "shop").mkdir()
    (folder / "shop" / "settings.py").write_text("from chatproject.settings import *\n")
    (folder / "manage.py").write_text(PROJECT.format(root=str(ROOT)))
    return folder / "manage.py"


@dataclass(frozen=True, kw_only=True)
class SecondStart:
    """A start of another project with the same data, on a port that is taken; it ends when the server is killed."""

    taken_port: int
    port: int
    lines: list[str]
    link_statuses: list[int]
    page: str
    static_statuses: dict[str, int]
    worker_started: bool
    worker_ended: bool
    recorded_origin: str


@pytest.fixture(scope="module")
def second_start(data_dir: Path, first_start: FirstStart, other_project: Path) -> SecondStart:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken_port = other.getsockname()[1]
        with started(data_dir, "--port", str(taken_port), manage=other_project) as run:
            worker_started = becomes_true(lambda: bool(registered_workers(data_dir)))
            status, _, page = visit(run.link)
            urls = set(re.findall(r'(?:src|href)="(/static/[^"#]+)', page))
            static_statuses = {url: visit(run.origin + url)[0] for url in urls}
            link_statuses = [status, visit(run.link)[0]]
            recorded_origin = (data_dir / "origin.txt").read_text()
            run.process.kill()
            worker_ended = becomes_true(lambda: not registered_workers(data_dir))
    return SecondStart(
        taken_port=taken_port, port=int(run.origin.rsplit(":", 1)[1]), lines=run.lines, link_statuses=link_statuses,
        page=page, static_statuses=static_statuses, worker_started=worker_started, worker_ended=worker_ended,
        recorded_origin=recorded_origin,
    )  # fmt: skip


def test_the_link_works_once(second_start: SecondStart) -> None:
    assert second_start.link_statuses == [200, 410]


def test_a_second_start_skips_preparation_and_demo_tables(second_start: SecondStart) -> None:
    assert not any(line.endswith("…") for line in second_start.lines)
    assert len(set(re.findall(r'href="/tables/(\d+)/"', second_start.page))) == 4


def test_static_files_of_a_page_are_served(second_start: SecondStart) -> None:
    assert second_start.static_statuses
    assert set(second_start.static_statuses.values()) == {200}, second_start.static_statuses


def test_the_next_free_port_is_used_when_one_is_taken(second_start: SecondStart) -> None:
    assert second_start.port > second_start.taken_port
    assert second_start.recorded_origin == f"http://127.0.0.1:{second_start.port}"
    assert f"Port {second_start.taken_port} is in use. Using {second_start.port}." in second_start.lines


def test_the_worker_runs_the_project_that_was_started(second_start: SecondStart) -> None:
    assert second_start.worker_started


def test_the_worker_ends_when_the_server_is_killed(second_start: SecondStart) -> None:
    assert second_start.worker_ended


def registered_workers(data_dir: Path) -> set[str]:
    return {row[0] for row in rows(data_dir, "SELECT worker_id FROM chatproject_workerheartbeat")}


def done_tasks(data_dir: Path) -> int:
    query = "SELECT count(*) FROM django_tasks_database_dbtaskresult WHERE status = 'SUCCESSFUL'"
    return int(rows(data_dir, query)[0][0])


def becomes_true(condition: Callable[[], bool]) -> bool:
    """Return whether the condition becomes true within SECONDS."""
    return any(condition() or threading.Event().wait(0.1) for _ in range(int(SECONDS * 10)))


@pytest.mark.parametrize(
    ("host", "port", "message"),
    [
        pytest.param("192.0.2.1", 8000, "Cannot listen on 192.0.2.1:8000", id="address of another machine"),
        pytest.param("no such name", 8000, "Cannot listen on no such name", id="unknown host"),
        pytest.param("127.0.0.1", 70000, "The port must be a number from 1 to 65535", id="invalid port"),
    ],
)
def test_an_unusable_host_or_port_is_reported(host: str, port: int, message: str) -> None:
    with pytest.raises(CommandError, match=re.escape(message)):
        choose_port(host=host, first=port)


def test_a_failed_start_prints_the_error_without_a_traceback(tmp_path: Path) -> None:
    prepare_data_dir(tmp_path)
    run = Started(tmp_path, "--port", "70000")
    with pytest.raises(AssertionError, match="The port must be a number from 1 to 65535") as output:
        run.wait_for(LAST_LINE)
    assert (run.process.wait(timeout=SECONDS), "Traceback" in str(output.value)) == (1, False)
