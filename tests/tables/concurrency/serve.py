"""What a server process of these tests runs: Daphne or uvicorn, until it is killed or whoever started it is gone."""
from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    if "ANTHROPIC_BASE_URL" in os.environ or sys.argv[1:] == ["loaded"]:
        # It will run turns, or be measured. The Anthropic SDK, which takes a second to import, is loaded before it
        # listens, as in production.
        import chatproject.asgi  # noqa: F401
    if sys.argv[1:] == ["uvicorn"]:
        from tests import uvicorn_server

        address = uvicorn_server.start()
    else:
        from chatproject.testing.server import DaphneThread

        address = DaphneThread().start()
    print(address, flush=True)
    sys.stdin.read()
