"""EMAIL_URL: the mail server and its settings, and invalid values that are refused."""
from __future__ import annotations

from contextlib import suppress

import pytest
from django.core.exceptions import ImproperlyConfigured
from hypothesis import given
from hypothesis import strategies as st

from chatproject.config.email_url import MailServer, parse_email_url
from chatproject.config.environment import check_mail_hosts

SMTP = "django.core.mail.backends.smtp.EmailBackend"


def test_mail_servers_are_used_with_tls() -> None:
    assert parse_email_url("smtps://ada%40example.org:p%2Fw%3A1@mail.example.org") == MailServer(
        SMTP, host="mail.example.org", port=465, user="ada@example.org", password="p/w:1", tls=True
    )
    assert parse_email_url("smtp://ada:secret@mail.example.org:2525") == MailServer(
        SMTP, host="mail.example.org", port=2525, user="ada", password="secret", starttls=True
    )


@pytest.mark.parametrize("url", ["smtp://localhost:25", "smtp://127.0.0.1:25", "smtp://relay.example.org:25?tls=0"])
def test_tls_is_off_only_locally_or_when_requested(url: str) -> None:
    server = parse_email_url(url)
    assert (server.tls, server.starttls, server.port) == (False, False, 25)


def test_development_mail_is_printed_or_written_to_a_folder() -> None:
    assert parse_email_url("console:").backend.endswith("console.EmailBackend")
    assert parse_email_url("file:///var/mails%20out").folder == "/var/mails out"
    assert parse_email_url("").backend.endswith("dummy.EmailBackend")


def test_the_sender_defaults_to_the_account_of_the_server() -> None:
    assert parse_email_url("smtps://ada%40example.org:x@mail.example.org").sender == "ada@example.org"
    assert parse_email_url("smtps://ada:x@mail.example.org").sender == "table-chat@mail.example.org"
    assert parse_email_url("console:").sender == "table-chat@localhost"


@pytest.mark.parametrize(
    "url",
    ["mail.secret.org", "smtp://?", "smtps://:465", "http://mail.example.org", "smtp://mail.example.org:port",
     "smtp://mail.example.org:99999", "smtps://mail.example.org?tls=0", "smtp://mail.example.org?tls=no",
     "smtp://mail.example.org?ssl=1", "file://folder", "file:folder", "smtp://[::1"],
)  # fmt: skip
def test_invalid_urls_are_refused_without_repeating_them(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="EMAIL_URL") as error:
        parse_email_url(url)
    assert url not in str(error.value)


@given(st.text() | st.from_regex(r"(smtps?|file|console)://?[^/]{0,20}/?.{0,20}", fullmatch=True))
def test_any_text_is_read_or_refused(url: str) -> None:
    with suppress(ImproperlyConfigured):
        assert parse_email_url(url).backend.startswith("django.core.mail.backends.")


def test_sending_mail_requires_explicit_allowed_hosts() -> None:
    check_mail_hosts(["*"], sends_mail=False)
    check_mail_hosts(["tables.example.org"], sends_mail=True)
    with pytest.raises(ImproperlyConfigured, match="ALLOWED_HOSTS"):
        check_mail_hosts(["*"], sends_mail=True)
