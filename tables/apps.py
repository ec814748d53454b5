"""Tables as a Django app."""
from django.apps import AppConfig


class TablesConfig(AppConfig):
    """Definitions, rows and changes; knows nothing of the chat."""

    name = "tables"
    verbose_name = "Tables"
