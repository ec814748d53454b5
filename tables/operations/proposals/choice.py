"""The user's decisions about a proposal: selected operations, edits, and what to do about conflicts."""
from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from shared.user_messages import declare
from shared.user_messages.request_messages import OTHER_CONTENT
from tables.exceptions import Conflict, Fault, Malformed, Outdated
from tables.operations.body_reader import Form

Json = dict[str, Any]
OPERATIONS_NEEDED = declare("operations_needed", 'Choose the operations: "all" or a list of indexes.')
NOT_INDEXES = declare("not_indexes", 'This must be "all" or a list of indexes.')
NOT_BY_INDEX = declare("not_by_index", "This must be an object with indexes as keys.")
NOT_AN_INDEX = declare("not_an_index", "The keys of {field} must be indexes of operations.")
EDIT_NOT_AN_OBJECT = declare("edit_not_an_object", "An edit must be an object.")
NOT_REMOVED_OPTIONS = declare(
    "not_removed_options", 'This must be "clear" or an object that maps removed options to remaining ones.'
)
NO_SUCH_OPERATION = declare("no_such_operation", "There is no operation {operation}.")
UNKNOWN_OPERATIONS = declare("unknown_operations", "The choice contains operations that are not in the proposal.")
DOUBLED_OPERATION = declare("doubled_operation", "Operation {operation} is named twice.")
NO_TABLE_YET = declare("no_table_yet", "The table does not exist yet, so it has no version.")
NOTHING_CHOSEN = declare("nothing_chosen", "Choose at least one operation.")

FIELDS = (
    "operations",
    "edits",
    "table_name",
    "table_description",
    "content_hash",
    "on_conflict",
    "on_unconvertible",
    "on_removed_option",
    "on_empty_cells",
    "include_sample_rows",
    "version",
)
DECISIONS = ("skip", "overwrite")
MAX_INDEX_DIGITS = 6
SOURCES = ("grid", "form", "api", "tool", "proposal", "fill", "import", "template", "undo", "restore", "admin")


@dataclass(frozen=True)
class Origin:
    """The source of a change. `proposal_id` and `turn_id` are plain UUIDs, which the caller may store.

    With the source “fill”, `proposal_id` is the id of the fill.
    """

    source: str
    proposal_id: uuid.UUID | str | None = None
    turn_id: uuid.UUID | str | None = None


@dataclass(frozen=True)
class Choice:
    """The body of an apply or a preview. `on_conflict`, `on_unconvertible` and `on_empty_cells` are "" if not given.

    `on_conflict` is one decision for all operations, or decisions by index for the conflicts that the user checked: a
    later conflict is then not overwritten. `version` is the only version of the table that may be changed.
    """

    operations: Literal["all"] | tuple[int, ...] = "all"
    edits: Mapping[int, Json] = field(default_factory=dict)
    table_name: str | None = None
    table_description: str | None = None
    content_hash: str | None = None
    on_conflict: str | Mapping[int, str] = ""
    on_unconvertible: str = ""
    on_removed_option: str | Mapping[str, str] = ""
    on_empty_cells: str = ""
    include_sample_rows: bool = False
    version: int | None = None

    @classmethod
    def read(cls, body: Any, count: int | None = None) -> Choice:
        """Return the choice in a request's body, of `count` operations if they are known.

        `operations` is required, so that an empty body never applies everything. Raises Malformed with all faults.
        """
        form = Form()
        raw = form.fields(body, path="", allowed=FIELDS)
        if "operations" not in raw:
            form.fault(path="operations", code="missing", message=OPERATIONS_NEEDED())
        choice = cls(
            operations=_operations(raw.get("operations", "all"), form=form),
            edits=_edits(raw.get("edits"), form=form),
            table_name=_optional_text(raw, name="table_name", form=form),
            table_description=_optional_text(raw, name="table_description", form=form),
            content_hash=_optional_text(raw, name="content_hash", form=form),
            on_conflict=_on_conflict(raw, form=form),
            on_unconvertible=_word(raw, name="on_unconvertible", allowed=("clear",), form=form),
            on_removed_option=_removed_option(raw.get("on_removed_option"), form=form),
            on_empty_cells=_word(raw, name="on_empty_cells", allowed=("keep",), form=form),
            include_sample_rows=_flag(raw, name="include_sample_rows", form=form),
            version=None if raw.get("version") is None else form.version(raw["version"], path="version"),
        )
        if count is not None:
            form.faults += choice._unknown_operations(count)
        form.refuse()
        return choice

    def check_against(self, prepared: Json) -> None:
        """Raise Conflict if other content was reviewed, Malformed for an index that does not exist, and Outdated."""
        if self.content_hash is not None and self.content_hash != prepared["content_hash"]:
            raise Conflict(OTHER_CONTENT(), code="content_changed")
        if self.version is not None and prepared["table_id"] is None:
            raise Outdated(NO_TABLE_YET())
        if faults := self._unknown_operations(len(prepared["operations"])):
            raise Malformed(UNKNOWN_OPERATIONS(), faults=faults[:100])

    def _unknown_operations(self, count: int) -> list[Fault]:
        indexes = [] if self.operations == "all" else [("operations", index) for index in self.operations]
        indexes += [("edits", index) for index in self.edits]
        if not isinstance(self.on_conflict, str):
            indexes += [("on_conflict", index) for index in self.on_conflict]
        return [
            Fault(path=path, code="unknown_operation", message=NO_SUCH_OPERATION(operation=index), value=index)
            for path, index in indexes
            if not 0 <= index < count
        ]

    def refuse_nothing(self) -> None:
        """Raise Malformed if no operation was chosen: the proposal would count as applied without any effect."""
        if self.operations == ():
            raise Malformed.at("operations", NOTHING_CHOSEN(), code="empty")

    def at_conflict(self, index: int) -> str:
        """Return the decision for a conflict of this operation: "skip", "overwrite", or "" to refuse it."""
        return self.on_conflict if isinstance(self.on_conflict, str) else self.on_conflict.get(index, "")

    def chosen(self, prepared: Json) -> list[Json]:
        """Return the operations to apply, in stored order."""
        if self.operations == "all":
            return list(prepared["operations"])
        wanted = set(self.operations)
        return [operation for operation in prepared["operations"] if operation["index"] in wanted]


