"""System checks of column types, which other apps may register, of partitions, and of the storage of files."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib.staticfiles import finders
from django.core import checks
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import DEFAULT_DB_ALIAS

from tables.column_types import SCRIPTS
from tables.services.files.storage import storage_fault
from tables.services.partitions import unpartitioned


@register
def check_scripts(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """Check that the script of each column type exists: pages with a missing one cannot be rendered."""
    return [
        Error(f"The script {script!r} of the column type {name!r} is not a static file.", id="tables.E001")
        for name, script in SCRIPTS.items()
        if finders.find(script) is None
    ]


@register(Tags.database)
def check_partitions(app_configs: Any, *, databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Check that the relations of a database of an earlier release are partitioned; `manage.py migrate` prints it."""
    if DEFAULT_DB_ALIAS not in (databases or ()) or not (relations := unpartitioned()):
        return []
    return [
        checks.Warning(
            f"Not partitioned: {', '.join(relations)}. Large installations are slower, and fewer tables have indexes.",
            hint="Run `manage.py partition_rows` after the migrations, while servers run.",
            id="tables.W001",
        )
    ]


@register(deploy=True)
def check_file_storage(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """Check that files can be stored, read and deleted in the folder or bucket of the settings (`check --deploy`)."""
    fault = storage_fault()
    if fault is None:
        return []
    hint = "Check DATA_DIR, or the variables FILES_S3_…, and the rights of the user or key."
    return [Error(f"Files in cells cannot be stored: {fault}", hint=hint, id="tables.E002")]
