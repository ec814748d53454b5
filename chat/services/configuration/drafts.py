"""Drafts: unsaved input of an administrator in the form of an entry or of a stored test."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from chat.configuration import Address
from chat.exceptions import Invalid, NotFound, Settled
from chat.models import ConfigurationDraft
from shared import strictjson
from shared.user_messages import declare

# Characters of all fields of a draft together.
MAX_DRAFT_LENGTH = 400_000
DRAFT_TOO_LONG = declare(
    "draft_too_long", "The draft is not stored: it is longer than {most} characters. Save it or shorten it."
)
DRAFT_IN_ANOTHER_TAB = declare(
    "draft_in_another_tab", "Not stored: there are other unsaved changes of yours. Reload the page to continue them."
)
DRAFT_DELETED = declare("draft_deleted", "These unsaved changes no longer exist.")

Form = Mapping[str, list[str]]


@dataclass(frozen=True)
class DraftForm:
    """The form that a draft is stored from: its token, and the revision of the draft it continues, 0 for none."""

    token: str
    revision: int


def store_draft(*, user: Any, address: Address, form: Form, source: DraftForm, now: datetime) -> ConfigurationDraft:
    """Store the input and return the draft; its revision only changes with its content.

    Raises Settled ("draft_in_another_tab") if the stored draft is not the one that the form continues, and Invalid
    ("draft_too_long").
    """
    if sum(len(name) + len(value) for name, values in form.items() for value in values) > MAX_DRAFT_LENGTH:
        raise Invalid(DRAFT_TOO_LONG(most=MAX_DRAFT_LENGTH), code="draft_too_long")
    content = {name: [strictjson.replace_unstorable_text(value) for value in values] for name, values in form.items()}
    with transaction.atomic():
        draft, _ = ConfigurationDraft.objects.select_for_update().get_or_create(
            user=user, kind=address.kind, name=address.name, discarded_at=None
        )
        if draft.form == content and draft.revision:
            return draft
        if draft.revision not in (0, source.revision):
            raise Settled(DRAFT_IN_ANOTHER_TAB(), code="draft_in_another_tab")
        draft.form, draft.token, draft.updated_at = content, source.token, now
        draft.revision = max(draft.revision, source.revision) + 1
        draft.save(update_fields=["form", "token", "updated_at", "revision"])
    return draft


def delete_draft(*, user: Any, address: Address, token: str) -> None:
    """Delete the user's draft of the entry, if there is one and it was stored from the form of this token."""
    drafts = ConfigurationDraft.objects.filter(
        user=user, kind=address.kind, name=address.name, token=token, discarded_at=None
    )
    drafts.delete()


def discard_draft(*, user: Any, address: Address, now: datetime) -> ConfigurationDraft | None:
    """Discard the user's draft of the entry and return it, None if there is none. It can be restored."""
    with transaction.atomic():
        of_entry = {"user": user, "kind": address.kind, "name": address.name}
        draft = ConfigurationDraft.objects.select_for_update().filter(**of_entry, discarded_at=None).first()
        if draft is not None:
            draft.discarded_at = now
            draft.save(update_fields=["discarded_at"])
    return draft


def restore_draft(draft_id: int, *, user: Any, address: Address, now: datetime) -> ConfigurationDraft | None:
    """Restore a discarded draft of the entry; return the newer draft that it replaces, which is discarded, if any.

    Does nothing if the draft is restored already. Raises NotFound if it no longer exists.
    """
    with transaction.atomic():
        of_entry = {"user": user, "kind": address.kind, "name": address.name}
        # All of them are locked, so that two requests do not restore two drafts of one entry.
        drafts = list(ConfigurationDraft.objects.select_for_update().filter(**of_entry).order_by("pk"))
        draft = next((each for each in drafts if each.pk == draft_id), None)
        if draft is None:
            raise NotFound(DRAFT_DELETED())
        if draft.discarded_at is None:
            return None
        replaced = next((each for each in drafts if each.discarded_at is None), None)
        if replaced is not None:
            replaced.discarded_at = now
            replaced.save(update_fields=["discarded_at"])
        draft.discarded_at = None
        draft.save(update_fields=["discarded_at"])
    return replaced
