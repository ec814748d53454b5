"""Bodies and responses of requests that add, change or delete rows.

The `read_…` functions also run before the transaction of an Idempotency-Key (`shared.rest.before_transaction`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rest_framework.request import Request

from shared.user_messages import declare
from tables import selectors, services
from tables.api.bodies import (
    FIELD_MISSING,
    POSITION_FIELDS,
    cells_of,
    faults_in_rows,
    fields_of,
    id_paths,
    if_match_version,
    is_wrapped,
    items_of,
    moved_row_paths,
    refuse_with_others,
    row_paths,
)
from tables.api.parameters import ADD_ROWS, UPDATE_ROW, UPDATE_ROWS, UPSERT, Parameters
from tables.api.responses import faults_json
from tables.column_types import nearest
from tables.exceptions import Malformed, TablesError
from tables.operations.body_reader import Form
from tables.services import Applied

Json = dict[str, Any]
MAX_SKIPPED = 1_000
CHANGED_ROW_FIELDS = ("id", "data", "version", "expected")
ROWS_FORM = declare("rows_form", "Send rows in this form: {example}")
NEW_ROWS_EXAMPLE = '{"rows": [{"Company": "Acme"}]}'
CHANGED_ROWS_EXAMPLE = '{"rows": [{"id": 5, "data": {"Company": "Acme"}}]}'
UPSERT_EXAMPLE = '{"merge_on": ["Company"], "rows": [{"Company": "Acme"}]}'
NO_ROW_SENT = declare("no_row_sent", "A row must be a JSON object of cells; {} is an empty row.")
CREATES_AND_SKIPS = declare(
    "creates_and_skips", "Values that become options are never invalid: leave out one of the two parameters."
)
COPIES_AND_SKIPS = declare(
    "copies_and_skips", "Copied rows are added with all their cells: leave out on_invalid or copied_from."
)
IDS_AND_ROWS = declare("ids_and_rows", "Use ids, or rows with their versions, not both.")
NEW_COLUMNS_AND_SKIPS = declare(
    "new_columns_and_skips", "New columns accept any value: leave out on_invalid or new_columns."
)


@dataclass(frozen=True)
class RowWrite:
    """A request to add or change rows.

    `rows` are as sent, `arguments` those of the services. `bulk`: the rows were sent as a list. `skips_invalid`: values
    that do not fit are left out.
    """

    parameters: Parameters
    rows: list[Any]
    arguments: Json
    bulk: bool = True
    skips_invalid: bool = False
    new_columns: Sequence[Any] = ()
    copied_from: Sequence[int] = ()

    @property
    def keyed_by(self) -> str:
        """Whether cells of the response are keyed by "name" or "id" of their column."""
        return self.parameters.choice("keys")

    def additions(self) -> services.RowChanges:
        """Return the rows to add."""
        return services.additions(**self._of_rows(), copied_from=self.copied_from)

    def updates(self) -> services.RowChanges:
        """Return the rows to change."""
        return services.updates(**self._of_rows(), new_columns=self.new_columns)

    def _of_rows(self) -> Json:
        named = {name: value for name, value in self.arguments.items() if name not in ("user", "table_id")}
        return {**named, "create_options": self.parameters.flag_unless_refused("create_options")}


def read_addition(request: Request, *, table_id: int) -> RowWrite:
    """Return a request to add one row or many. Raises Malformed and Invalid."""
    if request.stream is None:
        Parameters(request, ADD_ROWS)
        raise Malformed(NO_ROW_SENT(), code="missing")
    _refuse_other_form(request.data, example=NEW_ROWS_EXAMPLE)
    bulk = isinstance(request.data, dict) and isinstance(request.data.get("rows"), list)
    form = Form()
    parameters = Parameters(request, ADD_ROWS, form=form)
    body = fields_of(request.data, allowed=("rows", *POSITION_FIELDS, "copied_from"), form=form) if bulk else {}
    rows = items_of(body["rows"], form=form) if bulk else [request.data]
    _refuse_both(parameters, form=form)
    skips_invalid = bulk and _skips_invalid(parameters)
    ids = items_of(body["copied_from"], path="copied_from", form=form) if "copied_from" in body else []
    copied_from = [form.row_id(each, path=f"copied_from[{index}]") for index, each in enumerate(ids)]
    if skips_invalid and copied_from:
        form.fault(path="copied_from", code=COPIES_AND_SKIPS.code, message=COPIES_AND_SKIPS())
    arguments: Json = {
        "user": request.user,
        "table_id": table_id,
        "rows": [
            cells_of(row, path=f"rows[{index}]" if bulk else "", form=form) if is_wrapped(row) else row
            for index, row in enumerate(rows)
        ],
        "typecast": parameters.flag_unless_refused("typecast"),
        "place": {name: body[name] for name in POSITION_FIELDS if name in body},
        "table_version": if_match_version(request, form=form),
    }
    write = RowWrite(
        parameters, rows, arguments, bulk=bulk, skips_invalid=skips_invalid, copied_from=copied_from
    )
    _refuse_with_rows(form, write, changes=write.additions)
    return write


def read_bulk_update(request: Request, *, table_id: int) -> RowWrite:
    """Return a request to change many rows. Raises Malformed and Invalid."""
    _refuse_other_form(request.data, example=CHANGED_ROWS_EXAMPLE)
    form = Form()
    body = fields_of(request.data, allowed=("rows", "new_columns"), required=("rows",), form=form)
    rows = items_of(body["rows"], form=form) if "rows" in body else []
    new_columns = items_of(body["new_columns"], path="new_columns", form=form) if "new_columns" in body else []
    # The rows may have cells in columns whose names are in a misspelled field, or cannot be read.
    columns_are_known = not any(
        fault.path.startswith("new_columns") or nearest(fault.path, ["new_columns"]) for fault in form.faults
    )
    parameters = Parameters(request, UPDATE_ROWS, form=form)
    _refuse_both(parameters, form=form)
    skips_invalid = _skips_invalid(parameters)
    if new_columns and skips_invalid:
        columns_are_known = False
        form.fault(path="new_columns", code=NEW_COLUMNS_AND_SKIPS.code, message=NEW_COLUMNS_AND_SKIPS())
    for index, row in enumerate([] if _have_plain_form(rows) else rows):
        is_new = isinstance(row, dict) and "id" in row and row["id"] is None
        form.fields(row, path=f"rows[{index}]", allowed=("id", "data") if is_new else CHANGED_ROW_FIELDS)
        if isinstance(row, dict) and "data" not in row:
            form.fault(path=f"rows[{index}].data", code="missing", message=FIELD_MISSING(name="data"))
    arguments = {
        "user": request.user,
        "table_id": table_id,
        "rows": rows,
        "typecast": parameters.flag_unless_refused("typecast"),
        "table_version": if_match_version(request, form=form),
    }
    write = RowWrite(parameters, rows, arguments, skips_invalid=skips_invalid, new_columns=new_columns)
    _refuse_with_rows(
        form, write, changes=write.updates, columns_are_known=columns_are_known, always_wrapped=True
    )
    return write


def read_row_update(request: Request, *, table_id: int, row_id: int) -> RowWrite:
    """Return a request to change one row, whose version is in `If-Match`. Raises Malformed and NotFound."""
    form = Form()
    parameters = Parameters(request, UPDATE_ROW, form=form)
    body = fields_of(request.data, allowed=("data", "expected"), required=("data",), form=form)
    row = {"id": row_id, **body, "version": if_match_version(request, form=form)}
    selectors.get_row(selectors.get_table(request.user, table_id), row_id)
    arguments = {
        "user": request.user,
        "table_id": table_id,
        "rows": [row],
        "typecast": parameters.flag_unless_refused("typecast"),
    }
    write = RowWrite(parameters, [row], arguments, bulk=False)
    _refuse_with_rows(form, write, changes=write.updates, always_wrapped=True)
    return write


def read_upsert(request: Request, *, table_id: int) -> RowWrite:
    """Return an upsert. Raises Malformed and Invalid."""
    _refuse_other_form(request.data, example=UPSERT_EXAMPLE)
    form = Form()
    parameters = Parameters(request, UPSERT, form=form)
    body = fields_of(request.data, allowed=("merge_on", "rows"), required=("merge_on", "rows"), form=form)
    rows, versions = items_of(body["rows"], form=form) if "rows" in body else [], []
    for index, row in enumerate(rows):
        version = None
        if is_wrapped(row):
            version = form.fields(row, path=f"rows[{index}]", allowed=("data", "version")).get("version")
        versions.append(version if version is None else form.version(version, path=f"rows[{index}].version"))
    arguments: Json = {
        "user": request.user,
        "table_id": table_id,
        "merge_on": body.get("merge_on"),
        "rows": [row["data"] if is_wrapped(row) else row for row in rows],
        "versions": versions,
        "typecast": parameters.flag_unless_refused("typecast"),
        "create_options": parameters.flag_unless_refused("create_options"),
        "table_version": if_match_version(request, form=form),
    }
    write = RowWrite(parameters, rows, arguments)

    def read() -> None:
        with row_paths(rows):
            services.read_upsert(**arguments)

    refuse_with_others(form, find_others=read if rows or "merge_on" in body else lambda: None)
    return write


def read_deletion(request: Request, *, table_id: int) -> services.RowChanges:
    """Return the rows to delete. Raises Malformed and Invalid."""
    form = Form()
    Parameters(request, form=form)
    body = fields_of(request.data, allowed=("ids", "rows"), form=form)
    rows = named_rows(body, fields=("id", "version", "expected"), form=form)
    changes = services.deletions(rows, table_version=if_match_version(request, form=form))

    def check() -> None:
        with id_paths(request.data):
            services.check_changes(changes, user=request.user, table_id=table_id)

    refuse_with_others(form, find_others=check if rows else lambda: None)
    return changes


def read_move(request: Request, *, table_id: int) -> Json:
    """Return the arguments of `services.move_rows`. Raises Malformed and Invalid."""
    form = Form()
    Parameters(request, form=form)
    body = fields_of(request.data, allowed=("ids", "rows", *POSITION_FIELDS), form=form)
    rows = named_rows(body, fields=("id", "version"), form=form)
    move: Json = {
        "user": request.user,
        "table_id": table_id,
        "row_ids": [row.get("id") for row in rows],
        "place": {name: body[name] for name in POSITION_FIELDS if name in body},
        "version": if_match_version(request, form=form),
        "row_versions": [row.get("version") for row in rows],
    }

    def check() -> None:
        with moved_row_paths(request.data):
            services.check_move(**move)

    refuse_with_others(form, find_others=check)
    return move


def named_rows(body: Json, *, fields: Collection[str], form: Form) -> list[Json]:
    """Return the existing rows that a body names: by `ids`, or by `rows` with these fields.

    A row that cannot be read is {}, and its fault is added.
    """
    if "rows" not in body:
        if "ids" not in body:
            form.fault(path="ids", code="missing", message=FIELD_MISSING(name="ids"))
            return []
        return [{"id": row_id} for row_id in items_of(body["ids"], path="ids", form=form)]
    if "ids" in body:
        form.fault(path="ids", code=IDS_AND_ROWS.code, message=IDS_AND_ROWS())
    rows = [
        form.fields(row, path=f"rows[{index}]", allowed=fields)
        for index, row in enumerate(items_of(body["rows"], form=form))
    ]
    for index, row in enumerate(rows):
        if row.get("version") is not None:
            form.version(row["version"], path=f"rows[{index}].version")
    return rows


def before_addition(request: Request, *, table_id: int) -> Any:
    """Read what adding rows needs."""
    write = read_addition(request, table_id=table_id)
    with row_paths(write.rows, bulk=write.bulk):
        if write.skips_invalid:
            return services.read_valid_additions(**write.arguments)
        return services.read_changes(write.additions(), user=request.user, table_id=table_id)


def before_upsert(request: Request, *, table_id: int) -> services.ReadUpsert:
    """Read what an upsert needs."""
    write = read_upsert(request, table_id=table_id)
    with row_paths(write.rows):
        return services.read_upsert(**write.arguments)


def before_bulk_update(request: Request, *, table_id: int) -> Any:
    """Read what changing many rows needs."""
    write = read_bulk_update(request, table_id=table_id)
    if write.skips_invalid:
        return services.read_valid_updates(**write.arguments)
    return services.read_changes(write.updates(), user=request.user, table_id=table_id)


def before_deletion(request: Request, *, table_id: int) -> services.ReadProposal | None:
    """Read what deleting rows needs."""
    changes = read_deletion(request, table_id=table_id)
    with id_paths(request.data):
        return services.read_changes(changes, user=request.user, table_id=table_id)


def change_json(applied: Applied, *, bulk: bool = True) -> Json:
    """Return the change and the version of the table; the `version` in the response of one row is the row's."""
    return {"change": applied.change, **({"version": applied.version} if bulk else {})}


