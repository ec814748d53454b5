"""One row as a plain form: where scripts do not run, rows are added, changed and deleted here."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

import strictjson
from tables import selectors, services
from tables.api.reader_defaults import reader_separator
from tables.column_types import ColumnSpec, TableShape, get_column_type, normalize_line_ends
from tables.column_types.number import strip_number_marks
from tables.exceptions import Conflict, Invalid, NotFound, TablesError
from tables.importing.separators import Decimal, number_parts
from tables.operations import Origin
from tables.views.table import found_table
from user_messages.rendering import message_text

Json = dict[str, Any]
STATUS: dict[type[TablesError], int] = {Conflict: 409, Invalid: 422}
# What a value is entered with: as many lines of text as it takes, one of a few, a day, a line.
LINES, CHOICE, DAY, LINE = "lines", "choice", "day", "line"


@dataclass(frozen=True)
class Field:
    """A column's part of the form. `text` is what stands in it; `choices`: value, label, whether it is chosen."""

    column: ColumnSpec
    kind: str
    text: str
    choices: tuple[tuple[str, str, bool], ...]
    fault: str

    @property
    def name(self) -> str:
        return name_of(self.column)


def name_of(column: ColumnSpec) -> str:
    """What the cell of a column is called in the form."""
    return f"cell-{column.id}"


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def table_row(request: HttpRequest, table_id: int, row_id: int | None = None) -> HttpResponse:
    """The form of a row, or of a new one; saving is one change of the table, as everywhere.

    `was` holds what the form was drawn with: only what differs from it is written, and only where that still stands.
    """
    table = found_table(request, table_id=table_id, can="edit")
    shape = selectors.table_shape(table)
    stands = _standing(table, row_id, shape=shape)
    decimal = reader_separator(request)
    texts = _texts(shape.columns, stands, decimal=decimal)
    if request.method != "POST":
        return _page(request, table=table, shape=shape, row_id=row_id, stands=stands, texts=texts)
    sent = {column.id: _sent(request.POST.get(name_of(column)), text=texts[column.id]) for column in shape.columns}
    try:
        if row_id is None:
            _add(request, table=table, shape=shape, sent=sent, decimal=decimal)
        elif request.POST.get("do") == "delete":
            origin = Origin(source="form")
            services.delete_rows(user=request.user, table_id=table.pk, row_ids=[row_id], origin=origin)
        else:
            _change(request, table=table, row_id=row_id, columns=shape.columns, stands=stands, texts=texts, sent=sent)
    except NotFound as error:
        raise Http404 from error
    except TablesError as error:
        now, was = _standing(table, row_id, shape=shape), _was(request)
        # Where nothing was typed stands what stands in the row now.
        typed = {key: text for key, text in sent.items() if row_id is None or text != was.get(key)}
        texts = _texts(shape.columns, now, decimal=decimal) | typed
        return _page(request, table=table, shape=shape, row_id=row_id, stands=now, texts=texts, error=error)
    return redirect("table_view", table_id=table.pk)


def text_of(column: ColumnSpec, value: Any, *, decimal: Decimal = ".") -> str:
    """A stored value as it stands in the form: with the line ends that a browser sends back."""
    text = normalize_line_ends(get_column_type(column.type).text(value))
    return text.replace(".", decimal) if column.type == "number" and _is_plain(text) else text


def data_of(column: ColumnSpec, text: str, *, decimal: Decimal) -> str:
    """A sent text as data writes it: of a number with a decimal comma, where the reader writes 1.234,5."""
    # Of money the column type says itself whether it can be understood.
    parts = number_parts(text, separator=decimal) if column.type == "number" and decimal == "," else None
    return text if parts is None or strip_number_marks(text)[2] else ".".join(filter(None, parts))


def _is_plain(text: str) -> bool:
    """Whether a number is written with digits alone: 1e+16 is the same in every language."""
    return number_parts(text, separator=".") is not None


def _texts(columns: Sequence[ColumnSpec], values: Json, *, decimal: Decimal) -> dict[str, str]:
    return {column.id: text_of(column, values.get(column.id), decimal=decimal) for column in columns}


def _standing(table: selectors.Table, row_id: int | None, *, shape: TableShape) -> Json:
    """What is in the row now; of a new one the columns' defaults."""
    if row_id is None:
        return {column.id: column.default for column in shape.columns if column.default is not None}
    try:
        return dict(selectors.get_row(table, row_id, shape=shape).data)
    except NotFound as error:
        raise Http404 from error


