"""What `manage.py check` says of column types that other apps bring."""
from __future__ import annotations

from typing import Any

from django.contrib.staticfiles import finders
from django.core.checks import CheckMessage, Error, register

from tables.column_types import SCRIPTS


@register
def check_scripts(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """Every script that a type names is there: a page that names a missing one could not be drawn."""
    return [
        Error(f"The script {script!r} of the column type {name!r} is not among the static files.", id="tables.E001")
        for name, script in SCRIPTS.items()
        if finders.find(script) is None
    ]
