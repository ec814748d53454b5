"""JSON request bodies and responses of the REST API."""

from __future__ import annotations

import gc
from typing import Any

import pytest
from django.test import RequestFactory
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView


@pytest.mark.parametrize("accept", ["text/html", "text/event-stream", "application/xml", "nonsense", "*/*"])
@pytest.mark.parametrize(("path", "status"), [("/api/me/", 200), ("/api/tables/999999/", 404)])
def test_responses_are_json_whatever_the_client_accepts(api: Any, accept: str, path: str, status: int) -> None:
    response = api.client.get(path, headers={"Accept": accept})

    assert (response.status_code, response.headers["Content-Type"]) == (status, "application/json")


def test_other_content_types_are_refused(api: Any) -> None:
    response = api.client.post("/api/tables/", "name=Plants", content_type="application/x-www-form-urlencoded")

    assert (response.status_code, response.json()["error"]) == (415, "unsupported_media_type")
    assert response.json()["message_code"] == "json_needed"


def test_a_refused_method_names_the_possible_ones(api: Any) -> None:
    body = api.client.delete("/api/tables/").json()
    assert (body["error"], body["params"]) == ("method_not_allowed", {"method": "DELETE", "methods": ["GET", "POST"]})


def test_the_request_with_its_parsed_body_is_freed_with_its_response() -> None:
    class Rows(APIView):
        permission_classes = ()

        def get(self, request: Request) -> Response:
            return Response([])

        def post(self, request: Request) -> Response:
            return Response(request.data)

    def requests() -> list[Request]:
        return [each for each in gc.get_objects() if type(each) is Request]

    sent = RequestFactory().post("/rows/", b'[{"a":1}]', content_type="application/json")
    gc.collect()
    before = requests()
    # Reference cycles are not freed until it is enabled again.
    gc.disable()
    try:
        response = Rows.as_view()(sent).render()
        assert response.content == b'[{"a":1}]'
        del response
        assert len(requests()) == len(before)
    finally:
        gc.enable()


def test_a_body_can_still_be_read_after_the_response_is_rendered() -> None:
    received: list[Request] = []

    class Rows(APIView):
        permission_classes = ()

        def post(self, request: Request) -> Response:
            received.append(request)
            return Response([])

    sent = RequestFactory().post("/rows/", b'[{"a":1}]', content_type="application/json")
    Rows.as_view()(sent).render()
    assert received[0].data == [{"a": 1}]
