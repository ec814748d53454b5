"""Social account adapter of django-allauth: single sign-on with one OpenID Connect provider."""

from __future__ import annotations

import hashlib
import logging
from typing import Any

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.mail.addresses import confirmed_address_of, confirmed_addresses, delete_addresses

log = logging.getLogger(__name__)
MAX_IDENTITY_LENGTH = SocialAccount._meta.get_field("uid").max_length


class SingleSignOnAdapter(DefaultSocialAccountAdapter):
    """Adapt django-allauth's socialaccount app to the identity provider of this installation."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        if not settings.OIDC_SIGNUP:
            detail = _("You have no account here. Ask your administrator.")
            raise ImmediateHttpResponse(redirect_with_error(request, detail))
        return True

    def populate_user(self, request: HttpRequest, sociallogin: Any, data: dict[str, Any]) -> Any:
        """Fill the new user: the identity with its issuer, a normalized name and only confirmed addresses.

        Raises LookupError for an answer without an ID token and ValueError for one about two different users.
        """
        claims = sociallogin.account.extra_data["id_token"]
        if claims["sub"] != sociallogin.account.uid:
            raise ValueError("the ID token is for another user")
        sociallogin.account.uid = _identity(issuer=claims["iss"], subject=claims["sub"])
        addresses = [each for each in sociallogin.email_addresses if _is_true(each.verified)]
        for each in addresses:
            each.verified = True
        sociallogin.email_addresses = addresses
        name = data.get("username")
        trusted = {
            **data,
            "username": User.normalize_username(name) if isinstance(name, str) else "",
            "email": addresses[0].email if addresses else "",
        }
        return super().populate_user(request, sociallogin, trusted)

    def save_user(self, request: HttpRequest, sociallogin: Any, form: Any = None) -> Any:
        """Create the user, or nothing. An address that another account has confirmed is left out."""
        with transaction.atomic():
            user = super().save_user(request, sociallogin, form)
            if user.email and not confirmed_address_of(user):
                delete_addresses(user=user)
                user.email = ""
                user.save(update_fields=["email"])
        return user

    def authenticate_by_email(self, sociallogin: Any) -> tuple[Any, str] | None:
        """Return the user whose confirmed address the provider has confirmed too.

        Unconfirmed addresses are ignored, because they may belong to another user.
        """
        confirmed = [each.email.lower() for each in sociallogin.email_addresses]
        found = confirmed_addresses().filter(email__in=confirmed).select_related("user").first()
        return (found.user, found.email) if found else None

    def on_authentication_error(self, request: HttpRequest, provider: Any, **about: Any) -> None:
        """Redirect to sign-in with a message and log the reason."""
        log.warning("single sign-on failed: %s", about.get("exception") or about.get("error"))
        raise ImmediateHttpResponse(redirect_after_failure(request))

    def get_connect_redirect_url(self, request: HttpRequest, socialaccount: Any) -> str:
        return reverse("profile")


def _identity(*, issuer: str, subject: str) -> str:
    """Return the stored id of a user of an issuer. The same subject of another issuer is another user."""
    identity = f"{issuer} {subject}"
    return identity if len(identity) <= MAX_IDENTITY_LENGTH else hashlib.sha256(identity.encode()).hexdigest()


def _is_true(claim: Any) -> bool:
    """Return whether a claim is true. Some providers send strings, of which "false" would be truthy."""
    return claim is True or claim == "true"


def redirect_after_failure(request: HttpRequest) -> HttpResponse:
    """Redirect to sign-in with the message that single sign-on failed."""
    return redirect_with_error(request, _("Sign-in with %(name)s failed. Try again.") % {"name": settings.OIDC_NAME})


def redirect_with_error(request: HttpRequest, reason: str) -> HttpResponse:
    """Redirect to sign-in with the reason."""
    messages.error(request, reason, extra_tags="door")
    return redirect("account_login")


def identities_of(user: Any) -> list[dict[str, str]]:
    """Return the user's accounts at identity providers."""
    return [{"provider": each.provider, "id": each.uid} for each in SocialAccount.objects.filter(user_id=user.pk)]


def delete_identities(*, user: Any) -> None:
    """Disconnect the user from identity providers."""
    SocialAccount.objects.filter(user_id=user.pk).delete()
