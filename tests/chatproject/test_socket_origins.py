"""WebSocket handshakes are accepted from pages of this site, from trusted origins, and from programs with a token."""
from __future__ import annotations

import pytest
from django.test import override_settings

from chatproject.server.sockets import is_allowed


def allowed(*headers: tuple[str, str], scheme: str = "ws") -> bool:
    encoded = [(name.lower().encode(), value.encode()) for name, value in headers]
    scope = {"type": "websocket", "scheme": scheme, "path": "/ws/chat/", "query_string": b"", "headers": encoded}
    return is_allowed(scope)


HOST = ("Host", "tables.example.org")
FORWARDED = ("X-Forwarded-Proto", "https")


@pytest.mark.parametrize(
    ("host", "origin", "scheme", "expected"),
    [
        ("tables.example.org", "http://tables.example.org", "ws", True),
        ("tables.example.org", "https://tables.example.org", "wss", True),
        ("tables.example.org:80", "http://tables.example.org", "ws", True),
        ("tables.example.org:443", "https://tables.example.org", "wss", True),
        ("tables.example.org:8000", "http://tables.example.org:8000", "ws", True),
        ("[::1]:8000", "http://[::1]:8000", "ws", True),
        ("TABLES.example.org", "http://tables.example.org", "ws", True),
        ("tables.example.org:8000", "http://tables.example.org:8001", "ws", False),
        ("tables.example.org:8000", "http://tables.example.org", "ws", False),
        ("tables.example.org", "https://tables.example.org", "ws", False),
        ("tables.example.org", "http://tables.example.org", "wss", False),
        ("tables.example.org", "http://other.example.org", "ws", False),
        ("unknown.example", "http://unknown.example", "ws", False),
        ("tables.example.org", "null", "ws", False),
        ("tables.example.org", "tables.example.org", "ws", False),
        ("tables.example.org", "http://tables.example.org:port", "ws", False),
        ("tables.example.org", "chrome-extension://tables.example.org", "ws", False),
    ],
)
@override_settings(ALLOWED_HOSTS=["tables.example.org", "other.example.org", "[::1]"])
def test_the_whole_origin_is_compared(host: str, origin: str, scheme: str, expected: bool) -> None:
    assert allowed(("Host", host), ("Origin", origin), scheme=scheme) is expected


@override_settings(ALLOWED_HOSTS=["tables.example.org"])
def test_two_origins_are_refused() -> None:
    assert not allowed(HOST, ("Origin", "http://tables.example.org"), ("Origin", "http://tables.example.org"))


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ("https://www.example.org", True),
        ("https://www.example.org:8443", False),
        ("http://www.example.org", False),
        ("https://team.example.com:444", True),
        ("https://team.example.com", False),
        ("https://team.example.com.evil.example:444", False),
    ],
)
@override_settings(
    ALLOWED_HOSTS=["tables.example.org"],
    CSRF_TRUSTED_ORIGINS=["https://www.example.org", "https://*.example.com:444"],
)
def test_trusted_origins_are_accepted(origin: str, expected: bool) -> None:
    assert allowed(HOST, ("Origin", origin)) is expected


@override_settings(ALLOWED_HOSTS=["tables.example.org"], SECURE_PROXY_SSL_HEADER=("HTTP_X_FORWARDED_PROTO", "https"))
def test_behind_a_tls_proxy_the_scheme_is_the_one_it_forwards() -> None:
    assert allowed(HOST, FORWARDED, ("Origin", "https://tables.example.org"))
    assert not allowed(HOST, FORWARDED, ("Origin", "http://tables.example.org"))
    assert not allowed(HOST, ("X-Forwarded-Proto", "http"), ("Origin", "https://tables.example.org"))


@override_settings(ALLOWED_HOSTS=["tables.example.org"])
def test_only_the_trusted_proxy_header_names_the_scheme() -> None:
    assert not allowed(HOST, FORWARDED, ("Origin", "https://tables.example.org"))


@pytest.mark.parametrize(
    ("headers", "expected"),
    [((), False), ((("Authorization", "Bearer tc_x"),), True), ((("Authorization", "Basic eDp5"),), False)],
)
@override_settings(ALLOWED_HOSTS=["tables.example.org"])
def test_without_an_origin_only_programs_with_a_token_are_accepted(
    headers: tuple[tuple[str, str], ...], expected: bool
) -> None:
    assert allowed(HOST, *headers) is expected


@override_settings(ALLOWED_HOSTS=["tables.example.org"])
def test_a_token_does_not_excuse_a_foreign_origin() -> None:
    assert not allowed(HOST, ("Origin", "http://elsewhere.example"), ("Authorization", "Bearer tc_x"))
