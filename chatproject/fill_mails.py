"""Mails about fills that have ended, to users who asked for them. Used only if the app `fills` is installed."""
from __future__ import annotations

from uuid import UUID

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _

from accounts.mail.addresses import confirmed_address_of
from accounts.mail.messages import safe_name, send
from accounts.profiles import language_of
from fills.selectors import EndedFill, ended_fill
from shared.user_messages.rendering import message_text

MAX_TABLE_NAME_LENGTH = 80


def mail_fill_ended(*, fill_id: UUID) -> bool:
    """Mail the user of a fill how it has ended; return whether a mail was sent.

    None is sent if the user did not ask for it, has no confirmed address, or may not view the table any more.
    """
    found = ended_fill(fill_id)
    address = confirmed_address_of(found.user) if found is not None else ""
    if found is None or not address:
        return False
    with translation.override(language_of(found.user) or settings.LANGUAGE_CODE):
        subject, text = _texts(found)
        numbers = _("%(found)s rows with values, %(empty)s without, %(failed)s with an error.") % found.counts
        review = _("Open the table at %(site)s to review the results.") % {"site": settings.SITE_NAME}
        paragraphs = [text, *([message_text(found.reason)] if found.reason else []), numbers, review]
        send(address, subject=subject, paragraphs=tuple(paragraphs), name=found.user.get_username())
    return True


def _texts(found: EndedFill) -> tuple[str, str]:
    """Return the subject and the first sentence. A table with a name that looks like a link is not named."""
    name = safe_name(found.table, max_length=MAX_TABLE_NAME_LENGTH)
    if found.state == "done":
        named = _("your fill of the table “%(table)s” is finished.") % {"table": name}
        return _("Your fill is finished"), named if name else _("your fill is finished.")
    if found.state == "paused":
        named = _("your fill of the table “%(table)s” is paused.") % {"table": name}
        return _("Your fill is paused"), named if name else _("your fill is paused.")
    named = _("your fill of the table “%(table)s” has failed.") % {"table": name}
    return _("Your fill has failed"), named if name else _("your fill has failed.")
