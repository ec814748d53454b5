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
INCORRECT_CODE = "incorrect_code"
# Raised by the readers of passkeys; the last three for deeply nested lists, an unknown kind of key, and no key.
PASSKEY_ERRORS = (
    ValueError, TypeError, LookupError, AttributeError, InvalidSignature, struct.error, RecursionError,
    NotImplementedError, AssertionError,
)  # fmt: skip


def wrong_code_error() -> ValidationError:
    """Return the error for a wrong code."""
    return ValidationError(WRONG_CODE, code=INCORRECT_CODE)


def passkey_error() -> ValidationError:
    """Return the error for a passkey that is wrong or cannot be read."""
    return ValidationError(_("This passkey was not accepted."), code=INCORRECT_CODE)


class CodeForm(Form):
    """A form with a code of the app or a recovery code. django-allauth accepts a code of the app again later."""

    user: Any
    authenticator: Any

    def clean_code(self) -> str:
        if is_used_code(user=self.user, code=self.cleaned_data["code"]):
            check_rate_limit(self.user)
            raise wrong_code_error()
        try:
            code: str = super().clean_code()  # type: ignore[misc]  # of the form of django-allauth
        except ValidationError as error:
            raise wrong_code_error() if error.code == INCORRECT_CODE else error from error
        if not use_code(self.authenticator, code=code):
            raise wrong_code_error()
        return code


class SecondStepCodeForm(CodeForm, codes.AuthenticateForm):
    """Form for the code after the password."""


class ConfirmCodeForm(CodeForm, codes.ReauthenticateForm):
    """Form for a code before a change to the account."""


@contextmanager
def refuse_unreadable_passkey() -> Iterator[None]:
    """Report a passkey that cannot be read like a wrong one."""
    try:
        yield
    except PASSKEY_ERRORS as error:
        raise passkey_error() from error
    except ValidationError as error:
        # django-allauth has one message for codes and passkeys.
        raise passkey_error() if error.code == INCORRECT_CODE else error from error


class Credential(JSONField):
    """The response of a browser for a passkey. Invalid JSON is refused."""

    widget = HiddenInput

    def to_python(self, value: Any) -> Any:
        with refuse_unreadable_passkey():
            return super().to_python(value)


class AddPasskeyForm(passkeys.AddWebAuthnForm):
    """django-allauth's form, with an error for any invalid input."""

    credential = Credential()

    def clean(self) -> Any:
        with refuse_unreadable_passkey():
            return super().clean()


class PasskeyForm(Form):
    """A form with a passkey that signs in."""

    credential = Credential()

    def clean_credential(self) -> Any:
        with refuse_unreadable_passkey():
            return super().clean_credential()  # type: ignore[misc]  # of the form of django-allauth


class SecondStepPasskeyForm(PasskeyForm, passkeys.AuthenticateWebAuthnForm):
    """Form for a passkey after the password."""


class SignInPasskeyForm(PasskeyForm, passkeys.LoginWebAuthnForm):
    """Form for a passkey in place of a password. The device must have verified its user.

    django-allauth checks that only for challenges of this form, and accepts those of a second step here as well.
    """

    def clean_credential(self) -> Any:
        with refuse_unreadable_passkey():
            answer = parse_authentication_response(self.cleaned_data["credential"]).response
            if not answer.authenticator_data.is_user_verified():
                raise passkey_error()
        return super().clean_credential()


class ConfirmPasskeyForm(PasskeyForm, passkeys.ReauthenticateWebAuthnForm):
    """Form for a passkey before a change to the account."""
