"""Request bodies and headers of changes, and faults with the paths of these bodies."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from django.db import transaction
from rest_framework.request import Request

from shared import strictjson
from shared.rest.preconditions import BAD_IF_MATCH, read_if_match
from shared.rest.serializers import Body
from shared.user_messages import declare
from shared.user_messages.request_messages import FIELD_MISSING
from tables.api.parameters import DECISIONS, Parameters
from tables.api.schemas import MAX_ROWS
from tables.exceptions import Conflict, Fault, Invalid, Malformed, Outdated, TablesError
from tables.operations import Choice, Origin
from tables.operations.body_reader import Form

Json = dict[str, Any]
# Fields for the existing row next to which new rows are added.
POSITION_FIELDS = ("after_row_id", "before_row_id")
POSITION_PATH = re.compile(r"rows\[\d+\]\.((?:after|before)_row_id)")
CELL_PATH = re.compile(r"rows\[(?P<row>\d+)\](?P<data>\.data(?=\.|$))?(?P<rest>.*)", re.DOTALL)
ROW_PATH = re.compile(r"^rows(\[\d+\])(?:\.id)?$")
ID_PATH = re.compile(r"^ids(\[\d+\])$")
FORM_PATH = re.compile(r"^(?:operations\[0\](?:\.(?:column|changes)(?=\.|$))?\.?|table_)")
# Decisions with which no effect of a change of columns is refused.
ASSUMED: dict[str, Any] = {
    "on_conflict": "overwrite", "on_unconvertible": "clear", "on_removed_option": "clear", "on_empty_cells": "keep",
}  # fmt: skip
TOO_MANY_ITEMS = declare("too_many_items", "A request can contain at most {most:,} items; this one contains {count:,}.")
NO_ITEMS = declare("no_items", "At least one is required.")


def read_request(
    request: Request, *, form: type[Body], find_others: Callable[[Json], object] = lambda fields: None
) -> Json:
    """Return the values of the body of a request without parameters.

    Raises Malformed and Invalid with all faults of query and body. Beside them, those that `find_others` raises for the
    fields that can be read.
    """
    faults = Form()
    Parameters(request, form=faults)
    return read_body(request.data, form=form, faults=faults, find_others=find_others)


def read_versioned_request(
    request: Request, *, form: type[Body], find_others: Callable[[Json], object] = lambda fields: None
) -> tuple[Json, int | None]:
    """Return the values of the body and the version in `If-Match` of a request without parameters.

    Raises Malformed and Invalid with all faults of query, header and body. Beside them, those that `find_others` raises
    for the fields that can be read.
    """
    faults = Form()
    Parameters(request, form=faults)
    version = if_match_version(request, form=faults)
    return read_body(request.data, form=form, faults=faults, find_others=find_others), version


def read_version(request: Request) -> int | None:
    """Return the version in `If-Match` of a request without parameters and body. Raises Malformed with all faults."""
    faults = Form()
    Parameters(request, form=faults)
    version = if_match_version(request, form=faults)
    faults.refuse()
    return version


def read_body(
    data: Any, *, form: type[Body], faults: Form, find_others: Callable[[Json], object] = lambda fields: None
) -> Json:
    """Return the values of a body that a serializer declares. Raises Malformed and Invalid with all faults.

    `faults` has those of other parts of the request. Beside them, `find_others` raises those of the fields that can be
    read.
    """
    fields = fields_of(data, allowed=form.field_names(), required=form.required_names(), form=faults)
    readable = {**fields}
    for name, read in form.readers().items():
        try:
            if name in fields:
                readable[name] = read(readable.pop(name))
        except TablesError as error:
            faults.add_error(error)
    refuse_with_others(faults, find_others=lambda: find_others(readable))
    return form.read(fields)


def rehearse(write: Callable[[], object]) -> None:
    """Call a service in a transaction that is rolled back, to raise its errors beside those of the request's form."""
    with transaction.atomic():
        write()
        transaction.set_rollback(True)


def fields_of(data: Any, *, allowed: Collection[str], required: Collection[str] = (), form: Form) -> Json:
    """Return the allowed fields of a JSON object, and add the faults of missing and unknown ones."""
    fields = form.fields(data, path="", allowed=allowed)
    for name in required:
        if name not in fields:
            form.fault(path=name, code="missing", message=FIELD_MISSING(name=name))
    return fields


def items_of(data: Any, *, path: str = "rows", form: Form) -> list[Any]:
    """Return a list of 1 to 10,000 items; for another number or value, add a fault and return an empty list."""
    items = form.items(data, path=path)
    if len(items) > MAX_ROWS:
        form.fault(path=path, code="too_many", message=TOO_MANY_ITEMS(most=MAX_ROWS, count=len(items)))
        return []
    if isinstance(data, list) and not items:
        form.fault(path=path, code="empty", message=NO_ITEMS())
    return items


def refuse_with_others(form: Form, *, find_others: Callable[[], object]) -> None:
    """Raise the faults of a body, if it has any, and with them those of its valid parts.

    `find_others` raises the latter.
    """
    if not form.faults:
        return
    try:
        find_others()
    except (Malformed, Invalid, Conflict, Outdated) as error:
        form.add_further(error)
    form.refuse()


def is_wrapped(row: Any) -> bool:
    """Return whether the cells of a row are in its `data`. No cell is an object, so they cannot be confused."""
    return isinstance(row, dict) and isinstance(row.get("data"), dict)


