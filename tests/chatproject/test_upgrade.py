"""What an earlier release left waits for the next one: its proposals are applied and taken back after the upgrade, and
what broke off says so."""
from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from django.db import connection
from psycopg.sql import SQL, Identifier

from tests.chatproject.test_production import ROOT

pytestmark = pytest.mark.slow

Json = dict[str, Any]
FIRST = [1, {"Company": "Bolt", "Salary": 120, "Due": "2026-01-05", "Stage": "Open"}]


@pytest.fixture
def address(tmp_path: Path, db_kind: str) -> Iterator[str]:
    """An empty database."""
    if db_kind == "sqlite":
        yield f"sqlite:///{tmp_path / 'upgraded.sqlite3'}"
        return
    name = f"upgraded_{os.getpid()}"
    here: dict[str, Any] = {**connection.get_connection_params(), "dbname": "postgres"}
    with psycopg.connect(**here, autocommit=True) as session:
        session.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
        try:
            yield urlsplit(os.environ["TEST_DATABASE_URL"])._replace(path=f"/{name}").geturl()
        finally:
            session.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))


def run(part: str, *, address: str, folder: Path) -> str:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-m", "tests.chatproject.upgrade_steps", part],
        cwd=ROOT,
        env={**kept, "DATABASE_URL": address, "DATA_DIR": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.django_db
def test_proposals_of_an_earlier_release_are_applied_and_taken_back_after_the_upgrade(
    address: str, tmp_path: Path
) -> None:
    run("before", address=address, folder=tmp_path)
    report = json.loads(run("after", address=address, folder=tmp_path))

    rows, columns = report["proposals"]["data_proposal"], report["proposals"]["schema_proposal"]
    assert rows["before"]["rows"][0] == FIRST
    assert [row[1]["Company"] for row in rows["applied"]["rows"]] == ["Bolt", "Crux 😀 Zürich", "Delta", "Echo"]
    assert rows["applied"]["rows"][0] == [1, {**FIRST[1], "Salary": 150, "Stage": "Won"}]
    assert [(each["name"], each["type"]) for each in columns["applied"]["columns"]] == [
        ("Company", "text"), ("Pay", "text"), ("Stage", "select"), ("Contact", "text"),
    ]  # fmt: skip
    assert columns["applied"]["rows"][0] == [1, {"Company": "Bolt", "Pay": "120", "Stage": "Open"}]
    for seen in (rows, columns):
        assert seen["undone"] == seen["before"]

    asked, answered, again, broken = report["conversation"]["messages"]
    assert [asked["text"], answered["text"], again["text"]] == ["What is there?", "A table of jobs.", "Tell me more"]
    assert (broken["text"], broken["error"]["retryable"]) == ("Four of them, and one", True)
