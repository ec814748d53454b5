"""The product's own rules for single sign-on inside django-allauth: who may come in, and what is said when not."""

from __future__ import annotations

import logging
from typing import Any

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.mail_addresses import counting_addresses

log = logging.getLogger(__name__)


class SingleSignOnAdapter(DefaultSocialAccountAdapter):
    """django-allauth's, for the one identity provider of this installation."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        if not settings.OIDC_SIGNUP:
            raise ImmediateHttpResponse(refused(request, _("You have no account here. Ask your administrator.")))
        return True

    def authenticate_by_email(self, sociallogin: Any) -> tuple[Any, str] | None:
        """Return the user whose confirmed address the provider has confirmed too.

        Not one who has only given the address: it may be somebody else's.
        """
        confirmed = [each.email.lower() for each in sociallogin.email_addresses if each.verified]
        found = counting_addresses().filter(email__in=confirmed).select_related("user").first()
        return (found.user, found.email) if found else None

    def on_authentication_error(self, request: HttpRequest, provider: Any, **about: Any) -> None:
        """Lead back to sign-in with a sentence; the log has the reason."""
        log.warning("single sign-on failed: %s", about.get("exception") or about.get("error"))
        raise ImmediateHttpResponse(failed(request))

    def get_connect_redirect_url(self, request: HttpRequest, socialaccount: Any) -> str:
        return reverse("profile")


def failed(request: HttpRequest) -> HttpResponse:
    """Return to sign-in, where it says that this way in did not work."""
    return refused(request, _("Sign-in with %(name)s did not work. Try again.") % {"name": settings.OIDC_NAME})


def refused(request: HttpRequest, reason: str) -> HttpResponse:
    """Return to sign-in with the reason."""
    messages.error(request, reason, extra_tags="door")
    return redirect("account_login")


def identities_of(user: Any) -> list[dict[str, str]]:
    """Return under which names identity providers know the user."""
    return [{"provider": each.provider, "id": each.uid} for each in SocialAccount.objects.filter(user_id=user.pk)]


def forget_identities(*, user: Any) -> None:
    """Disconnect the user from identity providers."""
    SocialAccount.objects.filter(user_id=user.pk).delete()
