"""The form of one row, in which rows can be added, changed and deleted without scripts."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from shared import strictjson
from shared.user_messages.rendering import message_text
from tables import selectors, services
from tables.column_types import ColumnSpec, TableShape, get_column_type, normalize_line_ends
from tables.column_types.display_locale import DisplayLocale
from tables.column_types.option_lists import list_text
from tables.exceptions import Conflict, Invalid, NotFound, TablesError
from tables.operations import Origin
from tables.views.row_form_files import ListedFile, SentFiles, files_of_text, listed_files
from tables.views.shortcuts import get_table_or_404
from tables.views.value_format import page_locale

Json = dict[str, Any]
STATUS: dict[type[TablesError], int] = {Conflict: 409, Invalid: 422}
# Kinds of inputs: a text area, a select, check boxes, a date, a single line, uploads.
LINES, CHOICE, CHECKS, DAY, LINE, FILES = "lines", "choice", "checks", "day", "line", "files"


@dataclass(frozen=True)
class Field:
    """A column's input. `text` is its value; `choices`: value, label, whether it is selected.

    `input_type` is the type of a single line; `lines` the height of a text area; `files` are those of a cell.
    """

    column: ColumnSpec
    kind: str
    text: str
    choices: tuple[tuple[str, str, bool], ...]
    fault: str
    input_type: str = ""
    lines: int = 2
    files: tuple[ListedFile, ...] = ()

    @property
    def name(self) -> str:
        return input_name(self.column)


def input_name(column: ColumnSpec) -> str:
    """Return the name of a column's input."""
    return f"cell-{column.id}"


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def table_row(request: HttpRequest, table_id: int, row_id: int | None = None) -> HttpResponse:
    """The form of a row or of a new one. Saving is one change of the table.

    `was` holds the values that the form was rendered with: only different ones are written, and only if the stored
    value is still the same.
    """
    table = get_table_or_404(request, table_id=table_id, can="edit")
    shape = _form_shape(table, sent=request.POST)
    current = _current_values(table, row_id, shape=shape)
    locale = page_locale()
    texts = _texts(shape.columns, current, locale=locale)
    if request.method != "POST":
        return _page(request, table=table, shape=shape, row_id=row_id, current=current, texts=texts)
    files = _sent_files(request, table=table, shape=shape, current=current)
    sent = {each.id: _submitted(request, column=each, text=texts[each.id], files=files) for each in shape.columns}
    try:
        files.refuse()
        if row_id is None:
            _add(request, table=table, shape=shape, sent=sent, locale=locale)
        elif request.POST.get("do") == "delete":
            origin = Origin(source="form")
            services.delete_rows(user=request.user, table_id=table.pk, row_ids=[row_id], origin=origin)
        else:
            _change(request, table=table, row_id=row_id, columns=shape.columns, current=current, texts=texts, sent=sent)
    except NotFound as error:
        raise Http404 from error
    except TablesError as error:
        latest, was = _current_values(table, row_id, shape=shape), _was(request)
        # Unchanged inputs show the current value.
        typed = {key: text for key, text in sent.items() if row_id is None or text != was.get(key)}
        texts = _texts(shape.columns, latest, locale=locale) | typed
        return _page(request, table=table, shape=shape, row_id=row_id, current=latest, texts=texts, error=error)
    return redirect("table_view", table_id=table.pk)


def _form_shape(table: selectors.Table, *, sent: Mapping[str, str]) -> TableShape:
    """Return the table without columns that the form cannot write, unless a value of one is sent, which is refused."""
    shape = selectors.table_shape(table)
    written = (each for each in shape.columns if not each.is_computed or input_name(each) in sent)
    return replace(shape, columns=tuple(written))


def _sent_files(request: HttpRequest, *, table: selectors.Table, shape: TableShape, current: Json) -> SentFiles:
    """Return the files of the form. A row that is deleted gets no new ones."""
    is_saved = request.POST.get("do") != "delete"
    columns = [each for each in shape.columns if is_saved and get_column_type(each.type).has_files]
    return SentFiles(request, table_id=table.pk, columns=columns, current=current)


def form_text(column: ColumnSpec, value: Any, *, locale: DisplayLocale) -> str:
    """Return a stored value as text for the form, with the line ends that browsers send."""
    return normalize_line_ends(get_column_type(column.type).edit_text(value, column, locale))


def data_text(column: ColumnSpec, text: str, *, locale: DisplayLocale) -> Any:
    """Return a submitted text in data form. Numbers are read as in the grid: 1.200 is 1200 in German, 1.2 in French."""
    if get_column_type(column.type).has_files:
        return files_of_text(text)
    return get_column_type(column.type).typed(text, column, locale)


def _texts(columns: Sequence[ColumnSpec], values: Json, *, locale: DisplayLocale) -> dict[str, str]:
    return {column.id: form_text(column, values.get(column.id), locale=locale) for column in columns}


def _current_values(table: selectors.Table, row_id: int | None, *, shape: TableShape) -> Json:
    """Return the current values of the row; for a new one, the columns' defaults."""
    if row_id is None:
        return {column.id: column.default for column in shape.columns if column.default is not None}
    try:
        return dict(selectors.get_row(table, row_id, shape=shape).data)
    except NotFound as error:
        raise Http404 from error


