"""Messages of django-allauth are in formal German."""

from __future__ import annotations

import re
from typing import Any

import pytest
from allauth.account.adapter import get_adapter
from allauth.mfa.adapter import get_adapter as second_step
from allauth.socialaccount.adapter import get_adapter as single_sign_on
from django.core.exceptions import ValidationError
from django.utils.translation import override

INFORMAL = re.compile(r"\b(du|dich|dir|dein\w*|gib|melde|versuche|wähle)\b", re.IGNORECASE)


@pytest.mark.parametrize("adapter", [get_adapter(), second_step(), single_sign_on()], ids=["", "step", "sso"])
def test_errors_are_in_formal_german(adapter: Any) -> None:
    with override("de"):
        messages = [str(sentence) for sentence in adapter.error_messages.values()]
    assert [sentence for sentence in messages if INFORMAL.search(sentence)] == []


def test_error_for_characters_of_a_name_is_a_sentence_in_german() -> None:
    with override("de"), pytest.raises(ValidationError) as refused:
        get_adapter().clean_username("may a")
    assert refused.value.messages[0].startswith("Verwenden Sie ")
