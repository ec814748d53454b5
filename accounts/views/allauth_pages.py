"""Views of django-allauth, with the status codes and the transactions of all other pages."""
from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.account import views
from allauth.account.adapter import get_adapter
from allauth.account.internal.stagekit import get_pending_stage
from allauth.account.models import EmailConfirmationHMAC
from allauth.decorators import rate_limit
from allauth.mfa.base.views import AuthenticateView
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.views import ActivateTOTPView
from allauth.mfa.webauthn.internal.auth import begin_authentication
from allauth.mfa.webauthn.views import LoginWebAuthnView
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponseBase, JsonResponse
from django.urls import reverse_lazy
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.exceptions import TooMany
from accounts.mail.addresses import address_of_link
from accounts.mail.messages import ADDRESS_REMOVED
from accounts.rate_limits import count_passkey
from accounts.sessions.user_sessions import end_sessions, renewed_session, set_visitor_expiry
from accounts.sign_in.adapter import NAME_TAKEN
from accounts.sign_in.second_step import use_code

View = Callable[..., Any]
# Codes of errors after too many attempts, ours and django-allauth's, and the wait after the latter in seconds.
RATE_LIMIT_CODES = {"too_many", "too_many_login_attempts", "rate_limited"}
DEFAULT_WAIT = {"retry_after": 300}


def page(view: View) -> View:
    """Return the view with status 422 for an invalid form, 429 for too many attempts and 410 for an invalid link."""

    @never_cache
    @sensitive_post_parameters()
    @require_http_methods(["GET", "HEAD", "POST"])
    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        method = request.method
        if method == "HEAD":
            # django-allauth counts all methods except GET as attempts.
            request.method = "GET"
        if request.COOKIES:
            # Read already. django-allauth stores the headers of a request that waits for the password.
            request.META.pop("HTTP_COOKIE", None)
        try:
            response: HttpResponseBase = view(request, *args, **kwargs)
        finally:
            request.method = method
        context: dict[str, Any] = getattr(response, "context_data", None) or {}
        if context.get("token_fail"):
            response.status_code = 410
        for form in (context.get("form"), context.get("webauthn_form")):
            if form is not None and form.is_bound and form.errors:
                _refuse(response, form.errors.as_data())
        return response

    return answer


def _refuse(response: HttpResponseBase, errors: dict[str, list[ValidationError]]) -> None:
    response.status_code = 422
    for error in (each for field_errors in errors.values() for each in field_errors):
        if error.code in RATE_LIMIT_CODES:
            response.status_code = 429
            response["Retry-After"] = str((error.params or DEFAULT_WAIT)["retry_after"])


def page_with_mail(view: View) -> View:
    """Return the view as a page that is 404 where no mail is sent."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not settings.SENDS_MAIL:
            raise Http404
        return page(view)(request, *args, **kwargs)

    return answer


class SignIn(views.LoginView):
    """Add the other ways to sign in to the context."""

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        ways = {
            "may_sign_up": settings.ALLOW_SIGNUP,
            "sends_mail": settings.SENDS_MAIL,
            "single_sign_on": settings.OIDC_NAME if settings.SOCIALACCOUNT_PROVIDERS else "",
        }
        return super().get_context_data(**context, **ways)


class SignUp(views.SignupView):
    """Refuse a name that another request has taken in the meantime."""

    def form_valid(self, form: Any) -> Any:
        try:
            with transaction.atomic():
                return super().form_valid(form)
        except IntegrityError:
            form.add_error("username", NAME_TAKEN)
            return self.form_invalid(form)


class SecondStep(AuthenticateView):
    """Abort the login of a user whose account was deleted."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        stage = get_pending_stage(request)
        if stage is not None and stage.login.user is None:
            return stage.abort()
        return super().dispatch(request, *args, **kwargs)


class SetUpApp(ActivateTOTPView):
    """Set up the authenticator app. Its first code does not sign in as well."""

    def form_valid(self, form: Any) -> Any:
        with transaction.atomic():
            response = super().form_valid(form)
            app = Authenticator.objects.get(user=self.request.user, type=Authenticator.Type.TOTP)
            use_code(app, code=form.cleaned_data["code"])
            return response


