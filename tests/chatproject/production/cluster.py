"""Production on one machine: the processes of docs/deploy/ with other addresses and folders.

All servers listen on a loopback address of this test process, so that their ports are free.
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

from chatproject.testing.isolation import LONG_TIME_LIMITS
from tests.chat.stream_client import SECONDS, Browser
from tests.chatproject.production.certificate import write_certificate
from tests.tables.concurrency.processes import database_url
from tests.tables.consumers.sockets import RealPage, session_of

ROOT = Path(__file__).resolve().parents[3]
DEPLOY = ROOT / "docs" / "deploy"
HOST = "tables.example.org"
ORIGIN = f"https://{HOST}"
HTTP, HTTPS, REDIS = 8080, 8443, 6379
PATIENCE = 300.0  # seconds until a missing event fails the test
# The rest of nginx's configuration, as in Debian except for the folders.
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


# Child processes survive when the tests are killed, unless they ask for a signal.
TERMINATE_WITH_PARENT = ("setpriv", "--pdeathsig", "TERM", "--") if shutil.which("setpriv") else ()


def loopback_address() -> str:
    """Return a loopback address that no other process on this machine uses."""
    pid = os.getpid()
    return f"127.{64 + (pid >> 16) % 64}.{(pid >> 8) % 256}.{pid % 256}"


def wait_until(condition: Callable[[], bool], *, description: str) -> None:
    """Return when the condition is true."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"never: {description}"
        threading.Event().wait(0.02)


