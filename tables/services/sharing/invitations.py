"""Invitations to a table: sent by its owner, accepted or declined by the invited user."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction

from shared.user_messages import declare
from tables.exceptions import Invalid, NotFound
from tables.models import Invitation, Member, Table
from tables.operations.tokens import new_token, token_hash
from tables.selectors.access import OWNER, role_of
from tables.selectors.sharing import Kind, acceptable_invitation, invitation_kinds, invitations_of, member_named
from tables.selectors.tables import get_table
from tables.services.pipeline.announcements import announce_access
from tables.services.pipeline.locking import locked_table
from tables.signals import invitation_requested, invitation_to_mail

OWN_TABLE = declare("own_table", "You own this table. Share the link with others.")
NO_MAIL = declare("no_mail", "This site cannot send e-mail. Share an invitation link instead.")
IS_OWNER = declare("is_owner", "This user owns the table.")
ALREADY_MEMBER = declare("already_member", "{name} is already a member of this table.")
TOO_MANY_INVITATIONS = declare("too_many_invitations", "There are already {count} open invitations.")
TOO_MANY_MEMBERS = declare("too_many_members", "A table can have at most {count:,} members.")
NO_SUCH_INVITATION = declare("no_such_invitation", "Invitation not found.")

INVITATION_DAYS = 7
MAX_INVITATION_DAYS = 90
MAX_MEMBERS = 1_000
MAX_INVITATIONS = 100
# Days for which a declined invitation that is sent again does not appear in the user's list.
DECLINED_DAYS = 7


@dataclass(frozen=True)
class SentInvitation:
    """An invitation that was sent. `token` is that of a link, never shown again; "" for other kinds."""

    invitation: Invitation
    token: str = ""


@dataclass(frozen=True)
class InvitationMail:
    """The contents of the mail of an invitation, with its `token`, of which only a hash is stored."""

    address: str
    invited_by: str
    table: str
    role: str
    expires_at: datetime
    token: str


def invite(
    *,
    user: Any,
    table_id: int,
    kind: str,
    role: str,
    now: datetime,
    name: str = "",
    days: int = INVITATION_DAYS,
    site_url: str = "",
) -> SentInvitation:
    """Invite the user called `name`, the owner of the e-mail address `name`, or any user with a new link.

    The result and the list do not reveal whether such a user or address exists. Inviting the same name again replaces
    its invitation. Raises Invalid: "owner", "member", "no_mail", "too_many".
    """
    name = name.lower() if kind == Kind.EMAIL else name
    _request(user, get_table(user, table_id, can="own"), kind=kind, name=name, now=now)
    with transaction.atomic():
        table = locked_table(user, table_id, can="own")
        if kind == Kind.USER:
            _refuse_present(table, name=name)
        invitation = invitations_of(table).filter(kind=kind, name=name).exclude(name="").first()
        if invitation is None:
            _refuse_full(table)
            invitation = Invitation(table=table, kind=kind, name=name, created_at=now)
        invitation.role = role
        return _send(invitation, by=user, days=days, now=now, site_url=site_url)


def renew_invitation(
    *, user: Any, table_id: int, invitation_id: int, now: datetime, days: int = INVITATION_DAYS, site_url: str = ""
) -> SentInvitation:
    """Send an invitation again, valid as long as a new one; the former link or mail is void.

    Raises NotFound.
    """
    known = _invitation(get_table(user, table_id, can="own"), invitation_id)
    _request(user, known.table, kind=known.kind, name=known.name, now=now)
    with transaction.atomic():
        table = locked_table(user, table_id, can="own")
        invitation = _invitation(table, invitation_id)
        if invitation.kind == Kind.USER:
            _refuse_present(table, name=invitation.name)
        return _send(invitation, by=user, days=days, now=now, site_url=site_url)


def withdraw_invitation(*, user: Any, table_id: int, invitation_id: int) -> None:
    """Delete an open invitation. Raises NotFound."""
    with transaction.atomic():
        _invitation(locked_table(user, table_id, can="own"), invitation_id).delete()


def accept_invitation(*, user: Any, key: str | int, now: datetime) -> Table:
    """Make the user a member, once. `key`: the id of an invitation to this user, or a token.

    A user who is a member already gets the higher of both roles. Raises NotFound for a void invitation, and Invalid
    ("owner").
    """

    def find() -> Invitation:
        return acceptable_invitation(user, key=key, now=now)

    with transaction.atomic():
        invitation = _locked(find)
        table = invitation.table
        role = role_of(user, table)
        if role == OWNER:
            raise Invalid(OWN_TABLE(), code="owner")
        if role != Member.Role.EDITOR:
            values = {"role": invitation.role, "added_by": invitation.invited_by}
            Member.objects.update_or_create(table=table, user=user, defaults=values)
        invitation.accepted_at, invitation.accepted_by = now, user
        invitation.save(update_fields=["accepted_at", "accepted_by"])
        # The owner's list now has them as a member.
        invitations_of(table).filter(kind=Kind.USER, user=user).delete()
        announce_access(table)
    return table


def decline_invitation(*, user: Any, key: str | int, now: datetime) -> Table:
    """Remove an invitation from the user's list.

    The owner is not informed, because that would reveal whether a name exists. `key` as for `accept_invitation`. A link
    is for any user and cannot be declined. Raises NotFound.
    """
    with transaction.atomic():
        invitation = _locked(lambda: acceptable_invitation(user, key=key, now=now))
        if invitation.kind != Kind.LINK:
            invitation.declined_at = now
            invitation.save(update_fields=["declined_at"])
    return invitation.table


def claim_invitations(*, user: Any, address: str) -> None:
    """List the invitations mailed to this e-mail address for the user, who has confirmed it.

    One without a token was not mailed yet, or is void because its user was a member.
    """
    found = Invitation.objects.filter(kind=Kind.EMAIL, name=address.lower(), user=None, accepted_at=None)
    found.exclude(token_hash=None).update(user=user)


def release_invitations(*, user: Any, address: str = "") -> None:
    """Remove the open invitations by e-mail from the user's list, except those to `address`."""
    found = Invitation.objects.filter(kind=Kind.EMAIL, user=user, accepted_at=None).exclude(name=address.lower())
    found.update(user=None, declined_at=None)


