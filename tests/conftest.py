"""Fixtures for all tests: users, signed-in clients, servers. TEST_DATABASE chooses the database."""

from __future__ import annotations

import gc

from chatproject.limits.memory import collect_less_often
from chatproject.testing.isolation import OWN_CLUSTER, isolate

isolate()
# Garbage collection took a fifth of the CPU time of a run.
collect_less_often()

import django

django.setup()

import logging
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings as django_settings
from django.contrib.auth.models import Group, User
from django.core.cache import cache
from django.core.signals import setting_changed
from django.db import connection
from django.db.backends.signals import connection_created
from django.http import HttpResponse
from django.test import Client
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants
from psycopg.sql import SQL, Identifier

from tests import shared_files
from tests.both_databases import runs_on_both, uses_database
from tests.database_cleanup import empty_after_tests
from tests.fast_tests import is_slow, refuse_processes
from tests.hypothesis_examples import DEFAULT_PROFILE, SOAK_PROFILE
from tests.logins import sign_in
from tests.row_statements import check_row_statements
from tests.server_cleanup import stop_server_work

# A worker process of pytest-xdist reads its settings with the folder of its parent. In a folder that workers share, a
# test of retention would delete files that a test in another worker is writing. Servers find the static files in it.
django_settings.DATA_DIR = Path(os.environ["DATA_DIR"])
django_settings.STATIC_ROOT = django_settings.DATA_DIR / "static"
django_settings.STORAGES["files"]["OPTIONS"]["location"] = django_settings.DATA_DIR / "files"
# The hashers of the settings are slow, against guessing of passwords.
django_settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
HERE = Path(__file__).parent
# They need other settings; tests/architecture/test_guide.py runs them.
collect_ignore = ["reports/tests"]
END_SESSIONS = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = %s"
# Hypothesis has no time limits, and draws the same examples in each run, so that a failure is a failure everywhere. The
# soak tests draw new examples each time, and store those that failed.
UNTIMED: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck)}
hypothesis_settings.register_profile(DEFAULT_PROFILE, derandomize=True, database=None, max_examples=40, **UNTIMED)
hypothesis_settings.register_profile(SOAK_PROFILE, hypothesis_settings.get_profile("default"), **UNTIMED)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--both-databases", action="store_true", help="run only the tests of both_databases.py")
    parser.addoption("--fast", action="store_true", help="leave out the slow tests (tests/fast_tests.py)")


def pytest_configure(config: pytest.Config) -> None:
    """Choose the profile of Hypothesis, which tests use when they are imported, and check statements on rows."""
    connection_created.connect(check_row_statements)
    if config.option.markexpr != "not soak":
        hypothesis_settings.load_profile(SOAK_PROFILE)
        return
    hypothesis_settings.load_profile(DEFAULT_PROFILE)
    # Hypothesis would parse all modules of the project for constants to draw: seconds in each process, and what is
    # drawn would depend on the modules that earlier tests have imported. There is no setting for it.
    providers._get_local_constants = Constants


def pytest_unconfigure() -> None:
    """Ignore errors of logging: servers in threads may still log after the output is closed."""
    logging.raiseExceptions = False


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out browser tests unless they are named: Playwright's event loop would break other tests in the process."""
    named = any(Path(argument.split("::")[0]).resolve().is_relative_to(HERE / "browser") for argument in config.args)
    if collection_path == HERE / "browser" and not named:
        return True
    if config.getoption("--both-databases") and collection_path.is_file() and not runs_on_both(collection_path):
        return True
    return None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """In a new clone, let one process collect before the others: it stores the bytecode of all test modules.

    To rewrite their assertions takes five seconds of processor time, in which checks and scripts run.
    """
    if _is_new_clone():
        with shared_files.lock("collection"):
            if _is_new_clone():
                return (yield)
    return (yield)


def _is_new_clone() -> bool:
    """Return whether the bytecode of modules is missing that are among the last, and not for both databases."""
    return next((HERE / "tables" / "operations" / "__pycache__").glob("*-pytest-*.pyc"), None) is None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests about the other database and, with --fast, the slow ones."""
    other = "postgres_only" if connection.vendor == "sqlite" else "sqlite_only"
    fast, on_postgres = config.getoption("--fast"), config.getoption("--both-databases")
    if fast:
        # Not earlier: the main process of pytest-xdist collects no tests, but starts the workers.
        refuse_processes()
    selected: list[pytest.Item] = []
    deselected: list[pytest.Item] = []
    for item in items:
        excluded = (
            item.get_closest_marker(other) or (fast and is_slow(item)) or (on_postgres and not uses_database(item))
        )
        (deselected if excluded else selected).append(item)
    if deselected:
        config.hook.pytest_deselected(items=deselected)
        items[:] = selected


def pytest_collection_finish() -> None:
    """Exclude all objects that exist before the first test from garbage collection."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _reset_rate_limits() -> None:
    """Reset the rate limits of django-allauth."""
    cache.clear()


