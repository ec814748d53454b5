"""App config of fills."""
from __future__ import annotations

from django.apps import AppConfig


class FillsConfig(AppConfig):
    """App config of fills, which needs the apps `tables` and `chat`."""

    name = "fills"
    verbose_name = "Fills"

    def ready(self) -> None:
        """Let tables show the origins of values, and delete them with their rows."""
        from fills.selectors import columns_with_origins, origins_of_rows
        from fills.services import delete_origins
        from tables import signals
        from tables.selectors import register_origins

        register_origins(read=origins_of_rows, columns=columns_with_origins)
        signals.rows_purged.connect(delete_origins, dispatch_uid="fills.origins")
