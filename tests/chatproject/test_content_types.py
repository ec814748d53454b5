"""What a request says its body is may be impossible: a real server answers that like what it does not take."""
from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from tests.chat.stream_client import Browser

FORM = b"--x\r\nContent-Disposition: form-data; name=a\r\n\r\nb\r\n--x--\r\n"
IMPOSSIBLE = {
    "an encoding that is none": "application/json; x*=unknown''y",
    "a codec that is none of texts": "multipart/form-data; boundary=x; charset=hex",
    "of a form": "application/x-www-form-urlencoded; charset=zlib",
    "one that takes no other bytes": "multipart/form-data; boundary=x; charset=idna",
}


@pytest.mark.parametrize("said", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_what_nobody_can_read_is_refused_where_a_body_is_wanted(live_server_url: str, user: User, said: str) -> None:
    browser = Browser(live_server_url, user)
    for path in ("/api/tables/", "/api/imports/", "/api/chat/stream/"):
        status, answer, _ = browser.request("POST", path, FORM, **{"Content-Type": said})
        assert (path, status, answer["error"]) == (path, 415, "unsupported_media_type")


@pytest.mark.parametrize("said", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_it_is_no_matter_where_none_is(live_server_url: str, user: User, said: str) -> None:
    browser = Browser(live_server_url, user)
    assert browser.request("GET", "/api/tables/?search=caf%C3%A9", **{"Content-Type": said})[0] == 200
    for path, method, expected in (("/tables/?search=b", "GET", 200), ("/sign-in/", "POST", 302)):
        with browser.open(method, path, FORM, **{"Content-Type": said}) as answer:
            assert (path, answer.response.status) == (path, expected)


def test_what_can_be_read_is_read(live_server_url: str, user: User) -> None:
    browser = Browser(live_server_url, user)
    body = b'--x\r\nContent-Disposition: form-data; name=file; filename="a.csv"\r\n\r\nA,B\n1,2\n\r\n--x--\r\n'
    for said in ('multipart/form-data; boundary="x"', "multipart/form-data; charset=UTF-8; boundary=x"):
        assert browser.request("POST", "/api/imports/", body, **{"Content-Type": said})[0] == 201
    content_type = {"Content-Type": "application/json; charset=utf-8"}
    assert browser.request("POST", "/api/tables/", b"{}", **content_type)[0] == 400
