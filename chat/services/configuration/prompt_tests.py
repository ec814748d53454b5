"""Store and delete tests of prompts."""
from __future__ import annotations

from datetime import datetime
from typing import Any

from chat.exceptions import Invalid
from chat.models import PromptTest
from shared.strictjson.invisible import is_blank
from shared.user_messages import literal

MAX_TITLE_LENGTH = 120
MAX_MESSAGES = 20
MAX_MESSAGE_LENGTH = 32_000
MAX_TESTS_OF_A_PAGE = 100
MAX_POSITION = 1_000_000


def save_prompt_test(test: PromptTest, *, user: Any, now: datetime) -> None:
    """Store a new or edited test; without a title, it gets the start of its first message. Raises Invalid."""
    faults = faults_of_prompt_test(test)
    if faults:
        path, fault = next(iter(faults.items()))
        raise Invalid(literal(fault), path=path)
    test.title = test.title or " ".join(test.messages[0].split())[:MAX_TITLE_LENGTH]
    test.updated_by, test.updated_at = user, now
    test.save()


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
    if test.pk is None and PromptTest.objects.filter(page=test.page).count() >= MAX_TESTS_OF_A_PAGE:
        faults[""] = f"A page can have {MAX_TESTS_OF_A_PAGE} tests. Delete one first."
    return faults


def delete_prompt_test(test: PromptTest) -> None:
    """Delete a test."""
    test.delete()