def _submitted(request: HttpRequest, *, column: ColumnSpec, text: str, files: SentFiles) -> str:
    """Return a submitted cell; the current text for a column added since."""
    if get_column_type(column.type).has_files:
        is_sent = input_name(column) in request.POST and request.POST.get("do") != "delete"
        return get_column_type(column.type).edit_text(files.value(column), column) if is_sent else text
    given = request.POST.getlist(input_name(column))
    if not given:
        return text
    if get_column_type(column.type).has_lists:
        # A hidden field has the same name, because browsers send nothing for check boxes that are not checked.
        return list_text(filter(None, given))
    return normalize_line_ends(given[-1])


def _add(
    request: HttpRequest, *, table: selectors.Table, shape: TableShape, sent: Mapping[str, str], locale: DisplayLocale
) -> None:
    """Add the row. Raises TablesError, with nothing written."""
    # An empty cell is only sent if the column would set its default.
    cells = {
        column.id: data_text(column, sent[column.id], locale=locale) or None
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
    current: Json,
    texts: Mapping[str, str],
    sent: Mapping[str, str],
) -> None:
    """Change the row. Raises TablesError, with nothing written."""
    was, locale = _was(request), page_locale()
    changed = [column for column in columns if sent[column.id] != was.get(column.id, texts[column.id])]
    if changed:
        data = {column.id: data_text(column, sent[column.id], locale=locale) or None for column in changed}
        # The stored value is used if the form still has it, because forms change line ends.
        expected = {
            column.id: current.get(column.id)
            if was.get(column.id) == texts[column.id]
            else data_text(column, was.get(column.id, ""), locale=locale) or None
            for column in changed
        }
        rows, origin = [{"id": row_id, "data": data, "expected": expected}], Origin(source="form")
        services.update_rows(user=request.user, table_id=table.pk, rows=rows, origin=origin, typecast=True)


def _was(request: HttpRequest) -> dict[str, str]:
    """Return the texts that the form was rendered with, by column."""
    try:
        was = strictjson.loads(request.POST.get("was", ""))
    except strictjson.StrictJsonError:
        return {}
    return {key: text for key, text in was.items() if isinstance(text, str)} if isinstance(was, dict) else {}


def _page(
    request: HttpRequest,
    *,
    table: selectors.Table,
    shape: TableShape,
    row_id: int | None,
    current: Json,
    texts: Mapping[str, str],
    error: TablesError | None = None,
) -> HttpResponse:
    faults = _faults(error, shape=shape)
    fields = [
        _field(column, text=texts[column.id], fault=faults.get(column.id, ""), table_id=table.pk)
        for column in shape.columns
    ]
    current_texts = _texts(shape.columns, current, locale=page_locale())
    label = next((current_texts[each.id] for each in shape.columns if _names_row(each) and current_texts[each.id]), "")
    context = {
        "table": table,
        "row_id": row_id,
        "label": label.partition("\n")[0][:80] or _("row"),
        "fields": fields,
        "was": strictjson.dumps(current_texts),
        "has_files": any(field.kind == FILES for field in fields),
        "error": _error_text(error, at_fields=bool(faults.keys() - {""})) if error else "",
    }
    return render(request, "tables/row_form.html", context, status=STATUS.get(type(error), 400) if error else 200)


def _error_text(error: TablesError, *, at_fields: bool) -> str:
    if isinstance(error, Conflict) and at_fields:
        return _("Nothing was saved: this row was changed meanwhile. Save again to overwrite it.")
    if at_fields:
        return _("Nothing was saved. See the errors below.")
    return _("Nothing was saved. %(reason)s") % {"reason": message_text(error.message)}


def _faults(error: TablesError | None, *, shape: TableShape) -> dict[str, str]:
    """Return the error messages by column."""
    by_end = {f".{key}": column.id for column in shape.columns for key in (column.name, column.id)}
    found: dict[str, str] = {}
    for fault in error.faults if error else ():
        column_id = next((by_end[end] for end in by_end if fault.path.endswith(end)), "")
        found.setdefault(column_id, message_text(fault.message))
    return found


def _names_row(column: ColumnSpec) -> bool:
    return not get_column_type(column.type).has_files


def _field(column: ColumnSpec, *, text: str, fault: str, table_id: int) -> Field:
    kind = get_column_type(column.type)
    if kind.has_files:
        return Field(column, FILES, text, (), fault, files=listed_files(text, table_id=table_id))
    if kind.has_lists:
        chosen = set(kind.options_of(text))
        boxes = tuple((option, option, option in chosen) for option in column.options)
        return Field(column, CHECKS, text, boxes, fault)
    choices = kind.form_choices(column)
    if choices or kind.has_options or kind.has_people or kind.clicks == "truth":
        truth = (("true", _("Yes")), ("false", _("No")))
        labels = truth if kind.clicks == "truth" else tuple((each, each) for each in choices)
        known = {value for value, _label in labels}
        # A submitted or stored text that is not an option can still be selected.
        more = ((text, text),) if text and text not in known else ()
        listed = (("", "–"), *labels, *more)
        return Field(column, CHOICE, text, tuple((value, label, value == text) for value, label in listed), fault)
    if kind.has_days and not kind.has_times(column):
        return Field(column, DAY, text, (), fault)
    input_type = kind.input_type(text, column)
    is_area = kind.comparison == "folded" and not input_type
    return Field(column, LINES if is_area else LINE, text, (), fault, input_type, kind.lines(column))
