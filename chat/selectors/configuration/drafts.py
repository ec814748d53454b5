"""Drafts: unsaved input of an administrator, visible to no other user."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import F

from chat.configuration import ADDED, KINDS, Address, entries_by_address
from chat.models import ConfigurationDraft, Override, PromptTest
from chat.selectors.configuration.catalogue import default_catalogue
from chat.selectors.configuration.names import entry_title
from chat.selectors.configuration.prompt_tests import PROMPT_TEST, prompt_tests


@dataclass(frozen=True)
class DraftSummary:
    """A draft in the list of the user's drafts. `exists`: its entry or test can still be edited."""

    draft: ConfigurationDraft
    title: str
    exists: bool


def draft_of(user: Any, *, address: Address) -> ConfigurationDraft | None:
    """Return the user's draft of the entry, or of a new one if the name is ""."""
    return ConfigurationDraft.objects.filter(
        user=user, kind=address.kind, name=address.name, discarded_at=None
    ).first()


def drafts_of(user: Any) -> list[DraftSummary]:
    """Return the drafts of the user, newest first, then the last discarded one of each entry."""
    latest_first = F("discarded_at").desc(nulls_first=True), F("updated_at").desc()
    found = ConfigurationDraft.objects.filter(user=user).defer("form").order_by(*latest_first)
    drafts: dict[tuple[str, str, bool], ConfigurationDraft] = {}
    for draft in found:
        drafts.setdefault((draft.kind, draft.name, draft.discarded_at is None), draft)
    if not drafts:
        return []
    added = Override.objects.filter(field=ADDED).values_list("kind", "name")
    known = {*entries_by_address(default_catalogue()), *(Address(*names) for names in added)}
    ids = [draft.name for draft in drafts.values() if draft.kind == PROMPT_TEST and draft.name]
    tests = {str(test.pk): test for test in prompt_tests().filter(pk__in=ids)} if ids else {}
    return [
        _summary_of_test(draft, tests=tests) if draft.kind == PROMPT_TEST else _summary(draft, known=known)
        for draft in drafts.values()
    ]


def _summary(draft: ConfigurationDraft, *, known: set[Address]) -> DraftSummary:
    kind, address = KINDS.get(draft.kind), Address(draft.kind, draft.name)
    if draft.name:
        return DraftSummary(draft, entry_title(address), kind is not None and address in known)
    return DraftSummary(draft, f"New {kind.singular}" if kind else draft.kind, kind is not None and kind.addable)


def _summary_of_test(draft: ConfigurationDraft, *, tests: dict[str, PromptTest]) -> DraftSummary:
    if not draft.name:
        return DraftSummary(draft, "New stored test", True)
    test = tests.get(draft.name)
    return DraftSummary(draft, f"Stored test: {test.title if test else draft.name}", test is not None)
