"""What people fill in to come in: a name and a password, those they have or those they want."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.forms import (
    AdminUserCreationForm,
    AuthenticationForm,
    PasswordChangeForm,
    SetPasswordForm,
    SetPasswordMixin,
    UserChangeForm,
    UserCreationForm,
    UsernameField,
)
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _lazy

from accounts.exceptions import TooMany
from accounts.guessing import count_try
from accounts.scripts import mixes_scripts

if TYPE_CHECKING:
    NewUserForm = UserCreationForm[User]
    ChangeUserForm = UserChangeForm[User]
else:
    # Generic for the type checker alone.
    NewUserForm = UserCreationForm
    ChangeUserForm = UserChangeForm

TAKEN = _lazy("This name is taken.")


class SignInForm(AuthenticationForm):
    """Django's, with each try counted before anything is compared; `retry_after` is set when there were too many."""

    retry_after: int | None = None
    error_messages = {
        **AuthenticationForm.error_messages,
        "invalid_login": _lazy("This name and this password do not belong together."),
    }

    def clean(self) -> dict[str, Any]:
        """The name and the password, which belong together."""
        name, password = self.cleaned_data.get("username"), self.cleaned_data.get("password")
        if name and password and self.request is not None:
            try:
                count_try(self.request, name=name, now=timezone.now())
            except TooMany as error:
                self.retry_after = error.extra["retry_after"]
                raise ValidationError(error.detail, code="too_many") from error
        return super().clean()


class AdminSignInForm(SignInForm, AdminAuthenticationForm):
    """The same at the door of the admin, for staff alone."""

    error_messages = AdminAuthenticationForm.error_messages


class ToldAtTheFirst(SetPasswordMixin):
    """What is wrong with a password stands beside the field where it is chosen; that the two differ, at the second."""

    def validate_password_for_user(self, user: Any, password_field_name: str = "password2") -> None:
        """Django's, which looks at the second: where that differs from the first, it is not there any more."""
        cleaned: dict[str, Any] = getattr(self, "cleaned_data", {})
        if password_field_name in cleaned:
            super().validate_password_for_user(user, f"{password_field_name.removesuffix('2')}1")


class NewPasswordForm(ToldAtTheFirst, SetPasswordForm):
    """Django's, for somebody who has no password, or has forgotten it."""


class ChangePasswordForm(ToldAtTheFirst, PasswordChangeForm):
    """Django's, for somebody who knows the password."""


def check_username(name: str) -> None:
    """Raise ValidationError for a name that has no letter or digit, or that mixes alphabets."""
    if not any(letter.isalnum() for letter in name):
        raise ValidationError(_lazy("A name has at least one letter or digit."))
    if mixes_scripts(name):
        raise ValidationError(_lazy("A name has letters of one alphabet only."))


class SignUpForm(ToldAtTheFirst, NewUserForm):
    """Django's, in our words. A name has a letter or a digit: it stands in addresses, where `..` means another."""

    class Meta:
        model = User
        fields = ("username",)
        field_classes = {"username": UsernameField}
        error_messages = {
            "username": {
                "required": _lazy("Choose a name."),
                "invalid": _lazy("A name has letters, digits and @ . + - _ only."),
                "max_length": _lazy("A name has at most 150 characters."),
            }
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("password1", "password2"):
            self.fields[name].error_messages["required"] = _lazy("Choose a password, and type it twice.")

    def clean_username(self) -> str:
        """The name, which nobody has, in capitals or not."""
        name: str = self.cleaned_data.get("username") or ""
        check_username(name)
        if User.objects.filter(username__iexact=name).exists():
            raise ValidationError(TAKEN)
        return name


class AdminNewUserForm(AdminUserCreationForm):
    """Django's, with our rules for names."""

    def clean_username(self) -> str:
        name: str = super().clean_username()
        check_username(name)
        return name


class AdminUserForm(ChangeUserForm):
    """Django's, with our rules for new names. A name from before these rules may stay."""

    def clean_username(self) -> str:
        name: str = self.cleaned_data["username"]
        if "username" in self.changed_data:
            check_username(name)
        return name
