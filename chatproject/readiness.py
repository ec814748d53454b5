"""Whether this process can serve: what it stands on answers, and the database is of this code's form."""
from __future__ import annotations

import logging

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations.executor import MigrationExecutor

from chat.overrides import faults_of_configuration

log = logging.getLogger(__name__)


def is_ready() -> bool:
    """False when the database, the channel layer or a migration is missing; why is said in the log alone."""
    try:
        connection = connections[DEFAULT_DB_ALIAS]
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
        async_to_sync(get_channel_layer().group_send)("readiness", {"type": "readiness"})
    except Exception:
        log.exception("not ready")
        return False
    if missing:
        log.error("not ready: %s migrations have not been run", len(missing))
    return not missing


def configuration_holds() -> bool:
    """Whether all that administrators changed can be used; where not, the code's word stands. The log says what."""
    faults = faults_of_configuration()
    for fault in faults:
        log.error("a change of the configuration cannot be used: %s", fault)
    return not faults
