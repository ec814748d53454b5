"""Sets up the tests with the settings of the example, and serves sample responses in place of PubMed."""
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import django
import pytest

from chatproject.testing.isolation import isolate

isolate(settings_module="examples.research.settings")
django.setup()

from django.conf import settings as django_settings  # noqa: E402  # needs the settings
from django.db import connection  # noqa: E402

RESPONSES = Path(__file__).parent / "responses"


class SampleServer(BaseHTTPRequestHandler):
    """Answers `esearch.fcgi?term=naps` with `esearch-naps.json`. The terms 429 and silent ask for failures."""

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        query = parse_qs(url.query)
        name = url.path.strip("/").removesuffix(".fcgi")
        term = query["term"][0] if "term" in query else query["id"][0]
        if term == "silent":
            self.rfile.read()  # until the client disconnects
            return
        self.send_response(429 if term == "429" else 200)
        self.end_headers()
        if (file := RESPONSES / f"{name}-{term}.json").exists():
            self.wfile.write(file.read_bytes())

    def log_message(self, *arguments: object) -> None:
        """Log nothing."""


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix):
    """Have the SQLite test database in a file: one in memory refuses statements about a table that is in use."""
    if connection.vendor == "sqlite":
        connection.settings_dict["TEST"]["NAME"] = str(django_settings.DATA_DIR / "test.sqlite3")


@pytest.fixture
def pubmed_server(settings):
    """A server with sample responses in the format of PubMed."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), SampleServer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings.PUBMED_URL = f"http://127.0.0.1:{server.server_port}"
    yield
    server.shutdown()
    server.server_close()
