"""Request and response bodies of sharing: names, roles, and invitations."""
from __future__ import annotations

from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

import strictjson
from tables.column_types import did_you_mean
from tables.column_types.names import NO_HINT
from tables.exceptions import Fault, Invalid, Malformed
from tables.operations.form import ONE_OF
from tables.services import INVITATION_DAYS, MAX_INVITATION_DAYS
from user_messages import Message, as_message, declare

Json = dict[str, Any]
ROLES = ("viewer", "editor")
KINDS = ("user", "email", "link")
MOST_NAME = 150
MAX_ADDRESS_LENGTH = 254
NAME_NOT_POSSIBLE = declare("name_not_possible", "This is a user name of 1 to {count} characters.")
LINK_WITHOUT_NAME = declare("link_without_name", "An invitation link has no name.")
NOT_AN_ADDRESS = declare("not_an_address", "This is an e-mail address like ada@example.org.")
DAYS_OUT_OF_RANGE = declare("days_out_of_range", "This is a whole number of days, 1 to {count}.")


def read_role(value: Any) -> str:
    """Return the role. Raises Malformed."""
    return _one_of(ROLES, value, path="role")


def read_kind(value: Any) -> str:
    """Return the kind of an invitation. Raises Malformed."""
    return _one_of(KINDS, value, path="kind")


def read_name(value: Any, *, path: str = "user") -> str:
    """Return a user name, of an existing account or not. Raises Malformed."""
    if not isinstance(value, str) or not 0 < len(value) <= MOST_NAME:
        raise malformed(path, code="not_a_name", message=NAME_NOT_POSSIBLE(count=MOST_NAME))
    try:
        strictjson.refuse_unstorable(value)
    except strictjson.NotStrictJson as fault:
        raise malformed(path, code=fault.code, message=as_message(fault.detail)) from None
    return value


def read_invited(body: Json) -> str:
    """Return the user name or e-mail address in the body of an invitation, "" for a link. Raises Malformed, Invalid."""
    if body["kind"] == "link":
        if "name" in body:
            raise malformed("name", code="unknown_field", message=LINK_WITHOUT_NAME())
        return ""
    if body["kind"] == "email":
        return read_address(body.get("name"), path="name")
    return read_name(body.get("name"), path="name")


def read_address(value: Any, *, path: str) -> str:
    """Return an e-mail address. Raises Malformed, and Invalid for a text that is none."""
    message = NOT_AN_ADDRESS()
    if not isinstance(value, str) or len(value) > MAX_ADDRESS_LENGTH:
        raise malformed(path, code="not_an_address", message=message)
    try:
        validate_email(value)
    except ValidationError:
        raise Invalid(message, faults=(Fault(path=path, code="not_an_address", message=message),)) from None
    return value


def read_days(body: Json) -> int:
    """Return how many days an invitation can be accepted. Raises Malformed."""
    days = body.get("expires_in_days", INVITATION_DAYS)
    if not isinstance(days, int) or isinstance(days, bool) or not 1 <= days <= MAX_INVITATION_DAYS:
        message = DAYS_OUT_OF_RANGE(count=MAX_INVITATION_DAYS)
        raise malformed("expires_in_days", code="out_of_range", message=message)
    return days


def invitation_json(invitation: Any, *, now: datetime) -> Json:
    """Return an invitation as its owner sees it: the same whether or not its user exists, or has declined."""
    return {
        "id": invitation.pk,
        "kind": invitation.kind,
        "name": invitation.name,
        "role": invitation.role,
        "state": "invited" if invitation.expires_at > now else "expired",
        "created_at": time_text(invitation.created_at),
        "expires_at": time_text(invitation.expires_at),
    }


def sent_response(request: Request, sent: Any, *, status: int) -> Response:
    """Return the response to an invitation that was sent, with the address of a link, which is shown only once."""
    body = invitation_json(sent.invitation, now=sent.invitation.created_at)
    if not sent.token:
        return Response(body, status=status)
    url = request.build_absolute_uri(reverse("invitation", args=[sent.token]))
    return secret_response({**body, "url": url}, status=status, id_=sent.invitation.pk)


def secret_response(body: Json, *, status: int, id_: int) -> Response:
    """Return a response that is neither cached nor repeated."""
    answer = Response(body, status=status, headers={"Cache-Control": "no-store"})
    # Sent again with the same Idempotency-Key, the request is answered with the id alone.
    answer.secret_of = id_  # type: ignore[attr-defined]  # an answer has no slot of its own for it
    return answer


def site_url(request: Request) -> str:
    """Return the address of this installation, for links in mails."""
    return request.build_absolute_uri("/").rstrip("/")


def malformed(path: str, *, code: str, message: Message) -> Malformed:
    """Return the error for one field."""
    return Malformed(message, faults=(Fault(path=path, code=code, message=message),))


def time_text(moment: datetime | None) -> str | None:
    """Return a time as it is written in JSON."""
    return moment.isoformat() if moment else None


def _one_of(known: tuple[str, ...], value: Any, *, path: str) -> str:
    if value not in known:
        hint = did_you_mean(value, known, listed=True) if isinstance(value, str) else NO_HINT
        raise malformed(path, code="unknown_value", message=ONE_OF(names=known, hint=hint))
    return str(value)
