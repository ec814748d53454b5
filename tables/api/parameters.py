"""Query parameters, read strictly by their descriptions: these say which there are, which values, and how long."""
from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from shared import strictjson
from shared.user_messages import declare
from shared.user_messages.request_messages import DOUBLED_PARAMETER
from tables.column_types import did_you_mean
from tables.exceptions import Malformed
from tables.operations.body_reader import read_word

MAX_TEXT = 1_000
MAX_DIGITS = 18
UNKNOWN_PARAMETER = declare("unknown_parameter", "There is no parameter of this name.{hint}")
PARAMETER_TOO_LONG = declare("parameter_too_long", "This may have at most {count} characters.")
NOT_WHOLE = declare("not_whole", "This must be a whole number between {least} and {most}.")
UNKNOWN_TIME_ZONE = declare("unknown_time_zone", "There is no time zone of this name.{hint}")


class Parameters:
    """The query of one request; every reading raises Malformed with the parameter's name as the path."""

    def __init__(self, request: Request, described: Iterable[OpenApiParameter] = ()) -> None:
        self._schemas: dict[str, Any] = {parameter.name: parameter.type for parameter in described}
        self._given = {name: request.query_params.getlist(name) for name in request.query_params}
        for name, values in self._given.items():
            if name not in self._schemas:
                hint = did_you_mean(name, self._schemas)
                raise Malformed.at(name, UNKNOWN_PARAMETER(hint=hint), code="unknown_parameter")
            if len(values) > 1:
                raise Malformed.at(name, DOUBLED_PARAMETER(), code="doubled_parameter")

    def has(self, name: str) -> bool:
        """Whether it is there, be it empty."""
        return name in self._given

    def text(self, name: str) -> str:
        """The parameter as it is, "" when it is not there."""
        value = self._given.get(name, [""])[0]
        if len(value) > (most := self._schemas.get(name, {}).get("maxLength", MAX_TEXT)):
            raise Malformed.at(name, PARAMETER_TOO_LONG(count=most), code="too_long")
        try:
            strictjson.refuse_unstorable(value)
        except strictjson.NotStrictJson as fault:
            raise Malformed.at(name, fault.message, code=fault.code) from None
        return value

    def whole(self, name: str, *, default: int) -> int:
        """A whole number."""
        found = self.maybe_whole(name)
        return default if found is None else found

    def maybe_whole(self, name: str) -> int | None:
        """A whole number, None when it is not there. An empty one is none."""
        if not self.has(name):
            return None
        value, least, most = self.text(name), self._schemas[name]["minimum"], self._schemas[name]["maximum"]
        if not (value.isascii() and value.isdigit() and len(value) <= MAX_DIGITS and least <= int(value) <= most):
            raise Malformed.at(name, NOT_WHOLE(least=least, most=most), code="not_whole")
        return int(value)

    def choice(self, name: str) -> str:
        """One of the words allowed; the first one when it is not there. An empty one is none of them."""
        allowed = self._schemas[name]["enum"]
        return read_word(self.text(name), path=name, allowed=allowed) if self.has(name) else str(allowed[0])

    def flag(self, name: str, *, default: bool = False) -> bool:
        """`true` or `false`."""
        allowed = ("true", "false") if default else ("false", "true")
        return read_word(self.text(name), path=name, allowed=allowed) == "true" if self.has(name) else default

    def json(self, name: str) -> Any:
        """A parameter written in JSON, None when it is not there."""
        value = self.text(name)
        if value == "":
            return None
        try:
            return strictjson.read(value)
        except strictjson.NotStrictJson as fault:
            raise Malformed.at(name, fault.message, code=fault.code) from None

    def today(self) -> date:
        """The day it is in the time zone of `tz` (an IANA name), else in that of the person who asks, else in UTC."""
        zone = self.zone()
        # Only a filter may speak of days; without one nobody needs to be asked where they live.
        return timezone.localdate(timezone=zone) if zone or "filter" in self._given else timezone.now().date()

    def zone(self) -> ZoneInfo | None:
        """The time zone of `tz`, an IANA name; None when it is not there."""
        name = self.text("tz")
        if name and name not in _zones():
            hint = did_you_mean(name, sorted(_zones()))
            raise Malformed.at("tz", UNKNOWN_TIME_ZONE(hint=hint), code="unknown_time_zone")
        return ZoneInfo(name) if name else None


@lru_cache(maxsize=1)
def _zones() -> frozenset[str]:
    """Only names that are listed become paths below the zone files."""
    return frozenset(available_timezones())
