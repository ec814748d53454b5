"""Connects invitations to tables with accounts: counts them, and has those by e-mail mailed."""
from __future__ import annotations

from datetime import datetime
from typing import Any

from allauth.account.signals import email_confirmed, email_removed, user_signed_up
from django.conf import settings
from django.utils.translation import get_language

from accounts.exceptions import TooMany as TooManyTries
from accounts.login_throttle import count_invitation
from accounts.mail_addresses import address_of_person
from accounts.tasks import send_invitation
from tables import signals
from tables.exceptions import TooMany
from tables.services import claim_invitations, release_invitations


def connect() -> None:
    """Count invitations before they are sent, mail those by e-mail from a worker, and follow addresses of users."""
    signals.invitation_requested.connect(_count, dispatch_uid="accounts.invitations.count")
    signals.invitation_to_mail.connect(_enqueue, dispatch_uid="accounts.invitations.mail")
    email_confirmed.connect(_claim, dispatch_uid="accounts.invitations.confirmed")
    user_signed_up.connect(_claim_of_new_user, dispatch_uid="accounts.invitations.signed_up")
    email_removed.connect(_release, dispatch_uid="accounts.invitations.removed")


def _count(sender: Any, *, user: Any, kind: str, now: datetime, **_: Any) -> None:
    try:
        count_invitation(user, by_mail=kind == "email", now=now)
    except TooManyTries as error:
        raise TooMany(error.detail, extra=error.extra) from error


def _enqueue(sender: Any, *, invitation_id: int, site_url: str, **_: Any) -> None:
    send_invitation.enqueue(invitation_id, site_url, get_language() or settings.LANGUAGE_CODE)


def _claim(sender: Any, *, email_address: Any, **_: Any) -> None:
    release_invitations(user=email_address.user, address=email_address.email)
    claim_invitations(user=email_address.user, address=email_address.email)


def _claim_of_new_user(sender: Any, *, user: Any, **_: Any) -> None:
    """An identity provider has confirmed the address of a new user."""
    address = address_of_person(user)
    if address:
        claim_invitations(user=user, address=address)


def _release(sender: Any, *, user: Any, email_address: Any, **_: Any) -> None:
    if email_address.verified:
        release_invitations(user=user)
