"""App config of fills."""
from __future__ import annotations

from typing import Any

from django.apps import AppConfig


class FillsConfig(AppConfig):
    """App config of fills, which needs the apps `tables` and `chat`."""

    name = "fills"
    verbose_name = "Fills"

    def ready(self) -> None:
        """Let tables show the origins of values, and follow changes of tables, their rows and who may edit them."""
        from fills.selectors import columns_with_origins, origins_of_rows
        from fills.services import access_changed, delete_origins
        from tables import signals
        from tables.selectors import register_origins

        register_origins(read=origins_of_rows, columns=columns_with_origins)
        signals.rows_purged.connect(delete_origins, dispatch_uid="fills.origins")
        signals.access_changed.connect(access_changed, dispatch_uid="fills.lost_rights")
        signals.change_made.connect(_schedule_runs, dispatch_uid="fills.standing_fills")


def _schedule_runs(*, table_id: int, **_: Any) -> None:
    """Enqueue the automatic runs of the standing fills of a changed table."""
    from django.utils import timezone

    from fills.services import schedule_runs

    fill_ids = schedule_runs(table_id=table_id, now=timezone.now())
    if fill_ids:
        from fills.tasks import enqueue_runs  # most tables have none

        enqueue_runs(fill_ids)
