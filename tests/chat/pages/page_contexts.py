"""Helpers of page tests: the context of a page for a user, and a small table."""
from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User

from chat.page_config import ContextBlock, PageContext, pages
from tables.operations import Origin
from tables.services import create_table


def build(page: str, *, user: User, object_id: str = "", **view: Any) -> ContextBlock:
    """Return the result of the page's context builder for this user."""
    config = pages.get(page)
    assert config is not None
    assert config.context_builder is not None
    return config.context_builder(PageContext(user=user, page=page, object_id=object_id, view=view))


def make_table(user: User, *, name: str = "Jobs", rows: int = 3) -> str:
    """Create a table of companies, the first of them with an offer; return its id."""
    columns = [
        {"name": "Company", "type": "text"},
        {"name": "Status", "type": "select", "options": ["Applied", "Offer"]},
    ]
    data = [{"Company": f"Company {n}", "Status": "Offer" if n == 0 else "Applied"} for n in range(rows)]
    return str(create_table(user=user, name=name, columns=columns, rows=data, origin=Origin("api")).pk)
