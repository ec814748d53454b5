"""Views of django-allauth, with the status codes and the transactions of all other pages."""
from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.account import views
from allauth.account.models import EmailConfirmationHMAC
from allauth.mfa.webauthn.internal.auth import begin_authentication
from allauth.mfa.webauthn.views import LoginWebAuthnView
from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponseBase, JsonResponse
from django.urls import reverse_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.adapter import TAKEN
from accounts.mail_addresses import address_of_link
from accounts.sessions import renewed_session

View = Callable[..., Any]
# Codes of the errors after too many tries, ours and django-allauth's, and how long to wait after the latter.
TOO_MANY = {"too_many", "too_many_login_attempts", "rate_limited"}
WAIT = {"retry_after": 300}


def page(view: View) -> View:
    """Answer a form that is refused with 422, after too many tries with 429, and a void link with 410."""

    @never_cache
    @sensitive_post_parameters()
    @require_http_methods(["GET", "HEAD", "POST"])
    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response: HttpResponseBase = view(request, *args, **kwargs)
        context: dict[str, Any] = getattr(response, "context_data", None) or {}
        if context.get("token_fail"):
            response.status_code = 410
        for form in (context.get("form"), context.get("webauthn_form")):
            if form is not None and form.is_bound and form.errors:
                _refuse(response, form.errors.as_data())
        return response

    return answer


def _refuse(response: HttpResponseBase, faults: dict[str, list[ValidationError]]) -> None:
    response.status_code = 422
    for fault in (each for faults_of_field in faults.values() for each in faults_of_field):
        if fault.code in TOO_MANY:
            response.status_code = 429
            response["Retry-After"] = str((fault.params or WAIT)["retry_after"])


def by_mail(view: View) -> View:
    """Where no mail is sent, there is no such page."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not settings.SENDS_MAIL:
            raise Http404
        return page(view)(request, *args, **kwargs)

    return answer


class SignIn(views.LoginView):
    """Also whether users may sign up, and whether a new password can be asked for by mail."""

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        ways = {
            "may_sign_up": settings.ALLOW_SIGNUP,
            "sends_mail": settings.SENDS_MAIL,
            "single_sign_on": settings.OIDC_NAME if settings.SOCIALACCOUNT_PROVIDERS else "",
        }
        return super().get_context_data(**context, **ways)


class SignUp(views.SignupView):
    """Refuses a name that was taken while the form was read."""

    def form_valid(self, form: Any) -> Any:
        try:
            with transaction.atomic():
                return super().form_valid(form)
        except IntegrityError:
            form.add_error("username", TAKEN)
            return self.form_invalid(form)


class SignInByPasskey(LoginWebAuthnView):
    """A GET gives the options for the browser, a POST takes the passkey."""

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return JsonResponse({"request_options": begin_authentication(user=None)})


class ConfirmAddress(views.ConfirmEmailView):
    """The page that a link in a mail opens; a POST makes the address count."""

    def get_object(self, queryset: Any = None) -> EmailConfirmationHMAC:
        waiting = address_of_link(self.kwargs["token"])
        if waiting is None:
            raise Http404
        return EmailConfirmationHMAC(waiting)

    def post(self, *args: Any, **kwargs: Any) -> Any:
        try:
            with transaction.atomic():
                return super().post(*args, **kwargs)
        except Http404:
            self.object = None
            return self.render_to_response(self.get_context_data())

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        return super().get_context_data(**context, token_fail=self.object is None)


class ChangePassword(views.PasswordChangeView):
    """Ends all other sessions; turns of this one go on."""

    def form_valid(self, form: Any) -> Any:
        with renewed_session(self.request, user=self.request.user):
            return super().form_valid(form)


class SetPassword(views.PasswordSetView):
    """The same for a user who has no password."""

    def form_valid(self, form: Any) -> Any:
        with renewed_session(self.request, user=self.request.user):
            return super().form_valid(form)


class AskForReset(views.PasswordResetView):
    """Answers every address alike."""

    success_url = reverse_lazy("account_login")

    def form_valid(self, form: Any) -> Any:
        response = super().form_valid(form)
        if response.status_code != 302:
            return response
        return self.render_to_response(self.get_context_data(form=form, sent_to=form.cleaned_data["email"]))


class ResetPassword(views.PasswordResetFromKeyView):
    """Sets the password, once: of two requests with one link, the second finds it used."""

    success_url = reverse_lazy("account_login")
    reset_user: Any

    def form_valid(self, form: Any) -> Any:
        with transaction.atomic():
            user = User.objects.select_for_update().get(pk=self.reset_user.pk)
            if user.password != self.reset_user.password:
                self.reset_user = None
                return self.render_to_response(self.get_context_data(token_fail=True))
            return super().form_valid(form)
