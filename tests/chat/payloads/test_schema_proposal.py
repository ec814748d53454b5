"""schema_proposal: its schema, modes by page, checks and applying."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.json_schema import faults_of
from chat.payload_types import PayloadType, get_payload_type
from chat.proposals import CheckedProposal, ProposalContext, StructuralFault
from tables.operations import Choice
from tests.chat.pages.page_contexts import build, make_table

COMPANY = {"action": "add", "column": {"name": "Company", "type": "text", "required": True}}
STATUS = {"action": "add", "column": {"name": "Status", "type": "select", "options": ["Open", "Done"]}}
CREATE: dict[str, Any] = {
    "mode": "create",
    "table_name": "Vendors",
    "table_description": "Who we buy from",
    "operations": [COMPANY, STATUS],
    "sample_rows": [{"Company": "Acme", "Status": "Open"}, {"Company": "Globex"}],
}


@pytest.fixture
def kind() -> PayloadType:
    found = get_payload_type("schema_proposal")
    assert found is not None
    return found


def context_of(user: User, table: str = "") -> ProposalContext:
    page = "table_view" if table else "tables_list"
    return ProposalContext(user=user, page=page, object_id=table, payload_id="5f0c7a52-6f0e-4a0d-9d0b-0d7a54b8a002")


def checked(kind: PayloadType, data: Any, context: ProposalContext) -> CheckedProposal:
    assert kind.check is not None
    return kind.check(data, context)


def update(*operations: dict[str, Any]) -> dict[str, Any]:
    return {"mode": "update", "operations": list(operations)}


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(CREATE, id="create"),
        pytest.param(update({**STATUS, "after_column_id": None}), id="add"),
        pytest.param(
            update({"action": "modify", "column_id": "col_x", "changes": {"name": "N", "type": None}}), id="modify"
        ),
        pytest.param(update({"action": "remove", "column_id": "col_x"}), id="remove"),
        pytest.param(update({"action": "reorder", "column_id": "a", "after_column_id": "b"}), id="reorder"),
        pytest.param({"mode": "update", "operations": [], "table_name": "New name"}, id="rename only"),
    ],
)
def test_valid_forms(kind: PayloadType, data: dict[str, Any]) -> None:
    assert faults_of(data, kind.schema) == ()


@pytest.mark.parametrize(
    "data",
    [
        pytest.param({"operations": [COMPANY]}, id="no mode"),
        pytest.param({"mode": "replace", "operations": [COMPANY]}, id="unknown mode"),
        pytest.param(update({"action": "rename", "column_id": "col_x"}), id="unknown action"),
        pytest.param(update({"action": "add", "column": {"name": "A", "type": 5}}), id="type is not text"),
        pytest.param(update({"action": "add", "column": {"type": "text"}}), id="column without a name"),
        pytest.param({**CREATE, "sample_rows": [{}] * 6}, id="six sample rows"),
    ],
)
def test_invalid_forms(kind: PayloadType, data: dict[str, Any]) -> None:
    assert faults_of(data, kind.schema)


@pytest.mark.django_db
def test_unknown_type_is_an_error_that_lists_the_types(kind: PayloadType, user: User) -> None:
    money = {"action": "add", "column": {"name": "A", "type": "money"}}
    with pytest.raises(StructuralFault, match=r"operations\[0\]\.column\.type.*“text”, “number”, “date”"):
        checked(kind, {**CREATE, "operations": [money]}, context_of(user))


@pytest.mark.django_db
def test_new_table_takes_over_the_conversation(kind: PayloadType, user: User) -> None:
    context = context_of(user)
    found = checked(kind, CREATE, context)
    assert found.summary == "New table Vendors, 2 added columns"
    assert kind.apply is not None
    applied = kind.apply(found.resolved, Choice.read({"operations": "all", "include_sample_rows": True}), context)
    assert (applied.status, applied.moved_to_page) == ("applied", "table_view")
    data = build("table_view", user=user, object_id=applied.moved_to).data
    assert [row["data"] for row in data["sample_rows"]] == CREATE["sample_rows"]


@pytest.mark.django_db
def test_columns_and_samples_can_be_deselected(kind: PayloadType, user: User) -> None:
    context = context_of(user)
    found = checked(kind, CREATE, context)
    assert kind.apply is not None
    applied = kind.apply(found.resolved, Choice.read({"operations": [0], "table_name": "Suppliers"}), context)
    table = build("table_view", user=user, object_id=applied.moved_to).data["table"]
    assert (table["name"], [column["name"] for column in table["columns"]], table["rows"]) == (
        "Suppliers",
        ["Company"],
        0,
    )


@pytest.mark.django_db
def test_open_table_is_updated(kind: PayloadType, user: User) -> None:
    table = make_table(user)
    context = context_of(user, table)
    rename = {"action": "modify", "column_id": "Status", "changes": {"name": "Stage"}}
    found = checked(kind, update(rename), context)
    assert found.summary == "1 changed column"
    assert kind.apply is not None
    kind.apply(found.resolved, Choice.read({"operations": "all"}), context)
    columns = build("table_edit", user=user, object_id=table).data["table"]["columns"]
    assert [column["name"] for column in columns] == ["Company", "Stage"]


@pytest.mark.django_db
def test_create_is_refused_with_an_open_table(kind: PayloadType, user: User) -> None:
    with pytest.raises(StructuralFault, match='mode "update"'):
        checked(kind, CREATE, context_of(user, make_table(user)))


@pytest.mark.django_db
def test_update_is_refused_without_an_open_table(kind: PayloadType, user: User) -> None:
    with pytest.raises(StructuralFault, match='mode "create"'):
        checked(kind, update(COMPANY), context_of(user))


@pytest.mark.django_db
def test_table_of_another_user_is_refused(kind: PayloadType, user: User, other_user: User) -> None:
    table = make_table(other_user)
    with pytest.raises(StructuralFault):
        checked(kind, update(COMPANY), context_of(user, table))
