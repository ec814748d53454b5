"""News of fills, for pages of their table, which read them again with the rights of their users; and their last use."""
from __future__ import annotations

from functools import partial
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from chat.services.notifications import notify_notices_changed
from fills.models import Fill
from tables.signals import news_made


def announce(fill: Fill) -> None:
    """Announce a change of a fill or its results after the commit, and of its notice, which a new run removes."""
    if fill.is_unseen:
        if fill.state == Fill.State.RUNNING:
            fill.is_unseen = False
            Fill.objects.filter(pk=fill.pk).update(is_unseen=False)
        notify_notices_changed(user_id=fill.user_id)
    news = partial(news_made.send_robust, sender=None, table_id=fill.table_id, about="fills", about_id=str(fill.pk))
    transaction.on_commit(news)


def record_use(fill_id: UUID) -> None:
    """Store that a fill is in use now: it is deleted some time after its last use."""
    Fill.objects.filter(pk=fill_id).update(updated_at=timezone.now())
