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


@pytest.fixture
def pubmed_server(settings):
    """A server with sample responses in the format of PubMed."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), SampleServer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings.PUBMED_URL = f"http://127.0.0.1:{server.server_port}"
    yield
    server.shutdown()
    server.server_close()
