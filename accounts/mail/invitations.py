"""Mails with invitations to tables. Imported only if the app `tables` is installed."""
from __future__ import annotations

from django.conf import settings
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from accounts.mail.addresses import user_with_address
from accounts.mail.messages import MAX_USER_NAME_LENGTH, safe_name, send
from accounts.profiles import language_of, profile_of
from accounts.rate_limits import count_mailed_invitation
from shared.locales.formats import day_text
from shared.locales.tags import choose_tag
from tables.services import claim_invitations, invitation_mail

MAX_TABLE_NAME_LENGTH = 80


def mail_invitation(*, invitation_id: int, origin: str, language: str) -> bool:
    """Mail an invitation to a table; return whether it is still open.

    A user who has confirmed the address also finds it in their list of tables. An address
    with many invitations within the hour gets no further mail, without an error.
    """
    now = timezone.now()
    found = invitation_mail(invitation_id=invitation_id, now=now)
    if found is None:
        return False
    user = user_with_address(found.address)
    if user is not None:
        claim_invitations(user=user, address=found.address)
    if not count_mailed_invitation(address=found.address, now=now):
        return True
    language = (language_of(user) if user else "") or language
    tag = choose_tag(chosen=profile_of(user).locale if user else "", page=language, accepted="")
    with translation.override(language):
        known = safe_name(found.invited_by, max_length=MAX_USER_NAME_LENGTH)
        table = safe_name(found.table, max_length=MAX_TABLE_NAME_LENGTH)
        name = known or _("A %(site)s user") % {"site": settings.SITE_NAME}
        day = day_text(timezone.localtime(found.expires_at).date(), tag=tag)
        params = {"name": name, "origin": origin, "table": table, "day": day}
        if not params["table"]:
            invites = _("%(name)s invites you to a table at %(origin)s.") % params
        elif found.role == "editor":
            invites = _("%(name)s invites you to the table “%(table)s” at %(origin)s, as an editor.") % params
        else:
            invites = _("%(name)s invites you to the table “%(table)s” at %(origin)s, as a viewer.") % params
        send(
            found.address,
            subject=_("%(name)s invites you to a table") % params,
            paragraphs=(
                invites,
                _("Accept or decline by %(day)s:") % params,
                origin.rstrip("/") + reverse("invitation", args=[found.token]),
                _("If you do not know %(name)s, ignore this e-mail.") % params
                if known
                else _("If you did not expect an invitation, ignore this e-mail."),
            ),
            name=user.get_username() if user else "",
        )
    return True
