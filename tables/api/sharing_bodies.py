"""Request and response bodies of sharing: names, roles, and invitations."""
from __future__ import annotations

from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

import strictjson
from strictjson.moments import OutOfRange, read_moment
from tables.exceptions import Invalid, Malformed
from tables.services import MAX_INVITATION_DAYS
from user_messages import declare

Json = dict[str, Any]
ROLES = ("viewer", "editor")
KINDS = ("user", "email", "link")
MOST_NAME = 150
MAX_ADDRESS_LENGTH = 254
NAME_NOT_POSSIBLE = declare("name_not_possible", "This is a user name of 1 to {count} characters.")
LINK_WITHOUT_NAME = declare("link_without_name", "An invitation link has no name.")
NOT_A_TIME = declare("not_a_time", "This is a time like 2027-01-31T12:00:00Z.")
NOT_AN_ADDRESS = declare("not_an_address", "This is an e-mail address like ada@example.org.")
DAYS_OUT_OF_RANGE = declare("days_out_of_range", "This is a whole number of days, 1 to {count}.")


def read_name(value: Any, *, path: str) -> str:
    """Return a user name, of an existing account or not. Raises Malformed."""
    if not isinstance(value, str) or not 0 < len(value) <= MOST_NAME:
        raise Malformed.at(path, NAME_NOT_POSSIBLE(count=MOST_NAME), code="not_a_name")
    try:
        strictjson.refuse_unstorable(value)
    except strictjson.NotStrictJson as fault:
        raise Malformed.at(path, fault.message, code=fault.code) from None
    return value


def read_invited(body: Json) -> str:
    """Return the user name or e-mail address in the body of an invitation, "" for a link. Raises Malformed, Invalid."""
    if body["kind"] == "link":
        if "name" in body:
            raise Malformed.at("name", LINK_WITHOUT_NAME(), code="unknown_field")
        return ""
    if body["kind"] == "email":
        return read_address(body.get("name"), path="name")
    return read_name(body.get("name"), path="name")


def read_address(value: Any, *, path: str) -> str:
    """Return an e-mail address. Raises Malformed, and Invalid for a text that is none."""
    if not isinstance(value, str) or len(value) > MAX_ADDRESS_LENGTH:
        raise Malformed.at(path, NOT_AN_ADDRESS())
    try:
        validate_email(value)
    except ValidationError:
        raise Invalid.at(path, NOT_AN_ADDRESS()) from None
    return value


def read_days(days: Any) -> int:
    """Return how many days an invitation can be accepted. Raises Malformed."""
    if type(days) is not int or not 1 <= days <= MAX_INVITATION_DAYS:
        raise Malformed.at("expires_in_days", DAYS_OUT_OF_RANGE(count=MAX_INVITATION_DAYS), code="out_of_range")
    return days


def read_moment_or_none(value: Any) -> datetime | None:
    """Return a time, None for null. Raises Malformed."""
    try:
        return None if value is None else read_moment(value)
    except OutOfRange as error:
        raise Malformed.at("expires_at", error.message, code="out_of_range") from None
    except (TypeError, ValueError):
        raise Malformed.at("expires_at", NOT_A_TIME()) from None
