"""Mails about fills that have ended, to users who asked for them. Used only if the app `fills` is installed."""
from __future__ import annotations

from uuid import UUID

from django.conf import settings
from django.urls import reverse
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
        paragraphs = [text, *([message_text(found.reason)] if found.reason else []), numbers, *_link(found, fill_id)]
        send(address, subject=subject, paragraphs=tuple(paragraphs), name=found.user.get_username())
    return True


def _link(found: EndedFill, fill_id: UUID) -> tuple[str, ...]:
    """Return the paragraphs that lead to the review: with a link where the address of the site is known."""
    origin = site_origin()
    if not origin:
        return (_("Open the table at %(site)s to review the results.") % {"site": settings.SITE_NAME},)
    return _("Review the results:"), origin + reverse("review_fill", args=[found.table_id, fill_id])


def site_origin() -> str:
    """Return the origin of the site for links in mails that no request causes, "" where it is only known locally.

    It is the first one in CSRF_TRUSTED_ORIGINS, or that of the first host in ALLOWED_HOSTS.
    """
    trusted = next((origin for origin in settings.CSRF_TRUSTED_ORIGINS if "*" not in origin), "")
    host = next((host for host in settings.ALLOWED_HOSTS if not host.startswith((".", "*"))), "")
    if trusted or settings.LOCAL_INSTALL or not host:
        return trusted.rstrip("/")
    return f"{'https' if settings.SESSION_COOKIE_SECURE else 'http'}://{host}"


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
