"""The mails there are, in the language of whoever gets them."""
from __future__ import annotations

from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.utils import translation
from django.utils.translation import gettext as _

from accounts.mail_addresses import address_link, people_at
from accounts.password_resets import reset_link
from accounts.profiles import language_of


def mail_reset_links(*, address: str, origin: str, language: str) -> int:
    """Sends a link to everybody whose address this is; how many. `language` is for who has chosen none."""
    people = people_at(address)
    for person in people:
        with translation.override(language_of(person) or language):
            _send(
                person.email,
                subject=_("A new password"),
                paragraphs=(
                    _("somebody, most likely you, asked for a new password at %(origin)s.") % {"origin": origin},
                    _("Choose it here, within half an hour:"),
                    reset_link(person, origin=origin),
                    _("If it was not you, nothing needs to be done: your password stays as it is."),
                ),
                name=person.get_username(),
            )
    return len(people)


def mail_address_link(*, person: User, origin: str, language: str) -> bool:
    """Sends the link that makes an address count to that address; whether one waits for it."""
    with translation.override(language_of(person) or language):
        address, link = address_link(person, origin=origin)
        if address:
            _send(
                address,
                subject=_("Is this your address?"),
                paragraphs=(
                    _("this address was given as yours at %(origin)s. Say that it is, within an hour:")
                    % {"origin": origin},
                    link,
                    _("If it was not you, nothing needs to be done: without this link the address is not used."),
                ),
                name=person.get_username(),
            )
        return bool(address)


def mail_address_changed(*, person: User, before: str, language: str) -> None:
    """Tells the address before that it is no longer the person's."""
    with translation.override(language_of(person) or language):
        _send(
            before,
            subject=_("Your address was changed"),
            paragraphs=(
                _("your account has another e-mail address now; this one is no longer used."),
                _("If it was not you, tell whoever looks after the installation: they can sign everybody else out."),
            ),
            name=person.get_username(),
        )


def _send(to: str, *, subject: str, paragraphs: tuple[str, ...], name: str) -> None:
    body = "\n\n".join((_("Hello %(name)s,") % {"name": name}, *paragraphs)) + "\n"
    # So that no program answers it.
    EmailMessage(subject, body, to=[to], headers={"Auto-Submitted": "auto-generated"}).send()
