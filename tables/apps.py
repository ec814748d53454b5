"""Tables as a Django app."""
from django.apps import AppConfig
from django.db.backends.signals import connection_created


class TablesConfig(AppConfig):
    """Definitions, rows and changes; knows nothing of the chat."""

    name = "tables"
    verbose_name = "Tables"

    def ready(self) -> None:
        from tables import tasks
        from tables.consumers import announcing
        from tables.selectors import sqlite  # needs the models

        connection_created.connect(sqlite.teach, dispatch_uid="tables.selectors.sqlite")
        announcing.connect()
        tasks.connect()
