"""Signal receivers: store the user of each session, and count, mail and assign invitations to tables."""
from __future__ import annotations

from datetime import datetime
from typing import Any

from allauth.account import signals as allauth
from allauth.account.signals import email_confirmed, email_removed, user_signed_up
from allauth.usersessions.models import UserSession
from allauth.usersessions.signals import on_user_logged_in
from django.conf import settings
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.http import HttpRequest
from django.utils.translation import get_language

from accounts.exceptions import TooMany as TooManyTries
from accounts.mail.addresses import confirmed_address_of
from accounts.rate_limits import count_invitation
from accounts.sessions.user_sessions import record_session
from accounts.tasks import send_invitation
from tables import signals
from tables.exceptions import TooMany
from tables.services import claim_invitations, release_invitations


def connect() -> None:
    """Connect the receivers of this module."""
    # django-allauth's receiver reads every session of the user.
    allauth.user_logged_in.disconnect(on_user_logged_in)
    user_logged_in.connect(_store_session, dispatch_uid="accounts.sessions.in")
    user_logged_out.connect(_delete_session, dispatch_uid="accounts.sessions.out")
    signals.invitation_requested.connect(_count, dispatch_uid="accounts.invitations.count")
    signals.invitation_to_mail.connect(_enqueue, dispatch_uid="accounts.invitations.mail")
    email_confirmed.connect(_claim, dispatch_uid="accounts.invitations.confirmed")
    user_signed_up.connect(_claim_of_new_user, dispatch_uid="accounts.invitations.signed_up")
    email_removed.connect(_release, dispatch_uid="accounts.invitations.removed")


def _store_session(sender: Any, *, request: HttpRequest, user: Any, **_: Any) -> None:
    # The session of a visitor may have a short lifetime.
    request.session.set_expiry(None)
    record_session(request, user=user)


def _delete_session(sender: Any, *, request: HttpRequest, **_: Any) -> None:
    UserSession.objects.filter(session_key=request.session.session_key).delete()


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
    address = confirmed_address_of(user)
    if address:
        claim_invitations(user=user, address=address)


def _release(sender: Any, *, user: Any, email_address: Any, **_: Any) -> None:
    if email_address.verified:
        release_invitations(user=user)
