"""The fields of an entry as its page draws them: value, default, difference, what is wrong."""
from __future__ import annotations

from typing import Any

from django.http import QueryDict

from chat.admin.entry_form import FIELD, RESET_BOX, text_of
from chat.configuring import Field
from chat.exceptions import ChatError
from chat.overrides import default_catalogue
from chat.selectors.configuration import FieldView

Json = dict[str, Any]


def faults_by_field(error: ChatError) -> dict[str, list[str]]:
    """What is wrong, by field; "" for what is wrong with all of it."""
    if not error.faults:
        return {error.path if error.path == "name" else "": [error.detail]}
    faults: dict[str, list[str]] = {}
    for fault in error.faults:
        said = fault.as_json()
        faults.setdefault(said["path"].rpartition(".")[2] if said["code"] != "incomplete" else "", []).append(
            said["detail"]
        )
    return faults


def box_of(view: FieldView, *, form: QueryDict | None, faults: dict[str, list[str]]) -> Json:
    """A field as the page draws it; a form that was refused is shown as it was sent."""
    value = view.value if form is None else sent_value(form, field=view.field)
    return {
        **_drawn(view.field, value=value, faults=faults),
        "reset": RESET_BOX + view.field.name,
        "resets": form is not None and bool(form.get(RESET_BOX + view.field.name)),
        "default": text_of(view.default),
        "overridden": view.overridden,
        "moved_on": view.moved_on,
        "difference": view.difference,
        "since": view.since,
        "override": view.override,
    }


def empty_box(field: Field, *, form: QueryDict, faults: dict[str, list[str]]) -> Json:
    """A field of an entry that is not there yet."""
    return _drawn(field, value=sent_value(form, field=field), faults=faults)


def sent_value(form: QueryDict, *, field: Field) -> Any:
    """What was sent for a field, as it is drawn again."""
    name = FIELD + field.name
    if field.form == "names":
        return list(form.getlist(name))
    return bool(form.get(name)) if field.form == "flag" else form.get(name, "")


def _drawn(field: Field, *, value: Any, faults: dict[str, list[str]]) -> Json:
    chosen = value if isinstance(value, list) else []
    registry = getattr(default_catalogue(), field.of) if field.of else ()
    return {
        "field": field,
        "name": FIELD + field.name,
        "text": text_of(value),
        "value": value,
        "choices": [(name, name in chosen) for name in dict.fromkeys([*chosen, *(e.name for e in registry)])],
        "faults": faults.get(field.name, []),
    }
