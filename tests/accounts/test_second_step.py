"""Two-factor authentication without a browser: authenticator app, recovery codes and passkeys."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import struct
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from django.contrib.auth import get_user
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core import mail
from django.core.cache import cache
from django.test import Client, RequestFactory
from django.utils import timezone
from fido2 import cbor, cose

from accounts.rate_limits import MAX_PASSKEY_STARTS, count_passkey
from accounts.sign_in.login_links import login_link
from accounts.sign_in.second_step import SecondStepAdapter, reencrypt_secrets
from tests.background_worker import work

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse battery"
INDEX, APP, CODE = "/profile/second-step/", "/profile/second-step/app/", "/sign-in/code/"
RECOVERY = f"{INDEX}recovery/"
KEY = re.compile(r'<span class="mono">([A-Z2-7=]+)</span>')


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada", password=PASSWORD)


@pytest.fixture
def page(ada: User) -> Client:
    """A client that is signed in and has just confirmed the password."""
    client = Client()
    client.force_login(ada)
    assert client.post(f"/sign-in/again/?next={INDEX}", {"password": PASSWORD}).headers["Location"] == INDEX
    return client


def code_of(key: str, *, step: int = 0) -> str:
    """Return the code that the app shows, `step` half minutes from now."""
    counters = list(yield_hotp_counters_from_time())
    return format_hotp_value(hotp_value(key, counters[len(counters) // 2] + step))


def set_up(page: Client) -> str:
    """Set up the app and return its key."""
    key = KEY.findall(page.get(APP).content.decode())[0]
    assert page.post(APP, {"code": code_of(key)}).headers["Location"] == RECOVERY
    return key


def secret_of(user: User) -> str:
    """Return the stored key of the app."""
    return str(Authenticator.objects.get(user=user, type="totp").data["secret"])


def recovery_codes(page: Client) -> list[str]:
    return page.get(f"{RECOVERY}download/").content.decode().split()


def enter(client: Client, **fields: str) -> Any:
    return client.post("/sign-in/", {"login": "ada", "password": PASSWORD, "next": "/profile/", **fields})


def is_signed_in(client: Client) -> bool:
    return get_user(client).is_authenticated  # type: ignore[arg-type]  # the test client has what get_user asks for


def test_sign_in_asks_for_the_code_of_the_app(page: Client) -> None:
    key = set_up(page)
    client = Client()
    assert enter(client).headers["Location"] == CODE
    assert (is_signed_in(client), client.get("/api/me/").status_code) == (False, 401)
    refused = client.post(CODE, {"code": "000000"})
    assert (refused.status_code, "This code is incorrect or already used." in refused.content.decode()) == (422, True)
    answer = client.post(CODE, {"code": code_of(key, step=1)})
    assert (answer.status_code, answer.headers["Location"], is_signed_in(client)) == (302, "/profile/", True)


def test_code_works_once(page: Client) -> None:
    key = set_up(page)
    code, statuses = code_of(key, step=1), []
    for _ in range(2):
        # As after half a minute, or in another process: the code is still valid.
        cache.clear()
        client = Client()
        enter(client)
        statuses.append(client.post(CODE, {"code": code}).status_code)
    assert statuses == [302, 422]


def test_code_that_set_up_the_app_does_not_sign_in(page: Client) -> None:
    key = KEY.findall(page.get(APP).content.decode())[0]
    code = code_of(key)
    page.post(APP, {"code": code})
    cache.clear()
    client = Client()
    enter(client)
    assert (client.post(CODE, {"code": code}).status_code, is_signed_in(client)) == (422, False)
    assert client.post(CODE, {"code": code_of(key, step=1)}).status_code == 302


def test_wrong_code_at_set_up_sets_up_nothing(page: Client) -> None:
    page.get(APP)
    refused = page.post(APP, {"code": "000000"})
    assert (refused.status_code, "Incorrect code." in refused.content.decode()) == (422, True)
    assert not Authenticator.objects.exists()


def test_recovery_code_replaces_the_app_once(page: Client) -> None:
    set_up(page)
    code, *rest = recovery_codes(page)
    statuses = []
    for _ in range(2):
        client = Client()
        enter(client)
        statuses.append(client.post(CODE, {"code": code}).status_code)
    assert (statuses, recovery_codes(page)) == ([302, 422], rest)


def test_attempts_of_codes_are_limited(page: Client) -> None:
    key = set_up(page)
    client = Client()
    enter(client)
    answers = [client.post(CODE, {"code": "000000"}) for _ in range(5)]
    answers.append(client.post(CODE, {"code": code_of(key, step=1)}))
    assert [answer.status_code for answer in answers] == [422] * 5 + [429]
    assert ("five minutes" in answers[5].content.decode(), answers[5].headers["Retry-After"]) == (True, "300")
    assert not is_signed_in(client)


def test_second_step_requires_the_password(page: Client) -> None:
    key = set_up(page)
    client = Client()
    assert client.get(CODE).headers["Location"] == "/sign-in/"
    assert client.post(CODE, {"code": code_of(key, step=1)}).headers["Location"] == "/sign-in/"
    enter(client, password="wrong")
    assert client.get(CODE).headers["Location"] == "/sign-in/"


def test_pending_sign_in_has_a_new_session(page: Client) -> None:
    key, client = set_up(page), Client()
    client.session.save()
    session_key = client.cookies["sessionid"].value
    enter(client)
    attacker = Client(headers={"Cookie": f"sessionid={session_key}"})
    assert attacker.post(CODE, {"code": code_of(key, step=1)}).headers["Location"] == "/sign-in/"
    assert client.post(CODE, {"code": code_of(key, step=1)}).headers["Location"] == "/profile/"


@pytest.mark.parametrize("how", ["another password", "signing out everywhere", "a password in the shell"])
def test_pending_sign_in_ends_with_all_sessions(page: Client, ada: User, how: str) -> None:
    key, waiting = set_up(page), Client()
    enter(waiting)
    listed = "In 2 browsers" in page.get("/profile/").content.decode()
    if how == "another password":
        new = {"password1": "another fine one", "password2": "another fine one"}
        assert page.post("/profile/password/", {"oldpassword": PASSWORD, **new}).status_code == 302
    elif how == "signing out everywhere":
        page.post("/profile/sessions/", {"session": "all"})
    else:
        ada.set_password("another fine one")
        ada.save()
    answer = waiting.post(CODE, {"code": code_of(key, step=1)})
    assert (answer.headers["Location"], is_signed_in(waiting), listed) == ("/sign-in/", False, False)


def test_pending_sign_in_starts_again_when_the_second_step_is_removed(page: Client, ada: User) -> None:
    set_up(page)
    waiting = Client()
    enter(waiting)
    assert waiting.get("/sign-in/").headers["Location"] == CODE
    Authenticator.objects.all().delete()
    assert waiting.get(CODE).headers["Location"] == "/sign-in/"
    assert waiting.get("/sign-in/").status_code == 200
    assert enter(waiting).headers["Location"] == "/profile/"


@pytest.mark.parametrize("how", ["deleted", "deactivated"])
def test_pending_sign_in_ends_with_the_account(page: Client, ada: User, how: str) -> None:
    key, waiting = set_up(page), Client()
    enter(waiting)
    if how == "deleted":
        ada.delete()
        assert waiting.get(CODE).headers["Location"] == "/sign-in/"
    else:
        User.objects.update(is_active=False)
    answer = waiting.post(CODE, {"code": code_of(key, step=1)})
    assert (answer.headers["Location"], is_signed_in(waiting)) == ("/sign-in/", False)
    assert waiting.get("/sign-in/").status_code == 200


def test_passkey_challenges_are_limited_and_their_sessions_expire_soon() -> None:
    assert Client().get("/sign-in/passkey/").status_code == 200
    # All in one minute that does not end during this test.
    now = timezone.now()
    for _ in range(MAX_PASSKEY_STARTS):
        count_passkey(RequestFactory().get("/sign-in/passkey/"), now=now + timedelta(hours=1))
    refused = Client().get("/sign-in/passkey/")
    assert (refused.status_code, 0 < int(refused.headers["Retry-After"]) <= 60) == (429, True)
    (session,) = Session.objects.all()
    assert session.expire_date < now + timedelta(hours=1)


def test_session_after_an_unused_passkey_challenge_has_its_full_lifetime(ada: User) -> None:
    client = Client()
    client.get("/sign-in/passkey/")
    client.get(login_link(ada, origin=""))
    assert Session.objects.get(pk=client.session.session_key).expire_date > timezone.now() + timedelta(days=1)


def test_changes_of_second_steps_require_the_password(ada: User) -> None:
    client = Client()
    client.force_login(ada)
    for path in (APP, f"{RECOVERY}new/", f"{INDEX}passkeys/add/"):
        assert client.get(path).headers["Location"].startswith("/sign-in/again/"), path


def test_sign_in_needs_only_the_password_after_the_app_is_removed(page: Client) -> None:
    set_up(page)
    assert "Remove app" in page.get(INDEX).content.decode()
    assert page.post(f"{APP}remove/").headers["Location"] == INDEX
    client = Client()
    assert enter(client).headers["Location"] == "/profile/"
    assert page.get(RECOVERY).status_code == 404


def test_app_and_passkeys_have_the_name_of_the_site(page: Client, ada: User, settings: Any) -> None:
    settings.SITE_NAME = "Acme"
    assert "issuer=Acme" in SecondStepAdapter().build_totp_url(ada, "secret")
    asked = page.get(f"{INDEX}passkeys/add/").context["js_data"]["creation_options"]["publicKey"]
    assert asked["rp"] == {"id": "testserver", "name": "Acme"}


def test_secrets_are_stored_encrypted(page: Client, ada: User, settings: Any) -> None:
    key, stored = set_up(page), str(list(Authenticator.objects.values_list("data", flat=True)))
    codes = recovery_codes(page)
    assert [secret for secret in (key, *codes) if secret in stored] == []
    archive = b"".join(page.post("/profile/data/").streaming_content)  # type: ignore[attr-defined]  # a stream's alone
    assert archive.startswith(b"PK")
    # With another key every code is wrong, and the stored text does not reveal a valid one.
    settings.SECRET_KEY = "another key of this installation"
    secret = base64.b32encode(hashlib.sha256(secret_of(ada).encode()).digest()).decode()
    assert SecondStepAdapter().decrypt(secret_of(ada)) not in (key, secret)
    client = Client()
    enter(client)
    assert client.post(CODE, {"code": code_of(key, step=1)}).status_code == 422


def test_second_steps_remain_valid_when_the_secret_key_changes(page: Client, ada: User, settings: Any) -> None:
    key, before = set_up(page), settings.SECRET_KEY
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "the next key", [before]
    assert SecondStepAdapter().decrypt(secret_of(ada)) == key
    # An app and recovery codes.
    assert [reencrypt_secrets(), reencrypt_secrets()] == [2, 0]
    settings.SECRET_KEY_FALLBACKS = []
    assert SecondStepAdapter().decrypt(secret_of(ada)) == key


@pytest.mark.django_db(transaction=True)
def test_administrators_remove_lost_second_steps(page: Client, ada: User, admin_client: Client, settings: Any) -> None:
    set_up(page)
    settings.SENDS_MAIL = True
    User.objects.filter(pk=ada.pk).update(email="ada@example.org")
    EmailAddress.objects.create(user=ada, email="ada@example.org", verified=True, primary=True)
    admin_client.post("/admin/auth/user/", {"action": "remove_second_steps", "_selected_action": [str(ada.pk)]})
    assert not Authenticator.objects.exists()
    work()
    (message,) = mail.outbox
    assert (message.to, message.subject) == (["ada@example.org"], "Two-factor authentication was turned off")


def test_deleting_the_account_deletes_second_steps(page: Client) -> None:
    set_up(page)
    page.post("/profile/delete/", {"name": "ada", "password": PASSWORD})
    assert not Authenticator.objects.exists()


CLIENT_DATA = base64.urlsafe_b64encode(b'{"type":"webauthn.create","challenge":"eA","origin":"a"}').decode()
BROKEN = ("", "x", "null", "[]", "{}", "1", '{"id": 1}', '{"id": "x", "rawId": "x", "response": {}, "type": "x"}',
          json.dumps({"id": "eA", "rawId": "eA", "type": "public-key", "response": {
              "clientDataJSON": "eA", "attestationObject": "eA", "authenticatorData": "eA", "signature": "eA",
              "userHandle": "_w"}}),
          "[" * 100_000, f'{{"id": {"1" * 5_000}}}',
          # Cut inside a number, and 5,000 nested lists.
          *(json.dumps({"id": "eA", "rawId": "eA", "type": "public-key", "response": {
              "clientDataJSON": CLIENT_DATA, "attestationObject": content}})
            for content in ("GQE", "gYGB" * 1_700)))  # fmt: skip


@pytest.mark.parametrize("credential", BROKEN, ids=lambda text: text[:20])
def test_invalid_passkey_is_refused(page: Client, credential: str) -> None:
    set_up(page)
    waiting = Client()
    enter(waiting)
    add = f"{INDEX}passkeys/add/"
    page.get(add)
    stranger = Client()
    assert stranger.get("/sign-in/passkey/").json()["request_options"]["publicKey"]["challenge"]
    sent = {"credential": credential, "passwordless": "on"}
    assert page.post(add, sent).status_code == 422
    waiting.get(CODE)
    assert waiting.post(CODE, sent).status_code == 422
    assert stranger.post("/sign-in/passkey/", sent).headers["Location"] == "/sign-in/"
    assert [is_signed_in(client) for client in (stranger, waiting)] == [False, False]
    assert Authenticator.objects.filter(type="webauthn").count() == 0


def base64url(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def answer_of_passkey(
    page: Client, *, kind: str, flags: int, key: bytes = b"",
    signer: ec.EllipticCurvePrivateKey | None = None, **more: str,
) -> str:  # fmt: skip
    """Return a browser's response to the challenge of this session; `key` is the public key to register, if any."""
    challenge = page.session["mfa.webauthn.state"]["challenge"]
    client = json.dumps({"type": f"webauthn.{kind}", "challenge": challenge, "origin": "https://testserver"}).encode()
    data = hashlib.sha256(b"testserver").digest() + bytes([flags]) + bytes(4) + key
    attestation = cbor.encode({"fmt": "none", "attStmt": {}, "authData": data})
    signed = data + hashlib.sha256(client).digest()
    signature = signer.sign(signed, ec.ECDSA(hashes.SHA256())) if signer else b"x"
    parts = {
        "clientDataJSON": client, "attestationObject": attestation, "authenticatorData": data, "signature": signature,
        **{name: text.encode() for name, text in more.items()},
    }  # fmt: skip
    response = {name: base64url(content) for name, content in parts.items()}
    return json.dumps({"id": "aWQ", "rawId": "aWQ", "type": "public-key", "response": response})