def invitation_mail(*, invitation_id: int, now: datetime) -> InvitationMail | None:
    """Give the invitation a new token and return its mail; None if it is no longer open."""
    with transaction.atomic():
        found = Invitation.objects.select_for_update(of=("self",)).select_related("table", "invited_by")
        invitation = found.filter(pk=invitation_id, kind=Kind.EMAIL, accepted_at=None, expires_at__gt=now).first()
        if invitation is None:
            return None
        token = new_token()
        invitation.token_hash = token_hash(token)
        invitation.save(update_fields=["token_hash"])
    return InvitationMail(
        address=invitation.name,
        invited_by=invitation.invited_by.get_username(),
        table=invitation.table.name,
        role=invitation.role,
        expires_at=invitation.expires_at,
        token=token,
    )


def _request(user: Any, table: Table, *, kind: str, name: str, now: datetime) -> None:
    """Notify receivers, which count invitations, before any lock is taken."""
    if kind not in invitation_kinds():
        raise Invalid(NO_MAIL(), code="no_mail")
    if kind == Kind.USER and name == table.owner.get_username():
        raise Invalid(IS_OWNER(), code="owner")
    invitation_requested.send(sender=None, user=user, kind=kind, name=name, now=now)


def _refuse_present(table: Table, *, name: str) -> None:
    if member_named(table, name) is not None:
        raise Invalid(ALREADY_MEMBER(name=name), code="member")


def _refuse_full(table: Table) -> None:
    invitations = invitations_of(table).count()
    if invitations >= MAX_INVITATIONS:
        raise Invalid(TOO_MANY_INVITATIONS(count=MAX_INVITATIONS), code="too_many")
    if table.members.count() + invitations >= MAX_MEMBERS:
        raise Invalid(TOO_MANY_MEMBERS(count=MAX_MEMBERS), code="too_many")


def _send(invitation: Invitation, *, by: Any, days: int, now: datetime, site_url: str) -> SentInvitation:
    token = ""
    if invitation.kind == Kind.USER:
        # The current account: if the name is registered later, the invitation is not for that user.
        user = get_user_model().objects.filter(username=invitation.name).first()
        if user is None or user.pk != invitation.user_id:
            invitation.declined_at = None
        invitation.user = user
    elif invitation.kind == Kind.LINK:
        token = new_token()
        invitation.token_hash = token_hash(token)
    else:
        # For the user who has the address now. The task that mails it creates the token and lists it for that user.
        invitation.user, invitation.token_hash = None, None
    if invitation.declined_at is not None and invitation.declined_at <= now - timedelta(days=DECLINED_DAYS):
        invitation.declined_at = None
    invitation.invited_by = by
    invitation.expires_at = now + timedelta(days=days)
    invitation.save()
    if invitation.kind == Kind.EMAIL:
        invitation_to_mail.send(sender=None, invitation_id=invitation.pk, site_url=site_url)
    return SentInvitation(invitation, token)


def _invitation(table: Table, invitation_id: int) -> Invitation:
    invitation = invitations_of(table).filter(pk=invitation_id).select_related("table__owner").first()
    if invitation is None:
        raise NotFound(NO_SUCH_INVITATION())
    return invitation


def _locked(find: Callable[[], Invitation]) -> Invitation:
    """Find the invitation again with its table locked, because several users may use one link."""
    Table.objects.select_for_update().get(pk=find().table_id)
    return find()
