"""The edits of a user to the columns that a stored proposal adds or changes."""

from __future__ import annotations

from typing import Any

from tables.operations.body_reader import Form
from tables.operations.plans.planned import Planned
from tables.operations.proposals.choice import unwrap_edit
from tables.operations.proposals.definitions import read_definition

Json = dict[str, Any]
EDITABLE = {"add", "modify"}


def read_edit(edit: Json, *, planned: Planned, form: Form) -> Json:
    """Return the column fields of an edit, and store its reason and the paths of its fields with the operation.

    The edit is `{"column"|"changes": {…}}` or the fields themselves, and `reason`.
    """
    edit = dict(edit)
    path = f"edits.{planned.index}"
    if "reason" in edit:
        planned.reason = form.text(edit.pop("reason"), path=f"{path}.reason", max_length=2_000)
    edit, path = unwrap_edit(edit, names=("column", "changes"), path=path)
    if planned.action not in EDITABLE:
        form.fields(edit, path=path, allowed=("reason",))
        return {}
    planned.edited = {name: f"{path}.{name}" for name, value in edit.items() if value is not None}
    return read_definition(edit, path=path, form=form)
