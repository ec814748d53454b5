"""App config of tables."""
from django.apps import AppConfig, apps
from django.conf import settings
from django.db.backends.signals import connection_created
from django.db.models.signals import pre_delete


class TablesConfig(AppConfig):
    """App config of tables. The app does not depend on the chat."""

    name = "tables"
    verbose_name = "Tables"

    def ready(self) -> None:
        from tables import checks, tasks  # noqa: F401  checks register themselves
        from tables.column_types.limits import set_limits
        from tables.consumers import broadcast
        from tables.selectors.sql.sqlite_functions import add_sql_functions  # needs the models
        from tables.services.pipeline.locking import lock_deleted

        connection_created.connect(add_sql_functions, dispatch_uid="tables.selectors.sql.sqlite_functions")
        for model in (settings.AUTH_USER_MODEL, "tables.Table"):
            pre_delete.connect(lock_deleted, sender=apps.get_model(model), dispatch_uid=f"tables.lock_deleted.{model}")
        broadcast.connect()
        tasks.connect()
        set_limits(
            columns=settings.TABLES_MAX_COLUMNS,
            rows=settings.TABLES_MAX_ROWS,
            options=settings.TABLES_MAX_OPTIONS,
            cell_bytes=settings.TABLES_MAX_CELL_KB * 1024,
        )
