"""E-mail addresses of users, as django-allauth stores them; an address counts once its link has been opened."""
from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import signing
from django.db.models import QuerySet
from django.db.models.functions import Lower
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac

# Not the one of earlier versions, whose links had other contents.
SALT = "accounts.mail_addresses.waiting"
LINK_SECONDS = 60 * 60


def address_of_person(user: Any) -> str:
    """Return the address that counts, "" for none."""
    found = counting_addresses().filter(user_id=user.pk)
    return found.values_list("email", flat=True).first() or ""


def waiting_address_of(user: Any) -> str:
    """Return the address whose link has not been opened yet, "" for none."""
    found = EmailAddress.objects.filter(user_id=user.pk, verified=False).order_by("-pk")
    return found.values_list("email", flat=True).first() or ""


def person_at(address: str) -> User | None:
    """Return the active user whose address this is."""
    found = counting_addresses().filter(email=address.strip().lower(), user__is_active=True)
    each = found.select_related("user").first()
    return each.user if each else None


def counting_addresses() -> QuerySet[EmailAddress]:
    """Return the addresses that count: confirmed, and not replaced by an administrator since."""
    return EmailAddress.objects.filter(verified=True, email=Lower("user__email"))


def release_address(address: str) -> None:
    """Take the address from users without access, so that another may have it."""
    EmailAddress.objects.filter(email=address.lower(), user__is_active=False).delete()


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
