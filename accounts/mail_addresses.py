"""E-mail addresses of users, as django-allauth stores them; an address counts once its link has been opened."""
from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import signing
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac

SALT = "accounts.mail_addresses"
LINK_SECONDS = 60 * 60


def address_of_person(user: Any) -> str:
    """Return the address that counts, "" for none."""
    found = EmailAddress.objects.filter(user_id=user.pk, verified=True)
    return found.values_list("email", flat=True).first() or ""


def waiting_address_of(user: Any) -> str:
    """Return the address whose link has not been opened yet, "" for none."""
    found = EmailAddress.objects.filter(user_id=user.pk, verified=False).order_by("-pk")
    return found.values_list("email", flat=True).first() or ""


def person_at(address: str) -> User | None:
    """Return the active user whose address this is."""
    return User.objects.filter(
        emailaddress__email=address.strip().lower(), emailaddress__verified=True, is_active=True
    ).first()


def forget_addresses(*, user: Any) -> None:
    """Delete the user's addresses. The field of Django's user is the caller's."""
    EmailAddress.objects.filter(user_id=user.pk).delete()


def address_link(waiting: EmailAddress, *, origin: str) -> str:
    """Return the link that makes an address count, within an hour and until its user changes the password."""
    token = signing.dumps({"id": waiting.pk, "address": waiting.email, "seen": _seen(waiting.user)}, salt=SALT)
    return origin.rstrip("/") + reverse("account_confirm_email", args=[token])


def address_of_link(token: str) -> EmailAddress | None:
    """Return the waiting address of a link; None if the link is forged, old, used, or the address was replaced."""
    try:
        content: dict[str, Any] = signing.loads(token, salt=SALT, max_age=LINK_SECONDS)
    except signing.BadSignature:
        return None
    waiting = EmailAddress.objects.filter(pk=content["id"], email=content["address"], verified=False)
    found = waiting.filter(user__is_active=True).select_related("user").first()
    # A user who has changed the password since may have had a reason to.
    return found if found and constant_time_compare(_seen(found.user), content["seen"]) else None


def _seen(user: Any) -> str:
    return salted_hmac(SALT, user.password).hexdigest()[:32]