class Api:
    """A JSON client signed in as `user`: `api.post("/api/tables/", {...})`."""

    def __init__(self, user: User | None) -> None:
        self.client = Client()
        self.user = user
        if user is not None:
            sign_in(self.client, user)

    def get(self, path: str, **query: Any) -> HttpResponse:
        return self.client.get(path, query)

    def post(self, path: str, body: Any = None) -> HttpResponse:
        return self.client.post(path, body if body is not None else {}, content_type="application/json")

    def patch(self, path: str, body: Any) -> HttpResponse:
        return self.client.patch(path, body, content_type="application/json")

    def delete(self, path: str) -> HttpResponse:
        return self.client.delete(path)


@pytest.fixture(scope="session")
def migrated_database(django_db_blocker: Any) -> Path | None:
    """Return an SQLite database with all migrations applied, which tests copy; None on PostgreSQL."""
    if connection.vendor != "sqlite":
        return None
    with django_db_blocker.unblock():
        return shared_files.migrated_database()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, request: pytest.FixtureRequest, django_db_blocker: Any
) -> None:
    """Have the test database start as a copy of the one that the first process of the run has migrated.

    On SQLite it is in a file, so that the threads of a server use the same rows.
    """
    if connection.vendor == "sqlite":
        path = django_settings.DATA_DIR / "test.sqlite3"
        shutil.copy(request.getfixturevalue("migrated_database"), path)
        connection.settings_dict["TEST"]["NAME"] = str(path)
    elif OWN_CLUSTER in os.environ:
        with django_db_blocker.unblock():
            connection.settings_dict["TEST"]["TEMPLATE"] = shared_files.migrated_template()


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_keepdb: bool) -> bool:
    """Use the copied SQLite database instead of deleting it first; it is deleted with the folder of the run."""
    return django_db_keepdb or connection.vendor == "sqlite"


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Set up the test database with a fast cleanup, and end all its sessions before it is dropped.

    PostgreSQL does not drop a database with connections. Servers in threads of this process keep theirs, and PostgreSQL
    notices the end of killed server processes late.
    """
    with django_db_blocker.unblock():
        # Tests that commit delete all rows afterwards; the others should not find the groups of a migration either.
        Group.objects.all().delete()
        empty_after_tests()
    yield
    if connection.vendor == "postgresql":
        name = connection.settings_dict["NAME"]
        elsewhere: dict[str, Any] = {**connection.get_connection_params(), "dbname": "postgres"}
        with psycopg.connect(**elsewhere, autocommit=True) as session:
            session.execute(SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false").format(Identifier(name)))
            session.execute(END_SESSIONS, [name])


@pytest.fixture
def db_kind() -> str:
    """ "sqlite" or "postgresql"."""
    return connection.vendor


@pytest.fixture
def make_user(db: None) -> Callable[[str], User]:
    """Return a function that creates a user with a name and no password."""
    return lambda username: User.objects.create_user(username)


@pytest.fixture
def user(make_user: Callable[[str], User]) -> User:
    return make_user("ada")


@pytest.fixture
def other_user(make_user: Callable[[str], User]) -> User:
    return make_user("grace")


@pytest.fixture
def api(user: User) -> Api:
    return Api(user)


@pytest.fixture
def other_api(other_user: User) -> Api:
    return Api(other_user)


@pytest.fixture
def anonymous_api(db: None) -> Api:
    return Api(None)


@pytest.fixture(scope="session")
def static_files() -> Path:
    """Return STATIC_ROOT with the collected static files in it."""
    static_root = Path(django_settings.STATIC_ROOT)
    shared_files.copy_static_files(static_root)
    # The storage reads the hashed names when it is created, so it has to be created again.
    setting_changed.send(sender=None, setting="STATIC_ROOT", value=static_root, enter=True)
    return static_root


@pytest.fixture(scope="session")
def daphne_server(static_files: Path) -> str:
    """Start Daphne in a thread and return its URL. Tests use `daphne_address` or `live_server_url`."""
    from chatproject.testing.daphne_thread import DaphneThread

    return DaphneThread().start()


@pytest.fixture(scope="session")
def uvicorn_server(daphne_server: str) -> str:
    """Start uvicorn in another thread, with its own event loop. Tests use `uvicorn_address`."""
    from tests import uvicorn_server

    return uvicorn_server.start()


@pytest.fixture
def daphne_address(daphne_server: str) -> Iterator[str]:
    """Yield the URL of a Daphne server, for requests that do not use the database.

    Its background tasks end with the test. Otherwise they would use the database during later tests that do not allow
    it, and log tracebacks, for which Python 3.11 parses source code: not safe while another thread does so too.
    """
    yield daphne_server
    stop_server_work()


@pytest.fixture
def live_server_url(transactional_db: None, daphne_address: str) -> str:
    """Return the URL of a Daphne server that uses the test database and sends streams without buffering."""
    return daphne_address


@pytest.fixture
def uvicorn_address(live_server_url: str, uvicorn_server: str) -> str:
    """Return the URL of a uvicorn server, which behaves like a second process beside Daphne."""
    return uvicorn_server
