"""A backup, made as docs/operations.md says while the server works, is whole where it is restored."""
from __future__ import annotations

import os
import re
import sqlite3
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.db import connection

from chatproject.testing.postgres import binaries
from tables.operations import Origin
from tables.services import create_table
from tests.chatproject.test_production import manage
from tests.conftest import Api

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

SAID = (Path(__file__).parents[2] / "docs/operations.md").read_text()
COLUMNS = [{"name": "Company", "type": "text"}, {"name": "Salary", "type": "number"}]
ROWS = [{"Company": "Zürich 😀", "Salary": 1.5}, {"Company": "=1+1"}]
WHOLE = '[\n{"Company":"Zürich 😀","Salary":1.5},\n{"Company":"=1+1","Salary":null}\n]\n'
# Both in one process, because starting one takes seconds. Missing migrations end it with an error.
READ_AND_CHECK = """
from django.core.management import call_command
call_command("migrate", "--check", verbosity=0)
call_command("export_table", "{table}", "-", "--format=json")
"""


@pytest.fixture
def table(user: User) -> int:
    return create_table(user=user, name="Jobs", columns=COLUMNS, rows=ROWS, origin=Origin("api")).pk


def is_whole(table: int, *, address: str, folder: Path) -> None:
    """Assert that the code finds its tables, its migrations and the rows there."""
    code = READ_AND_CHECK.format(table=table)
    read = manage("shell", "--no-imports", "-c", code, folder=folder, DATABASE_URL=address)
    assert (read.returncode, read.stdout) == (0, WHOLE), read.stderr


@pytest.mark.sqlite_only
def test_a_copy_of_the_file_is_whole(table: int, api: Api, tmp_path: Path) -> None:
    copy = tmp_path / "tables.sqlite3"
    with sqlite3.connect(str(connection.settings_dict["NAME"])) as source:
        source.execute("VACUUM INTO ?", [str(copy)])
    source.close()

    # What is written later is not in it.
    assert api.post(f"/api/tables/{table}/rows/", {"Company": "Late"}).status_code == 201
    is_whole(table, address=f"sqlite:///{copy}", folder=tmp_path)


def ways_to_restore() -> dict[str, str]:
    """The ways to restore that the document describes, by purpose."""
    (plain,) = re.findall(r"`(pg_restore [^`]+)`", SAID)
    (without_lz4,) = re.findall(r"\n( +pg_restore .+?)\n *```", SAID, re.DOTALL)
    return {"any server": plain, "one that knows no LZ4": without_lz4}


@pytest.mark.postgres_only
@pytest.mark.parametrize("way", ways_to_restore())
def test_a_dump_is_whole_where_it_is_restored(table: int, api: Api, tmp_path: Path, way: str) -> None:
    found = binaries()
    assert found is not None
    here = os.environ["TEST_DATABASE_URL"]
    given = connection.get_connection_params()
    empty = f"{given['dbname']}_restored"

    def there(name: str) -> str:
        return urlsplit(here)._replace(path=f"/{name}").geturl()

    def run(program: str, *arguments: str) -> str:
        return subprocess.run([found / program, *arguments], check=True, capture_output=True, text=True).stdout

    run("pg_dump", "--format=custom", f"--file={tmp_path / 'tables.dump'}", there(given["dbname"]))
    assert api.post(f"/api/tables/{table}/rows/", {"Company": "Late"}).status_code == 201
    run("psql", "--quiet", f"--command=CREATE DATABASE {empty}", there("postgres"))
    try:
        surroundings = {"PATH": f"{found}:{os.environ['PATH']}", "DATABASE_URL": there(empty)}
        command = ["/bin/sh", "-c", ways_to_restore()[way]]
        subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path, env=surroundings)
        is_whole(table, address=there(empty), folder=tmp_path)
        compressed = run("psql", "-Atc", "SELECT 1 FROM pg_attribute WHERE attcompression = 'l'", there(empty))
        assert way == "any server" or compressed == ""
    finally:
        run("psql", "--quiet", f"--command=DROP DATABASE {empty} WITH (FORCE)", there("postgres"))
