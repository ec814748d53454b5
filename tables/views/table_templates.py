"""Templates of new tables: columns and example rows, in the user's language."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop as noop

from shared.user_messages import declare
from tables.exceptions import NotFound
from tables.operations import Origin
from tables.selectors import Table
from tables.services import create_table

NO_SUCH_TEMPLATE = declare("no_such_template", "Template not found.")

Json = dict[str, Any]


@dataclass(frozen=True)
class TemplateColumn:
    """A column of a template; its name and options are translated when a table is created.

    `format` is one of the type's formats, "" for its default.
    """

    name: str
    type: str = "text"
    options: tuple[str, ...] = ()
    required: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class TableTemplate:
    """The contents of a new table.

    Example values are in the order of the columns; a `timedelta` is relative to the day of creation, None an empty
    cell.
    """

    key: str
    icon: str
    name: str
    description: str
    columns: tuple[TemplateColumn, ...]
    rows: tuple[tuple[Any, ...], ...] = ()


EUROS = {"format": "currency", "currency": "EUR"}
TODO, DOING, DONE = noop("To do"), noop("In progress"), noop("Done")
HIGH, MEDIUM, LOW = noop("High"), noop("Medium"), noop("Low")
IDEA, DRAFT, PUBLISHED = noop("Idea"), noop("Draft"), noop("Published")
APPLIED, INTERVIEW, OFFER, REJECTED = noop("Applied"), noop("Interview"), noop("Offer"), noop("Rejected")
LEAD, CUSTOMER, PARTNER = noop("Lead"), noop("Customer"), noop("Partner")
TRAVEL, MEALS, OFFICE, SOFTWARE = noop("Travel"), noop("Meals"), noop("Office"), noop("Software")
BLOG, NEWSLETTER, VIDEO = noop("Blog"), noop("Newsletter"), noop("Video")

BLANK = TableTemplate(
    key="blank", icon="plus", name=noop("Untitled table"), description="",
    columns=(
        TemplateColumn(noop("Name")), TemplateColumn(noop("Status"), "select", (TODO, DOING, DONE)),
        TemplateColumn(noop("Notes")),
    ),
)  # fmt: skip
TEMPLATES = (
    TableTemplate(
        key="tasks", icon="square-check", name=noop("Project tasks"),
        description=noop("Owners, due dates and status"),
        columns=(
            TemplateColumn(noop("Task"), required=True), TemplateColumn(noop("Assigned to")),
            TemplateColumn(noop("Status"), "select", (TODO, DOING, DONE)),
            TemplateColumn(noop("Priority"), "select", (HIGH, MEDIUM, LOW)),
            TemplateColumn(noop("Due date"), "date"), TemplateColumn(noop("Notes")),
        ),
        rows=(
            (noop("Write the project plan"), "Ada", DONE, HIGH, timedelta(days=-3), None),
            (noop("Invite the team"), "Grace", DOING, MEDIUM, timedelta(days=2), None),
            (noop("Prepare the first demo"), "Alan", TODO, HIGH, timedelta(days=10), None),
        ),
    ),
    TableTemplate(
        key="contacts", icon="users", name=noop("Contacts"),
        description=noop("Customers, partners and last contact"),
        columns=(
            TemplateColumn(noop("Name"), required=True), TemplateColumn(noop("Company")),
            TemplateColumn(noop("Email"), settings={"format": "email"}),
            TemplateColumn(noop("Phone"), settings={"format": "phone"}),
            TemplateColumn(noop("Type"), "select", (LEAD, CUSTOMER, PARTNER)),
            TemplateColumn(noop("Last contact"), "date"), TemplateColumn(noop("Notes")),
        ),
        rows=(
            ("Mary Jackson", "Northwind", "mary@example.com", None, CUSTOMER, timedelta(days=-7), None),
            ("Katherine Johnson", "Contoso", "katherine@example.com", None, LEAD, timedelta(days=-1), None),
        ),
    ),
    TableTemplate(
        key="applications", icon="briefcase", name=noop("Job applications"),
        description=noop("Applications and follow-up dates"),
        columns=(
            TemplateColumn(noop("Company"), required=True), TemplateColumn(noop("Role")),
            TemplateColumn(noop("Status"), "select", (APPLIED, INTERVIEW, OFFER, REJECTED)),
            TemplateColumn(noop("Applied on"), "date"), TemplateColumn(noop("Follow up on"), "date"),
            TemplateColumn(noop("Salary"), "number", settings=EUROS), TemplateColumn(noop("Remote"), "boolean"),
            TemplateColumn(noop("Notes")),
        ),
        rows=(
            ("Northwind", noop("Data analyst"), INTERVIEW, timedelta(days=-14), timedelta(days=3), 54000, True, None),
            ("Contoso", noop("Product manager"), APPLIED, timedelta(days=-2), timedelta(days=7), 61000, False, None),
        ),
    ),
    TableTemplate(
        key="expenses", icon="receipt", name=noop("Expenses"),
        description=noop("Spending and reimbursements"),
        columns=(
            TemplateColumn(noop("Item"), required=True), TemplateColumn(noop("Date"), "date"),
            TemplateColumn(noop("Amount"), "number", settings=EUROS),
            TemplateColumn(noop("Category"), "select", (TRAVEL, MEALS, OFFICE, SOFTWARE)),
            TemplateColumn(noop("Paid back"), "boolean"), TemplateColumn(noop("Notes")),
        ),
        rows=(
            (noop("Train to Berlin"), timedelta(days=-9), 84.5, TRAVEL, True, None),
            (noop("Team lunch"), timedelta(days=-4), 126, MEALS, False, None),
            (noop("Desk lamp"), timedelta(days=-1), 39.9, OFFICE, False, None),
        ),
    ),
    TableTemplate(
        key="content", icon="calendar", name=noop("Content calendar"),
        description=noop("Posts from idea to publication"),
        columns=(
            TemplateColumn(noop("Title"), required=True),
            TemplateColumn(noop("Channel"), "select", (BLOG, NEWSLETTER, VIDEO)),
            TemplateColumn(noop("Status"), "select", (IDEA, DRAFT, PUBLISHED)),
            TemplateColumn(noop("Author")), TemplateColumn(noop("Publish on"), "date", settings={"format": "datetime"}),
            TemplateColumn(noop("Link"), settings={"format": "url"}),
        ),
        rows=(
            (noop("How we plan our week"), BLOG, DRAFT, "Ada", timedelta(days=5, hours=9), None),
            (noop("News of the month"), NEWSLETTER, IDEA, "Grace", timedelta(days=12, hours=15, minutes=30), None),
        ),
    ),
    TableTemplate(
        key="inventory", icon="layout-grid", name=noop("Inventory"),
        description=noop("Stock and what to order"),
        columns=(
            TemplateColumn(noop("Item"), required=True), TemplateColumn(noop("SKU")),
            TemplateColumn(noop("Location")), TemplateColumn(noop("In stock"), "number"),
            TemplateColumn(noop("Order below"), "number"),
            TemplateColumn(noop("Unit price"), "number", settings=EUROS), TemplateColumn(noop("Supplier")),
        ),
        rows=(
            (noop("Notebook"), "NB-100", noop("Shelf 1"), 42, 20, 3.5, "Northwind"),
            (noop("Ballpoint pen"), "BP-200", noop("Shelf 1"), 8, 25, 1.2, "Contoso"),
            (noop("Printer paper"), "PP-300", noop("Shelf 2"), 15, 10, 4.9, "Northwind"),
        ),
    ),
)  # fmt: skip
_BY_KEY = {template.key: template for template in (BLANK, *TEMPLATES)}


def create_from_template(
    *, user: Any, key: str, origin: Origin, today: date, name: str = "", with_examples: bool = True
) -> Table:
    """Create a table from the template `key` ("blank" is one), named after it where no `name` is given.

    Raises NotFound for an unknown template, and the errors of `create_table`.
    """
    template = _BY_KEY.get(key)
    if template is None:
        raise NotFound(NO_SUCH_TEMPLATE())
    return create_table(
        user=user,
        name=name.strip() or _(template.name),
        description=_(template.description) if template.description else "",
        columns=[_column(column) for column in template.columns],
        samples=_rows(template, today=today) if with_examples else (),
        origin=origin,
    )


def _column(column: TemplateColumn) -> Json:
    options = {"options": [_(option) for option in column.options]} if column.options else {}
    return {"name": _(column.name), "type": column.type, "required": column.required, **options, **column.settings}


def _rows(template: TableTemplate, *, today: date) -> Sequence[Json]:
    names = [_(column.name) for column in template.columns]
    return [
        {name: _value(value, today=today) for name, value in zip(names, row, strict=True) if value is not None}
        for row in template.rows
    ]


def _value(value: Any, *, today: date) -> Any:
    if isinstance(value, timedelta):
        day, minutes = (today + value).isoformat(), value.seconds // 60
        return f"{day}T{minutes // 60:02}:{minutes % 60:02}" if minutes else day
    return _(value) if isinstance(value, str) else value
