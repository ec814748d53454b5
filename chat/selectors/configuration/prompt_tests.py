"""Stored tests of prompts."""
from __future__ import annotations

from django.db.models import Max, QuerySet

from chat.exceptions import NotFound
from chat.models import PromptTest
from shared.user_messages import literal


def prompt_tests(page: str = "") -> QuerySet[PromptTest]:
    """Return the tests of a page in order, by default of all pages."""
    tests = PromptTest.objects.order_by("page", "position", "pk")
    return tests.filter(page=page) if page else tests


def get_prompt_test(test_id: int) -> PromptTest:
    """Return a test. Raises NotFound."""
    test = PromptTest.objects.filter(pk=test_id).first()
    if test is None:
        raise NotFound(literal("This test has been deleted."))
    return test


def next_position(page: str) -> int:
    """Return the position of a new test after those of the page."""
    last: int | None = PromptTest.objects.filter(page=page).aggregate(last=Max("position"))["last"]
    return (last or 0) + 1
