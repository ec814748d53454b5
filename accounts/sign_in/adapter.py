"""Account adapter of django-allauth: sign-up, user names, login throttling, messages and mails."""
from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context
from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from accounts.clients import client_ip, remember_browser
from accounts.exceptions import TooMany
from accounts.mail.addresses import delete_inactive_address, user_with_address
from accounts.mail.messages import NOTICES
from accounts.rate_limits import count_sign_in_attempt
from accounts.sessions.user_sessions import NO_IP
from accounts.sign_in.usernames import check_username
from accounts.tasks import send_link_to_address, send_notice
from shared.sign_in import pop_next_url

WRONG_CREDENTIALS = _lazy("Incorrect username or password.")
NAME_TAKEN = _lazy("This name is taken.")
PASSWORD_CHANGED = "account/messages/password_changed.txt"
PASSWORD_RESET = _lazy("Your password was changed. You were signed out everywhere.")
# Replacements for messages of django-allauth. Messages that are missing here are not shown.
MESSAGES = {
    PASSWORD_CHANGED: _lazy("Your password was changed. You were signed out everywhere else."),
    "account/messages/password_set.txt": _lazy("Your password was set. You were signed out everywhere else."),
    "account/messages/email_confirmed.txt": _lazy("%(email)s is now your address."),
    "account/messages/email_confirmation_sent.txt": _lazy(
        "A link was sent to %(email)s. Open it to confirm the address."
    ),
    "account/messages/email_confirmation_failed.txt": _lazy("%(email)s cannot be used for this account."),
    "account/messages/email_deleted.txt": _lazy("%(email)s was removed."),
    "account/messages/cannot_delete_primary_email.txt": _lazy("Remove the unconfirmed address first."),
    "mfa/messages/totp_activated.txt": _lazy("Authenticator app added. You now need its code to sign in."),
    "mfa/messages/totp_deactivated.txt": _lazy("Authenticator app removed."),
    "mfa/messages/webauthn_added.txt": _lazy("Passkey added."),
    "mfa/messages/webauthn_removed.txt": _lazy("Passkey removed."),
    "mfa/messages/recovery_codes_generated.txt": _lazy("New recovery codes created."),
    "usersessions/messages/sessions_logged_out.txt": _lazy("Browser signed out."),
}
LOGIN_STAGES = {"allauth.mfa.stages.AuthenticateStage": "accounts.sign_in.second_step.SecondStep"}
# Labels of the ways to reauthenticate.
REAUTHENTICATION_LABELS = {
    "reauthenticate": _lazy("Use your password"),
    "mfa_reauthenticate": _lazy("Use a code"),
    "mfa_reauthenticate:webauthn": _lazy("Use a passkey"),
}


