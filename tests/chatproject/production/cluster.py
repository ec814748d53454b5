"""Production on one machine: what docs/deploy/ says, with other addresses and folders, in processes of their own.

Everything listens on an address of loopback that belongs to this process, so that ports are free.
"""
from __future__ import annotations

import http.client
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from websockets.sync.client import connect
from websockets.typing import Origin

from chatproject.testing.isolation import GENEROUS
from tests.chat.stream_client import SECONDS, Browser
from tests.chatproject.production.certificate import certificate_of
from tests.tables.concurrency.processes import database_url
from tests.tables.consumers.sockets import RealPage, session_of

ROOT = Path(__file__).resolve().parents[3]
DEPLOY = ROOT / "docs" / "deploy"
HOST = "tables.example.org"
ORIGIN = f"https://{HOST}"
HTTP, HTTPS, REDIS = 8080, 8443, 6379
# When something that never happens is given up; nothing is measured with it.
PATIENCE = 300.0
# The rest of nginx's configuration, as Debian has it but for its folders.
NGINX = """
daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; {user}
events {{ worker_connections 768; }}
http {{
    sendfile on; tcp_nopush on; gzip on; ssl_protocols TLSv1.2 TLSv1.3;
    access_log {folder}/access.log;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    include {folder}/tablechat.conf;
}}
"""


# Whoever kills the tests kills none of their processes by that: they are told of it.
WITH_US = ("setpriv", "--pdeathsig", "TERM", "--") if shutil.which("setpriv") else ()


def own_address() -> str:
    """An address of loopback that no other process on this machine takes."""
    pid = os.getpid()
    return f"127.{64 + (pid >> 16) % 64}.{(pid >> 8) % 256}.{pid % 256}"


def comes_true(question: Callable[[], bool], *, of: str) -> None:
    """Returns when the answer is yes."""
    given_up = time.monotonic() + PATIENCE
    while not question():
        assert time.monotonic() < given_up, f"never: {of}"
        threading.Event().wait(0.02)


