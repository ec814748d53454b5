"""Isolates tests from the data, keys and services of the installation. Must run before settings are read."""

import atexit
import os
import shutil
import tempfile

from django.conf import settings

from chatproject.testing import postgres

INSTALLATION_VARIABLES = (
    *("ANTHROPIC_", "CHAT_", "FILL_", "TABLES_", "DATABASE_", "REDIS_URL", "EMAIL_URL", "SECRET_KEY", "DEBUG"),
    *("ALLOWED_HOSTS", "CSRF_TRUSTED_ORIGINS", "TRUSTED_PROXIES", "ALLOW_SIGNUP", "LOG_LEVEL", "LOG_FORMAT"),
    *("API_", "IDEMPOTENCY_", "STALL_", "DRAIN_", "IMPORT_", "METRICS_", "HTTPS", "EMAIL_FROM", "REQUESTS_", "MEMORY_"),
    *("SITE_NAME", "SOCKETS_", "OIDC_", "FILE_", "FILES_"),
)
OWN_CLUSTER = "TEST_CLUSTER"
"""Environment variable with the folder of the PostgreSQL server that the tests have started."""
LONG_TIME_LIMITS = {
    **dict.fromkeys(("DATABASE_READ_SECONDS", "DATABASE_WRITE_SECONDS", "DATABASE_LOCK_SECONDS"), "300"),
    "METRICS_DATABASE_SECONDS": "60",
}


def isolate(*, settings_module: str = "chatproject.settings") -> None:
    """Give this process its own settings: a new DATA_DIR, no keys, and the database in TEST_DATABASE.

    TEST_DATABASE=postgres starts a temporary server, which the worker processes of the same run share.
    TEST_DATABASE_URL is used unchanged. The default is SQLite in the new DATA_DIR. Raises RuntimeError if the settings
    have been read already, because tests would then use the data of the installation.
    """
    if settings.configured and "TEST_FOLDER" not in os.environ:
        raise RuntimeError("Settings were loaded before the test environment was set up. Unset DJANGO_SETTINGS_MODULE.")
    kind, url = os.environ.get("TEST_DATABASE", "sqlite"), os.environ.get("TEST_DATABASE_URL", "")
    for name in [name for name in os.environ if name.startswith(INSTALLATION_VARIABLES)]:
        del os.environ[name]
    if kind == "postgres" and not url:
        cluster = postgres.start()
        atexit.register(cluster.stop)
        url = os.environ["TEST_DATABASE_URL"] = cluster.url
        os.environ[OWN_CLUSTER] = str(cluster.folder)
    if url:
        os.environ["DATABASE_URL"] = url
    if "TEST_FOLDER" not in os.environ:
        # One folder for the run, deleted by the first process, because worker processes run no exit handlers.
        os.environ["TEST_FOLDER"] = tempfile.mkdtemp(prefix="tablechat-test-")
        atexit.register(shutil.rmtree, os.environ["TEST_FOLDER"], ignore_errors=True)
    os.environ["DATA_DIR"] = tempfile.mkdtemp(dir=os.environ["TEST_FOLDER"])
    # Results must not depend on how busy the machine is. Tests of these limits set their own.
    os.environ.update(LONG_TIME_LIMITS)
    # Creating and copying a database takes longer with more.
    os.environ["TABLES_PARTITIONS"] = "4"
    os.environ["SECRET_KEY"] = "only for tests, never for a server"
    os.environ["DJANGO_SETTINGS_MODULE"] = settings_module
