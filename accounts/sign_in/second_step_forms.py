"""Forms of django-allauth for second steps and passkeys: each code works once, and bad input is refused."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from allauth.mfa.base import forms as codes
from allauth.mfa.base.internal.flows import check_rate_limit
from allauth.mfa.webauthn import forms as passkeys
from allauth.mfa.webauthn.internal.auth import parse_authentication_response
from cryptography.exceptions import InvalidSignature
from django.core.exceptions import ValidationError
from django.forms import Form, HiddenInput, JSONField
from django.utils.translation import gettext as _

from accounts.sign_in.second_step import WRONG_CODE, is_used_code, use_code

# django-allauth's code of the error for a wrong code or passkey.
INCORRECT = "incorrect_code"
# Raised by the readers of passkeys; the last three for deeply nested lists, an unknown kind of key, and no key.
UNREADABLE = (
    ValueError, TypeError, LookupError, AttributeError, InvalidSignature, struct.error, RecursionError,
    NotImplementedError, AssertionError,
)  # fmt: skip


def wrong_code() -> ValidationError:
    """Return the error for a wrong code."""
    return ValidationError(WRONG_CODE, code=INCORRECT)


def refused_passkey() -> ValidationError:
    """Return the error for a passkey that is wrong or cannot be read."""
    return ValidationError(_("This passkey was not accepted."), code=INCORRECT)


class CodeForm(Form):
    """A form with a code of the app or a recovery code. django-allauth accepts a code of the app again later."""

    user: Any
    authenticator: Any

    def clean_code(self) -> str:
        if is_used_code(user=self.user, code=self.cleaned_data["code"]):
            check_rate_limit(self.user)
            raise wrong_code()
        try:
            code: str = super().clean_code()  # type: ignore[misc]  # of the form of django-allauth
        except ValidationError as error:
            raise wrong_code() if error.code == INCORRECT else error from error
        if not use_code(self.authenticator, code=code):
            raise wrong_code()
        return code


class SecondStepCodeForm(CodeForm, codes.AuthenticateForm):
    """After the password."""


class ConfirmCodeForm(CodeForm, codes.ReauthenticateForm):
    """Before a change to the account."""


@contextmanager
def refused() -> Iterator[None]:
    """Refuse a passkey that cannot be read like one that is wrong."""
    try:
        yield
    except UNREADABLE as error:
        raise refused_passkey() from error
    except ValidationError as error:
        # django-allauth has one message for codes and passkeys.
        raise refused_passkey() if error.code == INCORRECT else error from error


class Credential(JSONField):
    """What a browser sends for a passkey. JSON that cannot be read is refused."""

    widget = HiddenInput

    def to_python(self, value: Any) -> Any:
        with refused():
            return super().to_python(value)


class AddPasskeyForm(passkeys.AddWebAuthnForm):
    """django-allauth's, for any input."""

    credential = Credential()

    def clean(self) -> Any:
        with refused():
            return super().clean()


class PasskeyForm(Form):
    """A form with a passkey that signs in."""

    credential = Credential()

    def clean_credential(self) -> Any:
        with refused():
            return super().clean_credential()  # type: ignore[misc]  # of the form of django-allauth


class SecondStepPasskeyForm(PasskeyForm, passkeys.AuthenticateWebAuthnForm):
    """After the password."""


class SignInPasskeyForm(PasskeyForm, passkeys.LoginWebAuthnForm):
    """Without a password: the device must have verified its user.

    django-allauth checks that only for challenges of this form, and accepts those of a second step here as well.
    """

    def clean_credential(self) -> Any:
        with refused():
            answer = parse_authentication_response(self.cleaned_data["credential"]).response
            if not answer.authenticator_data.is_user_verified():
                raise refused_passkey()
        return super().clean_credential()


class ConfirmPasskeyForm(PasskeyForm, passkeys.ReauthenticateWebAuthnForm):
    """Before a change to the account."""
