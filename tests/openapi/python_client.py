"""An integration as a program would write it, with the package `api` that openapi-python-client generates."""
import importlib
import json
import os
import pkgutil

import api
from api import AuthenticatedClient, models
from api.api.tables import (
    api_data_proposal_post,
    api_row_get,
    api_row_patch,
    api_rows_get,
    api_rows_post,
    api_rows_put,
    api_tables_post,
    api_undo_post,
)

COLUMNS = [
    {"name": "Company", "type": "text"},
    {"name": "Salary", "type": "number"},
    {"name": "Status", "type": "select", "options": ["Open", "Done"]},
]
ROWS = [
    {"Company": "Acme", "Salary": 50_000, "Status": "Open"},
    {"Company": "Bolt", "Salary": 60_000, "Status": "Done"},
]
CLIENT = AuthenticatedClient(base_url=os.environ["SERVER"], token=os.environ["TOKEN"])


def import_all_modules() -> None:
    for module in pkgutil.walk_packages(api.__path__, "api."):
        importlib.import_module(module.name)


def create_table() -> int:
    body = models.NewTableBody(name="Jobs", columns=[models.Definition.from_dict(column) for column in COLUMNS])
    table = api_tables_post.sync(client=CLIENT, body=body)
    assert isinstance(table, models.Table), table
    return table.id


def add_rows(table: int) -> int:
    """Return the id of the first row."""
    body = models.ManyRows.from_dict({"rows": ROWS})
    added = api_rows_post.sync(table, client=CLIENT, body=body, idempotency_key="rows-1")
    assert isinstance(added, models.ManyAddedRows), added
    return added.rows[0].id


def upsert(table: int) -> None:
    rows = [{"Company": "Bolt", "Salary": 61_000}, {"Company": "Crane"}]
    body = models.Upsert.from_dict({"merge_on": ["Company"], "rows": rows})
    upserted = api_rows_put.sync(table, client=CLIENT, body=body)
    assert isinstance(upserted, models.UpsertedRows), upserted
    assert (len(upserted.created), len(upserted.updated)) == (1, 1)


def salaries(table: int, company: str) -> list[object]:
    condition = json.dumps({"column": "Company", "op": "eq", "value": company})
    page = api_rows_get.sync(table, client=CLIENT, filter_=condition, sort="-Salary", limit=10)
    assert isinstance(page, models.Rows), page
    return [row.data["Salary"] for row in page.rows]


def apply_with_plan(table: int, row: int) -> int:
    """Return the id of the change."""
    operation = {"action": "update", "row_id": row, "changes": {"Status": "Done"}}
    proposal = models.DataProposal.from_dict({"operations": [operation]})
    assert isinstance(proposal.operations[0], models.UpdateRow)
    preview = api_data_proposal_post.sync(table, client=CLIENT, body=proposal, dry_run=True)
    assert isinstance(preview, models.Preview), preview
    assert preview.operations[0].state is models.OperationState.OK
    assert preview.operations[0].old.additional_properties == {"Status": "Open"}
    applied = api_data_proposal_post.sync(table, client=CLIENT, body=proposal, plan=preview.plan)
    assert isinstance(applied, models.Applied), applied
    assert applied.change is not None
    return applied.change


def conflict(table: int, row: int) -> None:
    body = models.CellChanges.from_dict({"data": {"Salary": 1}})
    refused = api_row_patch.sync_detailed(table, row, client=CLIENT, body=body, if_match='"1"')
    assert refused.status_code == 412, refused
    assert isinstance(refused.parsed, models.Error)


def undo(table: int, change: int) -> None:
    undone = api_undo_post.sync(table, change, client=CLIENT, body=models.UndoBody())
    assert isinstance(undone, models.Undone), undone


def main() -> None:
    table = create_table()
    acme = add_rows(table)
    upsert(table)
    assert salaries(table, "Bolt") == [61_000]
    change = apply_with_plan(table, acme)
    conflict(table, acme)
    undo(table, change)
    row = api_row_get.sync(table, acme, client=CLIENT)
    assert isinstance(row, models.Row), row
    assert row.data["Status"] == "Open"


import_all_modules()
main()
