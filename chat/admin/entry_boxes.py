"""The fields of an entry as its page draws them: value, default, difference, what is wrong."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from django.http import QueryDict

from chat.admin.entry_form import FIELD, RESET_BOX, text_of, touched_in
from chat.catalogue import Catalogue
from chat.configuration import Field, Kind, difference, faults_of_value, with_added
from chat.exceptions import ChatError
from chat.overrides import current_catalogue, default_catalogue, stored_overrides
from chat.selectors.configuration import EntryView, FieldView

Json = dict[str, Any]
Faults = dict[str, list[str]]


class Offer(NamedTuple):
    """What can be chosen: everything there is, the added included, and the catalogue that is in force."""

    all: Catalogue
    current: Catalogue


def faults_by_field(error: ChatError) -> Faults:
    """What is wrong, by field; "" for what is wrong with all of it."""
    if not error.faults:
        return {error.path if error.path == "name" else "": [error.detail]}
    faults: Faults = {}
    for fault in error.faults:
        said = fault.as_json()
        faults.setdefault(said["path"].rpartition(".")[2] if said["code"] != "incomplete" else "", []).append(
            said["detail"]
        )
    return faults


def boxes_of(entry: EntryView, *, form: QueryDict | None, faults: Faults, overtaken: bool = False) -> list[Json]:
    """The fields; a form that was refused is shown as it was sent. `overtaken`: by another editor, so that what was
    not touched in it shows as it is now."""
    shown = {view.field.name for view in entry.fields}
    if form is not None and overtaken:
        shown = set() if "remove" in form else touched_in(form, entry=entry)
    offer = _offer()
    return [
        _box(view, form=form if view.field.name in shown else None, faults=faults, entry=entry, offer=offer)
        | {"overtaken": overtaken}
        for view in entry.fields
    ]


def empty_boxes(kind: Kind, *, form: QueryDict, faults: Faults) -> list[Json]:
    """The fields of an entry that is not there yet."""
    offer = _offer()
    return [_drawn(field, value=sent_value(form, field=field), faults=faults, offer=offer) for field in kind.fields]


def sent_value(form: QueryDict, *, field: Field) -> Any:
    """What was sent for a field, as it is drawn again."""
    name = FIELD + field.name
    if field.form == "names":
        return list(form.getlist(name))
    return bool(form.get(name)) if field.form == "flag" else form.get(name, "")


def _box(view: FieldView, *, form: QueryDict | None, faults: Faults, entry: EntryView, offer: Offer) -> Json:
    value = _stored(view, added=entry.added) if form is None else sent_value(form, field=view.field)
    if form is None and view.overridden:
        # Somebody wrote it past the checks, or the code has gone on since: another word stands there.
        wrong = faults_of_value(view.field, view.value, address=entry.address, catalogue=offer.all)
        faults = {**faults, view.field.name: [f"This cannot be used. {fault}" for fault in wrong]}
    return {
        **_drawn(view.field, value=value, faults=faults, offer=offer, own=view.default),
        "reset": RESET_BOX + view.field.name,
        "resets": form is not None and bool(form.get(RESET_BOX + view.field.name)),
        # What administrators made has no default to go back to.
        "has_default": not entry.added,
        "default": _in_words(view.default),
        "overridden": view.overridden,
        "moved_on": view.moved_on,
        "difference": view.difference,
        "since": view.since,
        "override": view.override,
        "unsaved": [] if form is None else _unsaved(view, value=value),
    }


def _stored(view: FieldView, *, added: bool) -> Any:
    """The value as it stands in its box: none where no number was ever given."""
    if view.field.form == "whole" and not view.overridden and (added or view.value < view.field.least):
        return ""
    return view.value


def _unsaved(view: FieldView, *, value: Any) -> list[tuple[str, str]]:
    """The lines from what is saved to what was sent."""
    if not isinstance(value, str):
        return difference(view.value, value)
    saved, sent = text_of(view.value), value.replace("\r\n", "\n")
    return difference(saved, sent) if saved.strip() != sent.strip() else []


def _drawn(field: Field, *, value: Any, faults: Faults, offer: Offer, own: Any = ()) -> Json:
    # Past the checks anything gets into a list of names.
    chosen = [name for name in value if isinstance(name, str)] if isinstance(value, list) else []
    # What is in reach on every page needs no page to choose it.
    everywhere = [entry.name for entry in _of(field, offer.current) if getattr(entry, "is_global", False)]
    # A page's own are in no registry.
    known = [*(own if field.of else ()), *(entry.name for entry in _of(field, offer.all))]
    return {
        "field": field,
        "name": FIELD + field.name,
        "text": text_of(value),
        "value": value,
        "choices": [
            (name, name in chosen) for name in _in_place(chosen, known=known)
            if name in chosen or name not in everywhere
        ],
        "everywhere": everywhere,
        "models": _models(field, chosen=value, offer=offer),
        "faults": faults.get(field.name, []),
    }


def _models(field: Field, *, chosen: Any, offer: Offer) -> list[tuple[str, bool]]:
    """The models to choose from, the chosen one marked, with one that is not listed any more."""
    if field.form != "model" or not offer.all.models:
        return []
    text = text_of(chosen)
    unlisted = [text] if text and text not in offer.all.models else []
    none = [] if field.required else [""]
    return [(name, name == text) for name in [*none, *offer.all.models, *unlisted]]


def _in_place(chosen: list[str], *, known: list[str]) -> list[str]:
    """The names in the code's order, so that what is unticked and ticked again is what it was; where something else
    was chosen on purpose, in that."""
    usual = list(dict.fromkeys(known))
    ordered = [name for name in usual if name in chosen] == chosen
    return usual if ordered else list(dict.fromkeys([*chosen, *usual]))


def _offer() -> Offer:
    return Offer(with_added(default_catalogue(), stored_overrides()), current_catalogue())


def _of(field: Field, catalogue: Catalogue) -> Iterable[Any]:
    """The entries of the registry that a field names some of."""
    found: Iterable[Any] = getattr(catalogue, field.of) if field.of else ()
    return found


def _in_words(value: Any) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else text_of(value)
