"""System checks of column types, which other apps may register."""
from __future__ import annotations

from typing import Any

from django.contrib.staticfiles import finders
from django.core.checks import CheckMessage, Error, register

from tables.column_types import SCRIPTS


@register
def check_scripts(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """Check that the script of each column type exists: pages with a missing one cannot be rendered."""
    return [
        Error(f"The script {script!r} of the column type {name!r} is not a static file.", id="tables.E001")
        for name, script in SCRIPTS.items()
        if finders.find(script) is None
    ]
