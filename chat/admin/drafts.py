"""What somebody writes and has not saved: the form of an entry that is there, or of one that is yet to be made."""
from __future__ import annotations

from dataclasses import dataclass

from django.http import QueryDict
from django.urls import reverse

from chat.admin.configuration_pages import title_of
from chat.admin.entry_form import read_new_entry, unsaved_in
from chat.configuration import KINDS, Address, Kind, faults_of_name, registry_of, values_of
from chat.exceptions import Malformed, NotFound
from chat.selectors.configuration import EntryView, entry_view, is_taken
from chat.services.configuration import Edit
from chat.turns.preview import Place, coming_catalogue
from user_messages import literal

# Where a page names the entries that can be made here; what is of no such kind is in reach everywhere.
CHOSEN_IN = {"client_action": "client_actions", "payload_type": "payloads"}


@dataclass(frozen=True)
class Draft:
    """What is written. `entry` is how it is saved; None for a new one, whose name may not have been typed yet."""

    address: Address
    kind: Kind
    entry: EntryView | None = None

    @property
    def title(self) -> str:
        """What its page is called."""
        return title_of(self.kind, self.address.name) if self.entry else f"Add to {self.kind.label.lower()}"

    @property
    def chosen_in(self) -> str:
        """The field of a page that may name it, if administrators make it; "" if it needs nobody to choose it."""
        return CHOSEN_IN.get(self.kind.name, "") if self.entry is None or self.entry.added else ""

    @property
    def edit_address(self) -> str:
        return self._way_to("")

    @property
    def preview_address(self) -> str:
        return self._way_to("_preview")

    @property
    def try_address(self) -> str:
        return self._way_to("_try")

    def _way_to(self, page: str) -> str:
        if self.entry is None:
            return reverse(f"admin:chat_configuration_add{page}", args=[self.kind.name])
        return reverse(f"admin:chat_configuration_entry{page}", args=self.address)


def draft_in(form: QueryDict, *, kind: str, name: str = "") -> Draft:
    """The draft of an entry, or of a new one whose name the form holds. Raises NotFound."""
    if name:
        entry = entry_view(Address(kind, name))
        return Draft(entry.address, entry.kind, entry)
    made = KINDS.get(kind)
    if made is None or not made.addable:
        raise NotFound(literal("Nothing of this kind can be added here."))
    return Draft(Address(kind, form.get("name", "").strip()), made)


def edits_in(form: QueryDict, *, draft: Draft) -> list[Edit]:
    """What the form holds that is not saved. Raises Malformed."""
    if draft.entry is None:
        return [new_entry_in(form, draft=draft)]
    return unsaved_in(form, entry=draft.entry)


def new_entry_in(form: QueryDict, *, draft: Draft) -> Edit:
    """The new entry as it was filled in. Raises Malformed, of "name" where that is none or is taken."""
    address = draft.address
    wrong = faults_of_name(address)
    if not wrong and is_taken(address):
        wrong = [f"There is a {address.kind} {address.name} already."]
    if wrong:
        raise Malformed(wrong[0], path="name")
    return read_new_entry(form, address=address, fields=draft.kind.fields)


def bringing_it_there(edits: list[Edit], *, draft: Draft, place: Place) -> list[Edit]:
    """What has the page of that place choose what is drafted, where nothing brings it there yet: else it could be
    looked at only after it was saved and chosen. Empty where it is in reach, or cannot be."""
    if not draft.chosen_in:
        return []
    catalogue = coming_catalogue(edits)
    page = catalogue.pages.get(place.page)
    reach = catalogue.resolve(place.page, tab=place.tab, subtab=place.subtab)
    if page is None or reach is None or draft.address.name not in registry_of(catalogue, kind=draft.kind.name):
        return []
    there = reach.client_actions if draft.kind.name == "client_action" else reach.payload_types
    if any(entry.name == draft.address.name for entry in there):
        return []
    chosen = [*values_of(page)[draft.chosen_in], draft.address.name]
    return [Edit(Address("page", place.page), {draft.chosen_in: chosen})]
