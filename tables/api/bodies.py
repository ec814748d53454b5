"""Request bodies, read strictly, and which door a change came through."""
from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from rest_framework.request import Request

from shared import strictjson
from shared.rest.serializers import Body
from shared.user_messages import declare
from tables.api.parameters import Parameters
from tables.api.query_parameters import DECISIONS
from tables.api.schemas import MAX_ROWS
from tables.exceptions import Malformed, TablesError
from tables.operations import Choice, Origin
from tables.operations.body_reader import Form

Json = dict[str, Any]
# Where new rows go: beside the row with this id.
PLACES = ("after_row_id", "before_row_id")
PLACE_PATH = re.compile(r"rows\[\d+\]\.((?:after|before)_row_id)")
CELL_PATH = re.compile(r"rows\[(?P<row>\d+)\](?P<data>\.data(?=\.|$))?(?P<rest>.*)", re.DOTALL)
ROW_PATH = re.compile(r"^rows(\[\d+\])(?:\.id)?$")
FORM_PATH = re.compile(r"^(?:operations\[0\](?:\.(?:column|changes)(?=\.|$))?\.?|table_)")
FIELD_MISSING = declare("field_missing", "This field is needed.")
TOO_MANY_ITEMS = declare("too_many_items", "A request may hold at most {most:,}, this one holds {count:,}.")
NO_ITEMS = declare("no_items", "There must be at least one.")
BAD_IF_MATCH = declare("bad_if_match", 'If-Match must be a version in quotes, like "3".')


def body_of(request: Request, *, allowed: Collection[str], needed: Collection[str] = ()) -> Json:
    """The fields of a JSON object. Raises Malformed for unknown and missing ones, with the nearest name."""
    return fields_of(request.data, allowed=allowed, needed=needed)


def fields_of(body: Any, *, allowed: Collection[str], needed: Collection[str] = ()) -> Json:
    """The same of a body that was read already."""
    form = Form()
    fields = form.fields(body, path="", allowed=allowed)
    for name in needed:
        if name not in fields:
            form.fault(path=name, code="missing", message=FIELD_MISSING())
    form.refuse()
    return fields


def read_body(request: Request, *, form: type[Body]) -> Json:
    """The values of a body that a serializer declares. Raises Malformed."""
    return read_fields(request.data, form=form)


def read_fields(body: Any, *, form: type[Body]) -> Json:
    """The same of a body that was read already."""
    return form.read(fields_of(body, allowed=form.field_names(), needed=form.required_names()))


def rows_of(raw: Any, *, path: str = "rows") -> list[Any]:
    """A list of at most 10,000."""
    form = Form()
    rows = form.items(raw, path=path)
    if len(rows) > MAX_ROWS:
        form.fault(path=path, code="too_many", message=TOO_MANY_ITEMS(most=MAX_ROWS, count=len(rows)))
    if isinstance(raw, list) and not rows:
        form.fault(path=path, code="empty", message=NO_ITEMS())
    form.refuse()
    return rows


def cells_of(row: Any) -> Any:
    """The cells of a row: the object itself, or its `data` (no cell holds an object, so the two never mix)."""
    if isinstance(row, dict) and row.keys() == {"data"} and isinstance(row["data"], dict):
        return row["data"]
    return row


def as_sent(error: TablesError, *, raw: list[Any], bulk: bool) -> TablesError:
    """The error with paths as they are in the body: a row may be its cells alone, and a body may be one row."""

    def path(given: str) -> str:
        found = CELL_PATH.match(given)
        if found is None:
            return given
        if place := PLACE_PATH.fullmatch(given):
            return place[1]
        row, data, rest = found["row"], found["data"] or "", found["rest"]
        sent = raw[int(row)]
        plain = data and not (isinstance(sent, dict) and isinstance(sent.get("data"), dict))
        where = (f"rows[{row}]" if bulk else "") + ("" if plain else data) + rest
        return where.lstrip(".")

    faults = [replace(fault, path=path(fault.path)) for fault in error.faults]
    # A place is given once for all rows.
    places = {fault.path: fault for fault in reversed(faults) if fault.path in PLACES}
    error.faults = (*places.values(), *(fault for fault in faults if fault.path not in PLACES))
    return error


def as_sent_ids(error: TablesError) -> TablesError:
    """The error with paths as they are in a body of `ids`."""
    error.faults = tuple(replace(fault, path=ROW_PATH.sub(r"ids\1", fault.path)) for fault in error.faults)
    return error


def as_sent_by_form(error: TablesError) -> TablesError:
    """The error with paths as they are in the body of a column or a table, which became one operation or none."""
    faults = tuple(replace(fault, path=FORM_PATH.sub("", fault.path, count=1)) for fault in error.faults)
    # That nothing is left to do once a field was refused, nobody needs to hear.
    told = tuple(fault for fault in faults if fault.code != "empty")
    error.faults = told or tuple(replace(fault, path="") for fault in faults)
    return error


def decisions_of(asked: Parameters) -> Choice:
    """All operations, with the decisions that stand in the query."""
    said: Json = {each.name: asked.text(each.name) for each in DECISIONS if asked.has(each.name)}
    said["include_sample_rows"] = asked.flag("include_sample_rows")
    removed = said.get("on_removed_option", "clear")
    if removed != "clear":
        try:
            said["on_removed_option"] = strictjson.read(removed)
        except strictjson.NotStrictJson as fault:
            raise Malformed.at("on_removed_option", fault.message, code=fault.code) from None
    return Choice.read({"operations": "all", **said})


def version_of(request: Request) -> int | None:
    """The version that `If-Match: "<version>"` names; None without the header or for `*`."""
    given = request.headers.get("If-Match", "*").strip()
    digits = given[1:-1]
    if given == "*":
        return None
    if given != f'"{digits}"' or not (digits.isascii() and digits.isdigit() and len(digits) <= 18):
        raise Malformed(BAD_IF_MATCH(), code="bad_if_match")
    return int(digits)


def origin_of(request: Request, *, page: str) -> Origin:
    """`page` (`grid` or `form`) for what our own pages send, which say so; `api` for every other program."""
    from_page = request.auth is None and "X-From-Page" in request.headers
    return Origin(page if from_page else "api")
