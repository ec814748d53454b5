"""Backups made as described in docs/operations.md can be restored completely."""
from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import time
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

DOCUMENT = (Path(__file__).parents[2] / "docs/operations.md").read_text()
BACKUP_SCRIPT = Path(__file__).parents[2] / "docs/deploy/backup.sh"
COLUMNS = [{"name": "Company", "type": "text"}, {"name": "Salary", "type": "number"}]
ROWS = [{"Company": "Zürich 😀", "Salary": 1.5}, {"Company": "=1+1"}]
EXPORT = '[\n{"Company":"Zürich 😀","Salary":1.5},\n{"Company":"=1+1","Salary":null}\n]\n'
# Both commands run in one process, because starting one takes seconds. Missing migrations are an error.
READ_AND_CHECK = """
from django.core.management import call_command
call_command("migrate", "--check", verbosity=0)
call_command("export_table", "{table}", "-", "--format=json")
"""


@pytest.fixture
def table(user: User) -> int:
    return create_table(user=user, name="Jobs", columns=COLUMNS, rows=ROWS, origin=Origin("api")).pk


def assert_complete(table: int, *, url: str, folder: Path) -> None:
    """Assert that the database at `address` has all migrations and the rows of the table."""
    code = READ_AND_CHECK.format(table=table)
    process = manage("shell", "--no-imports", "-c", code, folder=folder, DATABASE_URL=url)
    assert (process.returncode, process.stdout) == (0, EXPORT), process.stderr


@pytest.mark.sqlite_only
def test_a_copy_of_the_file_is_complete(table: int, api: Api, tmp_path: Path) -> None:
    copy = tmp_path / "tables.sqlite3"
    with sqlite3.connect(str(connection.settings_dict["NAME"])) as source:
        source.execute("VACUUM INTO ?", [str(copy)])
    source.close()

    # Rows written later are not part of the backup.
    assert api.post(f"/api/tables/{table}/rows/", {"Company": "Late"}).status_code == 201
    assert_complete(table, url=f"sqlite:///{copy}", folder=tmp_path)


@pytest.mark.postgres_only
def test_the_nightly_backup_is_private_and_deletes_old_ones_after_a_complete_dump(tmp_path: Path) -> None:
    programs = binaries()
    assert programs is not None
    url = urlsplit(os.environ["TEST_DATABASE_URL"])._replace(path=f"/{connection.get_connection_params()['dbname']}")
    data, backups = tmp_path / "data", tmp_path / "backups"
    old, recent = backups / "tables-old.dump", backups / "tables-recent.dump"
    kept, gone, new = (backups / "files/contents" / name for name in ("aa/kept", "aa/gone", "bb/new"))
    for folder in (kept.parent, data / "files/contents/aa", data / "files/contents/bb"):
        folder.mkdir(parents=True)
    for name in ("aa/kept", "bb/new"):
        (data / "files/contents" / name).write_text("new")
    for file, days in ((old, 32), (recent, 29), (kept, 32), (gone, 32)):
        file.touch()
        os.utime(file, (time.time() - days * 86_400,) * 2)

    def back_up(database_url: str) -> int:
        environment = {"PATH": f"{programs}:{os.environ['PATH']}", "BACKUP_DIR": str(backups), "DATA_DIR": str(data)}
        command = ["/bin/sh", BACKUP_SCRIPT]
        return subprocess.run(command, env={**environment, "DATABASE_URL": database_url}, check=False).returncode

    assert back_up("postgres://nobody@%2Fnowhere/missing") != 0
    assert sorted(backups.glob("*.dump")) == [old, recent]
    assert back_up(url.geturl()) == 0
    (dump,) = set(backups.glob("*.dump")) - {recent}
    # Copied files never change, and are deleted some time after their original.
    assert (kept.read_text(), new.read_text(), gone.exists()) == ("", "new", False)
    assert new.stat().st_mode & 0o777 == 0o600
    assert (dump.suffix, dump.stat().st_mode & 0o777) == (".dump", 0o600)


def restore_commands() -> dict[str, str]:
    """Return the restore commands of the document by purpose."""
    (plain,) = re.findall(r"\n  `(pg_restore [^`]+)`", DOCUMENT)
    (without_lz4,) = re.findall(r"\n( +pg_restore .+?)\n *```", DOCUMENT, re.DOTALL)
    return {"any server": plain, "server without LZ4": without_lz4}


@pytest.mark.postgres_only
@pytest.mark.parametrize("purpose", restore_commands())
def test_a_restored_dump_is_complete(table: int, api: Api, tmp_path: Path, purpose: str) -> None:
    programs = binaries()
    assert programs is not None
    server_url = os.environ["TEST_DATABASE_URL"]
    parameters = connection.get_connection_params()
    empty = f"{parameters['dbname']}_restored"

    def url_of(name: str) -> str:
        return urlsplit(server_url)._replace(path=f"/{name}").geturl()

    def run(program: str, *arguments: str) -> str:
        return subprocess.run([programs / program, *arguments], check=True, capture_output=True, text=True).stdout

    run("pg_dump", "--format=custom", f"--file={tmp_path / 'tables.dump'}", url_of(parameters["dbname"]))
    assert api.post(f"/api/tables/{table}/rows/", {"Company": "Late"}).status_code == 201
    run("psql", "--quiet", f"--command=CREATE DATABASE {empty}", url_of("postgres"))
    try:
        environment = {"PATH": f"{programs}:{os.environ['PATH']}", "DATABASE_URL": url_of(empty)}
        command = ["/bin/sh", "-c", restore_commands()[purpose]]
        subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path, env=environment)
        assert_complete(table, url=url_of(empty), folder=tmp_path)
        compressed = run("psql", "-Atc", "SELECT 1 FROM pg_attribute WHERE attcompression = 'l'", url_of(empty))
        assert purpose == "any server" or compressed == ""
    finally:
        run("psql", "--quiet", f"--command=DROP DATABASE {empty} WITH (FORCE)", url_of("postgres"))
