"""Rename the page field of administrators' overrides that lets users choose a model."""
from __future__ import annotations

from typing import Any

from django.db import migrations

OLD, NEW = "people_choose_model", "allow_model_choice"


def rename(apps: Any, schema_editor: Any) -> None:
    """Rename the field in overrides and in their history."""
    for model in ("Override", "ConfigurationChange"):
        apps.get_model("chat", model).objects.filter(kind="page", field=OLD).update(field=NEW)


def rename_back(apps: Any, schema_editor: Any) -> None:
    """Restore the old name."""
    for model in ("Override", "ConfigurationChange"):
        apps.get_model("chat", model).objects.filter(kind="page", field=NEW).update(field=OLD)


class Migration(migrations.Migration):
    dependencies = [("chat", "0002_payload_undo_token")]
    operations = [migrations.RunPython(rename, rename_back)]
