"""Whether this process can serve: database, migrations, channel layer and disks."""
from __future__ import annotations

import logging
import time
from pathlib import Path

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations.executor import MigrationExecutor

from chat.overrides import faults_of_configuration
from chatproject.storage import StorageCheck

log = logging.getLogger(__name__)
storage = StorageCheck()


def is_ready() -> bool:
    """Return False when the database, the channel layer, a migration or disk space is missing; the log says why."""
    try:
        connection = connections[DEFAULT_DB_ALIAS]
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
        async_to_sync(get_channel_layer().group_send)("readiness", {"type": "readiness"})
    except Exception:
        log.exception("not ready")
        return False
    if missing:
        log.error("not ready: %s unapplied migrations", len(missing))
    fault = storage.fault(_folders(), now=time.monotonic())
    if fault is not None:
        log.error("not ready: cannot write data: %s", fault)
    return not missing and fault is None


def _folders() -> list[Path]:
    """Return the folders that must take data: DATA_DIR, and that of the database if it is a file."""
    folders = [Path(settings.DATA_DIR)]
    database = connections[DEFAULT_DB_ALIAS]
    if database.vendor == "sqlite":
        folders.append(Path(str(database.settings_dict["NAME"])).parent)
    return folders


def configuration_holds() -> bool:
    """Whether all that administrators changed can be used; where not, the code's word stands. The log says what."""
    faults = faults_of_configuration()
    for fault in faults:
        log.error("invalid change of the configuration: %s", fault)
    return not faults
