"""What a server process of these tests runs: Daphne, until it is killed or whoever started it is gone."""
from __future__ import annotations

import sys

from chatproject.testing.server import DaphneThread

if __name__ == "__main__":
    print(DaphneThread().start(), flush=True)
    sys.stdin.read()
