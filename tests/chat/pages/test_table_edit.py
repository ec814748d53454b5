"""The context of table_edit: the structure, without rows."""
from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from tables.exceptions import NotFound
from tests.chat.pages.building import build, make_table

pytestmark = pytest.mark.django_db


def test_the_structure_is_shown_and_no_row(user: User) -> None:
    data = build("table_edit", user=user, object_id=make_table(user)).data
    assert [(column["name"], column["type"]) for column in data["table"]["columns"]] == [
        ("Company", "text"),
        ("Status", "select"),
    ]
    assert data["table"]["columns"][1]["options"] == ["Applied", "Offer"]
    assert data["table"]["rows"] == 3
    assert "sample_rows" not in data


def test_anothers_table_is_not_found(user: User, other_user: User) -> None:
    table = make_table(other_user)
    with pytest.raises(NotFound):
        build("table_edit", user=user, object_id=table)
