"""Fields that another administrator changed while they were edited: both values, and the choice between them.

A form with conflicts has the names of the fields in `conflict`, and for each the user's own value in `mine-…`, the
choice in `resolve-…` ("mine", "theirs" or "merge") and the merged value in `field-…`. `conflict_base` is the version
that the user edited.
"""
from __future__ import annotations

from typing import Any

from django.http import QueryDict

from chat.admin.configuration.entry_form import FIELD_PREFIX, RESET_PREFIX, changed_fields, value_as_text, version_seen
from chat.configuration import Field, difference
from chat.configuration.text_merge import MINE_MARK, THEIRS_MARK, has_conflict_marks, merge_texts
from chat.json_schema import SchemaFault
from chat.selectors.configuration.entries import EntryView, FieldView, values_at_version
from chat.selectors.configuration.history import latest_changes

CHOICES = {"mine", "theirs", "merge"}
TEXT_FORMS = {"text", "lines", "schema"}

Json = dict[str, Any]


def form_with_conflicts(form: QueryDict, *, entry: EntryView) -> QueryDict:
    """Return the form with the conflicts of its fields; fields that the user did not change have the stored values."""
    changed = changed_fields(form, entry=entry)
    seen = version_seen(form)
    base = values_at_version(entry, version=seen)
    conflicts = changed & set(latest_changes(entry.address, since=seen or 0))
    found = form.copy()
    found.setlist("conflict", sorted(conflicts))
    found["conflict_base"], found["seen"] = str(seen or 0), str(entry.version)
    for view in entry.fields:
        name = view.field.name
        if name not in changed:
            _set_stored(found, view=view)
        elif name in conflicts:
            resets = found.pop(RESET_PREFIX + name, None)
            mine = _values(view.field, view.default) if resets else found.getlist(FIELD_PREFIX + name)
            found.setlist(f"mine-{name}", mine)
            _set_merged(found, view=view, base=base[name], mine=mine)
    return found


def resolved_form(form: QueryDict, *, entry: EntryView) -> QueryDict:
    """Return the form with the chosen values, without its conflicts; fields without a choice have the merged value."""
    names = form.getlist("conflict")
    if not names:
        return form
    found = form.copy()
    for view in entry.fields:
        name = view.field.name
        choice = found.get(f"resolve-{name}") if name in names else None
        if choice == "theirs":
            _set_stored(found, view=view)
        elif choice == "mine":
            found.setlist(FIELD_PREFIX + name, found.getlist(f"mine-{name}"))
    for key in [key for key in found if key.startswith(("conflict", "resolve-", "mine-"))]:
        del found[key]
    return found


def unresolved_faults(form: QueryDict, *, entry: EntryView) -> list[SchemaFault]:
    """Return the faults of conflicts without a choice, and of merged texts in which marks are left."""
    faults = []
    names = form.getlist("conflict")
    for field in (view.field for view in entry.fields if view.field.name in names):
        choice = form.get(f"resolve-{field.name}")
        if choice not in CHOICES:
            faults.append(SchemaFault(field.name, "unresolved", f"{field.label}: choose what to save."))
        elif choice == "merge" and has_conflict_marks(form.get(FIELD_PREFIX + field.name, "")):
            marks = f"“{MINE_MARK}” and “{THEIRS_MARK}”"
            faults.append(SchemaFault(field.name, "unresolved", f"{field.label}: remove the marks {marks}."))
    return faults


def conflict_faults(form: QueryDict, *, entry: EntryView) -> dict[str, list[str]]:
    """Return a sentence for each new conflict of the form, by name of the field."""
    found = {}
    contexts = conflict_contexts(form, entry=entry)
    for view in entry.fields:
        context = contexts.get(view.field.name)
        if context and context["change"]:
            user = context["change"].user or "Another user"
            sentence = f"{user} changed “{view.field.label}” while you were editing it. Choose what to save."
            found[view.field.name] = [sentence]
    return found


def conflict_contexts(form: QueryDict | None, *, entry: EntryView) -> dict[str, Json]:
    """Return the template context of each conflict of the form, by name of the field."""
    names = form.getlist("conflict") if form is not None else []
    if form is None or not names:
        return {}
    version = form.get("conflict_base", "")
    since = int(version) if version.isascii() and version.isdigit() and len(version) < 12 else 0
    base, changes = values_at_version(entry, version=since), latest_changes(entry.address, since=since)
    found = {}
    for view in entry.fields:
        name = view.field.name
        if name in names:
            mine = form.getlist(f"mine-{name}")
            texts = {"base": _text(view.field, _values(view.field, base[name])), "mine": _text(view.field, mine)}
            theirs = _text(view.field, _values(view.field, view.value))
            found[name] = {
                "change": changes.get(name),
                "mine": mine,
                "choice": form.get(f"resolve-{name}", ""),
                "mergeable": view.field.form != "flag",
                "marked": has_conflict_marks(form.get(FIELD_PREFIX + name, "")),
                "between": difference(theirs, texts["mine"]),
                "their_changes": difference(texts["base"], theirs),
                "my_changes": difference(texts["base"], texts["mine"]),
            }
    return found


def _set_merged(form: QueryDict, *, view: FieldView, base: Any, mine: list[str]) -> None:
    """Put the merged value into the form, and choose it if no change is lost."""
    field, theirs = view.field, _values(view.field, view.value)
    clean = False
    if field.form == "names":
        old, clean = _values(field, base), True
        merged = [name for name in theirs if name in mine or name not in old]
        mine = [*merged, *(name for name in mine if name not in old and name not in merged)]
    elif field.form in TEXT_FORMS:
        merge = merge_texts(_text(field, _values(field, base)), mine=_text(field, mine), theirs=_text(field, theirs))
        mine, clean = [merge.text], merge.clean
    form.setlist(FIELD_PREFIX + field.name, mine)
    form[f"resolve-{field.name}"] = "merge" if clean else ""


def _set_stored(form: QueryDict, *, view: FieldView) -> None:
    form.pop(RESET_PREFIX + view.field.name, None)
    unset = view.field.form == "whole" and not view.overridden
    form.setlist(FIELD_PREFIX + view.field.name, [""] if unset else _values(view.field, view.value))


def _values(field: Field, value: Any) -> list[str]:
    """Return the values of the form field that a browser would submit."""
    if field.form == "flag":
        return ["on"] if value else []
    if field.form == "names":
        return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []
    return [value_as_text(value)]


def _text(field: Field, values: list[str]) -> str:
    if field.form == "flag":
        return "on" if values else "off"
    return "\n".join(values).replace("\r\n", "\n")
