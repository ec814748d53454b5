"""Stored tests of prompts."""
from __future__ import annotations

from django.db.models import Max, QuerySet

from chat.exceptions import NotFound
from chat.models import PromptTest
from shared.user_messages import literal

# The kind of their drafts.
PROMPT_TEST = "prompt_test"


def prompt_tests(page: str = "") -> QuerySet[PromptTest]:
    """Return the tests of a page in order, by default of all pages."""
    tests = PromptTest.objects.filter(deleted_at=None).order_by("page", "position", "pk")
    return tests.filter(page=page) if page else tests


def deleted_prompt_tests() -> QuerySet[PromptTest]:
    """Return the deleted tests that can be restored, the last deleted first."""
    return PromptTest.objects.exclude(deleted_at=None).order_by("-deleted_at", "-pk")


def get_prompt_test(test_id: int, *, deleted: bool = False) -> PromptTest:
    """Return a test, or a deleted one. Raises NotFound."""
    tests = deleted_prompt_tests() if deleted else prompt_tests()
    test = tests.filter(pk=test_id).first()
    if test is None:
        raise NotFound(literal("There is no such deleted test." if deleted else "This test has been deleted."))
    return test


def next_position(page: str) -> int:
    """Return the position of a new test after those of the page."""
    last: int | None = prompt_tests(page).aggregate(last=Max("position"))["last"]
    return (last or 0) + 1
