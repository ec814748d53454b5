"""Create the groups of administrators. Groups that exist already, and later changes to these, are not touched."""
from __future__ import annotations

from typing import Any

from django.apps import apps as installed_apps
from django.contrib.auth.management import create_permissions
from django.db import migrations

GROUPS = {
    "Prompt editor": ("chat.tune_assistant", "chat.view_figures", "chat.view_feedback"),
    "Assistant analyst": ("chat.view_figures", "chat.view_feedback", "chat.view_conversation", "chat.view_trace"),
    "Support": (
        "auth.view_user", "auth.change_user",
        "accounts.view_apitoken", "accounts.delete_apitoken",
        "chat.view_tokenuse",
        "tables.view_table", "tables.change_table", "tables.view_change",
    ),
    "Operator": (
        "chat.view_figures", "chat.view_turn", "chat.view_tokenuse", "django_tasks_database.view_dbtaskresult",
    ),
}  # fmt: skip
# Names of permissions that Django and django-tasks create.
NAMES = {
    "auth.add_user": "Add users (needs the permission to change users as well)",
    "auth.change_user": "Change users, sign them out, remove their second steps",
    "auth.delete_user": "Delete users",
    "auth.view_user": "View users",
    "django_tasks_database.view_dbtaskresult": "View background tasks",
}
APPS = ("auth", "django_tasks_database", "accounts", "chat", "tables")


def create_groups(apps: Any, schema_editor: Any) -> None:
    """Create the permissions, which Django otherwise creates after the last migration, and the groups."""
    database = schema_editor.connection.alias
    permissions = {}
    for label in APPS:
        if label in apps.app_configs:
            _create_permissions(apps, label=label, database=database)
            found = apps.get_model("auth", "Permission").objects.using(database).filter(content_type__app_label=label)
            permissions |= {f"{label}.{permission.codename}": permission for permission in found}
    for name, granted in GROUPS.items():
        group, created = apps.get_model("auth", "Group").objects.using(database).get_or_create(name=name)
        if created:
            # Without the app `tables` there are no permissions for it.
            group.permissions.add(*(permissions[each] for each in granted if each in permissions))


def _create_permissions(apps: Any, *, label: str, database: str) -> None:
    """Create the permissions of an app, and give those that exist the names that they have in the models now."""
    config = apps.get_app_config(label)
    # Django skips apps without models, and the historical ones have no module of them.
    models_module, config.models_module = getattr(config, "models_module", None), True
    create_permissions(config, verbosity=0, using=database, apps=apps)
    config.models_module = models_module
    permissions = apps.get_model("auth", "Permission").objects.using(database).filter(content_type__app_label=label)
    names = {name.partition(".")[2]: text for name, text in NAMES.items() if name.startswith(f"{label}.")}
    for model in config.get_models():
        names |= dict(model._meta.permissions)
    for codename, name in names.items():
        permissions.filter(codename=codename).update(name=name)


class Migration(migrations.Migration):
    dependencies = [
        ("chatproject", "0001_initial"),
        ("accounts", "0002_permissions"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("chat", "0004_permissions"),
        ("contenttypes", "0002_remove_content_type_name"),
        ("django_tasks_database", "0001_initial"),
        *([("tables", "0003_permissions")] if installed_apps.is_installed("tables") else []),
    ]
    operations = [migrations.RunPython(create_groups, migrations.RunPython.noop)]
