"""Create and change fills: what a fill says is read with all faults, and priced."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction

from fills.instruction import read_instruction, references
from fills.models import Fill
from fills.prompt import fixed_part, record_result
from fills.selectors import get_fill
from fills.services.estimates import estimate
from fills.services.offers import default_model, offered_models, web_tools
from fills.services.rows import EMPTY, count_chosen, example_rows, read_row_choice, read_row_ids
from shared import strictjson
from shared.user_messages import declare
from tables.exceptions import Conflict, Invalid
from tables.operations import ColumnSpec, TableShape
from tables.operations.body_reader import Form
from tables.operations.cells import DOUBLED_COLUMN, resolve_column
from tables.operations.value_schemas import accepts_values, sent_value
from tables.selectors import Table, get_table, get_view_settings, rows_by_id, table_shape

Json = dict[str, Any]
MAX_COLUMNS, MAX_EXAMPLES = 8, 5
MAX_BUDGET = 1_000_000_000
APPLY = ("review", "confident")
WEB = "web"
SOURCES = ("row", WEB)
# What can be changed of fills that have run.
CHANGED_LATER = {"budget", "notify"}
COLUMNS_NEEDED = declare("fill_columns_needed", "Name the columns to fill, 1 to {most}.")
NOT_FILLABLE = declare("column_not_fillable", "“{column}” cannot be filled, because its type is {type}.")
NOT_OFFERED = declare("sources_not_offered", "The model {model} cannot search the web here. Use the sources “row”.")
CONFIDENT_FORBIDDEN = declare("confident_forbidden", "This installation applies results only after a review.")
MODEL_NOT_OFFERED = declare("fill_model_not_offered", "This model is not offered for fills.")
NOT_A_BUDGET = declare("not_a_budget", "The budget must be a number of tokens, 1 to {most:,}.")
NO_SUCH_ROW = declare("no_such_example", "There is no row {row} in this table.")
EMPTY_EXAMPLE = declare(
    "empty_fill_example", "Row {row} cannot be an example, because it has no value in the columns to fill."
)
ALREADY_RUN = declare("fill_already_run", "This fill has already run, so only its budget and “notify” can be changed.")
COLUMN_DELETED = declare("fill_column_deleted", "A column of this fill was deleted.")


def create_fill(*, user: Any, table_id: int, body: Mapping[str, Any]) -> Fill:
    """Create a draft with its estimate. Raises Malformed and Invalid with all faults."""
    fill = plan_fill(user=user, table_id=table_id, body=body)
    fill.save(force_insert=True)
    return fill


def plan_fill(*, user: Any, table_id: int, body: Mapping[str, Any]) -> Fill:
    """Return a draft with its estimate, which is not stored. Raises Malformed and Invalid with all faults."""
    table = get_table(user, table_id, can="edit")
    shape, form = table_shape(table), Form()
    given = {"rows": EMPTY, **body}
    fill = Fill(table_id=table.pk, user=user, model=default_model())
    for name in ("columns", "instruction"):
        given.setdefault(name, [] if name == "columns" else "")
    set_fields(fill, given, shape=shape, table=table, form=form)
    form.refuse()
    price(fill, table=table, shape=shape)
    if not given.get("budget"):
        fill.budget = default_budget(fill)
    return fill


def change_fill(*, user: Any, table_id: int, fill_id: UUID, body: Mapping[str, Any]) -> Fill:
    """Change a draft, or what any fill may change: CHANGED_LATER. Tried rows whose results may differ are forgotten.

    Raises Malformed and Invalid with all faults, Conflict if the fill has run.
    """
    with transaction.atomic():
        fill, table = get_fill(user, table_id, fill_id=fill_id, can="own", lock=True)
        if fill.state != Fill.State.DRAFT and set(body) - CHANGED_LATER:
            raise Conflict(ALREADY_RUN(), code="already_run")
        shape, form = table_shape(table), Form()
        was_default, before = fill.budget == default_budget(fill), _decisive(fill)
        set_fields(fill, body, shape=shape, table=table, form=form)
        form.refuse()
        if set(body) - CHANGED_LATER:
            if _decisive(fill) != before:
                fill.results.all().delete()
            price(fill, table=table, shape=shape)
            if was_default and "budget" not in body:
                fill.budget = default_budget(fill)
        fill.save()
    return fill


def price(fill: Fill, *, table: Table, shape: TableShape, rows: int | None = None) -> None:
    """Set the prompt and the estimate of a fill, for this number of rows instead of those that are chosen now.

    Raises Invalid if one of its columns was deleted, and if the web is not offered any more.
    """
    web = web_tools(fill.model) if fill.sources == WEB else None
    if fill.sources == WEB and web is None:
        raise Invalid.at("sources", NOT_OFFERED(model=fill.model), code="not_offered")
    columns = fill_columns(fill, shape=shape)
    sent = sent_columns(fill, shape=shape)
    examples = _examples(fill, table=table, shape=shape, sent=sent)
    fill.prompt = fixed_part(parts=fill.instruction, shape=shape, columns=columns, examples=examples, web=web)
    if rows is None:
        rows = count_chosen(fill, table=table, shape=shape)
    fill.estimate = estimate_rows(fill, count=rows, table=table, shape=shape)


def estimate_rows(fill: Fill, *, count: int, table: Table, shape: TableShape) -> Json:
    """Return what a fill with a prompt needs for this number of rows; see `fills.services.estimates`."""
    web = web_tools(fill.model) if fill.sources == WEB else None
    return estimate(
        prompt=fill.prompt or {"system": [], "tools": []}, table=table, shape=shape,
        columns=sent_columns(fill, shape=shape), rows=count, model=fill.model, searches=web.searches if web else 0,
    )  # fmt: skip


def fill_columns(fill: Fill, *, shape: TableShape) -> list[ColumnSpec]:
    """Return the columns to fill. Raises Invalid if one of them or of those referred to was deleted.

    Also raises it if one was converted to a type that cannot be filled.
    """
    if any(shape.column(each) is None for each in [*fill.columns, *references(fill.instruction)]):
        raise Invalid(COLUMN_DELETED(), code="column_deleted")
    columns = [column for each in fill.columns if (column := shape.column(each)) is not None]
    for column in columns:
        if not accepts_values(column):
            raise Invalid(NOT_FILLABLE(column=column.name, type=column.type), code="not_fillable")
    return columns


def renew_prompt(fill: Fill, *, table: Table) -> None:
    """Make a new prompt for a fill if its columns were converted since it was made. Raises Invalid as `price` does."""
    shape = table_shape(table)
    if has_old_prompt(fill, shape=shape):
        price(fill, table=table, shape=shape, rows=fill.estimate.get("rows", 0))


def has_old_prompt(fill: Fill, *, shape: TableShape) -> bool:
    """Return whether the prompt of a fill asks for other values than its columns accept. Raises Invalid."""
    return fill.prompt is not None and fill.prompt["tools"][0] != record_result(fill_columns(fill, shape=shape))


def sent_columns(fill: Fill, *, shape: TableShape) -> list[ColumnSpec]:
    """Return the columns whose cells are sent for a row: those referred to, else all visible ones but those to fill."""
    referred = references(fill.instruction)
    if referred:
        return [column for column in shape.columns if column.id in referred]
    left_out = {*fill.columns, *fill.hidden_columns}
    return [column for column in shape.columns if column.id not in left_out]


def default_budget(fill: Fill) -> int:
    """Return the tokens that a fill may use unless another number is given: twice the estimate."""
    return max(1, 2 * fill.estimate.get("tokens", 0))


def instruction_hash(fill: Fill) -> str:
    """Return the hash of what decides the results apart from the cells of the row."""
    return strictjson.content_hash([fill.instruction, fill.columns, fill.examples, fill.sources])


def _decisive(fill: Fill) -> tuple[Any, ...]:
    """Return what decides which rows have results, and which ones."""
    return instruction_hash(fill), fill.model, fill.row_choice


def set_fields(fill: Fill, body: Mapping[str, Any], *, shape: TableShape, table: Table, form: Form) -> None:
    """Set the fields of a fill that the body has, and add all faults to the form."""
    if "columns" in body:
        fill.columns = _read_columns(body["columns"], shape=shape, form=form)
    if "instruction" in body:
        fill.instruction = read_instruction(body["instruction"], shape=shape, path="instruction", form=form)
        fill.hidden_columns = list(get_view_settings(fill.user, table, shape=shape).hidden)
    if "rows" in body:
        fill.row_choice = read_row_choice(body["rows"], shape=shape, path="rows", form=form)
    if "sources" in body:
        fill.sources = form.one_of(body["sources"], path="sources", allowed=SOURCES)
    if "examples" in body:
        fill.examples = _read_examples(
            body["examples"], table=table, shape=shape, columns=fill.columns, form=form
        )
    if "apply" in body:
        fill.apply = form.one_of(body["apply"], path="apply", allowed=APPLY)
        if fill.apply == "confident" and not settings.FILL_CONFIDENT:
            form.invalid_codes.add("confident_forbidden")
            form.fault(path="apply", code="confident_forbidden", message=CONFIDENT_FORBIDDEN())
    if body.get("model"):
        fill.model = form.text(body["model"], path="model", max_length=64)
        if fill.model not in offered_models():
            form.invalid_codes.add("not_offered")
            form.fault(path="model", code="not_offered", message=MODEL_NOT_OFFERED())
    if fill.sources == WEB and {"sources", "model"} & set(body) and web_tools(fill.model) is None:
        form.invalid_codes.add("not_offered")
        form.fault(path="sources", code="not_offered", message=NOT_OFFERED(model=fill.model))
    if "notify" in body:
        fill.notify = form.flag(body["notify"], path="notify")
    if body.get("budget") is not None:
        budget = body["budget"]
        if type(budget) is int and 0 < budget <= MAX_BUDGET:
            fill.budget = budget
        else:
            form.fault(path="budget", code="not_a_budget", message=NOT_A_BUDGET(most=MAX_BUDGET), value=budget)


def _read_columns(raw: Any, *, shape: TableShape, form: Form) -> list[str]:
    items = form.items(raw, path="columns")
    if isinstance(raw, list) and not 0 < len(items) <= MAX_COLUMNS:
        code = "too_many" if items else "missing"
        form.fault(path="columns", code=code, message=COLUMNS_NEEDED(most=MAX_COLUMNS))
        return []
    found: list[str] = []
    form.invalid_codes |= {"not_fillable", "doubled_column"}
    for index, each in enumerate(items):
        path = f"columns[{index}]"
        column = resolve_column(each, shape=shape, path=path, form=form)
        if column is None:
            continue
        if not accepts_values(column):
            form.fault(path=path, code="not_fillable", message=NOT_FILLABLE(column=column.name, type=column.type))
        elif column.id in found:
            form.fault(path=path, code="doubled_column", message=DOUBLED_COLUMN(column=column.name))
        found.append(column.id)
    return found


def _read_examples(
    raw: Any, *, table: Table, shape: TableShape, columns: Sequence[str], form: Form
) -> list[int]:
    ids = read_row_ids(raw, path="examples", form=form, most=MAX_EXAMPLES)
    known = rows_by_id(table, ids, shape=shape)
    filled_in = {row.id for row in example_rows(ids, table=table, shape=shape, columns=columns)}
    form.invalid_codes |= {"unknown_row", "empty_example"}
    for index, row_id in enumerate(ids):
        path = f"examples[{index}]"
        if row_id and row_id not in known:
            form.fault(path=path, code="unknown_row", message=NO_SUCH_ROW(row=row_id))
        elif row_id and columns and row_id not in filled_in:
            form.fault(path=path, code="empty_example", message=EMPTY_EXAMPLE(row=row_id))
    return ids


def _examples(fill: Fill, *, table: Table, shape: TableShape, sent: Sequence[ColumnSpec]) -> list[Json]:
    """Return the example rows as the model is shown them, without those that were deleted or emptied since."""
    rows = example_rows(fill.examples, table=table, shape=shape, columns=fill.columns)
    others = [column for column in sent if column.id not in fill.columns]
    filled = fill_columns(fill, shape=shape)
    return [
        {
            "row": {column.name: sent_value(row.data.get(column.id), column=column) for column in others},
            "values": {column.id: sent_value(row.data.get(column.id), column=column) for column in filled},
        }
        for row in rows
    ]
