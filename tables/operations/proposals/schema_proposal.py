"""Resolve a proposal for columns: names to ids, new columns to new ids."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from shared.user_messages import declare
from shared.user_messages.request_messages import FIELD_MISSING
from tables.column_types import DEFAULT_TYPE, ColumnSpec, TableShape, name_key
from tables.operations.body_reader import Form
from tables.operations.cells import resolve_column
from tables.operations.columns import definition
from tables.operations.proposals.data_proposal import NO_OPERATIONS, OPERATION_NOT_AN_OBJECT
from tables.operations.proposals.definitions import read_definition, read_table_name, refuse_unknown_options
from tables.operations.proposals.sample_rows import read_sample_rows

Json = dict[str, Any]
REMOVED_EARLIER = declare("removed_earlier", "“{column}” is removed earlier in this proposal.")
WRONG_MODE = declare("wrong_mode", "The mode must be “{mode}” here.")
TOO_MANY_COLUMN_OPERATIONS = declare("too_many_column_operations", "At most {count:,} operations are allowed.")
NAME_AND_DESCRIPTION_NEEDED = declare("name_and_description_needed", "A new table needs a name and a description.")
ONLY_ADD = declare("only_add", "A new table only allows the action “add”.")
COLUMN_FIELD_NEEDED = declare("column_field_needed", "A new column needs a {field}.")
COPY_HAS_ONLY_A_NAME = declare("copy_has_only_a_name", "A copy of a column can only have a new name.")
NO_CHANGES = declare("no_changes", "There must be at least one change.")
AFTER_ITSELF = declare("after_itself", "A column cannot be placed after itself.")

MAX_OPERATIONS = 5_000
FIELDS = ("mode", "operations", "table_name", "table_description", "sample_rows", "reasoning", "next")
OPERATION_FIELDS = {
    "add": ("action", "column", "copy_of", "after_column_id", "reason"),
    "modify": ("action", "column_id", "changes", "expected", "reason"),
    "remove": ("action", "column_id", "expected", "reason"),
    "reorder": ("action", "column_id", "after_column_id", "reason"),
}


@dataclass
class _Names:
    """Resolves references to columns: current ids and names, then names that the proposal adds."""

    shape: TableShape
    added: dict[str, ColumnSpec] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)

    def find(self, ref: Any, *, path: str, form: Form, removed: bool = False) -> ColumnSpec | None:
        """Return the column. A removed one is still valid as an anchor that others are placed after."""
        if ref is None:
            form.fault(path=path, code="missing", message=FIELD_MISSING(name="column_id"))
            return None
        known = self.shape.column(ref)
        if known is not None and (removed or known.id not in self.removed):
            return known
        key = name_key(ref) if isinstance(ref, str) else ""
        for column in reversed(self.added.values()):
            if (removed or column.id not in self.removed) and key in {name_key(column.name), column.id}:
                return column
        if key in self.renamed and self.renamed[key] not in self.removed:
            return self._by_id(self.renamed[key])
        if known is not None:
            form.fault(path=path, code="unknown_column", message=REMOVED_EARLIER(column=known.name))
            return None
        return resolve_column(ref, shape=self._named(), path=path, form=form)

    def _named(self) -> TableShape:
        """Return the columns that a reference can mean, each name once. Names that are added may be invalid."""
        named: dict[str, ColumnSpec] = {}
        for column in (*self.shape.columns, *self.added.values()):
            if column.name and column.id not in self.removed:
                named.setdefault(name_key(column.name), column)
        return TableShape(id=None, name="", columns=tuple(named.values()))

    def _by_id(self, column_id: str) -> ColumnSpec | None:
        return self.added.get(column_id) or self.shape.column(column_id)


def read_schema_proposal(raw: Any, *, shape: TableShape, new_id: Callable[[], str], typecast: bool = True) -> Json:
    """Return the stored form (without faults and hash). A shape without id means create mode.

    Raises Malformed or Invalid with all paths.
    """
    form = Form()
    prepared = read_schema_form(raw, shape=shape, new_id=new_id, typecast=typecast, form=form)
    form.refuse()
    return prepared


def read_schema_form(raw: Any, *, shape: TableShape, new_id: Callable[[], str], typecast: bool, form: Form) -> Json:
    """Return the stored form as far as it can be read. An operation on an unknown column has no `column_id`."""
    fields = form.fields(raw, path="", allowed=FIELDS)
    mode = form.one_of(fields.get("mode"), path="mode", allowed=("create", "update"))
    wanted = "create" if shape.id is None else "update"
    if mode and mode != wanted:
        form.fault(path="mode", code="wrong_mode", message=WRONG_MODE(mode=wanted), value=mode)
    written = form.items(fields.get("operations"), path="operations")
    if len(written) > MAX_OPERATIONS:
        form.fault(path="operations", code="too_many", message=TOO_MANY_COLUMN_OPERATIONS(count=MAX_OPERATIONS))
        written = []
    reader = _Reader(names=_Names(shape), form=form, new_id=new_id, create=wanted == "create")
    operations = [reader.read(each, index=index) for index, each in enumerate(written)]
    name, description = _table_words(fields, create=wanted == "create", form=form)
    if fields.get("operations") == [] and (wanted == "create" or (name is None and description is None)):
        form.fault(path="operations", code="empty", message=NO_OPERATIONS())
    added = TableShape(id=None, name="", columns=tuple(reader.names.added.values()))
    create = wanted == "create"
    samples = read_sample_rows(fields.get("sample_rows"), shape=added, typecast=typecast, form=form) if create else []
    words = {key: form.text(fields.get(key), path=key) for key in ("reasoning", "next")}
    return {
        "kind": "schema",
        "mode": wanted,
        "table_id": shape.id,
        "table_name": name,
        "table_description": description,
        "operations": operations,
        "sample_rows": samples,
        "warnings": [],
        **({} if typecast else {"strict": True}),
        **words,
    }


def _table_words(fields: Json, *, create: bool, form: Form) -> tuple[str | None, str | None]:
    name = read_table_name(fields.get("table_name"), path="table_name", form=form)
    description = fields.get("table_description")
    if description is not None:
        description = form.text(description, path="table_description")
    if create:
        for key in ("table_name", "table_description"):
            if fields.get(key) is None:
                form.fault(path=key, code="missing", message=NAME_AND_DESCRIPTION_NEEDED())
    return name, description


def _only_name(given: Json) -> Json:
    return {"name": given["name"]} if "name" in given else {}


@dataclass
class _Reader:
    names: _Names
    form: Form
    new_id: Callable[[], str]
    create: bool

    def read(self, raw: Any, *, index: int) -> Json:
        path, form = f"operations[{index}]", self.form
        action = raw.get("action") if isinstance(raw, dict) else None
        allowed = ("add",) if self.create else tuple(OPERATION_FIELDS)
        if not isinstance(raw, dict) or action not in allowed:
            if not isinstance(raw, dict):
                form.fault(path=path, code="not_an_object", message=OPERATION_NOT_AN_OBJECT(), value=raw)
            elif self.create and isinstance(action, str) and action in OPERATION_FIELDS:
                form.fault(path=f"{path}.action", code="wrong_mode", message=ONLY_ADD(), value=action)
            else:
                form.one_of(action, path=f"{path}.action", allowed=allowed)
            return {"index": index, "action": ""}
        fields = form.fields(raw, path=path, allowed=OPERATION_FIELDS[action])
        operation: Json = {"index": index, "action": action}
        reason = form.text(fields.get("reason"), path=f"{path}.reason", max_length=2_000)
        operation |= {"reason": reason} if reason else {}
        getattr(self, f"_{action}")(fields, operation=operation, path=path)
        return operation

    def _add(self, fields: Json, *, operation: Json, path: str) -> None:
        if fields.get("after_column_id") is not None:
            anchor = self._place(fields["after_column_id"], path=path)
            operation |= {"after_column_id": anchor} if anchor else {}
        given = self._definition(fields, part="column", path=path)
        if fields.get("copy_of") is not None:
            source = self._source(fields["copy_of"], given=given, path=path)
            operation |= {"copy_of": source.id} if source else {}
            # A missing source has been reported already.
            given = {**(definition(source) if source else {"type": DEFAULT_TYPE}), **_only_name(given)}
        for key in ("name", "type"):
            column_fields = fields.get("column")
            if key not in given and isinstance(column_fields, dict) and column_fields.get(key) is None:
                message = COLUMN_FIELD_NEEDED(field=key)
                self.form.fault(path=f"{path}.column.{key}", code="missing", message=message)
        refuse_unknown_options(
            given, written=fields.get("column"), options=given.get("options", ()), path=f"{path}.column", form=self.form
        )
        fields_of_new = {"name": "", "type": DEFAULT_TYPE, **given, "id": self.new_id()}
        column = ColumnSpec.from_json(fields_of_new, zone=self.names.shape.zone, people=self.names.shape.people)
        self.names.added[column.id] = column
        operation["column"] = definition(column)

    def _definition(self, fields: Json, *, part: str, path: str) -> Json:
        """Return the fields of a column in a part of the operation."""
        if part in fields:
            return read_definition(fields[part], path=f"{path}.{part}", form=self.form)
        self.form.fault(path=f"{path}.{part}", code="missing", message=FIELD_MISSING(name=part))
        return {}

    def _source(self, ref: Any, *, given: Json, path: str) -> ColumnSpec | None:
        """Return the column of the table that a new one copies, except for its name."""
        for key in given.keys() - {"name"}:
            self.form.fault(path=f"{path}.column.{key}", code="copied", message=COPY_HAS_ONLY_A_NAME())
        return resolve_column(ref, shape=self.names.shape, path=f"{path}.copy_of", form=self.form)

    def _modify(self, fields: Json, *, operation: Json, path: str) -> None:
        column = self.names.find(fields.get("column_id"), path=f"{path}.column_id", form=self.form)
        written, read_before = fields.get("changes"), len(self.form.faults)
        changes = self._definition(fields, part="changes", path=path)
        # Without its invalid fields, nothing may be left to change.
        if isinstance(written, dict) and not changes and len(self.form.faults) == read_before:
            self.form.fault(path=f"{path}.changes", code="empty", message=NO_CHANGES())
        operation["changes"] = changes
        options = changes.get("options", column.options if column is not None else None)
        if options is not None:
            refuse_unknown_options(
                changes, written=written, options=options, path=f"{path}.changes", form=self.form
            )
        known: Json = {}
        if fields.get("expected") is not None:
            known = read_definition(fields["expected"], path=f"{path}.expected", form=self.form)
        if column is None:
            return
        if "name" in changes:
            self.names.renamed[name_key(changes["name"])] = column.id
        before = {key: value for key, value in definition(column).items() if key in changes}
        if colors := changes.get("optionColors"):
            before["optionColors"] = {key: color for key, color in column.colors.items() if key in colors}
        if settings := changes.get("settings"):
            before["settings"] = {key: value for key, value in column.used_settings.items() if key in settings}
        operation |= {"column_id": column.id, "before": before | known}

    def _remove(self, fields: Json, *, operation: Json, path: str) -> None:
        column = self.names.find(fields.get("column_id"), path=f"{path}.column_id", form=self.form)
        if column is not None:
            self.names.removed.add(column.id)
            operation |= {"column_id": column.id, "before": column.as_json()}
        if fields.get("expected") is not None:
            operation["expected"] = read_definition(fields["expected"], path=f"{path}.expected", form=self.form)

    def _reorder(self, fields: Json, *, operation: Json, path: str) -> None:
        column = self.names.find(fields.get("column_id"), path=f"{path}.column_id", form=self.form)
        anchor = None
        if fields.get("after_column_id") is not None:
            anchor = self._place(fields["after_column_id"], path=path)
        if column is None:
            return
        if anchor == column.id:
            self.form.fault(path=f"{path}.after_column_id", code="after_itself", message=AFTER_ITSELF())
        ids = [each.id for each in self.names.shape.columns]
        index = ids.index(column.id) if column.id in ids else 0
        operation |= {"column_id": column.id} | ({"after_column_id": anchor} if anchor else {})
        operation["before"] = {"after_column_id": ids[index - 1] if index else None}

    def _place(self, ref: Any, *, path: str) -> str | None:
        column = self.names.find(ref, path=f"{path}.after_column_id", form=self.form, removed=True)
        return column.id if column else None
