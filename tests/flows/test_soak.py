"""Long-running benchmarks as tests: a working day of two servers, and a table of a million rows.

They print durations without judging them, and fail where anything else is wrong: a response, a delta or a row is
lost, too many connections, or work that grows with unrelated data.
"""
from __future__ import annotations

import os
import subprocess
import sys

import pytest
from django.conf import settings


@pytest.mark.soak
@pytest.mark.postgres_only
@pytest.mark.django_db  # assigns it to the tests of that database
@pytest.mark.parametrize("program", ["bench_load", "bench_big_table"])
def test_benchmark_succeeds(program: str) -> None:
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-m", f"tests.bench.{program}"],
        cwd=settings.BASE_DIR,
        env={**environment, "TEST_DATABASE": "postgres"},
        capture_output=True,
        text=True,
        check=False,
    )
    print(done.stdout)
    assert done.returncode == 0, done.stderr
