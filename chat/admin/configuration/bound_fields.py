"""Template context of the fields of an entry: value, default, differences and faults."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from django.http import QueryDict
from django.utils.formats import number_format

from chat.admin.configuration.conflicts import conflict_contexts
from chat.admin.configuration.entry_form import FIELD_PREFIX, RESET_PREFIX, changed_fields, value_as_text
from chat.catalogue import Catalogue
from chat.configuration import Field, Kind, difference, faults_of_value, with_added
from chat.exceptions import ChatError
from chat.prompt import estimate_tokens
from chat.provider.configured import model_named
from chat.selectors.configuration.catalogue import current_catalogue, default_catalogue, stored_overrides
from chat.selectors.configuration.entries import EntryView, FieldView
from chat.selectors.configuration.model_checks import known_models

Json = dict[str, Any]
DiffLines = list[tuple[str, str]]
Faults = dict[str, list[str]]


class Catalogues(NamedTuple):
    """The catalogue with all entries, those switched off and the added ones included, and the current one."""

    all: Catalogue
    current: Catalogue


def faults_by_field(error: ChatError) -> Faults:
    """Return the faults by name of field; those of the whole entry have the key ""."""
    if not error.faults:
        return {"": [error.detail]}
    faults: Faults = {}
    for fault in error.faults:
        fields = fault.as_json()
        name = "" if fields["code"] == "incomplete" else fields["path"].rpartition(".")[2]
        faults.setdefault(name, []).append(fields["detail"])
    return faults


def element_ids(fields: Iterable[Json]) -> dict[str, str]:
    """Return the id of the element of each field by the field's name."""
    return {bound_field["field"].name: bound_field["name"] for bound_field in fields}


