"""The last step of an import: all staged rows are written as one change, after a check of rights."""
from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction
from django.utils import timezone

from shared.user_messages import Message, declare, declare_plural
from tables import signals
from tables.column_types import ColumnSpec, TableShape
from tables.column_types.settings import setting_names
from tables.exceptions import Conflict, Forbidden, NotFound
from tables.importing.targets import Target
from tables.models import Change, Import, Table
from tables.operations.changes.delta import Delta
from tables.operations.proposals.choice import Choice, Origin
from tables.operations.proposals.schema_proposal import read_schema_proposal
from tables.selectors.tables import get_table, table_shape
from tables.services.imports.row_keys import KeyCache
from tables.services.imports.staged_rows import MergedRows, NewRows
from tables.services.pipeline.commit import Effect, Record, StagedRowSource, commit_change
from tables.services.pipeline.locking import locked_table, refuse_outdated
from tables.services.pipeline.planned_rows import refuse_too_many
from tables.services.schema_proposals import NO_TABLE, apply_schema

ACCOUNT_DEACTIVATED = declare(
    "account_deactivated", "Your account was deactivated during the import. Nothing was imported."
)
IMPORT_ACCESS_ENDED = declare(
    "import_access_ended", "You can no longer edit this table, or it was deleted. Nothing was imported."
)
ROWS = declare_plural("rows", "1 row", "{count:,} rows")
NEW_AND_CHANGED_ROWS = declare("new_and_changed_rows", "{new:,} new and {changed:,} changed rows")
COLUMNS = declare_plural("columns", "1 column", "{count} columns")
IMPORTED = declare("imported", "Imported {rows} from {file}")
COLUMNS_CHANGED = declare(
    "columns_changed",
    "The table's columns changed during the import. Nothing was imported; start again.",
)
IMPORTED_WITH_COLUMNS = declare("imported_with_columns", "Imported {rows} and {columns} from {file}")

Json = dict[str, Any]
IMPORT = Origin("import")
# Properties of a target column that must be unchanged since the rows were read. Name and position may change.
COMPARED_FIELDS = ("type", "required", "default", "options")


class ImportStopped(Exception):
    """The run was cancelled or replaced by another one: its results are discarded."""


def write_import(imported: Import, *, keys: KeyCache) -> None:
    """Write the staged rows and end the import, in one transaction.

    Raises ImportStopped, NotFound, Forbidden, Invalid or Conflict, having written nothing.
    """
    with transaction.atomic():
        locked = Import.objects.select_for_update().filter(
            pk=imported.pk, run=imported.run, state=Import.State.WRITING
        ).first()  # fmt: skip
        if locked is None:
            raise ImportStopped
        require_import_access(locked)
        change, counts = _write(locked, keys=keys)
        # The last query before the commit, so that nothing is written for a user who has lost the right meanwhile.
        require_import_access(locked)
        locked.state, locked.ended_at = Import.State.DONE, timezone.now()
        locked.change_id, locked.table_id = change.pk, change.table_id
        locked.counts = {**locked.counts, **counts}
        locked.save()
    imported.state = Import.State.DONE
    signals.import_ended.send_robust(
        sender=Import, outcome="done", added=counts.get("added", 0), updated=counts.get("updated", 0)
    )


def _write(imported: Import, *, keys: KeyCache) -> tuple[Change, Json]:
    user = imported.user
    table = locked_table(user, imported.table_id) if imported.table_id is not None else None
    if table is not None:
        refuse_outdated(table.version, expected=imported.choices.get("table_version"))
    shape = table_shape(table) if table else NO_TABLE
    _refuse_changed(imported, shape=shape)
    targets = [Target.from_json(stored) for stored in imported.plan["targets"]]
    source, counts = _staged_source(imported, table=table, shape=shape, targets=targets, keys=keys)
    if table is not None:
        refuse_too_many(table, adding=counts["add"])
    new = [target.column for target in targets if target.new]
    record = Record(summary=_summary(imported, counts=counts, columns=len(new) if table else 0), counts=counts)
    if table is None or new:
        prepared = _prepared(imported, columns=new, shape=shape)
        applied = apply_schema(
            user=user, prepared=prepared, choice=Choice(), origin=IMPORT, source=source, record=record
        )
        assert applied.change is not None, "rows came in"
        return Change.objects.get(pk=applied.change), _result_counts(counts)
    effect = Effect(before=shape.columns, after=shape.columns, delta=Delta(), source=source)
    change, _ = commit_change(table, effect, user=user, origin=IMPORT, record=record)
    return change, _result_counts(counts)