def skipped_json(valid: services.ValidRows, *, rows: list[Any], request: Request) -> Json:
    """Return the cells that were not written, at most 1,000, and the rows that were not added."""
    return {
        "skipped": faults_json(faults_in_rows(valid.refused[:MAX_SKIPPED], rows=rows), request=request),
        "skipped_count": len(valid.refused),
        "skipped_of_not_added": valid.refused_of_not_added,
        "not_added": valid.not_added,
    }


def _refuse_other_form(data: Any, *, example: str) -> None:
    """Raise Malformed for rows in the form of other products: a list, `records`, or `fields` in place of `data`.

    A column may have one of these names, but no cell is a list or an object.
    """
    message = ROWS_FORM(example=example)
    if isinstance(data, list):
        raise Malformed.at("", message, code="not_an_object")
    if not isinstance(data, dict):
        return
    if isinstance(data.get("records"), list):
        raise Malformed.at("records", message, code="unknown_field")
    rows = data.get("rows")
    for index, row in enumerate(rows if isinstance(rows, list) else [data]):
        if isinstance(row, dict) and isinstance(row.get("fields"), dict):
            path = f"rows[{index}].fields" if isinstance(rows, list) else "fields"
            raise Malformed.at(path, message, code="unknown_field")


def _have_plain_form(rows: Sequence[Any]) -> bool:
    """Return whether all entries have the fields of a changed row and no others, so that none must be tested."""
    if not set(map(type, rows)) <= {dict}:
        return False
    forms = set(map(tuple, rows))
    known = all("id" in form and "data" in form and set(form) <= set(CHANGED_ROW_FIELDS) for form in forms)
    return known and all(row["id"] is not None for row in rows)


