"""Files that one process of a test run builds and all of its processes copy: a migrated database, the static files.

Migrating an empty database and compressing the static files take several seconds each. The files are in
TEST_BUILD_FOLDER, which all stages of `manage.py test` share, or in TEST_FOLDER, which the worker processes of one
stage share.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.test import override_settings
from psycopg.sql import SQL, Identifier

from chatproject.startup.installation import collect_static, sources_digest

APPS_IN_TESTS = ("tests.addresses", "tests.reports")
"""Apps that only some servers have installed. Their static files are collected in any case."""


def built_once(name: str, build: Callable[[Path], None]) -> Path:
    """Return the path of the file or folder `name`, which the first process that asks for it fills with `build`."""
    folder = build_folder()
    path, complete = folder / name, folder / f"{name}.complete"
    with lock(name):
        if not complete.exists():
            build(path)
            complete.touch()
    return path


def build_folder() -> Path:
    """Return the folder that the processes of this test run share."""
    return Path(os.environ.get("TEST_BUILD_FOLDER") or os.environ["TEST_FOLDER"])


@contextmanager
def lock(name: str) -> Iterator[None]:
    """Wait for and hold the lock `name` among the processes of this test run."""
    with (build_folder() / f"{name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def migrated_database() -> Path:
    """Return an SQLite database with all migrations applied. Tests use the fixture of the same name."""
    return built_once("migrated.sqlite3", _migrate)


def migrated_template() -> str:
    """Return the name of a PostgreSQL database with all migrations applied, which the test databases copy.

    It is in the server that the tests have started, and never deleted.
    """
    name = "migrated"
    with lock("postgres"), psycopg.connect(**_maintenance(), autocommit=True) as session:
        found = session.execute("SELECT datistemplate FROM pg_database WHERE datname = %s", [name]).fetchone()
        if found != (True,):
            session.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
            with _connected_to(name):
                call_command("migrate", interactive=False, verbosity=0)
            session.execute(SQL("ALTER DATABASE {} IS_TEMPLATE true").format(Identifier(name)))
    return name


def copy_static_files(static_root: Path) -> None:
    """Put the collected static files into `static_root`, as hard links, unless they are there."""
    if not static_root.exists():
        shutil.copytree(_collected() / "static", static_root, copy_function=os.link)


def prepare_data_dir(data_dir: Path, *, apps: Sequence[str] = ()) -> None:
    """Give a server that will run on SQLite in `data_dir` a migrated database and collected static files.

    `apps` are those of APPS_IN_TESTS that the server has installed. Where the tests run on PostgreSQL there is no such
    database to copy: the server migrates its own.
    """
    if connection.vendor == "sqlite":
        shutil.copy(migrated_database(), data_dir / "db.sqlite3")
    prepare_static_files(data_dir, apps=apps)


def prepare_static_files(data_dir: Path, *, apps: Sequence[str] = ()) -> None:
    """Give a server that will run in `data_dir` collected static files only: it migrates a database of its own."""
    static_root = data_dir.resolve() / "static"
    copy_static_files(static_root)
    # The server collects nothing if these are the sources that it finds.
    with _static_files_of(apps):
        stamp = {"sources": sources_digest(), "root": str(static_root)}
    (data_dir / "static.json").write_text(json.dumps(stamp), encoding="utf-8")


def _migrate(path: Path) -> None:
    with _connected_to(f"{path}.building"):
        call_command("migrate", interactive=False, verbosity=0)
        # The file alone is not the database: the journal beside it holds the latest transactions.
        with connection.cursor() as cursor:
            cursor.execute("VACUUM INTO %s", [str(path)])


@contextmanager
def _connected_to(database: str) -> Iterator[None]:
    """Use another database; afterwards, nothing in this process is connected to it any more."""
    name = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = database
    try:
        yield
    finally:
        connection.close()
        if connection.vendor == "postgresql":
            connection.close_pool()
        connection.settings_dict["NAME"] = name


def _maintenance() -> dict[str, Any]:
    return {**connection.get_connection_params(), "dbname": "postgres"}


def _collected() -> Path:
    return built_once("collected", _collect)


def _collect(folder: Path) -> None:
    with _static_files_of(APPS_IN_TESTS), override_settings(DATA_DIR=folder, STATIC_ROOT=folder / "static"):
        collect_static(print_line=lambda text: None)


@contextmanager
def _static_files_of(apps: Sequence[str]) -> Iterator[None]:
    """Have the static files of these apps found, without installing the apps."""
    folders = [settings.BASE_DIR.joinpath(*app.split("."), "static") for app in apps]
    with override_settings(STATICFILES_DIRS=[*settings.STATICFILES_DIRS, *folders]):
        yield