def _staged_source(
    imported: Import, *, table: Table | None, shape: TableShape, targets: Sequence[Target], keys: KeyCache
) -> tuple[StagedRowSource, Json]:
    """Return the rows to be written, and their number."""
    staged = list(imported.staged.values_list("table_id", "pk"))
    choices, staged_counts = imported.choices, imported.counts
    check_access = partial(require_import_access, imported)
    refused = choices["on_refused"] != "skip"
    # Imports that were read by an earlier release have no files.
    files = imported.plan.get("files", {})
    if not choices["merge_on"] or table is None:
        skipped = 0 if refused else staged_counts["refused_rows"]
        return NewRows(staged, refused, check_access, files), {"add": staged_counts["rows"] - skipped}
    columns = key_columns(imported, shape=shape)
    merged = MergedRows(
        staged,
        refused,
        check_access,
        files,
        merge_on=[column.id for column in columns],
        keys=keys.of(table, columns=columns, shape=shape),
        filled=frozenset(target.column.id for target in targets),
        clears=choices["empty_cells"] == "clear",
        shape=shape,
    )
    changed, new = merged.counts()
    return merged, {"add": new, "update": changed}


def key_columns(imported: Import, *, shape: TableShape | None) -> list[ColumnSpec]:
    """Return the columns whose values identify existing rows; none if all rows of the file are new."""
    return [column for column in (shape.columns if shape else ()) if column.id in imported.choices["merge_on"]]


def _refuse_changed(imported: Import, *, shape: TableShape) -> None:
    """Raise Conflict when a column has changed since the rows were read."""
    was = imported.plan["columns"]
    if was is not None and _compared(was) != _compared([column.as_json() for column in shape.columns]):
        raise Conflict(COLUMNS_CHANGED(), code="columns_changed")


def _compared(columns: Sequence[Json]) -> list[list[Any]]:
    # A format decides how texts are read.
    names = (*COMPARED_FIELDS, *setting_names())
    values = [[str(column["id"]), *(column.get(name) for name in names)] for column in columns]
    return sorted(values, key=str)


def _prepared(imported: Import, *, columns: Sequence[ColumnSpec], shape: TableShape) -> Json:
    """Return the stored proposal for the new columns, with the ids that the rows were read for."""
    is_new_table = shape.id is None
    ids = iter([column.id for column in columns])
    names = {"table_name": imported.choices["table_name"], "table_description": ""} if is_new_table else {}
    proposal = {
        "mode": "create" if is_new_table else "update",
        "operations": [{"action": "add", "column": _definition(column)} for column in columns],
        "sample_rows": [] if is_new_table else None,
        **names,
    }
    prepared = read_schema_proposal(proposal, shape=shape, new_id=lambda: next(ids))
    return {**prepared, "content_hash": ""}


def _definition(column: ColumnSpec) -> Json:
    options = {"options": list(column.options), "optionColors": dict(column.colors)} if column.options else {}
    return {"name": column.name, "type": column.type, **options, **dict(column.settings)}


def _summary(imported: Import, *, counts: Json, columns: int) -> Message:
    """Return `Imported 3 rows from jobs.csv`."""
    rows = ROWS(count=counts["add"])
    if counts.get("update"):
        rows = NEW_AND_CHANGED_ROWS(new=counts["add"], changed=counts["update"])
    if columns:
        return IMPORTED_WITH_COLUMNS(rows=rows, columns=COLUMNS(count=columns), file=imported.name)
    return IMPORTED(rows=rows, file=imported.name)


def _result_counts(counts: Json) -> Json:
    return {"added": counts["add"], "updated": counts.get("update", 0)}


def require_import_access(imported: Import) -> None:
    """Raise Forbidden unless the user is active and may still edit the table of the import; two queries."""
    user = get_user_model().objects.filter(pk=imported.user_id, is_active=True).first()
    if user is None:
        raise Forbidden(ACCOUNT_DEACTIVATED(), code="access_ended")
    if imported.table_id is None:
        return
    try:
        get_table(user, imported.table_id, can="edit")
    except (NotFound, Forbidden):
        raise Forbidden(IMPORT_ACCESS_ENDED(), code="access_ended") from None
