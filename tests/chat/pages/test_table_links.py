"""Links of answers to tables, rows and columns: their URLs, access, and constant queries."""
from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from chat.links import links_of_texts
from tables.models import Table
from tables.operations import Origin
from tables.services import delete_rows, trash_table
from tests.captured_queries import CapturedQueries
from tests.chat.pages.page_contexts import make_table
from tests.chat.stored_conversations import finish_turn, running_turn, turn_request
from tests.conftest import Api

pytestmark = pytest.mark.django_db

API = Origin("api")


@pytest.fixture
def table(user: User) -> Table:
    return Table.objects.get(pk=make_table(user))


def row_of(table: Table) -> int:
    return table.rows.order_by("position").values_list("pk", flat=True)[0]


def column_of(table: Table) -> str:
    return table.columns.values_list("pk", flat=True)[0]


def text_about(table: Table) -> str:
    return f"[Jobs](table:{table.pk}) [Company 0](row:{row_of(table)}) [Company](column:{column_of(table)})"


def test_each_kind_links_to_the_page_of_its_table(user: User, table: Table) -> None:
    row, column, page = row_of(table), column_of(table), f"/tables/{table.pk}/"

    assert links_of_texts([text_about(table)], user=user) == [
        {
            f"table:{table.pk}": {"href": page, "data": {"table_id": table.pk}},
            f"row:{row}": {"href": f"{page}#row-{row}", "data": {"table_id": table.pk, "row_id": row}},
            f"column:{column}": {
                "href": f"{page}#column-{column}",
                "data": {"table_id": table.pk, "column_id": column},
            },
        }
    ]


def test_inaccessible_objects_have_no_link(other_user: User, table: Table) -> None:
    assert links_of_texts([text_about(table)], user=other_user) == [{}]


def test_objects_in_the_trash_have_no_link(user: User, table: Table) -> None:
    trash_table(user=user, table_id=table.pk, origin=API)

    assert links_of_texts([text_about(table)], user=user) == [{}]


@pytest.mark.parametrize("identifier", ["0", "-1", "01", "1" * 19, "9" * 64, "x", "999999999999999999"])
def test_invalid_id_has_no_link(user: User, identifier: str) -> None:
    text = f"[a](table:{identifier}) [b](row:{identifier}) [c](column:{identifier})"

    assert links_of_texts([text], user=user) == [{}]


def test_deleted_row_keeps_its_link_because_it_can_be_restored(user: User, table: Table) -> None:
    row = row_of(table)
    delete_rows(user=user, table_id=table.pk, row_ids=[row], origin=API)

    assert links_of_texts([f"[Company 0](row:{row})"], user=user)[0].keys() == {f"row:{row}"}


def test_messages_have_their_links_with_constant_queries(api: Api, user: User, table: Table) -> None:
    location = {"page": "table_view", "object_id": str(table.pk)}
    turn = finish_turn(running_turn(user, turn_request("Which?", **location)), text=text_about(table))
    address = f"/api/chat/conversations/{turn.conversation_id}/messages/"
    counts = []
    for _ in range(2):
        with CapturedQueries() as queries:
            query_counts, answer = api.get(address, limit=2).json()["messages"]
        counts.append(len(queries))
        assert query_counts["links"] == {}
        assert len(answer["links"]) == 3
        more = turn_request(text_about(table), conversation_id=str(turn.conversation_id), **location)
        finish_turn(running_turn(user, more), text=text_about(table) * 3)

    assert counts[0] == counts[1]
