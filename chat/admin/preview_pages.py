"""The whole prompt in the admin, with what is not saved yet: by example, or as a person has it, which is recorded."""
from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth import get_user_model
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, QueryDict

import strictjson
from chat.admin.configuration_pages import ConfigurationPages, title_of
from chat.admin.entry_form import FIELD, RESET_BOX, read_entry_form
from chat.catalogue import Catalogue
from chat.configuring import Address, entries_of
from chat.exceptions import ChatError
from chat.models import Override
from chat.overrides import default_catalogue
from chat.selectors.configuration import EntryView, difference, entry_view
from chat.services.configuration import Edit
from chat.turns.preview import Place, Preview, PreviewSection, preview_prompt

log = logging.getLogger(__name__)

REAL_DATA = "chat.view_any_table"
LONGEST_ID = 64


class PreviewPages(ConfigurationPages):
    """What a turn would send, section by section."""

    def preview(self, request: HttpRequest, *, kind: str = "", name: str = "") -> HttpResponse:
        """The prompt at the place that was chosen, with the form of the entry as it was sent."""
        entry = entry_view(Address(kind, name)) if kind else None
        form = request.POST
        where = form.get("where", "") or _first_place(entry, catalogue=default_catalogue())
        may_look = request.user.has_perm(REAL_DATA)
        if not may_look and (form.get("person") or form.get("object")):
            raise PermissionDenied
        faults: list[str] = []
        seen: Preview | None = None
        unsaved: list[Edit] = []
        try:
            # A form without its fields, as a link brings it, holds nothing that is not saved.
            if entry is not None and any(key.startswith(FIELD) for key in form):
                unsaved = [read_entry_form(form, entry=entry)]
            seen = preview_prompt(_place(request, where=where), unsaved=unsaved)
        except ChatError as error:
            faults = [error.detail]
        return self.shown(
            request,
            "preview",
            status=400 if faults else 200,
            title=f"The prompt: {title_of(entry.kind, name)}" if entry else "The prompt",
            entry=entry,
            faults=faults,
            seen=seen,
            sections=_drawn(seen),
            kept=list(_kept(form)),
            where=where,
            places=list(_places(default_catalogue())),
            may_look=may_look,
            person=form.get("person", ""),
            object=form.get("object", ""),
        )


def _drawn(seen: Preview | None) -> list[tuple[PreviewSection, list[tuple[str, str]]]]:
    """Each section with its difference to the code's."""
    return [(section, difference(section.default, section.text)) for section in seen.sections] if seen else []


def _place(request: HttpRequest, *, where: str) -> Place:
    """Where to look from; a look at a person's own data is recorded before it happens. Raises ChatError."""
    page, tab, subtab = (*where.split("/", 2), "", "")[:3]
    named, object_id = request.POST.get("person", "").strip(), request.POST.get("object", "").strip()
    if not named and not object_id:
        return Place(user=request.user, page=page, tab=tab, subtab=subtab)
    person: Any = request.user
    if named:
        person = get_user_model().objects.filter(username=named[:150].replace("\x00", ""), is_active=True).first()
        if person is None:
            raise ChatError(f"There is no active person {named[:64]!r}.")
    place = Place(person, page, tab, subtab, object_id=object_id[:LONGEST_ID], real=True)
    _record(request, place=place)
    return place


def _record(request: HttpRequest, *, place: Place) -> None:
    """Who looked at whose data, in the log and among the admin's own entries."""
    said = {"by": request.user.get_username(), "as": place.user.get_username(), "page": place.page}
    said["object"] = strictjson.storable_text(place.object_id)
    log.info("prompt preview with real data %s", strictjson.dump(said))
    about = f", {said['object']}" if place.object_id else ""
    LogEntry.objects.create(
        user_id=str(request.user.pk),
        content_type=ContentType.objects.get_for_model(Override),
        action_flag=CHANGE,
        object_repr=f"Prompt of {place.page}{about} as {place.user.get_username()}"[:200],
        change_message="Looked at a prompt with this person's own data.",
    )


def _places(catalogue: Catalogue) -> Iterator[str]:
    """Every page, tab and subtab."""
    return (address.name for address, _ in entries_of(catalogue) if address.kind in {"page", "tab", "subtab"})


def _first_place(entry: EntryView | None, *, catalogue: Catalogue) -> str:
    """Where the entry shows: its own page, or the first on which it is in reach."""
    places = list(_places(catalogue))
    if entry is None or entry.address.name in places:
        return entry.address.name if entry is not None else places[0]
    for place in places:
        page, tab, subtab = (*place.split("/", 2), "", "")[:3]
        reach = catalogue.resolve(page, tab=tab, subtab=subtab)
        if reach is None:
            continue
        kinds: dict[str, tuple[Any, ...]] = {
            "tool": reach.tools,
            "payload_type": reach.payload_types,
            "client_action": reach.client_actions,
            "server_action": reach.server_actions,
        }
        if any(found.name == entry.address.name for found in kinds.get(entry.address.kind, ())):
            return place
    return places[0]


def _kept(form: QueryDict) -> Iterator[tuple[str, str]]:
    """What of the form is carried along until it is saved."""
    for key in form:
        if key.startswith((FIELD, RESET_BOX)) or key in {"seen", "why"}:
            yield from ((key, value) for value in form.getlist(key))
