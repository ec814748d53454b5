"""A person's e-mail address: it counts once the link that was sent to it has been opened, and not before."""
from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core import signing
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _

from accounts.exceptions import Malformed
from accounts.models import MailAddress
from tables.services import claim_invitations, release_invitations

SALT = "accounts.mail_addresses"
LINK_SECONDS = 60 * 60
MOST_ADDRESS = 254
# Of people with one address: more than these get no mail.
MOST_PEOPLE = 10


def address_of_person(user: Any) -> str:
    """The address that counts, "" for none."""
    known = MailAddress.objects.filter(user_id=user.pk).first()
    return user.email if known and _counts(known, user) else ""


def waiting_address_of(user: Any) -> str:
    """The address whose link has not been opened yet, "" for none."""
    return MailAddress.objects.filter(user_id=user.pk).values_list("wanted", flat=True).first() or ""


def people_at(address: str) -> list[User]:
    """The people who can sign in and whose address this is."""
    found = MailAddress.objects.filter(key=address.strip().lower(), user__is_active=True).exclude(key="")
    known = found.select_related("user").order_by("user_id")[:MOST_PEOPLE]
    return [each.user for each in known if _counts(each, each.user)]


def checked_address(said: str) -> str:
    """The address as it is kept. Raises Malformed."""
    address = said.strip()
    try:
        validate_email(address)
    except ValidationError:
        address = ""
    if not address or len(address) > MOST_ADDRESS:
        raise Malformed(_("An address like ada@example.org."), path="address")
    return address


def want_address(*, user: Any, address: str) -> None:
    """Keeps the address until its link is opened; the one that counts goes on counting."""
    MailAddress.objects.update_or_create(user=user, defaults={"wanted": checked_address(address)})


def forget_address(*, user: Any) -> None:
    """The person has no address any more, and none that waits."""
    with transaction.atomic():
        MailAddress.objects.filter(user=user).delete()
        User.objects.filter(pk=user.pk).update(email="")
        release_invitations(user=user)


def address_link(user: User, *, origin: str) -> tuple[str, str]:
    """The address that waits and the link that makes it count, within an hour; "" and "" where none does."""
    wanted = waiting_address_of(user)
    if not wanted:
        return "", ""
    token = signing.dumps({"user": user.pk, "address": wanted, "seen": _seen(user)}, salt=SALT)
    return wanted, origin.rstrip("/") + reverse("confirm_address", args=[token])


def address_of_link(token: str) -> str:
    """The address that the link would make count; "" for a link that is forged, old, used, or no longer wanted."""
    found = _waiting(token, lock=False)
    return found.wanted if found else ""


def confirm_address(token: str) -> tuple[User, str] | None:
    """Makes the address of a link count; the person, and the address that counted until now. None as above."""
    with transaction.atomic():
        found = _waiting(token, lock=True)
        if found is None:
            return None
        person = found.user
        before = person.email if _counts(found, person) else ""
        person.email, found.key, found.wanted = found.wanted, found.wanted.lower(), ""
        person.save(update_fields=["email"])
        found.save(update_fields=["key", "wanted"])
        release_invitations(user=person, address=found.key)
        claim_invitations(user=person, address=found.key)
        return person, before


def _waiting(token: str, *, lock: bool) -> MailAddress | None:
    try:
        content: dict[str, Any] = signing.loads(token, salt=SALT, max_age=LINK_SECONDS)
    except signing.BadSignature:
        return None
    known = MailAddress.objects.select_for_update(of=("self",)) if lock else MailAddress.objects
    found = known.select_related("user").filter(user_id=content["user"], user__is_active=True).first()
    if found is None or not found.wanted or found.wanted != content["address"]:
        return None
    # Whoever changed the password since may have had a reason to.
    return found if constant_time_compare(_seen(found.user), content["seen"]) else None


def _counts(known: MailAddress, user: Any) -> bool:
    return bool(known.key) and known.key == user.email.lower()


def _seen(user: Any) -> str:
    return salted_hmac(SALT, user.password).hexdigest()[:32]
