"""Unsaved edits: the submitted form of an entry, or of one to be added."""
from __future__ import annotations

from dataclasses import dataclass

from django.http import QueryDict
from django.urls import reverse

from chat.admin.configuration.base import title_of
from chat.admin.configuration.bound_fields import DiffLines, draft_differences, token_counts
from chat.admin.configuration.conflicts import resolved_form
from chat.admin.configuration.entry_form import check_all_fields, is_entry_field, parse_new_entry, unsaved_edits
from chat.configuration import (
    KINDS,
    Address,
    Kind,
    faults_of_name,
    faults_of_parent,
    registry_of,
    values_of,
    with_added,
)
from chat.exceptions import Malformed, NotFound
from chat.json_schema import SchemaFault
from chat.selectors.configuration.catalogue import default_catalogue, stored_overrides
from chat.selectors.configuration.entries import EntryView, entry_exists, entry_view
from chat.services.configuration.changes import Edit
from chat.turns.prompt.preview import PreviewTarget, unsaved_catalogue
from shared.user_messages import literal

# The field of a page that selects entries of a kind. Added entries of other kinds are available on every page.
SELECTING_FIELDS = {"client_action": "client_actions", "payload_type": "payloads"}


@dataclass(frozen=True)
class Draft:
    """An entry that is being edited. `entry` is the stored one, None for a new one, whose name may still be empty."""

    address: Address
    kind: Kind
    entry: EntryView | None = None

    @property
    def title(self) -> str:
        """The title of its page."""
        return title_of(self.kind, self.address.name) if self.entry else f"Add {self.kind.singular}"

    @property
    def draft_address(self) -> Address:
        """The address of the stored draft: a new entry has none yet, whatever name is typed."""
        return self.address if self.entry else Address(self.kind.name, "")

    def has_changes(self, form: QueryDict) -> bool:
        """Return whether the form differs from what is stored."""
        if form.get("why", "").strip():
            return True
        if self.entry is None:
            ignored = {"seen", "field-enabled"}
            return any(value.strip() for key in form if is_entry_field(key) and key not in ignored
                       for value in form.getlist(key))  # fmt: skip
        try:
            return any(edit.values for edit in read_edits(form, draft=self))
        except Malformed:
            return True

    def differences(self, form: QueryDict) -> list[tuple[str, DiffLines]]:
        """Return the labels of the fields that the form changes, each with its difference from the stored value."""
        return draft_differences(self.kind, entry=self.entry, form=form)

    def token_counts(self, form: QueryDict) -> dict[str, int]:
        """Return the estimated tokens of each text of the form, by the name of its form field."""
        return token_counts(self.kind, form=form)

    @property
    def selected_in(self) -> str:
        """The field by which a page selects this added entry, "" if it need not be selected."""
        return SELECTING_FIELDS.get(self.kind.name, "") if self.entry is None or self.entry.added else ""

    @property
    def edit_url(self) -> str:
        return self._url("")

    @property
    def preview_url(self) -> str:
        return self._url("_preview")

    @property
    def try_url(self) -> str:
        return self._url("_try")

    @property
    def draft_url(self) -> str:
        return self._url("_draft")

    def _url(self, suffix: str) -> str:
        if self.entry is None:
            return reverse(f"admin:chat_configuration_add{suffix}", args=[self.kind.name])
        return reverse(f"admin:chat_configuration_entry{suffix}", args=self.address)


def read_draft(form: QueryDict, *, kind: str, name: str = "") -> Draft:
    """Return the draft of the entry of that name, or of a new one, whose name is in the form. Raises NotFound."""
    if name:
        entry = entry_view(Address(kind, name))
        return Draft(entry.address, entry.kind, entry)
    addable = KINDS.get(kind)
    if addable is None or not addable.addable:
        raise NotFound(literal("Entries of this kind cannot be added."))
    return Draft(Address(kind, form.get("name", "").strip()), addable)


def read_edits(form: QueryDict, *, draft: Draft) -> list[Edit]:
    """Return the unsaved edits in the form. Raises Malformed."""
    if draft.entry is None:
        return [new_entry_edit(form, draft=draft)]
    return unsaved_edits(resolved_form(form, entry=draft.entry), entry=draft.entry)


def new_entry_edit(form: QueryDict, *, draft: Draft, complete: bool = False) -> Edit:
    """Return the edit that adds the entry. Raises Malformed; the path of a fault is "name" or a field.

    `complete`: required fields must be filled in.
    """
    address = draft.address
    names = faults_of_name(address)
    if not names:
        names = faults_of_parent(address, catalogue=with_added(default_catalogue(), stored_overrides()))
    if not names and entry_exists(address):
        names = [f"The {draft.kind.singular} {address.name} already exists."]
    edit, faults = parse_new_entry(form, address=address, fields=draft.kind.fields, complete=complete)
    check_all_fields(edit, faults=[*(SchemaFault("name", "invalid", fault) for fault in names), *faults])
    return edit


def edits_to_select(draft: Draft, *, edits: list[Edit], target: PreviewTarget) -> list[Edit]:
    """Return an edit of the target's page that selects the drafted entry, so that it can be tried before it is saved.

    Empty if the entry is available there already, or would not be.
    """
    if not draft.selected_in:
        return []
    catalogue = unsaved_catalogue(edits)
    page = catalogue.pages.get(target.page)
    page_entries = catalogue.resolve(target.page, tab=target.tab, subtab=target.subtab)
    if page is None or page_entries is None or draft.address.name not in registry_of(catalogue, kind=draft.kind.name):
        return []
    available = page_entries.client_actions if draft.kind.name == "client_action" else page_entries.payload_types
    if any(entry.name == draft.address.name for entry in available):
        return []
    names = [*values_of(page)[draft.selected_in], draft.address.name]
    return [Edit(Address("page", target.page), {draft.selected_in: names})]
