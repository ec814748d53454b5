"""Data steps of migrations."""
from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection
from django.utils import timezone

from fills.models import Fill, Result, StandingFill
from tables.selectors import Table

pytestmark = [pytest.mark.sqlite_only, pytest.mark.django_db]


def test_only_results_that_were_discarded_get_the_state(people: Table) -> None:
    migration = import_module("fills.migrations.0009_discarded_results")
    for is_standing in (True, False):
        fill = Fill.objects.create(table=people, user=people.owner)
        if is_standing:
            StandingFill.objects.create(fill=fill, table=people, automatic_since=timezone.now())
        cases = [("empty", {"a": 1}), ("empty", {}), ("found", {"a": 1})]
        Result.objects.bulk_create(
            Result(fill=fill, row_id=row, position=row, state=state, corrections=corrections, note="Not there.")
            for row, (state, corrections) in enumerate(cases)
        )
    migration.mark_discarded_results(apps, connection.schema_editor())
    states = list(Result.objects.order_by("pk").values_list("state", "corrections", "note"))
    assert states[0] == ("discarded", {}, "")
    assert [state for state, *_ in states[1:]] == ["empty", "found", "empty", "empty", "found"]
    assert {note for _, _, note in states[1:]} == {"Not there."}
