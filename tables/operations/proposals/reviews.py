"""The stored review of a proposal: unchecked operations and edits, saved in parts and validated strictly."""
from __future__ import annotations

from typing import Any

from shared import strictjson
from shared.user_messages import declare
from tables.operations.body_reader import NOT_AN_OBJECT, TOO_LONG, Form
from tables.operations.proposals.choice import NO_SUCH_OPERATION, NOT_BY_INDEX, indexed_keys
from tables.operations.proposals.definitions import read_table_name

Json = dict[str, Any]

MAX_BYTES = 1_000_000
MAX_FIELD_LENGTH = 255
EDITABLE = {"add", "update", "modify"}
# Each is an object whose keys are indexes of operations.
BY_OPERATION = ("unchecked", "overwrites", "edits")
SETTINGS = ("table_name", "include_sample_rows", "skip_next")
# A field of the review that is not stored with the decisions; accepted field names are listed in error messages.
NOTICE = "not_carried_over"
REVIEW_TOO_LARGE = declare("review_too_large", "A review can have at most {count:,} bytes.")
NOT_EDITABLE = declare("not_editable", "This operation has nothing to edit.")
NOT_AN_EDITED_VALUE = declare("not_an_edited_value", "This must be a value of a cell or a column.")


def revised_review(prepared: Json, *, review: Json, changes: Any) -> Json:
    """Return the review with these changes, a JSON merge patch: null removes an entry or a setting.

    `unchecked` maps the index of an operation to true, `overwrites` that of a checked conflict to the cells the user
    saw, `edits` to cells or column fields that replace the proposed ones. Entries are replaced as a whole, because null
    is a value of a cell. Raises Malformed or Invalid with all paths.
    """
    form = Form()
    given = form.fields(changes, path="", allowed=(*BY_OPERATION, *SETTINGS, NOTICE))
    revised = dict(review)
    for name in BY_OPERATION:
        if name in given:
            revised[name] = _entries(
                given[name], prepared=prepared, before=review.get(name, {}), name=name, form=form
            )
    for name in SETTINGS:
        if name in given:
            revised[name] = _setting(given[name], name=name, form=form)
    form.refuse()
    revised = {name: value for name, value in revised.items() if value is not None and value != {}}
    if len(strictjson.dumps(revised).encode()) > MAX_BYTES:
        form.fault(path="", code="too_large", message=REVIEW_TOO_LARGE(count=MAX_BYTES))
        form.refuse()
    return revised


def _entries(given: Any, *, prepared: Json, before: Json, name: str, form: Form) -> Json:
    if given is None:
        return {}
    if not isinstance(given, dict):
        form.fault(path=name, code="not_an_object", message=NOT_BY_INDEX(), value=given)
        return {}
    after = dict(before)
    operations = prepared["operations"]
    for key, index in indexed_keys(given, path=name, form=form):
        path = f"{name}.{key}"
        if index >= len(operations):
            message = NO_SUCH_OPERATION(operation=index)
            form.fault(path=path, code="unknown_operation", message=message, value=index)
        elif given[key] is None or given[key] == {} or given[key] is False:
            after.pop(str(index), None)
        elif name == "unchecked":
            form.flag(given[key], path=path)
            after[str(index)] = True
        elif _is_entry(given[key], path=path, form=form):
            if name == "edits" and operations[index]["action"] not in EDITABLE:
                form.fault(path=path, code="not_editable", message=NOT_EDITABLE())
            after[str(index)] = given[key]
    return after


def _is_entry(raw: Any, *, path: str, form: Form) -> bool:
    if not isinstance(raw, dict):
        form.fault(path=path, code="not_an_object", message=NOT_AN_OBJECT(), value=raw)
        return False
    for field, value in raw.items():
        where = f"{path}.{field[:MAX_FIELD_LENGTH]}"
        if len(field) > MAX_FIELD_LENGTH:
            form.fault(path=where, code="too_long", message=TOO_LONG(count=MAX_FIELD_LENGTH))
        elif isinstance(value, dict) or (isinstance(value, list) and not all(isinstance(each, str) for each in value)):
            form.fault(path=where, code="unknown_value", message=NOT_AN_EDITED_VALUE(), value=value)
    return True


def _setting(raw: Any, *, name: str, form: Form) -> Any:
    if raw is None:
        return None
    if name == "table_name":
        return read_table_name(raw, path=name, form=form)
    return form.flag(raw, path=name)
