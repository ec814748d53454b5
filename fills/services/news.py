"""Tell open pages of a table that one of its fills has moved on; they read it again, with the rights of their users."""
from __future__ import annotations

from functools import partial

from django.db import transaction

from fills.models import Fill
from tables.signals import news_made


def announce(fill: Fill) -> None:
    """Announce a change of a fill or its results after the commit."""
    news = partial(news_made.send_robust, sender=None, table_id=fill.table_id, about="fills", about_id=str(fill.pk))
    transaction.on_commit(news)
