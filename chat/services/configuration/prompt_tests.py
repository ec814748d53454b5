"""Store, delete and restore tests of prompts."""
from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.text import Truncator

from chat.exceptions import Invalid, Settled
from chat.models import PromptTest
from chat.selectors.configuration.prompt_tests import prompt_tests
from shared.strictjson.invisible import is_blank
from shared.user_messages import literal

MAX_TITLE_LENGTH = 120
MAX_MESSAGES = 20
MAX_MESSAGE_LENGTH = 32_000
MAX_TESTS_OF_A_PAGE = 100
MAX_POSITION = 1_000_000
FULL_PAGE = f"A page can have {MAX_TESTS_OF_A_PAGE} tests. Delete one first."


def save_prompt_test(test: PromptTest, *, user: Any, now: datetime) -> None:
    """Store a new or edited test; without a title, it gets the start of its first message.

    Raises Invalid, and Settled if the test was saved or deleted since it was read.
    """
    faults = faults_of_prompt_test(test)
    if faults:
        path, fault = next(iter(faults.items()))
        raise Invalid(literal(fault), path=path)
    test.title = test.title or title_from(test.messages)
    with transaction.atomic():
        if test.pk is not None:
            unchanged = PromptTest.objects.filter(pk=test.pk, updated_at=test.updated_at, deleted_at=None)
            if not unchanged.update(updated_at=now):
                raise Settled(literal("This test was changed since you opened it."), code="changed_meanwhile")
        test.updated_by, test.updated_at = user, now
        test.save()


def title_from(messages: Sequence[str]) -> str:
    """Return the title of a test without one: the start of its first message."""
    return Truncator(" ".join(messages[0].split())).chars(MAX_TITLE_LENGTH) if messages else ""


def faults_of_prompt_test(test: PromptTest) -> dict[str, str]:
    """Return the faults of a test by field."""
    faults: dict[str, str] = {}
    if len(test.title) > MAX_TITLE_LENGTH or "\x00" in test.title:
        faults["title"] = f"The title must have at most {MAX_TITLE_LENGTH} characters."
    if not 0 <= test.position <= MAX_POSITION:
        faults["position"] = f"The sort order must be a whole number from 0 to {MAX_POSITION:,}."
    if not 0 < len(test.messages) <= MAX_MESSAGES:
        faults["messages"] = f"A test needs 1 to {MAX_MESSAGES} messages."
    elif any(is_blank(each) or len(each) > MAX_MESSAGE_LENGTH or "\x00" in each for each in test.messages):
        faults["messages"] = f"Each message must be a text of 1 to {MAX_MESSAGE_LENGTH:,} characters."
    if test.pk is None and _is_full(test.page):
        faults[""] = FULL_PAGE
    return faults


def delete_prompt_test(test: PromptTest, *, now: datetime) -> None:
    """Delete a test, which can be restored."""
    test.deleted_at = now
    test.save(update_fields=["deleted_at"])


def restore_prompt_test(test: PromptTest) -> None:
    """Restore a deleted test. Raises Invalid if its page has the maximum of tests."""
    if _is_full(test.page):
        raise Invalid(literal(FULL_PAGE))
    test.deleted_at = None
    test.save(update_fields=["deleted_at"])


def _is_full(page: str) -> bool:
    return prompt_tests(page).count() >= MAX_TESTS_OF_A_PAGE
