"""The form of a stored test: its fields, the values in them, and its draft."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from chat.admin.configuration.bound_fields import DiffLines
from chat.admin.configuration.draft_pages import draft_urls
from chat.admin.configuration.entry_form import FIELD_PREFIX
from chat.admin.configuration.preview_targets import read_place
from chat.configuration import Address, difference
from chat.exceptions import Invalid
from chat.models import PromptTest
from chat.selectors.configuration.prompt_tests import PROMPT_TEST, next_position

# Names of the form fields.
TITLE, PLACE, MESSAGE, POSITION = (FIELD_PREFIX + name for name in ("title", "where", "message", "position"))
# More digits than the largest position has.
MAX_DIGITS = 9


@dataclass(frozen=True)
class EditedPromptTest:
    """The form of a stored test, or of a new one (without `test_id`), with the values that are stored."""

    test_id: int | None
    stored: dict[str, str]

    @classmethod
    def of(cls, test: PromptTest) -> EditedPromptTest:
        """Return the form of this test, as it is stored."""
        position = "" if test.pk is None else str(test.position)
        values = [("Title", test.title), ("Page, tab, subtab", test.place), ("Messages", _as_text(test.messages))]
        return cls(test.pk, {**dict(values), "Sort order": position})

    @property
    def draft_address(self) -> Address:
        return Address(PROMPT_TEST, "" if self.test_id is None else str(self.test_id))

    @property
    def edit_url(self) -> str:
        return draft_urls(self.draft_address)[0]

    @property
    def draft_url(self) -> str:
        return draft_urls(self.draft_address)[1]

    def has_changes(self, form: QueryDict) -> bool:
        """Return whether the form differs from the stored test; the page of a new test alone is no change."""
        changed = {label for label, _ in self.differences(form)}
        return bool(changed - ({"Page, tab, subtab"} if self.test_id is None else set()))

    def differences(self, form: QueryDict) -> list[tuple[str, DiffLines]]:
        """Return the labels of the changed fields, each with its difference from the stored value."""
        values = {
            "Title": form.get(TITLE, "").strip(),
            "Page, tab, subtab": form.get(PLACE, ""),
            "Messages": _as_text(_messages(form)),
            "Sort order": form.get(POSITION, "").strip(),
        }
        return [
            (label, difference(self.stored[label], value))
            for label, value in values.items()
            if value != self.stored[label]
        ]

    def token_counts(self, form: QueryDict) -> dict[str, int]:
        """Return nothing: the form does not show tokens."""
        return {}


def read_prompt_test(form: QueryDict, *, test: PromptTest) -> dict[str, str]:
    """Set the fields of the test from its form, and return the faults by field."""
    faults: dict[str, str] = {}
    position = form.get(POSITION, "").strip()
    try:
        test.page, test.tab, test.subtab = read_place(form.get(PLACE, ""))
    except Invalid as error:
        faults["where"] = error.detail
    test.title = form.get(TITLE, "").strip()
    test.messages = _messages(form)
    if position.isascii() and position.isdigit() and len(position) <= MAX_DIGITS:
        test.position = int(position)
    elif not position:
        test.position = next_position(test.page)
    else:
        faults["position"] = "The sort order must be a whole number."
    return faults


def _messages(form: QueryDict) -> list[str]:
    # Browsers submit text fields with CRLF.
    return [text.replace("\r\n", "\n") for text in form.getlist(MESSAGE) if text.strip()]


def _as_text(messages: Any) -> str:
    """Return the messages as one text, with an empty line between them."""
    return "\n\n".join(text for text in messages if isinstance(text, str)) if isinstance(messages, list) else ""
