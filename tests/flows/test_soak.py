"""The long forms that are whole programs: a working day of two servers, and a table of a million rows.

How long anything takes they print and do not judge; they fail where anything else is not as it should be: an answer, a
delta or a row that is lost, too many connections, work that grows with what nobody asked for.
"""
from __future__ import annotations

import os
import subprocess
import sys

import pytest
from django.conf import settings


@pytest.mark.soak
@pytest.mark.postgres_only
@pytest.mark.django_db  # so that it is among the tests of that database
@pytest.mark.parametrize("program", ["bench_load", "bench_big_table"])
def test_it_ends_without_a_fault(program: str) -> None:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-m", f"tests.bench.{program}"],
        cwd=settings.BASE_DIR,
        env={**kept, "TEST_DATABASE": "postgres"},
        capture_output=True,
        text=True,
        check=False,
    )
    print(done.stdout)
    assert done.returncode == 0, done.stderr
