"""What a server process of these tests runs: Daphne or uvicorn, until it is killed or whoever started it is gone."""
from __future__ import annotations

import sys

if __name__ == "__main__":
    if sys.argv[1:] == ["uvicorn"]:
        from tests import uvicorn_server

        address = uvicorn_server.start()
    else:
        from chatproject.testing.server import DaphneThread

        address = DaphneThread().start()
    print(address, flush=True)
    sys.stdin.read()
