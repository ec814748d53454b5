"""The current day of the user is looked up only for proposals whose conditions need it."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from chatproject.middleware.localization import LazyTimeZone
from tables.services.rows.direct_changes import today_for


@pytest.mark.parametrize(
    ("operations", "looked_up"),
    [
        pytest.param([{"action": "add", "data": {}}], False, id="no condition"),
        pytest.param([5, None, "where"], False, id="no operations"),
        pytest.param([{"action": "add", "data": {}}, {"action": "delete", "where": {}}], True, id="a condition"),
    ],
)
def test_the_time_zone_is_looked_up_only_for_a_condition(operations: Any, looked_up: bool) -> None:
    found = False

    def find() -> None:
        nonlocal found
        found = True

    with timezone.override(LazyTimeZone(find)):
        today_for({"operations": operations})
    assert found == looked_up