class AccountAdapter(DefaultAccountAdapter):
    """Adapt django-allauth's account app to this project."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": WRONG_CREDENTIALS,
        "email_password_mismatch": WRONG_CREDENTIALS,
        "username_taken": NAME_TAKEN,
        "enter_current_password": _lazy("Incorrect password."),
        "incorrect_password": _lazy("Incorrect password."),
        "too_many_login_attempts": _lazy("Too many attempts. Wait five minutes, then try again."),
        "rate_limited": _lazy("Too many attempts. Wait five minutes, then try again."),
        "duplicate_email": _lazy("You have already added this address."),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Return True. Raises Http404 where users may not sign up."""
        if not settings.ALLOW_SIGNUP:
            raise Http404
        return True

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """Return the normalized name. Raises ValidationError for a taken or misleading name."""
        name = User.normalize_username(username)
        try:
            User.username_validator(name)
        except ValidationError as error:
            raise ValidationError(_("Use only letters, digits and @ . + - _."), code="invalid") from error
        check_username(name)
        return str(super().clean_username(name, shallow=shallow))

    def authenticate(self, request: HttpRequest, **credentials: Any) -> Any:
        """Return the user with this name or confirmed address and this password; names take precedence.

        The attempt is counted in the database. Raises ValidationError ("too_many"), also for the right password.
        """
        name_or_address = User.normalize_username(credentials.get("username") or credentials.get("email") or "")
        user = user_with_address(name_or_address) if "@" in name_or_address else None
        password = credentials.get("password")
        try:
            count_sign_in_attempt(request, name_or_address=name_or_address, user=user, now=timezone.now())
        except TooMany as error:
            raise ValidationError(error.detail, code="too_many", params=error.extra) from error
        # One password is checked for known and unknown addresses, so that both take the same time.
        names = [user.get_username() if user else name_or_address]
        if "@" in name_or_address and User.objects.filter(username=name_or_address).exists():
            names = [name_or_address, *(name for name in names if name != name_or_address)]
        return next(filter(None, (self._authenticate_by_name(request, name, password) for name in names)), None)

    def _authenticate_by_name(self, request: HttpRequest, name: str, password: Any) -> Any:
        return super().authenticate(request, username=name, password=password)

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Do nothing. With django-allauth's limit of failed logins, any visitor could lock a user out."""

    def get_login_stages(self) -> list[str]:
        """Return the login stages of django-allauth, with our second step."""
        return [LOGIN_STAGES.get(stage, stage) for stage in super().get_login_stages()]

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """Return the page with a secret in its URL that required sign-in, or the default page."""
        return pop_next_url(request) or str(super().get_login_redirect_url(request))

    def get_signup_redirect_url(self, request: HttpRequest) -> str:
        """Return the same page as after sign-in."""
        return self.get_login_redirect_url(request)

    def post_login(self, request: HttpRequest, user: Any, **options: Any) -> Any:
        """Return the redirect after sign-in and remember the browser as one of the user's."""
        response = super().post_login(request, user, **options)
        remember_browser(response, user=user)
        return response

    def add_message(
        self, request: HttpRequest, level: int, message_template: str | None = None,
        message_context: dict[str, Any] | None = None, extra_tags: str = "", message: str | None = None,
    ) -> None:  # fmt: skip
        """Add the replacement of the message from MESSAGES, if there is one, also for the sign-in page."""
        words = message or MESSAGES.get(message_template or "")
        if message_template == PASSWORD_CHANGED and not request.user.is_authenticated:
            # After a reset by mail, for which django-allauth has the same message.
            words = PASSWORD_RESET
        if words is not None:
            text = str(words) % (message_context or {})
            super().add_message(request, level, message=text, extra_tags="door")

    def send_confirmation_mail(self, request: HttpRequest, emailconfirmation: Any, signup: bool) -> None:
        """Send the link from a worker. The worker also creates the link, so that it is not stored."""
        send_link_to_address.enqueue(emailconfirmation.email_address.pk, origin_of(request), _language())

    def confirm_email(self, request: HttpRequest, email_address: Any) -> bool:
        """Confirm the address, also if a deactivated user had it."""
        delete_inactive_address(email_address.email)
        return bool(super().confirm_email(request, email_address))

    def send_notification_mail(
        self, template_prefix: str, user: Any, context: dict[str, Any] | None = None, email: str | None = None
    ) -> None:
        """Mail a notice about a change to the account from a worker."""
        if settings.SENDS_MAIL and template_prefix in NOTICES:
            send_notice.enqueue(template_prefix, user.pk, email or "", _language())

    def get_email_verification_redirect_url(self, email_address: Any) -> str:
        return reverse("profile")

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("profile")

    def get_reauthentication_methods(self, user: Any) -> list[dict[str, Any]]:
        """Return the ways to reauthenticate with our labels."""
        methods = super().get_reauthentication_methods(user)
        return [{**method, "description": REAUTHENTICATION_LABELS[method["id"]]} for method in methods]

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the address of the client, also behind trusted proxies."""
        return client_ip(request) or NO_IP

    def is_safe_url(self, url: str) -> bool:
        """Return whether to redirect there after sign-in: only to this host, and from https only to https."""
        request = context.request
        return url_has_allowed_host_and_scheme(
            url, allowed_hosts={request.get_host()}, require_https=request.is_secure()
        )

    def is_ajax(self, request: HttpRequest) -> bool:
        """Return False: these views always answer with pages."""
        return False


def origin_of(request: HttpRequest) -> str:
    """Return the origin of this installation, such as `https://tables.example.org`."""
    return f"{request.scheme}://{request.get_host()}"


def _language() -> str:
    return get_language() or settings.LANGUAGE_CODE