def _sent(given: str | None, *, text: str) -> str:
    """A cell as it was sent; of a column that came meanwhile, as it stands."""
    return text if given is None else normalize_line_ends(given)


def _add(
    request: HttpRequest, *, table: selectors.Table, shape: TableShape, sent: Mapping[str, str], decimal: Decimal
) -> None:
    """Raises TablesError, having written nothing."""
    # An empty cell is said only where the column would put its default there.
    cells = {
        column.id: data_of(column, sent[column.id], decimal=decimal) or None
        for column in shape.columns
        if sent[column.id] or column.default is not None
    }
    services.add_rows(
        user=request.user, table_id=table.pk, rows=[cells], origin=Origin(source="form"), typecast=True
    )


def _change(
    request: HttpRequest,
    *,
    table: selectors.Table,
    row_id: int,
    columns: Sequence[ColumnSpec],
    stands: Json,
    texts: Mapping[str, str],
    sent: Mapping[str, str],
) -> None:
    """Raises TablesError, having written nothing."""
    was, decimal = _was(request), reader_separator(request)
    changed = [column for column in columns if sent[column.id] != was.get(column.id, texts[column.id])]
    if changed:
        data = {column.id: data_of(column, sent[column.id], decimal=decimal) or None for column in changed}
        # The value itself where the form still says what stands there: line ends are not the same in a text of a form.
        expected = {
            column.id: stands.get(column.id)
            if was.get(column.id) == texts[column.id]
            else data_of(column, was.get(column.id, ""), decimal=decimal) or None
            for column in changed
        }
        rows, origin = [{"id": row_id, "data": data, "expected": expected}], Origin(source="form")
        services.update_rows(user=request.user, table_id=table.pk, rows=rows, origin=origin, typecast=True)


def _was(request: HttpRequest) -> dict[str, str]:
    """The texts that the form was drawn with, by column."""
    try:
        was = strictjson.read(request.POST.get("was", ""))
    except strictjson.NotStrictJson:
        return {}
    return {key: text for key, text in was.items() if isinstance(text, str)} if isinstance(was, dict) else {}


def _page(
    request: HttpRequest,
    *,
    table: selectors.Table,
    shape: TableShape,
    row_id: int | None,
    stands: Json,
    texts: Mapping[str, str],
    error: TablesError | None = None,
) -> HttpResponse:
    faults = _faults(error, shape=shape)
    fields = [_field(column, text=texts[column.id], fault=faults.get(column.id, "")) for column in shape.columns]
    standing = _texts(shape.columns, stands, decimal=reader_separator(request))
    label = next((text for text in standing.values() if text), "")
    context = {
        "table": table,
        "row_id": row_id,
        "label": label.partition("\n")[0][:80] or _("row"),
        "fields": fields,
        "was": strictjson.dump(standing),
        "error": _told(error, at_fields=bool(faults.keys() - {""})) if error else "",
    }
    return render(request, "tables/row_form.html", context, status=STATUS.get(type(error), 400) if error else 200)


def _told(error: TablesError, *, at_fields: bool) -> str:
    if isinstance(error, Conflict) and at_fields:
        return _("Nothing was saved: somebody changed this row meanwhile. Save again to write over that.")
    if at_fields:
        return _("Nothing was saved. What has to be different is said below.")
    return _("Nothing was saved. %(reason)s") % {"reason": message_text(error.message)}


def _faults(error: TablesError | None, *, shape: TableShape) -> dict[str, str]:
    """What is wrong with which column's cell."""
    by_end = {f".{key}": column.id for column in shape.columns for key in (column.name, column.id)}
    found: dict[str, str] = {}
    for fault in error.faults if error else ():
        column_id = next((by_end[end] for end in by_end if fault.path.endswith(end)), "")
        found.setdefault(column_id, message_text(fault.message))
    return found


def _field(column: ColumnSpec, *, text: str, fault: str) -> Field:
    kind = get_column_type(column.type)
    if kind.has_options or kind.clicks == "truth":
        truth = (("true", _("Yes")), ("false", _("No")))
        labels = truth if kind.clicks == "truth" else tuple((option, option) for option in column.options)
        there = {value for value, _label in labels}
        # What was typed or stands there and is no option is not lost.
        more = ((text, text),) if text and text not in there else ()
        choices = (("", "–"), *labels, *more)
        return Field(column, CHOICE, text, tuple((value, label, value == text) for value, label in choices), fault)
    if kind.has_days:
        return Field(column, DAY, text, (), fault)
    return Field(column, LINES if kind.comparison == "folded" else LINE, text, (), fault)
