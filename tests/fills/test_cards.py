"""Cards of tables and notices say what became of a fill, and "Ready to review" only if there is something to review."""
from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from fills.models import Fill, Result
from tables.selectors import Table, table_shape
from tests.captured_queries import CapturedQueries
from tests.logins import sign_in

pytestmark = pytest.mark.django_db

STARTED = datetime(2026, 3, 1, tzinfo=UTC)
FOUND: dict[str, Any] = {"state": "found", "values": "a.example", "cells": None}
APPLIED = FOUND | {"change_id": 1, "finished_at": STARTED + timedelta(minutes=1)}
EARLIER = APPLIED | {"finished_at": STARTED - timedelta(days=1)}
SAME = FOUND | {"cells": "a.example"}
# The state of a fill, its results (values and cells of one column), and the texts of its card.
CARDS: list[tuple[str, list[dict[str, Any]], str, str]] = [
    ("done", [FOUND, {"state": "empty"}], "Filled Domain", "Ready to review"),
    ("done", [APPLIED, APPLIED, EARLIER, SAME], "Filled Domain in 2 rows", "Open"),
    ("done", [APPLIED, FOUND], "Filled Domain in 1 row", "Ready to review"),
    ("done", [{"state": "empty"}], "Nothing found for Domain", "Open"),
    ("done", [SAME, {"state": "discarded"}], "Filling Domain is finished", "Open"),
    ("failed", [{"state": "failed"}], "Filling Domain failed", "Open"),
    ("failed", [FOUND, {"state": "failed"}], "Filling Domain failed", "Ready to review"),
]


def test_cards_say_what_became_of_fills(client: Client, user: User, people: Table) -> None:
    sign_in(client, user)
    domain = next(column.id for column in table_shape(people).columns if column.name == "Domain")

    def add(state: str, results: list[dict[str, Any]]) -> None:
        fill = Fill.objects.create(
            table_id=people.pk, user=user, state=state, columns=[domain], is_unseen=True, started_at=STARTED
        )
        for row_id, fields in enumerate(results, start=1):
            cells = {name: {domain: fields[name]} for name in ("values", "cells") if name in fields}
            Result.objects.create(fill=fill, row_id=row_id, position=row_id, **fields | cells)

    counts = []
    for cards in (CARDS[:1], CARDS[1:]):
        for state, results, *_ in cards:
            add(state, results)
        with CapturedQueries() as queries:
            page = client.get("/tables/").content.decode()
        counts.append(len(queries))
    assert len(set(counts)) == 1
    shown = re.findall(r'class="card__fill"><span>(.*?)</span><a class="link"[^>]*>(.*?)</a>', page)
    assert shown == [texts for *_, first, second in reversed(CARDS) for texts in [(first, second)]]
    # The last three, of which only the last has something to review.
    assert sorted(re.findall(r">(Review|Open)</a>", client.get("/tables/fill-notices/").content.decode())) == [
        "Open", "Open", "Review",
    ]  # fmt: skip
