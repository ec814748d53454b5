"""Forms of django-allauth for sign-up, addresses and passwords, with our messages."""
from __future__ import annotations

from typing import Any

from allauth.account import forms
from allauth.core import context, ratelimit
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator
from django.http import HttpRequest
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import gettext_noop as noop

from accounts.sign_in.adapter import origin_of
from accounts.tasks import send_reset_link

INVALID_ADDRESS = _lazy("Enter an address like ada@example.org.")
MAX_ADDRESS_LENGTH = 254
# Messages of django-allauth, whose own German is informal. Our catalogue takes precedence.
ALLAUTH_MESSAGES = (
    noop("You must type the same password each time."),
    noop("You cannot remove your primary email address."),
    noop("You cannot add more than %d email addresses."),
    noop("Your primary email address must be verified."),
    noop("Username can not be used. Please use other username."),
    noop("Please select only one."),
    noop(
        "An account already exists with this email address. Please sign in to that account first, then connect your %s "
        "account."
    ),
    noop("Your account has no password set up."),
    noop("Your account has no verified email address."),
)
CHOOSE_PASSWORD = _lazy("Enter a password in both fields.")


class SignUpForm(forms.SignupForm):
    """django-allauth's form with our messages."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].error_messages.update(
            required=_lazy("Enter a name."), max_length=_lazy("A name can have at most 150 characters.")
        )
        for field in ("password1", "password2"):
            self.fields[field].error_messages["required"] = CHOOSE_PASSWORD


class AddressField:
    """Mixin for the error messages of a form with an address."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["email"]  # type: ignore[attr-defined]  # the form's
        field.validators.append(MaxLengthValidator(MAX_ADDRESS_LENGTH))
        field.error_messages.update(dict.fromkeys(("required", "invalid", "max_length"), INVALID_ADDRESS))


class AddAddressForm(AddressField, forms.AddEmailForm):
    """django-allauth's form with our messages."""

    def clean_email(self) -> str:
        address = super().clean_email()
        # Without this check django-allauth would silently send no mail.
        if not ratelimit.consume(context.request, action="confirm_email", key=address, dry_run=True):
            wait = {"retry_after": 3600}
            raise ValidationError(
                _("Too many requests. Try again in an hour."), code="too_many", params=wait
            )
        return address


class RequestResetForm(AddressField, forms.ResetPasswordForm):
    """Ask for a reset link. A worker looks up the address, so that the response time reveals nothing."""

    def clean_email(self) -> str:
        return str(self.cleaned_data["email"])

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        address = str(self.cleaned_data["email"])
        send_reset_link.enqueue(address, origin_of(request), get_language() or "en")
        return address


class ResetLinkForm(forms.UserTokenForm):
    """Check a reset link. Deactivated users have none."""

    def _get_user(self, uidb36: str) -> Any:
        user = super()._get_user(uidb36)
        return user if user is not None and user.is_active else None
