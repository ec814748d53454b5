"""JSON in and out of REST."""
from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize("accept", ["text/html", "text/event-stream", "application/xml", "nonsense", "*/*"])
@pytest.mark.parametrize(("path", "status"), [("/api/me/", 200), ("/api/tables/999999/", 404)])
def test_whatever_a_client_would_rather_have_it_is_given_json(api: Any, accept: str, path: str, status: int) -> None:
    answer = api.client.get(path, headers={"Accept": accept})

    assert (answer.status_code, answer.headers["Content-Type"]) == (status, "application/json")


def test_a_body_that_is_not_json_is_refused_by_its_type(api: Any) -> None:
    answer = api.client.post("/api/tables/", "name=Plants", content_type="application/x-www-form-urlencoded")

    assert (answer.status_code, answer.json()["error"]) == (415, "unsupported_media_type")