def _operations(raw: Any, *, form: Form) -> Literal["all"] | tuple[int, ...]:
    if raw == "all":
        return "all"
    if isinstance(raw, list) and all(isinstance(each, int) and not isinstance(each, bool) for each in raw):
        seen: set[int] = set()
        for position, index in enumerate(raw):
            if index in seen:
                message = DOUBLED_OPERATION(operation=index)
                form.fault(path=f"operations[{position}]", code="doubled_operation", message=message, value=index)
            seen.add(index)
        return tuple(raw)
    form.fault(path="operations", code="not_a_list_of_indexes", message=NOT_INDEXES(), value=raw)
    return ()


def _on_conflict(raw: Json, *, form: Form) -> str | dict[int, str]:
    decisions = raw.get("on_conflict")
    if not isinstance(decisions, dict):
        return _word(raw, name="on_conflict", allowed=DECISIONS, form=form)
    return {
        index: form.one_of(decisions[key], path=f"on_conflict.{key}", allowed=DECISIONS)
        for key, index in indexed_keys(decisions, path="on_conflict", form=form)
    }


def indexed_keys(raw: Json, *, path: str, form: Form) -> Iterator[tuple[str, int]]:
    """Yield the keys that are indexes of operations, with the index; the others are faults."""
    for key in raw:
        if key.isascii() and key.isdigit() and len(key) <= MAX_INDEX_DIGITS:
            yield key, int(key)
        else:
            form.fault(path=f"{path}.{key}", code="not_an_index", message=NOT_AN_INDEX(field=path))


def _edits(raw: Any, *, form: Form) -> dict[int, Json]:
    edits: dict[int, Json] = {}
    if raw is None:
        return edits
    if not isinstance(raw, dict):
        form.fault(path="edits", code="not_an_object", message=NOT_BY_INDEX(), value=raw)
        return edits
    for key, index in indexed_keys(raw, path="edits", form=form):
        if isinstance(raw[key], dict):
            edits[index] = raw[key]
        else:
            form.fault(path=f"edits.{key}", code="not_an_object", message=EDIT_NOT_AN_OBJECT(), value=raw[key])
    return edits


def unwrap_edit(edit: Json, *, names: Iterable[str], path: str) -> tuple[Json, str]:
    """Return the fields of an edit, alone or in an object such as `{"changes": {…}}`, and the path of the fields."""
    wrapped = [name for name in names if isinstance(edit.get(name), dict)]
    if len(wrapped) == len(edit) == 1:
        return edit[wrapped[0]], f"{path}.{wrapped[0]}"
    fields = {name: value for name, value in edit.items() if name not in wrapped}
    for name in wrapped:
        fields |= edit[name]
    return fields, path


def _removed_option(raw: Any, *, form: Form) -> str | dict[str, str]:
    if raw is None or raw == "clear":
        return raw or ""
    if isinstance(raw, dict) and all(isinstance(value, str) for value in raw.values()):
        return dict(raw)
    form.fault(path="on_removed_option", code="unknown_value", message=NOT_REMOVED_OPTIONS(), value=raw)
    return ""


def _word(raw: Json, *, name: str, allowed: tuple[str, ...], form: Form) -> str:
    return "" if raw.get(name) is None else form.one_of(raw[name], path=name, allowed=allowed)


def _flag(raw: Json, *, name: str, form: Form) -> bool:
    return False if raw.get(name) is None else form.flag(raw[name], path=name)


def _optional_text(raw: Json, *, name: str, form: Form) -> str | None:
    return None if raw.get(name) is None else form.text(raw[name], path=name)
