"""MFA adapter and login stage of django-allauth: encrypted secrets, and codes that work once."""
from __future__ import annotations

import base64
from contextlib import suppress
from typing import Any

from allauth.core import context
from allauth.core.internal.cryptokit import compare_user_code
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.mfa.stages import AuthenticateStage
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from accounts.clients import browser_name
from accounts.sessions.user_sessions import record_session

# Must not change, because stored secrets are encrypted with it.
SALT = "accounts.second_step"
# Keys of encrypted values in the data of an app or of recovery codes.
SECRET_FIELDS = {"secret", "seed"}
# Key of an app's data: the half minute of the latest code that was used.
LAST_COUNTER = "last_counter"
# At the setup of an app, which has no used codes and no recovery codes yet.
WRONG_FIRST_CODE = _lazy("Incorrect code.")
WRONG_CODE = _lazy("This code is incorrect or already used. Enter your app's next code or another recovery code.")


class SecondStepAdapter(DefaultMFAAdapter):
    """Adapt django-allauth's mfa app: encrypted secrets and an inline image of the key."""

    error_messages = {**DefaultMFAAdapter.error_messages, "incorrect_code": WRONG_FIRST_CODE}

    def encrypt(self, text: str) -> str:
        return _ciphers().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Return the secret, or after the loss of SECRET_KEY a replacement for which no known code is right."""
        try:
            return _ciphers().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            return base64.b32encode(_keyed_hash(encrypted_text, key=settings.SECRET_KEY)).decode()

    def generate_authenticator_name(self, user: Any, type: Any) -> str:  # noqa: A002  django-allauth's name
        """Return a first name for a passkey, which its user may change: "Firefox, Windows"."""
        return browser_name(context.request.headers.get("User-Agent", "")) or _("Passkey")

    def get_totp_issuer(self) -> str:
        name: str = settings.SITE_NAME
        return name

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        """Return the host, for which passkeys are valid, and the name that the browser shows for it."""
        return {**super().get_public_key_credential_rp_entity(), "name": settings.SITE_NAME}

    def build_totp_svg(self, url: str) -> str:
        svg: str = super().build_totp_svg(url)
        return svg[svg.index("<svg") :]


def is_used_code(*, user: Any, code: str) -> bool:
    """Return whether the user has signed in with this code of the app, or with a later one."""
    app = Authenticator.objects.filter(user_id=user.pk, type=Authenticator.Type.TOTP).first()
    counter = _counter_of(app, code=code) if app is not None else None
    return counter is not None and counter <= app.data.get(LAST_COUNTER, 0)


def use_code(authenticator: Authenticator, *, code: str) -> bool:
    """Mark a valid code as used; return False if another request has used it first.

    The counter of the code is stored in the database, because processes share it.
    """
    counter = _counter_of(authenticator, code=code) if authenticator.type == Authenticator.Type.TOTP else None
    if counter is None:
        # A recovery code, which django-allauth has already marked as used.
        return True
    with transaction.atomic():
        app = Authenticator.objects.select_for_update().get(pk=authenticator.pk)
        if counter <= app.data.get(LAST_COUNTER, 0):
            return False
        app.data[LAST_COUNTER] = counter
        app.save(update_fields=["data"])
    return True


def _counter_of(app: Authenticator, *, code: str) -> int | None:
    """Return the half minute since 1970 to which a code belongs; None for a code that is not valid now."""
    secret = SecondStepAdapter().decrypt(app.data["secret"])
    for counter in yield_hotp_counters_from_time():
        if compare_user_code(actual=code, expected=format_hotp_value(hotp_value(secret, counter))):
            return counter
    return None


def delete_second_steps(*, user: Any) -> None:
    """Delete the user's app, passkeys and recovery codes."""
    Authenticator.objects.filter(user_id=user.pk).delete()


def has_second_step(user: Any) -> bool:
    """Return whether sign-in asks for more than the password."""
    return Authenticator.objects.filter(user_id=user.pk).exists()


def second_steps_of(user: Any) -> list[dict[str, str]]:
    """Return the user's app, passkeys and recovery codes, without secrets."""
    found = Authenticator.objects.filter(user_id=user.pk).order_by("pk")
    return [{"kind": each.type, "name": str(each), "since": each.created_at.isoformat()} for each in found]


def reencrypt_secrets() -> int:
    """Encrypt with SECRET_KEY what is encrypted with an earlier key: apps and recovery codes; return their number."""
    if not settings.SECRET_KEY_FALLBACKS:
        return 0
    stored = Authenticator.objects.exclude(type=Authenticator.Type.WEBAUTHN).values_list("pk", "data")
    outdated = [pk for pk, data in stored if _reencrypted(data)]
    for pk in outdated:
        with transaction.atomic():
            for authenticator in Authenticator.objects.select_for_update().filter(pk=pk):
                authenticator.data |= _reencrypted(authenticator.data)
                authenticator.save(update_fields=["data"])
    return len(outdated)


def _reencrypted(data: dict[str, Any]) -> dict[str, str]:
    """Return the secrets that are not encrypted with the current key, encrypted with it."""
    changed, current = {}, _cipher(settings.SECRET_KEY)
    for name in SECRET_FIELDS & data.keys():
        encrypted = str(data[name]).encode()
        with suppress(InvalidToken):
            text = _ciphers().decrypt(encrypted)
            try:
                current.decrypt(encrypted)
            except InvalidToken:
                changed[name] = current.encrypt(text).decode()
    return changed


def _ciphers() -> MultiFernet:
    """Return a cipher that encrypts with SECRET_KEY, and decrypts with earlier keys too."""
    return MultiFernet([_cipher(key) for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)])


def _cipher(key: str) -> Fernet:
    return Fernet(base64.urlsafe_b64encode(_keyed_hash("secrets", key=key)))


def _keyed_hash(text: str, *, key: str) -> bytes:
    return salted_hmac(SALT, text, secret=key, algorithm="sha256").digest()


# Key of the state of a login: a hash of the password, which the login requires to be unchanged.
PASSWORD_HASH = "password"


class SecondStep(AuthenticateStage):
    """Login stage for the second step. A pending login ends with the user's sessions and when the password changes."""

    def handle(self) -> Any:
        response, proceeds = super().handle()
        if response is not None:
            self.state[PASSWORD_HASH] = self._password_hash()
            # A new key, because another client may know the key of the session before sign-in.
            self.request.session.cycle_key()
            record_session(self.request, user=self.login.user, unfinished=True)
        return response, proceeds

    def is_resumable(self, request: HttpRequest) -> bool:
        """Return whether the second step is still required. It may have been removed, or the user deleted."""
        return bool(self._should_handle(request))

    def exit(self) -> Any:
        """Sign in, unless the user has been deactivated or has changed the password."""
        is_active = self.login.user.is_active
        if not is_active or not constant_time_compare(self.state.get(PASSWORD_HASH, ""), self._password_hash()):
            return self.abort()
        return super().exit()

    def _password_hash(self) -> str:
        user: Any = self.login.user
        return str(user.get_session_auth_hash())
