"""Keys of cells in previews and operations of stored proposals: names of columns, or ids with `keys=id`."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from tests.captured_queries import CapturedQueries
from tests.chat.pages.page_contexts import make_table
from tests.conftest import Api
from tests.stored_proposals import rows_proposal

pytestmark = pytest.mark.django_db
ALL = {"operations": "all"}


@pytest.fixture
def table(user: User) -> str:
    return f"/api/tables/{make_table(user)}/"


def proposed(user: User, table: str, *companies: str) -> str:
    """Return the URL of a proposal that adds rows with a status."""
    operations = ({"action": "add", "data": {"Company": name, "Status": "Offer"}} for name in companies)
    return f"/api/chat/payloads/{rows_proposal(user, *operations, table_id=int(table.split('/')[3])).pk}/"


def ids(api: Api, table: str) -> dict[str, str]:
    return {column["name"]: column["id"] for column in api.get(f"{table}columns/").json()["columns"]}


def test_operations_are_keyed_by_current_names_or_ids(api: Api, user: User, table: str) -> None:
    operations, columns = f"{proposed(user, table, 'Dyno')}operations/", ids(api, table)
    api.patch(f"{table}columns/{columns['Company']}/", {"name": "Firm"})
    api.delete(f"{table}columns/{columns['Status']}/")

    by_name, by_id = (api.get(operations, keys=keys).json()["operations"][0]["data"] for keys in ("name", "id"))

    assert by_name == {"Firm": "Dyno", "Status": "Offer"} == api.get(operations).json()["operations"][0]["data"]
    assert by_id == {columns["Company"]: "Dyno", columns["Status"]: "Offer"}


def test_a_preview_is_keyed_by_name_or_id(api: Api, user: User, table: str) -> None:
    preview, columns = f"{proposed(user, table, 'Dyno')}preview/", ids(api, table)

    by_name, by_id = (api.post(f"{preview}{query}", ALL).json() for query in ("", "?keys=id"))

    assert (by_name["operations"][0]["new"]["Company"], by_name["cells_by_column"]["Company"]) == ("Dyno", 1)
    assert by_id["operations"][0]["new"][columns["Company"]] == "Dyno"


def test_names_need_a_constant_number_of_queries(api: Api, user: User, table: str) -> None:
    few, many = (proposed(user, table, *names) for names in ("A", "ABCDEFGH"))
    api.delete(f"{table}columns/{ids(api, table)['Status']}/")
    counts = []
    for address in (few, few, many):
        with CapturedQueries() as context:
            api.get(f"{address}operations/")
        counts.append(len(context))
    assert counts[1] == counts[2]


@pytest.mark.parametrize("send", [lambda api, path: api.get(f"{path}operations/?keys=Id"),
                                  lambda api, path: api.post(f"{path}preview/?keys=", ALL)], ids=["list", "preview"])
def test_other_keys_are_refused_with_the_valid_ones(api: Api, user: User, table: str, send: Any) -> None:
    answer = send(api, proposed(user, table, "Dyno"))
    (fault,) = answer.json()["errors"]
    assert (answer.status_code, fault["path"], fault["params"]) == (400, "keys", {"names": ["name", "id"]})
