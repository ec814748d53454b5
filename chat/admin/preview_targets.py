"""From where a prompt is looked at or tried: page, person, object; looks at people's own data are recorded."""
from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth import get_user_model
from django.contrib.contenttypes.models import ContentType
from django.http import QueryDict

import strictjson
from chat.catalogue import Catalogue
from chat.configuration import Address, entries_of
from chat.exceptions import Forbidden, Invalid
from chat.models import Override
from chat.overrides import current_catalogue, default_catalogue
from chat.selectors import may_try
from chat.turns.preview import Place
from user_messages import literal

log = logging.getLogger(__name__)

LONGEST_ID = 64
# What was done with the data, as the log of the admin has it.
LOOKED = "Looked at a prompt with this person's own data."
TRIED = "Tried a draft with this person's own data."

Json = dict[str, Any]


def place_in(form: QueryDict, *, user: Any, about: Address | None, said: str) -> Place:
    """Where to look from, by default where the entry `about` shows; a look at a person's own data is recorded before it
    happens.

    Raises Forbidden where that may not be looked at, and Invalid for a person who is not there.
    """
    where = form.get("where", "") or first_place(about)
    page, tab, subtab = (*where.split("/", 2), "", "")[:3]
    named, object_id = form.get("person", "").strip(), form.get("object", "").strip()
    if not named and not object_id:
        return Place(user=user, page=page, tab=tab, subtab=subtab)
    if not may_try(user, real=True):
        raise Forbidden(literal("You may view the example only."))
    person: Any = user
    if named:
        person = get_user_model().objects.filter(username=named[:150].replace("\x00", ""), is_active=True).first()
        if person is None:
            raise Invalid(literal(f"There is no active user “{named[:64]}”."), path="person")
    place = Place(person, page, tab, subtab, object_id=object_id[:LONGEST_ID], real=True)
    _record(place, by=user, said=said)
    return place


def choices_in(form: QueryDict, *, user: Any, about: Address | None) -> Json:
    """What a page needs to draw the choice of a place."""
    return {
        "where": form.get("where", "") or first_place(about),
        "places": list(_places(default_catalogue())),
        "may_look": may_try(user, real=True),
        "person": form.get("person", ""),
        "object": form.get("object", ""),
        "message": form.get("message", ""),
    }


def first_place(about: Address | None) -> str:
    """Where the entry shows: its own page, or the first on which it is in reach."""
    catalogue = current_catalogue()
    places = list(_places(default_catalogue()))
    if about is None or about.name in places:
        return about.name if about is not None else places[0]
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
        if any(found.name == about.name for found in kinds.get(about.kind, ())):
            return place
    return places[0]


def _places(catalogue: Catalogue) -> Iterator[str]:
    """Every page, tab and subtab."""
    return (address.name for address, _ in entries_of(catalogue) if address.kind in {"page", "tab", "subtab"})


def _record(place: Place, *, by: Any, said: str) -> None:
    """Who looked at whose data, in the log and among the admin's own entries."""
    object_id = strictjson.storable_text(place.object_id)
    facts = {"by": by.get_username(), "as": place.user.get_username(), "page": place.page, "object": object_id}
    log.info("%s %s", said, strictjson.dump(facts))
    about = f", {object_id}" if place.object_id else ""
    LogEntry.objects.create(
        user_id=str(by.pk),
        content_type=ContentType.objects.get_for_model(Override),
        action_flag=CHANGE,
        object_repr=f"Prompt of {place.page}{about} as {place.user.get_username()}"[:200],
        change_message=said,
    )
