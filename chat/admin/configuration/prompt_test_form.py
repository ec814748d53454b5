"""The form of a stored test: its fields, the values in them, its draft, and conflicts with other administrators.

The form has the values that were stored when it was opened in `base-…`. Conflicts are in it as in
`chat.admin.configuration.conflicts`.
"""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from chat.admin.configuration.bound_fields import DiffLines, Faults
from chat.admin.configuration.conflicts import CHOICES
from chat.admin.configuration.draft_pages import draft_urls
from chat.admin.configuration.entry_form import BASE_PREFIX, FIELD_PREFIX
from chat.admin.configuration.preview_targets import read_place
from chat.configuration import Address, difference
from chat.exceptions import Invalid
from chat.models import PromptTest
from chat.selectors.configuration.prompt_tests import PROMPT_TEST, next_position

# Labels of the fields.
FIELDS = {"title": "Title", "where": "Page, tab, subtab", "message": "Messages", "position": "Sort order"}
# Names of the form fields.
TITLE, PLACE, MESSAGE, POSITION = (FIELD_PREFIX + name for name in FIELDS)
# Ids of their elements.
ELEMENT_IDS = {"title": "title", "where": "where", "message": "message-1", "position": "position"}
# More digits than the largest position has.
MAX_DIGITS = 9

Values = Mapping[str, list[str]]
Json = dict[str, Any]


@dataclass(frozen=True)
class EditedPromptTest:
    """The form of a stored test, or of a new one (without `test_id`), with the values that are stored."""

    test: PromptTest
    stored: Values

    @classmethod
    def of(cls, test: PromptTest) -> EditedPromptTest:
        """Return the form of this test, as it is stored."""
        position = "" if test.pk is None else str(test.position)
        stored = {"title": [test.title], "where": [test.place], "message": [*test.messages], "position": [position]}
        return cls(test, stored)

    @property
    def test_id(self) -> int | None:
        return self.test.pk

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
        values = self.values_to_save(form)
        return [
            (label, difference(_as_text(self.stored[name]), _as_text(values[name])))
            for name, label in FIELDS.items()
            if values[name] != self.stored[name]
        ]

    def values_to_save(self, form: QueryDict) -> Values:
        """Return the submitted values; those that the user did not change are the stored ones."""
        base, mine = self.base_values(form), _values(form, prefix=FIELD_PREFIX)
        return {name: self.stored[name] if mine[name] == base[name] else mine[name] for name in FIELDS}

    def base_values(self, form: QueryDict | None) -> Values:
        """Return the values that were stored when the form was opened."""
        known = self.test.pk is not None and form is not None and BASE_PREFIX + "where" in form
        return _values(form, prefix=BASE_PREFIX) if known and form is not None else self.stored

    def resolved(self, form: QueryDict) -> tuple[QueryDict, dict[str, str]]:
        """Return the form with the chosen values, and with new conflicts; and the faults of conflicts by field."""
        found, faults = form.copy(), {}
        for name in form.getlist("conflict"):
            choice = form.get(f"resolve-{name}")
            if name not in FIELDS:
                continue
            if choice not in CHOICES:
                faults[name] = f"{FIELDS[name]}: choose what to save."
            elif choice != "merge":
                chosen = BASE_PREFIX if choice == "theirs" else "mine-"
                found.setlist(FIELD_PREFIX + name, form.getlist(chosen + name))
        base, values = self.base_values(found), self.values_to_save(found)
        user = self.test.updated_by or "Another user"
        for name, label in FIELDS.items():
            if self.stored[name] not in (base[name], values[name]):
                faults[name] = f"{user} changed “{label}” while you were editing it. Choose what to save."
                found[f"resolve-{name}"] = ""
            if name in faults:
                found.setlist(f"mine-{name}", values[name])
            found.setlist(FIELD_PREFIX + name, values[name])
            found.setlist(BASE_PREFIX + name, self.stored[name])
        found.setlist("conflict", sorted(faults))
        return found, faults

    def conflicts(self, form: QueryDict | None) -> dict[str, Json]:
        """Return the template context of each conflict of the form, by name of the field."""
        names = [name for name in FIELDS if form is not None and name in form.getlist("conflict")]
        change = {"user": self.test.updated_by, "created_at": self.test.updated_at}
        return {
            name: {
                "field": {"name": name},
                "conflict": {
                    "change": change,
                    "mine": form.getlist(f"mine-{name}"),
                    "choice": form.get(f"resolve-{name}", ""),
                    "mergeable": True,
                    "between": difference(_as_text(self.stored[name]), _as_text(form.getlist(f"mine-{name}"))),
                },
            }
            for name in names
            if form is not None
        }

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
    test.messages = _messages(form.getlist(MESSAGE))
    if position.isascii() and position.isdigit() and len(position) <= MAX_DIGITS:
        test.position = int(position)
    elif not position:
        test.position = next_position(test.page)
    else:
        faults["position"] = "The sort order must be a whole number."
    return faults


def faults_by_form_field(*found: Mapping[str, str]) -> Faults:
    """Return the faults of several checks by name of the form field; "" is the test as a whole."""
    faults: Faults = {}
    for name, fault in (item for each in found for item in each.items()):
        faults.setdefault("message" if name == "messages" else name, []).append(fault)
    return faults


def _values(form: QueryDict, *, prefix: str) -> Values:
    return {
        name: _messages(form.getlist(prefix + name)) if name == "message" else [form.get(prefix + name, "").strip()]
        for name in FIELDS
    }


def _messages(texts: list[str]) -> list[str]:
    # Browsers submit text fields with CRLF.
    return [text.replace("\r\n", "\n") for text in texts if text.strip()]


def _as_text(texts: list[str]) -> str:
    """Return the messages as one text, with an empty line between them; the text of another field as it is."""
    return "\n\n".join(texts)
