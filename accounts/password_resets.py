"""Links by mail for who forgot a password: valid for half an hour, once, and void as soon as anything has changed."""
from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core import signing
from django.db import transaction
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac

from accounts.sessions import end_sessions

SALT = "accounts.password_resets"
LINK_SECONDS = 30 * 60


def reset_link(user: User, *, origin: str) -> str:
    """The address at which this person chooses a new password."""
    token = signing.dumps({"user": user.pk, "seen": _seen(user)}, salt=SALT)
    return origin.rstrip("/") + reverse("reset_password", args=[token])


def person_of_link(token: str) -> User | None:
    """Whose password the link sets; None for a forged, old or used one."""
    return _person(token, people=User.objects.all())


def reset_password(token: str, *, password: str) -> User | None:
    """Sets the password, and signs the person out everywhere; None as above."""
    with transaction.atomic():
        # Locked: of two who send the same link, one is first.
        person = _person(token, people=User.objects.select_for_update())
        if person is not None:
            person.set_password(password)
            person.save(update_fields=["password"])
            end_sessions(user=person)
        return person


def _person(token: str, *, people: Any) -> User | None:
    try:
        content: dict[str, Any] = signing.loads(token, salt=SALT, max_age=LINK_SECONDS)
    except signing.BadSignature:
        return None
    person: User | None = people.filter(pk=content["user"], is_active=True).first()
    return person if person is not None and constant_time_compare(_seen(person), content["seen"]) else None


def _seen(user: User) -> str:
    """What was so when the link was made: the password, the last sign-in, the address it went to."""
    return salted_hmac(SALT, f"{user.password} {user.last_login} {user.email}").hexdigest()[:32]
