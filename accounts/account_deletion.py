"""Deletion of accounts: an account is closed at once, and its data is deleted by the next clean-up."""
from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from accounts.exceptions import Invalid
from accounts.mail_addresses import forget_addresses
from accounts.models import ApiToken, ClosedAccount, Profile
from accounts.second_step import forget_second_steps
from accounts.sessions import end_sessions
from accounts.single_sign_on import forget_identities
from chat.services.retention import delete_user_conversations, has_conversations
from tables.selectors import owns_tables
from tables.services import release_invitations, transfer_or_delete_tables


def close_account(*, user: Any, heirs: Mapping[int, str], now: datetime) -> None:
    """End sessions and tokens, transfer tables to `heirs` (see `transfer_or_delete_tables`), and anonymize the user.

    Raises Invalid ("last_administrator"), and what `transfer_or_delete_tables` raises.
    """
    with transaction.atomic():
        # Lock administrators in one order, so that two who delete their accounts at once do not both find the other.
        administrators = list(User.objects.select_for_update().filter(is_superuser=True, is_active=True).order_by("pk"))
        person = User.objects.select_for_update().get(pk=user.pk)
        if person.is_superuser and len(administrators) == 1:
            detail = _("You are the only administrator. Make another user an administrator first.")
            raise Invalid(detail, code="last_administrator")
        transfer_or_delete_tables(user=person, heirs=heirs, now=now)
        ApiToken.objects.filter(user=person).delete()
        Profile.objects.filter(user=person).delete()
        forget_addresses(user=person)
        forget_second_steps(user=person)
        forget_identities(user=person)
        release_invitations(user=person)
        end_sessions(user=person)
        person.username = f"left-{person.pk}-{secrets.token_hex(4)}"
        person.email = person.first_name = person.last_name = ""
        person.is_active = person.is_staff = person.is_superuser = False
        person.set_unusable_password()
        person.save()
        ClosedAccount.objects.create(user=person, closed_at=now)


def clear_accounts(*, now: datetime) -> Iterator[int]:
    """Delete closed accounts: a few conversations at a time, and the user once nothing else is left."""
    for user_id in ClosedAccount.objects.filter(closed_at__lte=now).order_by("pk").values_list("pk", flat=True):
        yield from delete_user_conversations(user_id=user_id)
        if not (owns_tables(user_id) or has_conversations(user_id)):
            User.objects.filter(pk=user_id).delete()
            yield 1