class Process:
    """A program that runs until it is terminated."""

    def __init__(self, *command: str, log: Path, environment: dict[str, str] | None = None) -> None:
        self._command, self._log, self._environment = command, log, environment
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, **variables: str) -> None:
        """Start or restart the program, with additional variables in its environment."""
        inherited = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                (*TERMINATE_WITH_PARENT, *self._command), cwd=ROOT,
                env={**inherited, **(self._environment or {}), **variables}, stdin=subprocess.DEVNULL, stdout=log,
                stderr=log,
            )  # fmt: skip

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def terminate(self) -> None:
        """Send SIGTERM, as `systemctl stop` does."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)

    def wait(self) -> int:
        """Wait for the end and return the exit code."""
        assert self._process is not None
        return self._process.wait(timeout=PATIENCE)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(timeout=SECONDS)

    def output(self) -> str:
        """Return the complete output."""
        return self._log.read_text(errors="replace")


class Server(Process):
    """A server process of the app behind the proxy."""

    def __init__(self, *command: str, address: str, port: int, log: Path, environment: dict[str, str]) -> None:
        super().__init__(*command, log=log, environment=environment)
        self.address, self.port = address, port

    def is_listening(self) -> bool:
        """Return whether the server accepts connections."""
        with suppress(OSError), socket.create_connection((self.address, self.port), timeout=SECONDS):
            return True
        return False

    def is_ready(self) -> bool:
        """Return the result of the readiness probe."""
        assert self.is_running, self.output()[-2_000:]
        with suppress(OSError):
            return self._get("/readyz").status == 200
        return False

    def metrics(self) -> dict[str, float]:
        """Return the samples of /metrics by name and labels."""
        lines = self._get("/metrics").read().decode().splitlines()
        return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")}

    def _get(self, path: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection(self.address, self.port, timeout=SECONDS)
        connection.request("GET", path, headers={"Host": HOST})
        return connection.getresponse()


class Visitor(Browser):
    """A browser of a user at the proxy, or with `server`, a request as the proxy would send it to that server."""

    def __init__(
        self, cluster: Cluster, user: User | None = None, *, server: Server | None = None, source: str = ""
    ) -> None:
        super().__init__("", user)
        self._cluster, self._server, self._source = cluster, server, source
        self.headers |= {"Host": HOST, "Origin": ORIGIN, **({"X-Forwarded-Proto": "https"} if server else {})}

    def connection(self) -> http.client.HTTPConnection:
        if self._server is not None:
            return http.client.HTTPConnection(self._server.address, self._server.port, timeout=SECONDS)
        source = (self._source, 0) if self._source else None
        return _NamedConnection(
            self._cluster.address, HTTPS, timeout=SECONDS, context=self._cluster.trust, source_address=source
        )


class _NamedConnection(http.client.HTTPSConnection):
    """A connection to an IP address that expects the certificate of HOST."""

    def connect(self) -> None:
        http.client.HTTPConnection.connect(self)
        context: ssl.SSLContext = self._context  # type: ignore[attr-defined]
        self.sock = context.wrap_socket(self.sock, server_hostname=HOST)


class Cluster:
    """nginx, Redis and two server processes: one with Daphne, as in the systemd unit, and one with uvicorn."""

    def __init__(self, folder: Path, *, model: str, programs: dict[str, str]) -> None:
        self.folder, self.address, self._programs = folder, loopback_address(), programs
        certificate = write_certificate(HOST, folder=folder)
        self.trust = ssl.create_default_context(cafile=certificate)
        self._socket_trust = ssl.create_default_context(cafile=certificate)
        # The WebSocket client reads and writes in two threads, which OpenSSL does not support: data written while a
        # session ticket is read, as TLS 1.3 sends it after the handshake, is lost.
        self._socket_trust.maximum_version = ssl.TLSVersion.TLSv1_2
        self.environment = self._environment(model)
        serve = (sys.executable, "manage.py", "serve", "--host", self.address, "--port", "8001")
        uvicorn = (
            sys.executable, "-m", "uvicorn", "--host", self.address, "--port", "8002", "--log-level", "warning",
            "--timeout-graceful-shutdown", "1800", "chatproject.asgi:application",
        )  # fmt: skip
        self.servers = (self._server(*serve, port=8001), self._server(*uvicorn, port=8002))
        self.redis = self._redis()
        self._services = (self.redis, self._nginx())

    def __enter__(self) -> Cluster:
        for process in (*self._services, *self.servers):
            process.start()
        return self.wait_until_ready()

    def __exit__(self, *_: object) -> None:
        for server in self.servers:
            server.kill()
        for process in self._services:
            # nginx ends its child processes only when it is terminated.
            process.terminate()
            process.wait()

    def wait_until_ready(self) -> Cluster:
        """Restart servers that have ended and return when all processes are ready."""
        for server in self.servers:
            if not server.is_running:
                server.start()
        for server in self.servers:
            wait_until(server.is_ready, description=f"the server at port {server.port} is ready")
        wait_until(lambda: self.status("/healthz") == 200, description="the proxy forwards requests")
        return self

    def status(self, path: str, *, user: User | None = None) -> int:
        """Return the status of a page requested through the proxy, or 0 without a response."""
        try:
            with Visitor(self, user).open("GET", path) as response:
                return response.response.status
        except OSError:
            return 0

    def worker(self) -> Process:
        """Return a worker with the command of the systemd unit, not yet started."""
        command = (sys.executable, "manage.py", "db_worker")
        return Process(*command, log=self.folder / "worker.log", environment=self.environment)

    def access_log(self) -> list[str]:
        """Return the lines of the proxy's access log."""
        return (self.folder / "tablechat.log").read_text().splitlines()

    def error_log(self) -> str:
        """Return the proxy's error log."""
        return (self.folder / "error.log").read_text()

    @contextmanager
    def socket(self, path: str, *, user: User, server: Server | None = None) -> Iterator[RealPage]:
        """Open the socket of a page through the proxy or directly at a server."""
        tcp = socket.create_connection((self.address, server.port if server else HTTPS), timeout=SECONDS)
        tls: dict[str, Any] = {} if server else {"ssl": self._socket_trust, "server_hostname": HOST}
        with connect(
            f"{'ws' if server else 'wss'}://{HOST}{path}", sock=tcp, origin=Origin(ORIGIN), open_timeout=SECONDS,
            additional_headers={"Cookie": f"sessionid={session_of(user)}"}, **tls,
        ) as websocket:  # fmt: skip
            yield RealPage(websocket)

    def _server(self, *command: str, port: int) -> Server:
        log = self.folder / f"{port}.log"
        return Server(*command, address=self.address, port=port, log=log, environment=self.environment)

    def _environment(self, model: str) -> dict[str, str]:
        """Return the variables of `tablechat.env` with those that each installation sets."""
        lines = (DEPLOY / "tablechat.env").read_text().splitlines()
        shipped = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
        own = {
            "SECRET_KEY": settings.SECRET_KEY, "DATABASE_URL": database_url(), "DATA_DIR": str(settings.DATA_DIR),
            "REDIS_URL": f"redis://{self.address}:{REDIS}/0", "ANTHROPIC_API_KEY": "a-key-for-tests",
        }  # fmt: skip
        assert own.keys() <= shipped.keys()
        # Limits that neither the load nor a slow machine reaches.
        limits = {"API_CALLS_A_MINUTE": "1000000", "CHAT_TURNS_A_MINUTE": "1000", "DRAIN_SECONDS": "1800"}
        limits |= {"CHAT_CALL_SECONDS": "600", "CHAT_TURN_SECONDS": "1800", **LONG_TIME_LIMITS}
        return {**shipped, **own, **limits, "ANTHROPIC_BASE_URL": model}

    def _redis(self) -> Process:
        quiet = ("--save", "", "--appendonly", "no", "--dir", str(self.folder))
        program = self._programs["redis-server"]
        return Process(program, "--bind", self.address, "--port", str(REDIS), *quiet, log=self.folder / "redis.log")

    def _nginx(self) -> Process:
        shipped = (DEPLOY / "nginx.conf").read_text()
        for pattern, replacement in (
            (r"server 127\.0\.0\.1:(\d+)", rf"server {self.address}:\1"),
            (r"listen 80;", f"listen {self.address}:{HTTP};"),
            (r"listen 443 ", f"listen {self.address}:{HTTPS} "),
            (r"/etc/ssl/tables\.example\.org", str(self.folder / "certificate")),
            (r"/var/log/nginx/", f"{self.folder}/"),
        ):
            shipped, count = re.subn(pattern, replacement, shipped)
            assert count, pattern
        (self.folder / "tablechat.conf").write_text(shipped)
        user = "user root;" if os.geteuid() == 0 else ""
        (self.folder / "nginx.conf").write_text(NGINX.format(folder=self.folder, user=user))
        program = (self._programs["nginx"], "-e", str(self.folder / "error.log"), "-p", str(self.folder))
        return Process(*program, "-c", str(self.folder / "nginx.conf"), log=self.folder / "nginx.log")