PRESENT, VERIFIED, HAS_KEY = 1, 4, 64


def add_passkey(page: Client, key: Any) -> None:
    add = f"{INDEX}passkeys/add/"
    page.get(add)
    registered = bytes(16) + struct.pack(">H", 2) + b"id" + cbor.encode(key)
    credential = answer_of_passkey(page, kind="create", flags=PRESENT | VERIFIED | HAS_KEY, key=registered)
    assert page.post(add, {"credential": credential}).status_code == 302


@pytest.mark.parametrize(("flags", "name"), [(PRESENT | VERIFIED, "ada"), (PRESENT, "")])
def test_passkey_without_password_requires_user_verification(page: Client, ada: User, flags: int, name: str) -> None:
    """Includes the challenge of a second step, which attackers get with a password of their own."""
    signer = ec.generate_private_key(ec.SECP256R1())
    add_passkey(page, cose.ES256.from_cryptography_key(signer.public_key()))
    eve = User.objects.create_user("eve", password=PASSWORD)
    Authenticator.objects.create(user=eve, type="totp", data={"secret": "x"})
    client = Client()
    enter(client, login="eve")
    client.get(CODE)
    client.get("/sign-up/")
    answer = answer_of_passkey(client, kind="get", flags=flags, signer=signer, userHandle=user_pk_to_url_str(ada))
    client.post("/sign-in/passkey/", {"credential": answer})
    assert get_user(client).get_username() == name  # type: ignore[arg-type]  # the test client has what get_user asks for


def test_passkey_without_a_public_key_is_refused(page: Client) -> None:
    add = f"{INDEX}passkeys/add/"
    page.get(add)
    credential = answer_of_passkey(page, kind="create", flags=PRESENT | VERIFIED)
    assert page.post(add, {"credential": credential, "passwordless": "on"}).status_code == 422


def test_passkey_with_an_unknown_kind_of_key_is_refused(page: Client) -> None:
    add_passkey(page, {1: 2, 3: -99_999})
    waiting = Client()
    enter(waiting)
    waiting.get(CODE)
    credential = answer_of_passkey(waiting, kind="get", flags=PRESENT | VERIFIED)
    assert (waiting.post(CODE, {"credential": credential}).status_code, is_signed_in(waiting)) == (422, False)
