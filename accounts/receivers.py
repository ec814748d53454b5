"""Signal receivers: store the user of each session, and pass on which addresses are confirmed and removed."""
from __future__ import annotations

from typing import Any

from allauth.account import signals as allauth
from allauth.account.signals import email_confirmed, email_removed, user_signed_up
from allauth.usersessions.models import UserSession
from allauth.usersessions.signals import on_user_logged_in
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.http import HttpRequest

from accounts.mail.addresses import confirmed_address_of
from accounts.owned_data import owned_data
from accounts.sessions.user_sessions import record_session


def connect() -> None:
    """Connect the receivers of this module."""
    # django-allauth's receiver reads every session of the user.
    allauth.user_logged_in.disconnect(on_user_logged_in)
    user_logged_in.connect(_store_session, dispatch_uid="accounts.sessions.in")
    user_logged_out.connect(_delete_session, dispatch_uid="accounts.sessions.out")
    email_confirmed.connect(_address_confirmed, dispatch_uid="accounts.addresses.confirmed")
    user_signed_up.connect(_signed_up, dispatch_uid="accounts.addresses.signed_up")
    email_removed.connect(_address_removed, dispatch_uid="accounts.addresses.removed")


def _store_session(sender: Any, *, request: HttpRequest, user: Any, **_: Any) -> None:
    # The session of a visitor may have a short lifetime.
    request.session.set_expiry(None)
    record_session(request, user=user)


def _delete_session(sender: Any, *, request: HttpRequest, **_: Any) -> None:
    UserSession.objects.filter(session_key=request.session.session_key).delete()


def _address_confirmed(sender: Any, *, email_address: Any, **_: Any) -> None:
    for data in owned_data():
        data.address_confirmed(user=email_address.user, address=email_address.email)


def _signed_up(sender: Any, *, user: Any, **_: Any) -> None:
    """An identity provider has confirmed the address of a new user."""
    address = confirmed_address_of(user)
    if address:
        for data in owned_data():
            data.address_confirmed(user=user, address=address)


def _address_removed(sender: Any, *, user: Any, email_address: Any, **_: Any) -> None:
    if email_address.verified:
        for data in owned_data():
            data.address_removed(user=user)
