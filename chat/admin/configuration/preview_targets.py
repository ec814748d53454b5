"""The form fields that select what a prompt is previewed or tried with: page, user and object."""
from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from django.contrib.auth import get_user_model
from django.http import QueryDict

from chat.admin.access_log import record_prompt_access
from chat.catalogue import Catalogue
from chat.configuration import Address, entries_of, faults_of_name, faults_of_parent, with_added
from chat.exceptions import Forbidden, Invalid
from chat.selectors import may_try_drafts
from chat.selectors.configuration.catalogue import current_catalogue, default_catalogue, stored_overrides
from chat.selectors.configuration.names import object_label, place_name, readable_name
from chat.turns.prompt.preview import PreviewTarget
from shared.user_messages import literal

MAX_ID_LENGTH = 64

Json = dict[str, Any]


def read_preview_target(form: QueryDict, *, user: Any, address: Address | None, action: str) -> PreviewTarget:
    """Return the selected preview target, by default the first where the entry at `address` is available.

    Access to data of a user is recorded as `action` before anything is read. Raises Forbidden if `user` may not view
    such data, and Invalid if there is no such page or user.
    """
    where = form.get("where", "") or default_place(address)
    _check_place(where, address=address)
    page, tab, subtab = _parts(where)
    username, object_id = form.get("person", "").strip(), form.get("object", "").strip()
    if not username and not object_id:
        return PreviewTarget(user=user, page=page, tab=tab, subtab=subtab)
    if not may_try_drafts(user, real=True):
        raise Forbidden(literal("You do not have permission to preview with the data of users."))
    owner: Any = user
    if username:
        owner = get_user_model().objects.filter(username=username[:150].replace("\x00", ""), is_active=True).first()
        if owner is None:
            raise Invalid(literal(f"There is no active user “{username[:64]}”."), path="person")
    target = PreviewTarget(owner, page, tab, subtab, object_id=object_id[:MAX_ID_LENGTH], real=True)
    record_prompt_access(target, by=user, action=action)
    return target


def preview_target_choices(form: QueryDict, *, user: Any, address: Address | None) -> Json:
    """Return the template context of the fields, as they were submitted."""
    return {
        "where": form.get("where", "") or default_place(address),
        "places": place_choices(address),
        "object_labels": _pages_by_object_label(default_catalogue()),
        "may_look": may_try_drafts(user, real=True),
        "person": form.get("person", ""),
        "object": form.get("object", ""),
        "message": form.get("message", ""),
    }


def default_place(address: Address | None) -> str:
    """Return "page/tab/subtab" of the entry itself, or of the first place where it is available."""
    catalogue = current_catalogue()
    places = place_names(address)
    if address is None or address.name in places:
        return address.name if address is not None else places[0]
    for place in places:
        page, tab, subtab = _parts(place)
        page_entries = catalogue.resolve(page, tab=tab, subtab=subtab)
        if page_entries is None:
            continue
        kinds: dict[str, tuple[Any, ...]] = {
            "tool": page_entries.tools,
            "payload_type": page_entries.payload_types,
            "client_action": page_entries.client_actions,
            "server_action": page_entries.server_actions,
        }
        if any(entry.name == address.name for entry in kinds.get(address.kind, ())):
            return place
    return places[0]


def _check_place(where: str, *, address: Address | None) -> None:
    """Raise Invalid unless this is the name of a page, tab or subtab."""
    places = place_names(address)
    if where not in places:
        nearest = get_close_matches(where, places, n=1)
        hint = f" Did you mean “{nearest[0]}”?" if nearest else ""
        raise Invalid(literal(f"There is no page, tab or subtab “{where[:64]}”.{hint}"), path="where")


def _pages_by_object_label(catalogue: Catalogue) -> dict[str, list[str]]:
    """Return the readable names of the pages with an object, by the label of its id."""
    found: dict[str, list[str]] = {}
    for page in catalogue.pages:
        if page.object_key:
            found.setdefault(object_label(page.page), []).append(readable_name("page", page.page))
    return found


def _parts(place: str) -> tuple[str, str, str]:
    page, tab, subtab = (*place.split("/", 2), "", "")[:3]
    return page, tab, subtab


def place_choices(address: Address | None = None) -> list[tuple[str, str]]:
    """Return the names of `place_names` with readable labels."""
    return [(place, place_name(place)) for place in place_names(address)]


def place_names(address: Address | None = None) -> list[str]:
    """Return the names of all pages, tabs and subtabs, with that of `address` if it is a new tab or subtab."""
    catalogue = with_added(default_catalogue(), stored_overrides())
    names = [known.name for known, _ in entries_of(catalogue) if known.kind in {"page", "tab", "subtab"}]
    if address is None or address.kind not in {"tab", "subtab"} or address.name in names:
        return names
    is_valid = not faults_of_name(address) and not faults_of_parent(address, catalogue=catalogue)
    return [*names, address.name] if is_valid else names


def read_place(where: str) -> tuple[str, str, str]:
    """Return the page, tab and subtab of "page/tab/subtab". Raises Invalid if there is no such place."""
    _check_place(where, address=None)
    return _parts(where)