def cells_of(row: Any, *, path: str, form: Form) -> Any:
    """Return the cells of a new row: the object itself or its `data`. Fields beside `data` are faults."""
    return form.fields(row, path=path, allowed=("data",))["data"] if is_wrapped(row) else row


@contextmanager
def row_paths(rows: Sequence[Any], *, bulk: bool = True, always_wrapped: bool = False) -> Iterator[None]:
    """Give the faults of errors the paths of the body with these `rows`; without `bulk` it is the only row."""
    try:
        yield
    except TablesError as error:
        error.faults = faults_in_rows(error.faults, rows=rows, bulk=bulk, always_wrapped=always_wrapped)
        raise


def faults_in_rows(
    faults: Sequence[Fault], *, rows: Sequence[Any], bulk: bool = True, always_wrapped: bool = False
) -> tuple[Fault, ...]:
    """Return the faults with the paths of the body, in which a row may be its cells alone unless `always_wrapped`."""

    def path(given: str) -> str:
        found = CELL_PATH.match(given)
        if found is None:
            return given
        if not bulk and found["rest"] == ".version":
            return "If-Match"
        if position := POSITION_PATH.fullmatch(given):
            return position[1]
        row, data, rest = found["row"], found["data"] or "", found["rest"]
        sent = rows[int(row)]
        is_bare = data and not always_wrapped and not (isinstance(sent, dict) and isinstance(sent.get("data"), dict))
        return ((f"rows[{row}]" if bulk else "") + ("" if is_bare else data) + rest).lstrip(".")

    renamed = [replace(fault, path=path(fault.path)) for fault in faults]
    # The position is one field for all rows.
    of_position = {fault.path: fault for fault in reversed(renamed) if fault.path in POSITION_FIELDS}
    return (*of_position.values(), *(fault for fault in renamed if fault.path not in POSITION_FIELDS))


@contextmanager
def id_paths(data: Any) -> Iterator[None]:
    """Give the faults of errors the paths of a body with `ids`, if it has `ids` and not `rows`."""
    try:
        yield
    except TablesError as error:
        if not isinstance(data, dict) or "rows" in data:
            raise
        error.faults = tuple(replace(fault, path=ROW_PATH.sub(r"ids\1", fault.path)) for fault in error.faults)
        raise


@contextmanager
def moved_row_paths(data: Any) -> Iterator[None]:
    """Give the faults about `ids` the paths of a body that has `rows` instead."""
    try:
        yield
    except TablesError as error:
        if isinstance(data, dict) and "rows" in data:
            error.faults = tuple(replace(fault, path=ID_PATH.sub(r"rows\1.id", fault.path)) for fault in error.faults)
        raise


@contextmanager
def field_paths() -> Iterator[None]:
    """Give the faults of errors the paths of the body of a column or table, which is at most one operation."""
    try:
        yield
    except TablesError as error:
        faults = tuple(replace(fault, path=FORM_PATH.sub("", fault.path, count=1)) for fault in error.faults)
        # After a refused field, the fault that nothing would change is only a consequence.
        is_consequence = any(fault.code not in {"empty", "version_moved"} for fault in faults)
        error.faults = tuple(
            replace(fault, path="") if fault.code == "empty" else fault
            for fault in faults
            if fault.code != "empty" or not is_consequence
        )
        raise


def read_or_assume_decisions(parameters: Parameters, *, form: Form) -> Choice:
    """Return the choice of `read_decisions`, or add its faults to `form`.

    A decision is assumed if it cannot be read, or if a misspelled parameter may be meant for it: then the effects about
    which it decides are not faults of their own.
    """
    unreadable: set[str] = set()
    try:
        choice = read_decisions(parameters)
    except (Malformed, Invalid) as error:
        form.add_error(error)
        unreadable = {"on_removed_option"}  # the only one that is not a word
        choice = read_decisions(parameters, without=unreadable)
    assumed = {name: word for name, word in ASSUMED.items() if name in unreadable or parameters.may_mean(name)}
    return replace(choice, **assumed)


def read_decisions(parameters: Parameters, *, without: Collection[str] = ()) -> Choice:
    """Return a choice of all operations with the decisions in the query. Raises Malformed."""
    names = [each.name for each in DECISIONS if each.name not in without]
    decisions: Json = {name: parameters.text(name) for name in names if parameters.has(name)}
    decisions["include_sample_rows"] = parameters.flag("include_sample_rows")
    removed = decisions.get("on_removed_option", "clear")
    if removed != "clear":
        try:
            decisions["on_removed_option"] = strictjson.loads(removed)
        except strictjson.StrictJsonError as fault:
            raise Malformed.at("on_removed_option", fault.message, code=fault.code) from None
    return Choice.read({"operations": "all", **decisions})


def if_match_version(request: Request, *, form: Form | None = None) -> int | None:
    """Return the version in `If-Match: "<version>"`; None without the header or for `*`.

    Raises Malformed, or adds the fault to `form`.
    """
    try:
        return read_if_match(request)
    except ValueError:
        error = Malformed(BAD_IF_MATCH(), code="bad_if_match", path="If-Match")
    if form is None:
        raise error
    form.add_error(error)
    return None


def origin_of(request: Request, *, page: str) -> Origin:
    """Return `page` (`grid` or `form`) for requests of our own pages, which have a header; `api` for all others."""
    from_page = request.auth is None and "X-From-Page" in request.headers
    return Origin(page if from_page else "api")
