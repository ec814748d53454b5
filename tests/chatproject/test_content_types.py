"""Requests with invalid content types, sent to a real server."""
from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from tests.chat.stream_client import Browser

FORM = b"--x\r\nContent-Disposition: form-data; name=a\r\n\r\nb\r\n--x--\r\n"
INVALID = {
    "unknown encoding of a parameter": "application/json; x*=unknown''y",
    "codec that is not for text": "multipart/form-data; boundary=x; charset=hex",
    "compression as charset": "application/x-www-form-urlencoded; charset=zlib",
    "codec that cannot decode": "multipart/form-data; boundary=x; charset=idna",
}


@pytest.mark.parametrize("content_type", INVALID.values(), ids=INVALID)
def test_invalid_content_types_are_refused_with_a_body(live_server_url: str, user: User, content_type: str) -> None:
    browser = Browser(live_server_url, user)
    for path in ("/api/tables/", "/api/imports/", "/api/chat/stream/"):
        status, response, _ = browser.request("POST", path, FORM, **{"Content-Type": content_type})
        assert (path, status, response["error"]) == (path, 415, "unsupported_media_type")


@pytest.mark.parametrize("content_type", INVALID.values(), ids=INVALID)
def test_invalid_content_types_are_ignored_without_a_body(live_server_url: str, user: User, content_type: str) -> None:
    browser = Browser(live_server_url, user)
    assert browser.request("GET", "/api/tables/?search=caf%C3%A9", **{"Content-Type": content_type})[0] == 200
    for path, method, expected in (("/tables/?search=b", "GET", 200), ("/sign-in/", "POST", 302)):
        with browser.open(method, path, FORM, **{"Content-Type": content_type}) as response:
            assert (path, response.response.status) == (path, expected)


def test_valid_content_types_with_parameters_are_accepted(live_server_url: str, user: User) -> None:
    browser = Browser(live_server_url, user)
    body = b'--x\r\nContent-Disposition: form-data; name=file; filename="a.csv"\r\n\r\nA,B\n1,2\n\r\n--x--\r\n'
    for content_type in ('multipart/form-data; boundary="x"', "multipart/form-data; charset=UTF-8; boundary=x"):
        assert browser.request("POST", "/api/imports/", body, **{"Content-Type": content_type})[0] == 201
    content_type = {"Content-Type": "application/json; charset=utf-8"}
    assert browser.request("POST", "/api/tables/", b"{}", **content_type)[0] == 400
