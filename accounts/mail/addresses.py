"""E-mail addresses of users, as django-allauth stores them, and the links that confirm them."""
from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import signing
from django.db.models import QuerySet
from django.db.models.functions import Lower
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac

# Differs from that of earlier versions, because their links had other contents.
SALT = "accounts.mail_addresses.waiting"
LINK_SECONDS = 60 * 60


def confirmed_address_of(user: Any) -> str:
    """Return the user's confirmed address, "" for none."""
    found = confirmed_addresses().filter(user_id=user.pk)
    return found.values_list("email", flat=True).first() or ""


def unconfirmed_address_of(user: Any) -> str:
    """Return the address that the user has added and not confirmed yet, "" for none."""
    found = EmailAddress.objects.filter(user_id=user.pk, verified=False).order_by("-pk")
    return found.values_list("email", flat=True).first() or ""


def user_with_address(address: str) -> User | None:
    """Return the active user who has confirmed this address."""
    found = confirmed_addresses().filter(email=address.strip().lower(), user__is_active=True)
    each = found.select_related("user").first()
    return each.user if each else None


def confirmed_addresses() -> QuerySet[EmailAddress]:
    """Return confirmed addresses, without those that an administrator has replaced since."""
    return EmailAddress.objects.filter(verified=True, email=Lower("user__email"))


def delete_inactive_address(address: str) -> None:
    """Delete the address of deactivated users, so that another user may add it."""
    EmailAddress.objects.filter(email=address.lower(), user__is_active=False).delete()


def delete_addresses(*, user: Any) -> None:
    """Delete the user's addresses. The caller changes `user.email`."""
    EmailAddress.objects.filter(user_id=user.pk).delete()


def address_link(unconfirmed: EmailAddress, *, origin: str) -> str:
    """Return the link that confirms an address, within an hour and until its user changes the password."""
    digest = _password_digest(unconfirmed.user)
    token = signing.dumps({"id": unconfirmed.pk, "address": unconfirmed.email, "seen": digest}, salt=SALT)
    return origin.rstrip("/") + reverse("account_confirm_email", args=[token])


def address_of_link(token: str) -> EmailAddress | None:
    """Return the unconfirmed address of a link; None if the link is forged, old, used, or the address was replaced."""
    try:
        content: dict[str, Any] = signing.loads(token, salt=SALT, max_age=LINK_SECONDS)
    except signing.BadSignature:
        return None
    unconfirmed = EmailAddress.objects.filter(pk=content["id"], email=content["address"], verified=False)
    found = unconfirmed.filter(user__is_active=True).select_related("user").first()
    # After a change of the password, links from before it are no longer trusted.
    return found if found and constant_time_compare(_password_digest(found.user), content["seen"]) else None


def _password_digest(user: Any) -> str:
    return salted_hmac(SALT, user.password).hexdigest()[:32]