def error_summary(faults: Faults, *, ids: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return all faults as (id of the element, sentence), in the order of `ids`; those of the entry have no id."""
    found = [("", fault) for fault in faults.get("", [])] + [("name", fault) for fault in faults.get("name", [])]
    for name, element_id in ids.items():
        found += [(element_id, fault) for fault in faults.get(name, [])]
    return found


def bound_fields(entry: EntryView, *, form: QueryDict | None, faults: Faults) -> list[Json]:
    """Return the context of each field, with the submitted values and conflicts if there is a form."""
    catalogues = _catalogues()
    conflicts = conflict_contexts(form, entry=entry)
    return [
        _bound_field(view, form=form, faults=faults, entry=entry, catalogues=catalogues)
        | {"conflict": conflicts.get(view.field.name)}
        for view in entry.fields
    ]


def new_entry_fields(kind: Kind, *, form: QueryDict, faults: Faults) -> list[Json]:
    """Return the context of each field of a new entry."""
    catalogues = _catalogues()
    return [
        _field_context(field, value=_submitted_value(form, field=field), faults=faults, catalogues=catalogues)
        for field in kind.fields
    ]


def draft_differences(kind: Kind, *, entry: EntryView | None, form: QueryDict) -> list[tuple[str, DiffLines]]:
    """Return the labels of the fields that the form changes, each with its difference from the stored value."""
    if entry is None:
        texts = [("Name", form.get("name", ""))]
        texts += [(field.label, value_as_text(_submitted_value(form, field=field)))
                  for field in kind.fields if field.form != "flag"]  # fmt: skip
        return [(label, difference("", text)) for label, text in texts if text]
    try:
        changed = changed_fields(form, entry=entry)
    except ChatError:
        changed = {view.field.name for view in entry.fields}
    found = []
    for view in entry.fields:
        if view.field.name in changed:
            resets = bool(form.get(RESET_PREFIX + view.field.name))
            value = view.default if resets else _submitted_value(form, field=view.field)
            found.append((view.field.label, _unsaved_difference(view, value=value)))
    return [(label, lines) for label, lines in found if lines]


def token_counts(kind: Kind, *, form: QueryDict) -> dict[str, int]:
    """Return the estimated tokens of each text of the form, by the name of its form field."""
    texts = {FIELD_PREFIX + field.name: form.get(FIELD_PREFIX + field.name) for field in kind.fields if _counted(field)}
    return {name: _estimate(text) for name, text in texts.items() if text is not None}


def _counted(field: Field) -> bool:
    return field.form in {"text", "lines", "schema"}


def _estimate(text: str) -> int:
    text = text.replace("\r\n", "\n")
    return estimate_tokens(text) if text else 0


def _submitted_value(form: QueryDict, *, field: Field) -> Any:
    """Return the submitted value, not parsed, so that a faulty one can be shown again."""
    name = FIELD_PREFIX + field.name
    if field.form == "names":
        return list(form.getlist(name))
    return bool(form.get(name)) if field.form == "flag" else form.get(name, "")


def _bound_field(
    view: FieldView, *, form: QueryDict | None, faults: Faults, entry: EntryView, catalogues: Catalogues
) -> Json:
    field = view.field
    value = _stored_value(view, added=entry.added) if form is None else _submitted_value(form, field=field)
    if form is None and view.overridden:
        # A stored value that was written by SQL, or before the code changed, may be invalid and thus ignored.
        invalid = faults_of_value(field, view.value, address=entry.address, catalogue=catalogues.all)
        faults = {**faults, field.name: [f"This value is invalid and is ignored. {fault}" for fault in invalid]}
    return {
        **_field_context(field, value=value, faults=faults, catalogues=catalogues, own_names=view.default),
        "reset": RESET_PREFIX + field.name,
        "resets": form is not None and bool(form.get(RESET_PREFIX + field.name)),
        # Added entries have no default in the code.
        "has_default": not entry.added,
        "default": _default_text(view.default),
        "overridden": view.overridden,
        "default_changed": view.default_changed,
        "difference": view.difference,
        "since": view.since,
        "override": view.override,
        "unsaved": [] if form is None else _unsaved_difference(view, value=value),
    }


def _stored_value(view: FieldView, *, added: bool) -> Any:
    """Return the value of the field, "" for a number that is not set."""
    if view.field.form == "whole" and not view.overridden and (added or view.value < view.field.minimum):
        return ""
    return view.value


def _unsaved_difference(view: FieldView, *, value: Any) -> list[tuple[str, str]]:
    """Return the difference between the stored and the submitted value."""
    if not isinstance(value, str):
        return difference(view.value, value)
    stored, submitted = value_as_text(view.value), value.replace("\r\n", "\n")
    return difference(stored, submitted) if stored.strip() != submitted.strip() else []


def _field_context(field: Field, *, value: Any, faults: Faults, catalogues: Catalogues, own_names: Any = ()) -> Json:
    """Return the template context of a field's widget; `own_names` are entries that the page itself declares."""
    # Lists written by SQL may hold anything.
    chosen = [name for name in value if isinstance(name, str)] if isinstance(value, list) else []
    # Global entries need not be selected.
    everywhere = [entry.name for entry in _entries(field, catalogues.current) if getattr(entry, "is_global", False)]
    known = [*(own_names if field.of else ()), *(entry.name for entry in _entries(field, catalogues.all))]
    return {
        "field": field,
        "name": FIELD_PREFIX + field.name,
        "text": value_as_text(value),
        "value": value,
        "tokens": _estimate(value_as_text(value)) if _counted(field) else None,
        "choices": [
            (name, name in chosen) for name in _choice_order(chosen, known=known)
            if name in chosen or name not in everywhere
        ],
        "everywhere": everywhere,
        "models": _model_choices(field, chosen=value, catalogues=catalogues),
        "suggested_models": _suggested_models(catalogues) if field.form == "model" else [],
        "faults": faults.get(field.name, []),
    }  # fmt: skip


def _model_choices(field: Field, *, chosen: Any, catalogues: Catalogues) -> list[tuple[str, bool]]:
    """Return the models as (name, selected), with the chosen one even if it is no longer listed."""
    if field.form != "model" or not catalogues.all.models:
        return []
    text = value_as_text(chosen)
    unlisted = [text] if text and text not in catalogues.all.models else []
    none = [] if field.required else [""]
    return [(name, name == text) for name in [*none, *catalogues.all.models, *unlisted]]


def _suggested_models(catalogues: Catalogues) -> list[str]:
    """Return the models that are known without a request to their server."""
    engine = catalogues.current.engine
    return sorted({engine.model, catalogues.all.engine.model, *known_models(model_named(engine.model).server)} - {""})


def _choice_order(chosen: list[str], *, known: list[str]) -> list[str]:
    """Return the names in the order of the code, or the chosen ones first if they have another order.

    Thus a name that is deselected and selected again has the same position as before.
    """
    names = list(dict.fromkeys(known))
    ordered = [name for name in names if name in chosen] == chosen
    return names if ordered else list(dict.fromkeys([*chosen, *names]))


def _catalogues() -> Catalogues:
    return Catalogues(with_added(default_catalogue(), stored_overrides()), current_catalogue())


def _entries(field: Field, catalogue: Catalogue) -> Iterable[Any]:
    """Return the entries of the registry whose names the field lists."""
    entries: Iterable[Any] = getattr(catalogue, field.of) if field.of else ()
    return entries


def _default_text(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return number_format(value, force_grouping=True) if isinstance(value, int) else value_as_text(value)
