"""The product's own rules inside django-allauth's second steps: secrets are encrypted where they are stored."""

from __future__ import annotations

import base64
from typing import Any

from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _lazy

SALT = "accounts.second_step"
NOT_RIGHT = _lazy("This code or passkey is not right.")


class SecondStepAdapter(DefaultMFAAdapter):
    """django-allauth's, with encrypted secrets and an image of the key that needs no address of its own."""

    error_messages = {**DefaultMFAAdapter.error_messages, "incorrect_code": NOT_RIGHT}

    def encrypt(self, text: str) -> str:
        return _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Return the secret; after a change of SECRET_KEY another one, with which no code is right."""
        try:
            return _cipher().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            return base64.b32encode(_keyed_hash(encrypted_text)).decode()

    def build_totp_svg(self, url: str) -> str:
        svg: str = super().build_totp_svg(url)
        return svg[svg.index("<svg") :]


def forget_second_steps(*, user: Any) -> None:
    """Delete the user's app, passkeys and recovery codes."""
    Authenticator.objects.filter(user_id=user.pk).delete()


def has_second_step(user: Any) -> bool:
    """Return whether sign-in asks for more than the password."""
    return Authenticator.objects.filter(user_id=user.pk).exists()


def second_steps_of(user: Any) -> list[dict[str, str]]:
    """Return what the user has set up, without secrets."""
    found = Authenticator.objects.filter(user_id=user.pk).order_by("pk")
    return [{"kind": each.type, "name": str(each), "since": each.created_at.isoformat()} for each in found]


def _cipher() -> Fernet:
    return Fernet(base64.urlsafe_b64encode(_keyed_hash("secrets")))


def _keyed_hash(text: str) -> bytes:
    return salted_hmac(SALT, text, secret=settings.SECRET_KEY, algorithm="sha256").digest()
