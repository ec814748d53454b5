"""`manage.py start`, as a newcomer runs it: a process of its own, an empty folder, a real address."""

from __future__ import annotations

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
from http.cookiejar import CookieJar
from pathlib import Path
from queue import Empty, Queue

import pytest

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 180.0  # of silence: a machine may be busy with other things, and what comes at once is not waited for
LINK = re.compile(r"http://\S+/sign-in/link/\S+")
LAST_LINE = "Ctrl+C stops it."


class Started:
    """A running `manage.py start` and what it has said so far."""

    def __init__(self, data_dir: Path, *arguments: str, **variables: str) -> None:
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "start", *arguments],
            cwd=ROOT,
            env={**kept, "DATA_DIR": str(data_dir), **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines: list[str] = []
        self._coming: Queue[str | None] = Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as said:
            for line in said:
                self._coming.put(line.rstrip("\n"))
        self._coming.put(None)

    def wait_for(self, wanted: str) -> None:
        """Read on until a line is `wanted`; fail when the process ends or stays silent before that."""
        while wanted not in self.lines:
            try:
                line = self._coming.get(timeout=SECONDS)
            except Empty:
                line = None
            assert line is not None, "\n".join(self.lines)
            self.lines.append(line)

    def interrupt(self) -> int:
        """Ctrl+C; returns the exit code."""
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(timeout=SECONDS)
        while (line := self._coming.get(timeout=SECONDS)) is not None:
            self.lines.append(line)
        return code

    @property
    def link(self) -> str:
        return next(found[0] for line in self.lines if (found := LINK.search(line)))

    @property
    def origin(self) -> str:
        return self.link.split("/sign-in/")[0]


@contextmanager
def started(data_dir: Path, *arguments: str) -> Iterator[Started]:
    run = Started(data_dir, *arguments)
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
    """Follow a link as a browser does: status, final address, page."""
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    try:
        with opener.open(link) as answer:
            return answer.status, answer.url, answer.read().decode(errors="replace")
    except urllib.error.HTTPError as answer:
        return answer.code, answer.url, answer.read().decode(errors="replace")


@dataclass(frozen=True, kw_only=True)
class FirstStart:
    """The first start in an empty folder: what its link led to, and the worker beside it before and after Ctrl+C."""

    folder: Path
    origin: str
    status: int
    address: str
    page: str
    tasks_done: bool
    workers: tuple[int, int]
    last_line: str


@pytest.fixture(scope="module")
def first_start(tmp_path_factory: pytest.TempPathFactory) -> FirstStart:
    """Once for the file, for it takes long; every later start is a second start."""
    folder = tmp_path_factory.mktemp("start")
    with started(folder, "--port", str(free_port())) as run:
        status, address, page = visit(run.link)
        done = comes_true(lambda: done_tasks(folder) >= 2)
        beside = len(living_workers(folder))
        run.interrupt()
    return FirstStart(
        folder=folder, origin=run.origin, status=status, address=address, page=page,
        tasks_done=done, workers=(beside, len(living_workers(folder))), last_line=run.lines[-1],
    )  # fmt: skip


@pytest.fixture
def data_dir(first_start: FirstStart) -> Path:
    return first_start.folder


def test_a_fresh_install_leads_through_its_link_to_three_tables(first_start: FirstStart) -> None:
    assert (first_start.status, first_start.address) == (200, f"{first_start.origin}/tables/")
    names = ("Job applications", "Pantry", "Web shop orders")
    assert [name for name in names if name not in first_start.page] == []


def test_a_worker_works_beside_the_server_and_ends_with_it(first_start: FirstStart) -> None:
    assert first_start.tasks_done
    assert first_start.workers == (1, 0)
    assert first_start.last_line == "Stopped."


def test_the_link_works_once(data_dir: Path) -> None:
    with started(data_dir, "--port", str(free_port())) as run:
        assert [visit(run.link)[0], visit(run.link)[0]] == [200, 410]


def test_a_second_start_has_nothing_to_do_and_seeds_nothing(data_dir: Path) -> None:
    with started(data_dir, "--port", str(free_port())) as run:
        _, _, page = visit(run.link)
    assert not any(line.endswith("…") for line in run.lines)
    assert len(set(re.findall(r'href="/tables/(\d+)/"', page))) == 3


def test_a_page_brings_its_static_files(data_dir: Path) -> None:
    with started(data_dir, "--port", str(free_port())) as run:
        _, _, page = visit(run.link)
        addresses = set(re.findall(r'(?:src|href)="(/static/[^"#]+)', page))
        assert addresses
        assert {address: visit(run.origin + address)[0] for address in addresses} == dict.fromkeys(addresses, 200)


def test_a_taken_port_leads_to_the_next_free_one(data_dir: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]
        with started(data_dir, "--port", str(taken)) as run:
            port = int(run.origin.rsplit(":", 1)[1])
    assert port > taken
    assert f"Port {taken} is taken; using {port}." in run.lines


def test_control_c_ends_it_without_complaint(data_dir: Path) -> None:
    with started(data_dir, "--port", str(free_port())) as run:
        visit(run.link)
        code = run.interrupt()
    assert (code, run.lines[-1]) == (0, "Stopped.")
    assert not any("Traceback" in line for line in run.lines)


def living_workers(data_dir: Path) -> set[str]:
    with closing(sqlite3.connect(data_dir / "db.sqlite3", timeout=SECONDS)) as database:
        return {row[0] for row in database.execute("SELECT worker_id FROM chatproject_workerbeat")}


def done_tasks(data_dir: Path) -> int:
    with closing(sqlite3.connect(data_dir / "db.sqlite3", timeout=SECONDS)) as database:
        query = "SELECT count(*) FROM django_tasks_database_dbtaskresult WHERE status = 'SUCCESSFUL'"
        return int(database.execute(query).fetchone()[0])


def comes_true(claim: Callable[[], bool]) -> bool:
    """Whether another process makes it true before long."""
    return any(claim() or threading.Event().wait(0.1) for _ in range(int(SECONDS * 10)))


def test_the_worker_ends_when_the_server_is_killed(data_dir: Path) -> None:
    # Those of starts before may still be ending.
    others = living_workers(data_dir)
    with started(data_dir, "--port", str(free_port())) as run:
        assert comes_true(lambda: bool(living_workers(data_dir) - others))
        ours = living_workers(data_dir) - others
        run.process.kill()
        assert comes_true(lambda: not living_workers(data_dir) & ours)


def test_secrets_are_readable_by_their_owner_alone(data_dir: Path) -> None:
    assert (data_dir / "secret_key").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        pytest.param(["--host", "192.0.2.1"], "Cannot listen on 192.0.2.1:8000", id="another machine's address"),
        pytest.param(["--host", "no such name"], "Cannot listen on no such name", id="no address"),
        pytest.param(["--port", "70000"], "A port is a number from 1 to 65535", id="no port"),
    ],
)
def test_what_cannot_be_served_is_refused_with_a_sentence(data_dir: Path, arguments: list[str], sentence: str) -> None:
    run = Started(data_dir, *arguments)
    with pytest.raises(AssertionError, match=re.escape(sentence)) as said:
        run.wait_for(LAST_LINE)
    assert (run.process.wait(timeout=SECONDS), "Traceback" in str(said.value)) == (1, False)
