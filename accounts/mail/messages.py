"""The mails of this project, in the language of the recipient."""
from __future__ import annotations

import re

from allauth.account.forms import default_token_generator
from allauth.account.models import EmailAddress
from allauth.account.utils import user_pk_to_url_str
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from accounts.mail.addresses import address_link, confirmed_address_of, user_with_address
from accounts.profiles import language_of

# Names chosen by other users are only put into mails if mail programs would not display them as a link.
MAX_USER_NAME_LENGTH = 40
LINK_CHARACTERS = re.compile(r"[./:@\\]")
ADDRESS_REMOVED, SECOND_STEPS_REMOVED = "accounts/address_removed", "accounts/second_steps_removed"
# Subject and text of notices, by the names of django-allauth where it has them.
NOTICES = {
    ADDRESS_REMOVED: (
        _lazy("Your address was removed"),
        _lazy("this e-mail address was removed from your account and is no longer used."),
    ),
    "account/email/email_changed": (
        _lazy("Your address was changed"),
        _lazy("the e-mail address of your account was changed. This one is no longer used."),
    ),
    SECOND_STEPS_REMOVED: (
        _lazy("Two-factor authentication was turned off"),
        _lazy("an administrator removed the authenticator app, the passkeys and the recovery codes from your account."),
    ),
    "mfa/email/totp_activated": (
        _lazy("Two-factor authentication was turned on"),
        _lazy("an authenticator app was added to your account. Sign-in now also asks for its code."),
    ),
    "mfa/email/totp_deactivated": (
        _lazy("Your authenticator app was removed"),
        _lazy("the authenticator app was removed from your account. Sign-in no longer asks for its code."),
    ),
    "mfa/email/webauthn_added": (
        _lazy("A passkey was added"),
        _lazy("a passkey was added to your account. It can be used to sign in."),
    ),
    "mfa/email/webauthn_removed": (
        _lazy("A passkey was removed"),
        _lazy("a passkey was removed from your account. It can no longer be used to sign in."),
    ),
    "mfa/email/recovery_codes_generated": (
        _lazy("New recovery codes"),
        _lazy("new recovery codes were created for your account. The old codes no longer work."),
    ),
    "socialaccount/email/account_connected": (
        _lazy("Single sign-on was added"),
        _lazy("your account was connected with single sign-on. You can now sign in with it."),
    ),
    "account/email/password_changed": (_lazy("Your password was changed"), _lazy("your password was changed.")),
    "account/email/password_set": (_lazy("Your password was changed"), _lazy("a password was set for your account.")),
    "account/email/password_reset": (_lazy("Your password was changed"), _lazy("your password was changed.")),
}


def mail_reset_link(*, address: str, origin: str, language: str) -> bool:
    """Send a reset link to the user with this address; return whether there is one. `language` is the requester's."""
    user = user_with_address(address)
    if user is None:
        return False
    with translation.override(language_of(user) or language):
        send(
            confirmed_address_of(user),
            subject=_("Reset your password"),
            paragraphs=(
                _("a new password was requested for your account at %(origin)s.") % {"origin": origin},
                _("Set it here within 30 minutes:"),
                reset_link(user, origin=origin),
                _("If this was not you, ignore this e-mail. Your password stays the same."),
            ),
            name=user.get_username(),
        )
    return True


def mail_address_link(*, unconfirmed: EmailAddress, origin: str, language: str) -> None:
    """Send the link that confirms an address to that address."""
    with translation.override(language_of(unconfirmed.user) or language):
        send(
            unconfirmed.email,
            subject=_("Confirm your e-mail address"),
            paragraphs=(
                _("this address was added to an account at %(origin)s. Confirm it within an hour:")
                % {"origin": origin},
                address_link(unconfirmed, origin=origin),
                _("If this was not you, ignore this e-mail. The address is not used until it is confirmed."),
            ),
            # The address may belong to another person, who must not receive an arbitrary text.
            name=safe_name(unconfirmed.user.get_username(), max_length=MAX_USER_NAME_LENGTH),
        )


def mail_notice(*, notice: str, user: User, address: str, language: str) -> None:
    """Send a notice (a key of NOTICES) about the user's account to the address, or to the user's confirmed address."""
    to = address or confirmed_address_of(user)
    if not to:
        return
    with translation.override(language_of(user) or language):
        subject, text = NOTICES[notice]
        send(
            to,
            subject=str(subject),
            paragraphs=(
                str(text),
                _("If this was not you, contact your administrator, who can sign you out everywhere."),
            ),
            name=user.get_username(),
        )


def reset_link(user: User, *, origin: str) -> str:
    """Return a link to set a new password, which is valid once, within half an hour."""
    uid, key = user_pk_to_url_str(user), default_token_generator.make_token(user)
    return origin.rstrip("/") + reverse("account_reset_password_from_key", args=[uid, key])


def safe_name(name: str, *, max_length: int) -> str:
    """Return a name that another user chose, for a mail; "" for one that could be a link, or is long."""
    one_line = " ".join(name.split())
    if len(one_line) > max_length or not one_line.isprintable() or LINK_CHARACTERS.search(one_line):
        return ""
    return one_line


def send(to: str, *, subject: str, paragraphs: tuple[str, ...], name: str) -> None:
    """Send a mail that greets its recipient by `name`, which may be ""."""
    greeting = _("Hello %(name)s,") % {"name": name} if name else _("Hello,")
    body = "\n\n".join((greeting, *paragraphs)) + "\n"
    # Suppresses automatic replies.
    EmailMessage(subject, body, to=[to], headers={"Auto-Submitted": "auto-generated"}).send()
