"""Keeps the statistics of large tables in the database and renews them, so that no reader waits for them."""
from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import Q
from django.utils import timezone

from shared import strictjson
from tables.exceptions import TablesError
from tables.models import KeptFigures
from tables.operations.filters import parse_filter
from tables.selectors.count_cache import LARGE, MOST_CHARACTERS, PATIENCE, Question
from tables.selectors.statistics import column_stats
from tables.selectors.tables import table_shape


def keep_figures(*, question: Question, value: Any, now: datetime) -> None:
    """Puts computed statistics in the place of the last ones."""
    fresh = {"state": question.state, "figures": strictjson.dump(value), "computed_at": now, "wanted_at": None}
    asked = {"table_id": question.table.pk, "filter": question.filter_json, "search": question.search}
    KeptFigures.objects.update_or_create(pk=question.key, defaults=fresh, create_defaults={**asked, **fresh})


def ask_for_figures(*, key: str, now: datetime) -> bool:
    """Notes that newer statistics are wanted; False when somebody has asked for them a moment ago."""
    wanted = Q(wanted_at=None) | Q(wanted_at__lt=now - PATIENCE)
    return bool(KeptFigures.objects.filter(wanted, pk=key).update(wanted_at=now))


def renew_figures(*, key: str) -> bool:
    """Computes kept statistics again for the table as it is; False when there is nothing to renew any more."""
    kept = KeptFigures.objects.select_related("table").filter(pk=key, table__deleted_at=None).first()
    if kept is None:
        return False
    shape = table_shape(kept.table)
    try:
        asked = parse_filter(kept.filter, shape=shape, today=timezone.now().date()) if kept.filter else None
    except TablesError:
        asked = None
    question = Question("stats", kept.table, shape, asked, kept.search)
    # Other columns, another key: these will not be asked for again.
    if question.key == key:
        try:
            value = column_stats(kept.table, shape=shape, filter=asked, search=kept.search)
        except TablesError:
            # The table has grown, and the filter would cost too much by now.
            value = {"row_count": 0}
        if value["row_count"] > LARGE and len(strictjson.dump(value)) <= MOST_CHARACTERS:
            keep_figures(question=question, value=value, now=timezone.now())
            return True
    kept.delete()
    return False