class Process:
    """A program that runs until it is told to end."""

    def __init__(self, *command: str, log: Path, environment: dict[str, str] | None = None) -> None:
        self._command, self._log, self._environment = command, log, environment
        self._process: subprocess.Popen[bytes] | None = None

    def begin(self) -> None:
        """Begins, or begins again."""
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                (*WITH_US, *self._command), cwd=ROOT, env={**kept, **(self._environment or {})},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip

    @property
    def runs(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def told_to_end(self) -> None:
        """SIGTERM, as `systemctl stop` sends it."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)

    def ended(self) -> int:
        """How it ended, when it has."""
        assert self._process is not None
        return self._process.wait(timeout=PATIENCE)

    def kill(self) -> None:
        """Whatever it does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(timeout=SECONDS)

    def said(self) -> str:
        """All it has said."""
        return self._log.read_text(errors="replace")


class Server(Process):
    """A server process of ours behind the proxy."""

    def __init__(self, *command: str, address: str, port: int, log: Path, environment: dict[str, str]) -> None:
        super().__init__(*command, log=log, environment=environment)
        self.address, self.port = address, port

    def listens(self) -> bool:
        """Whether it takes connections."""
        with suppress(OSError), socket.create_connection((self.address, self.port), timeout=SECONDS):
            return True
        return False

    def is_ready(self) -> bool:
        """What its probe says."""
        assert self.runs, self.said()[-2_000:]
        with suppress(OSError):
            return self._probed("/readyz").status == 200
        return False

    def numbers(self) -> dict[str, float]:
        """What it tells whoever scrapes it: each sample by its name and labels."""
        lines = self._probed("/metrics").read().decode().splitlines()
        return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")}

    def _probed(self, path: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection(self.address, self.port, timeout=SECONDS)
        connection.request("GET", path, headers={"Host": HOST})
        return connection.getresponse()


class Visitor(Browser):
    """A person's browser at the proxy; or with `at`, what the proxy would ask of that very process for it."""

    def __init__(self, cluster: Cluster, user: User | None = None, *, at: Server | None = None, here: str = "") -> None:
        super().__init__("", user)
        self._cluster, self._at, self._here = cluster, at, here
        self.headers |= {"Host": HOST, "Origin": ORIGIN, **({"X-Forwarded-Proto": "https"} if at else {})}

    def connection(self) -> http.client.HTTPConnection:
        if self._at is not None:
            return http.client.HTTPConnection(self._at.address, self._at.port, timeout=SECONDS)
        source = (self._here, 0) if self._here else None
        return _Named(self._cluster.address, HTTPS, timeout=SECONDS, context=self._cluster.trust, source_address=source)


class _Named(http.client.HTTPSConnection):
    """To an address, but the certificate is that of our host."""

    def connect(self) -> None:
        http.client.HTTPConnection.connect(self)
        context: ssl.SSLContext = self._context  # type: ignore[attr-defined]
        self.sock = context.wrap_socket(self.sock, server_hostname=HOST)


class Cluster:
    """nginx, Redis, and two server processes: one as the unit says, with Daphne, and one with uvicorn."""

    def __init__(self, folder: Path, *, model: str, programs: dict[str, str]) -> None:
        self.folder, self.address, self._programs = folder, own_address(), programs
        certificate = certificate_of(HOST, folder=folder)
        self.trust = ssl.create_default_context(cafile=certificate)
        self._trust_of_sockets = ssl.create_default_context(cafile=certificate)
        # Their client reads and writes in two threads at once, against OpenSSL's rules: what is written while a ticket
        # is read, as TLS 1.3 sends it after the handshake, never leaves.
        self._trust_of_sockets.maximum_version = ssl.TLSVersion.TLSv1_2
        self.environment = self._environment(model)
        serve = (sys.executable, "manage.py", "serve", "--host", self.address, "--port", "8001")
        unicorn = (
            sys.executable, "-m", "uvicorn", "--host", self.address, "--port", "8002", "--log-level", "warning",
            "--timeout-graceful-shutdown", "1800", "chatproject.asgi:application",
        )  # fmt: skip
        self.servers = (self._server(*serve, port=8001), self._server(*unicorn, port=8002))
        self._beside = (self._redis(), self._nginx())

    def __enter__(self) -> Cluster:
        for process in (*self._beside, *self.servers):
            process.begin()
        return self.whole()

    def __exit__(self, *_: object) -> None:
        for server in self.servers:
            server.kill()
        for process in self._beside:
            # nginx has children, which it takes along.
            process.told_to_end()
            process.ended()

    def whole(self) -> Cluster:
        """Returns when everything is ready, after what has ended was begun again."""
        for server in self.servers:
            if not server.runs:
                server.begin()
        for server in self.servers:
            comes_true(server.is_ready, of=f"the server at {server.port} is ready")
        comes_true(lambda: self.asked("/healthz") == 200, of="the proxy passes on")
        return self

    def asked(self, path: str, *, user: User | None = None) -> int:
        """The status of a page that somebody asks the proxy for."""
        try:
            with Visitor(self, user).open("GET", path) as answer:
                return answer.response.status
        except OSError:
            return 0

    def worker(self) -> Process:
        """A worker as its unit says; still to be begun."""
        command = (sys.executable, "manage.py", "db_worker")
        return Process(*command, log=self.folder / "worker.log", environment=self.environment)

    def served(self) -> list[str]:
        """What the proxy has in its log."""
        return (self.folder / "tablechat.log").read_text().splitlines()

    def failures(self) -> str:
        """What the proxy says of what went wrong."""
        return (self.folder / "error.log").read_text()

    @contextmanager
    def socket(self, path: str, *, user: User, at: Server | None = None) -> Iterator[RealPage]:
        """A socket of an open page, through the proxy or straight at a process."""
        door = socket.create_connection((self.address, at.port if at else HTTPS), timeout=SECONDS)
        secured: dict[str, Any] = {} if at else {"ssl": self._trust_of_sockets, "server_hostname": HOST}
        with connect(
            f"{'ws' if at else 'wss'}://{HOST}{path}", sock=door, origin=Origin(ORIGIN), open_timeout=SECONDS,
            additional_headers={"Cookie": f"sessionid={session_of(user)}"}, **secured,
        ) as opened:  # fmt: skip
            yield RealPage(opened)

    def _server(self, *command: str, port: int) -> Server:
        log = self.folder / f"{port}.log"
        return Server(*command, address=self.address, port=port, log=log, environment=self.environment)

    def _environment(self, model: str) -> dict[str, str]:
        """`tablechat.env`, with what each installation fills in."""
        lines = (DEPLOY / "tablechat.env").read_text().splitlines()
        said = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
        own = {
            "SECRET_KEY": settings.SECRET_KEY, "DATABASE_URL": database_url(), "DATA_DIR": str(settings.DATA_DIR),
            "REDIS_URL": f"redis://{self.address}:{REDIS}/0", "ANTHROPIC_API_KEY": "a-key-for-tests",
        }  # fmt: skip
        assert own.keys() <= said.keys()
        # Few would ask so much in a minute, and no machine is too slow for what is waited for here.
        patient = {"API_CALLS_A_MINUTE": "1000000", "CHAT_TURNS_A_MINUTE": "1000", "DRAIN_SECONDS": "1800"}
        patient |= {"CHAT_CALL_SECONDS": "600", "CHAT_TURN_SECONDS": "1800", **GENEROUS}
        return {**said, **own, **patient, "ANTHROPIC_BASE_URL": model}

    def _redis(self) -> Process:
        quiet = ("--save", "", "--appendonly", "no", "--dir", str(self.folder))
        program = self._programs["redis-server"]
        return Process(program, "--bind", self.address, "--port", str(REDIS), *quiet, log=self.folder / "redis.log")

    def _nginx(self) -> Process:
        shipped = (DEPLOY / "nginx.conf").read_text()
        for said, here in (
            (r"server 127\.0\.0\.1:(\d+)", rf"server {self.address}:\1"),
            (r"listen 80;", f"listen {self.address}:{HTTP};"),
            (r"listen 443 ", f"listen {self.address}:{HTTPS} "),
            (r"/etc/ssl/tables\.example\.org", str(self.folder / "certificate")),
            (r"/var/log/nginx/", f"{self.folder}/"),
        ):
            shipped, found = re.subn(said, here, shipped)
            assert found, said
        (self.folder / "tablechat.conf").write_text(shipped)
        user = "user root;" if os.geteuid() == 0 else ""
        (self.folder / "nginx.conf").write_text(NGINX.format(folder=self.folder, user=user))
        program = (self._programs["nginx"], "-e", str(self.folder / "error.log"), "-p", str(self.folder))
        return Process(*program, "-c", str(self.folder / "nginx.conf"), log=self.folder / "nginx.log")