def _refuse_with_rows(
    form: Form,
    write: RowWrite,
    *,
    changes: Callable[[], services.RowChanges],
    columns_are_known: bool = True,
    always_wrapped: bool = False,
) -> None:
    """Raise the faults of a body, if it has any, and with them those of its rows.

    `always_wrapped`: the cells of each row are in its `data`.
    """
    user, table_id = write.arguments["user"], write.arguments["table_id"]

    def check() -> None:
        try:
            with row_paths(write.rows, bulk=write.bulk, always_wrapped=always_wrapped):
                if write.skips_invalid:
                    _read_valid(write, form=replace(form, faults=[*form.faults]))
                else:
                    services.check_changes(changes(), user=user, table_id=table_id)
        except TablesError as error:
            if not columns_are_known:
                error.faults = tuple(fault for fault in error.faults if fault.code != "unknown_column")
            raise

    refuse_with_others(form, find_others=check if write.rows else lambda: None)


def _read_valid(write: RowWrite, *, form: Form) -> None:
    """Raise the faults of a request that skips invalid values, with those of `form`."""
    if "place" in write.arguments:
        services.read_valid_additions(**write.arguments, form=form)
    else:
        readable = [row if isinstance(row, dict) else {} for row in write.rows]
        services.read_valid_updates(**{**write.arguments, "rows": readable}, form=form)


def _refuse_both(parameters: Parameters, *, form: Form) -> None:
    """Add a fault if texts that are no options shall be created and skipped."""
    if parameters.choice("on_invalid") == "skip" and parameters.flag("create_options"):
        form.fault(path="create_options", code=CREATES_AND_SKIPS.code, message=CREATES_AND_SKIPS())


def _skips_invalid(parameters: Parameters) -> bool:
    return "on_invalid" in parameters.refused or parameters.choice("on_invalid") == "skip"