class SignInByPasskey(LoginWebAuthnView):
    """A GET returns the options for the browser, a POST takes the passkey."""

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            count_passkey(request, now=timezone.now())
        except TooMany as error:
            wait = {"Retry-After": str(error.extra["retry_after"])}
            return JsonResponse({"detail": error.detail}, status=429, headers=wait)
        set_visitor_expiry(request)
        options = begin_authentication(user=None)
        return JsonResponse({"request_options": options})


class ConfirmAddress(views.ConfirmEmailView):
    """The page that a link in a mail opens. A POST confirms the address."""

    def get_object(self, queryset: Any = None) -> EmailConfirmationHMAC:
        address = address_of_link(self.kwargs["token"])
        if address is None:
            raise Http404
        return EmailConfirmationHMAC(address)

    def logout_other_user(self, confirmation: Any) -> None:
        """Do not sign a user out because of an opened link, which may come from an attacker."""
        if self.request.method == "POST":
            super().logout_other_user(confirmation)

    def post(self, *args: Any, **kwargs: Any) -> Any:
        try:
            with transaction.atomic():
                return super().post(*args, **kwargs)
        except (Http404, IntegrityError):
            # The link is void, or another user has just confirmed the address.
            self.object = None
            return self.render_to_response(self.get_context_data())

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        return super().get_context_data(**context, token_fail=self.object is None)


@method_decorator(rate_limit(action="manage_email"), name="dispatch")
class ManageAddress(views.EmailView):
    """Add the address, send its link again, or remove it."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        # Skip django-allauth's dispatch, which would make an address that an administrator entered unconfirmed.
        self._did_send_verification_email = False
        return super(views.EmailView, self).dispatch(request, *args, **kwargs)

    def _action_primary(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        raise Http404

    def _action_send(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        response = super()._action_send(request, *args, **kwargs)
        if not self._did_send_verification_email and self._get_email_address(request):
            text = _("Too many requests. Try again in an hour.")
            get_adapter().add_message(request, messages.WARNING, message=text)
        return response

    def _action_remove(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Remove the address and mail a notice to a confirmed one."""
        address = self._get_email_address(request)
        response = super()._action_remove(request, *args, **kwargs)
        if response is not None and address.verified:
            get_adapter().send_notification_mail(ADDRESS_REMOVED, request.user, email=address.email)
        return response


class ChangePassword(views.PasswordChangeView):
    """Change the password and end all other sessions. Turns of this session continue."""

    def form_valid(self, form: Any) -> Any:
        with renewed_session(self.request, user=self.request.user):
            end_sessions(user=self.request.user, except_key=self.request.session.session_key)
            return super().form_valid(form)


class SetPassword(views.PasswordSetView):
    """Set the password of a user who has none."""

    def form_valid(self, form: Any) -> Any:
        with renewed_session(self.request, user=self.request.user):
            end_sessions(user=self.request.user, except_key=self.request.session.session_key)
            return super().form_valid(form)


class RequestReset(views.PasswordResetView):
    """Give the same answer for every address."""

    success_url = reverse_lazy("account_login")

    def form_valid(self, form: Any) -> Any:
        response = super().form_valid(form)
        if response.status_code != 302:
            return response
        return self.render_to_response(self.get_context_data(form=form, sent_to=form.cleaned_data["email"]))


class ResetPassword(views.PasswordResetFromKeyView):
    """Set the password. A link works once, also for two requests at the same time."""

    success_url = reverse_lazy("account_login")
    reset_user: Any

    def logout(self) -> None:
        """Do not sign a user out because of an opened link, which may come from an attacker."""

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        return super().get_context_data(**context, sends_mail=settings.SENDS_MAIL)

    def form_valid(self, form: Any) -> Any:
        with transaction.atomic():
            user = User.objects.select_for_update().get(pk=self.reset_user.pk)
            if user.password != self.reset_user.password:
                self.reset_user = None
                return self.render_to_response(self.get_context_data(token_fail=True))
            logout(self.request)
            end_sessions(user=user)
            return super().form_valid(form)
