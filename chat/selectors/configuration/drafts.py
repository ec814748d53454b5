"""Drafts: unsaved input of an administrator, visible to no other user."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from chat.configuration import ADDED, KINDS, Address, entries_by_address
from chat.models import ConfigurationDraft, Override
from chat.selectors.configuration.catalogue import default_catalogue
from chat.selectors.configuration.names import entry_title


@dataclass(frozen=True)
class DraftSummary:
    """A draft in the list of the user's drafts. `exists`: its entry can still be edited."""

    draft: ConfigurationDraft
    title: str
    exists: bool


def draft_of(user: Any, *, address: Address) -> ConfigurationDraft | None:
    """Return the user's draft of the entry, or of a new one if the name is ""."""
    return ConfigurationDraft.objects.filter(user=user, kind=address.kind, name=address.name).first()


def drafts_of(user: Any) -> list[DraftSummary]:
    """Return the drafts of the user, newest first."""
    drafts = list(ConfigurationDraft.objects.filter(user=user).order_by("-updated_at"))
    if not drafts:
        return []
    added = Override.objects.filter(field=ADDED).values_list("kind", "name")
    known = {*entries_by_address(default_catalogue()), *(Address(*names) for names in added)}
    return [_summary(draft, known=known) for draft in drafts]


def _summary(draft: ConfigurationDraft, *, known: set[Address]) -> DraftSummary:
    kind, address = KINDS.get(draft.kind), Address(draft.kind, draft.name)
    if draft.name:
        return DraftSummary(draft, entry_title(address), kind is not None and address in known)
    return DraftSummary(draft, f"New {kind.singular}" if kind else draft.kind, kind is not None and kind.addable)
